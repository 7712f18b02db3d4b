"""Running configurations with lines of others: those that may decide leave pairs open, those that cannot do not."""

from dataclasses import replace

import pytest

from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.platforms import platforms
from nornir_tasks.platforms.config_tree import Path
from nornir_tasks.platforms.platform import OpenTrunk
from nornir_tasks.proofs.isolation import Isolation, judge
from nornir_tasks.proofs.unsure import Seen, Unsure, unsure, with_open_trunks
from tests.unit.design import front_full
from tests.unit.proofs.front_proved import GUARDED, front

EOS, NXOS, NVUE = front_full.DEVICES["eos"], front_full.DEVICES["nxos"], front_full.DEVICES["nvue"]


def seen(device: str, *lines: Path) -> Seen:
    """What a switch runs: ours, and these lines."""
    ours = front_full.part(device)
    tree = ours.tree.copy()
    for path in lines:
        tree.add_path(path)
    parsed = ours.platform.parse(tree, ours.capabilities, device, ours.config.model)
    unread = tuple(path for path, node in parsed.remainder.walk() if not node)
    return Seen(parsed.config, unread, ours.platform.open_trunks(tree))


def doubts(device: str, found: Seen) -> Unsure:
    every = {name: Seen(config, ()) for name, config in front().configs.items()} | {device: found}
    return unsure(front().network, front().configs, every, platforms(), {})


def judged(device: str, found: Seen, because: Unsure) -> Isolation:
    configs = {**front().configs, device: with_open_trunks(found)}
    return judge(front().network, configs, GUARDED, None, because)


DECIDING: dict[str, tuple[str, Path]] = {
    "a routing protocol": (EOS, ("router ospf 1", "network 10.168.0.0/16 area 0.0.0.0")),
    "a static route with a distance": (EOS, ("ip route 10.169.0.0/25 192.0.2.1 200",)),
    "a leak between VRFs": (EOS, ("router general", "vrf LEGACY", "leak routes source-vrf default subscribe-policy P")),
    "a rule of a list on a port": (EOS, ("ip access-list STORAGE-V200-IN", "5 permit tcp any any eq ssh snmp")),
    "a policy of a port": (EOS, ("interface Vlan200", "service-policy type pbr input P")),
    "a tunnel": (EOS, ("interface Tunnel1", "tunnel mode gre")),
    "VXLAN": (EOS, ("interface Vxlan1", "vxlan vlan 200 vni 10200")),
    "management among the ports": (EOS, ("interface Management1", "ip address 192.0.2.7/24")),
    "a session of others": (EOS, ("router bgp 4200200000", "neighbor 203.0.113.9 remote-as 64999")),
    "a policy of a port (NX-OS)": (NXOS, ("interface Vlan200", "ip policy route-map P")),
    "an import between VRFs (NX-OS)": (
        NXOS, ("vrf context LEGACY", "address-family ipv4 unicast", "import vrf default map M"),
    ),
    "a route by another VRF (NX-OS)": (NXOS, ("ip route 10.169.0.0/25 10.1.0.1 vrf LEGACY",)),
    "a session of others (NX-OS)": (NXOS, ("router bgp 4200200001", "neighbor 203.0.113.9", "remote-as 64999")),
    "an import between VRFs (NVUE)": (
        NVUE,
        ("vrf", "default", "router", "bgp", "address-family", "ipv4-unicast", "route-import", "from-vrf", "list", "X"),
    ),
    "VXLAN (NVUE)": (NVUE, ("nve", "vxlan", 'state: "enabled"')),
    "management among the ports (NVUE)": (NVUE, ("interface", "eth0", "ip", "address", "192.0.2.7/24")),
}  # fmt: skip


@pytest.mark.parametrize(("device", "line"), DECIDING.values(), ids=DECIDING)
def test_a_line_that_may_decide_and_is_not_known_leaves_every_pair_open(device: str, line: Path) -> None:
    found = seen(device, line)
    because = doubts(device, found)
    assert set(because.reasons) == {device}, because
    pairs = judged(device, found, because)
    assert (pairs.proved, len(pairs.unknown)) == (0, 31)
    assert pairs.failed == ()


def test_a_vlan_of_hosts_on_a_port_where_the_plan_has_no_cable_leaves_pairs_open() -> None:
    clean = seen(EOS)
    port = Interface("Ethernet30", None, None, None, True, None, access_vlan=200)
    others = tuple(each for each in clean.config.interfaces if each.name != port.name)
    found = replace(clean, config=replace(clean.config, interfaces=(*others, port)))
    assert doubts(EOS, found).reasons == {EOS: ("Ethernet30 carries VLAN 200, and the plan has no cable there",)}
    away = replace(clean, config=replace(clean.config, interfaces=(*others, replace(port, access_vlan=3999))))
    assert doubts(EOS, away).reasons == {}
    shut = replace(clean, config=replace(clean.config, interfaces=(*others, replace(port, enabled=False))))
    assert doubts(EOS, shut).reasons == {}


def test_a_hosts_port_without_a_vlan_is_in_the_one_that_its_system_begins_with() -> None:
    clean = seen(EOS)
    bare = Interface("Ethernet1", None, None, None, True, None)
    ports = tuple(bare if each.name == bare.name else each for each in clean.config.interfaces)
    found = replace(clean, config=replace(clean.config, interfaces=ports))
    reason = "Ethernet1 has a host and no VLAN: it is in the one that its system begins with"
    assert doubts(EOS, found).reasons == {EOS: (reason,)}


BESIDE: dict[str, tuple[str, tuple[Path, ...]]] = {
    "accounts and management": (
        EOS,
        (
            ("username admin privilege 15 role network-admin nopassword",),
            ("management api http-commands", "vrf MGMT", "no shutdown"),
            ("interface Management1", "vrf MGMT"),
            ("interface Management1", "ip address 192.0.2.7/24"),
            ("ip route vrf MGMT 0.0.0.0/0 192.0.2.1",),
            ("vrf instance MGMT",),
        ),
    ),
    "a VRF without ports": (
        EOS,
        (
            ("router bgp 4200200000", "vrf LEGACY", "neighbor 198.51.100.129 remote-as 64999"),
            ("ip route vrf LEGACY 10.168.0.0/16 192.0.2.1 name not-ours",),
        ),
    ),
    "a list that no port has": (EOS, (("ip access-list MGMT-ACCESS", "10 permit tcp any any eq ssh snmp https"),)),
    "a route to nobody's hosts": (NXOS, (("ip route 172.31.0.0/16 172.30.255.1 name legacy",),)),
    "a port that is shut": (
        EOS, (("interface Ethernet31", "shutdown"), ("interface Ethernet31", "vxlan encapsulation ipv4")),
    ),
    "words of a port": (NXOS, (("interface Ethernet1/30", "load-interval counter 1 30"),)),
    "a VLAN of others": (EOS, (("vlan 3999", "name LEGACY"), ("interface Ethernet30", "switchport access vlan 3999"))),
    "control plane (NVUE)": (
        NVUE,
        (
            ("system", "control-plane", "acl", "MGMT-ONLY", "inbound"),
            ("acl", "MGMT-ONLY", "rule", "10", "match", "ip", 'protocol: "tcp"'),
            ("interface", "eth0", "ip", "vrf: \"mgmt\""),
            ("interface", "eth0", "ip", "address", "192.0.2.7/24"),
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("device", "lines"), BESIDE.values(), ids=BESIDE)
def test_lines_of_others_that_cannot_decide_change_nothing(device: str, lines: tuple[Path, ...]) -> None:
    found = seen(device, *lines)
    because = doubts(device, found)
    assert because.reasons == {}
    assert judged(device, found, because).summary() == "isolation 31 of 31 pairs"


def test_what_the_parser_knows_of_others_lines_is_judged() -> None:
    """A gateway of others in our routing, without lists: no doubt, but an open way."""
    found = seen(EOS, ("ip access-list OPEN", "10 permit ip any any"))
    ports = tuple(replace(each, acls=()) if each.name == "Vlan200" else each for each in found.config.interfaces)
    opened = replace(found, config=replace(found.config, interfaces=ports))
    because = doubts(EOS, opened)
    assert because.reasons == {}
    failed = {(str(each.source), str(each.destination)) for each in judged(EOS, opened, because).failed}
    assert ("gpu on storage", "gateways on storage") in failed


def test_what_is_open_by_lines_that_are_known_is_named_whatever_else_is_not() -> None:
    found = seen(NXOS, ("router ospf 1", "router-id 10.1.1.1"))
    ports = tuple(replace(each, acls=()) if each.name == "Vlan200" else each for each in found.config.interfaces)
    pairs = judged(NXOS, opened := replace(found, config=replace(found.config, interfaces=ports)), doubts(NXOS, opened))
    assert ("store on storage", "gateways on storage") in {(str(e.source), str(e.destination)) for e in pairs.failed}
    assert pairs.proved == 0


def test_a_switch_that_does_not_answer_leaves_pairs_open_and_blocks_none() -> None:
    configs = {name: each for name, each in front().configs.items() if name != NXOS}
    every = {name: Seen(config, ()) for name, config in configs.items()}
    because = unsure(front().network, configs, every, platforms(), {NXOS: "no answer"})
    pairs = judge(front().network, configs, GUARDED, None, because)
    assert pairs.undecided == (f"{NXOS}: could not be read: no answer",)
    assert (pairs.failed, pairs.proved) == ((), 0)


def test_a_commit_that_waits_is_not_what_the_switch_will_run() -> None:
    because = doubts(EOS, replace(seen(EOS), reverts=True))
    assert because.reasons == {EOS: ("an unconfirmed commit waits, and is reverted by itself",)}


def test_a_trunk_without_a_list_carries_every_vlan() -> None:
    config = front().configs[EOS]
    port = Interface("Ethernet1", None, None, None, True, None, tagged_vlans=())
    ports = tuple(port if each.name == port.name else each for each in config.interfaces)
    opened = Seen(replace(config, interfaces=ports), (), (OpenTrunk("Ethernet1", (), (200, 300)),))
    assert next(e for e in with_open_trunks(opened).interfaces if e.name == "Ethernet1").tagged_vlans == (200, 300)


@pytest.mark.parametrize(
    ("device", "line"),
    [
        (EOS, ("router ospf 1", "area 0 authentication message-digest-key 1 sha512 7 SECRET")),
        (EOS, ("router bgp 4200200000", "neighbor 203.0.113.9 password 7 SECRET")),
        (NXOS, ("router bgp 4200200001", "neighbor 203.0.113.9", "password 3 SECRET")),
        (NVUE, ("vrf", "default", "router", "bgp", "neighbor", "203.0.113.9", 'password: "SECRET"')),
        (NVUE, ("vrf", "default", "router", "ospf", "authentication", "SECRET", "on")),
    ],
)
def test_no_secret_is_in_a_reason(device: str, line: Path) -> None:
    reasons = doubts(device, seen(device, line)).reasons[device]
    assert reasons
    assert not [each for each in reasons if "SECRET" in each]
