"""EOS: everything rendered has an owner, and nothing of anybody else's does."""

import re
from pathlib import Path

import pytest

from nornir_tasks.design.model.claims import SWITCH, Claims
from nornir_tasks.design.model.device_config import SECTIONS, DeviceConfig
from nornir_tasks.platforms.config_tree import difference
from nornir_tasks.platforms.eos import PLATFORM
from nornir_tasks.platforms.eos.canonical import canonical
from nornir_tasks.platforms.eos.ownership import OWNERSHIP, PROTECTED, management_path
from nornir_tasks.platforms.eos.tree import to_text, to_tree
from nornir_tasks.platforms.ownership import join, split
from tests.unit.platforms.eos_examples import UNUSED, claims, examples, leaf, rendered, split_leaf

OUTSIDE = Path(__file__).parents[2] / "corpus" / "eos" / "accept.txt"

FOREIGN = """\
username admin privilege 15 role network-admin secret sha512 $6$salt$hash
tacacs-server host 192.0.2.9 vrf MGMT key 7 071B245F5A
aaa authentication login default group TAC local
snmp-server user mon G3 v3 localized f5717f444ca824448b00 auth sha 09f1b2 priv aes 09f1b2
hostname leaf
interface Management1
   vrf MGMT
   ip address 10.73.255.122/24
interface Ethernet60/1
   switchport access vlan 10
ip access-list ACL-OLD
   10 permit tcp 10.0.0.0/8 any eq ssh
ip prefix-list PL-OLD
   seq 10 permit 192.0.2.0/24
ip route 192.0.2.0/24 198.51.100.1
ip route vrf MGMT 0.0.0.0/0 10.73.255.2
ip routing vrf OUTSIDE
lldp timer 30
qos map cos 1 2 to traffic-class 2
qos profile OTHERS
   qos trust cos
route-map RM-OLD permit 10
   match ip address prefix-list PL-OLD
router bgp 4200000001
   neighbor OTHERS peer group
   neighbor OTHERS timers 10 30
   neighbor 198.51.100.9 remote-as 64999
   neighbor 198.51.100.9 peer group OTHERS
   network 192.0.2.0/24
   address-family evpn
      neighbor OTHERS activate
   address-family ipv4
      neighbor OTHERS activate
      neighbor 198.51.100.9 activate
      network 192.0.2.128/25
   vrf OUTSIDE
      neighbor 10.160.0.1 remote-as 64999
system control-plane
   ip access-group ACL-OLD in
management api http-commands
   no shutdown
"""


@pytest.mark.parametrize("config", examples(), ids=lambda each: each.name)
def test_every_rendered_line_has_an_owner(config: DeviceConfig) -> None:
    parts = split(canonical(to_tree(rendered(config))), OWNERSHIP, claims(config))
    assert to_text(parts[None]) == ""
    assert parts[SWITCH]
    assert parts["compute"]


def test_what_others_configured_is_nobodys_even_inside_shared_blocks() -> None:
    config = leaf()
    foreign = to_tree(FOREIGN)
    whole = join([foreign, canonical(to_tree(rendered(config)))])
    parts = split(whole, OWNERSHIP, claims(config))
    nobody = parts.pop(None)
    assert sorted(difference(nobody, foreign)) == [
        # the shared headers have an owner; the lines below them have none
        *(change for change in sorted(difference(nobody, foreign)) if change.path[-1].startswith("router bgp "))
    ]
    assert list(difference(join(parts.values()), canonical(to_tree(rendered(config))))) == []


@pytest.mark.parametrize(
    "line",
    [
        "neighbor 10.160.0.99 remote-as 1",
        "neighbor COMPUTE-SPINES allowas-in 1",
        "neighbor interface Ethernet1/1 peer-group X remote-as 1",
        "redistribute connected",
        "timers bgp 10 30",
        "bgp listen range 10.168.0.0/24 peer-group X remote-as 1",
        "no bgp log-neighbor-changes",
        "network 10.168.9.0/24",
    ],
)
def test_what_bears_on_our_sessions_is_ours_and_so_is_removed(line: str) -> None:
    config = leaf()
    tree = to_tree(f"router bgp 4200000001\n   {line}\n")
    parts = split(tree, OWNERSHIP, claims(config))
    assert parts[None].get("router bgp 4200000001", line) is None


MANAGED = """\
management api http-commands
   vrf OPS
      ip access-group ACL-API
management ssh
   ip access-group ACL-SSH in
system control-plane
   ip access-group ACL-CPU in
   ipv6 access-group ACL6-CPU in
interface Management1
   ip access-group ACL-PORT in
interface Ethernet1/1
   ip address 10.168.0.0/31
   ip access-group COMPUTE-HOSTS in
"""


@pytest.mark.parametrize(
    ("more", "line", "is_refused"),
    [
        ("   ip address 192.0.2.5/24", "ip access-list ACL-API / 10 deny ip any any", True),
        ("   ip address 192.0.2.5/24", "no ip access-list ACL-SSH", True),
        ("   ip address 192.0.2.5/24", "ip access-list standard ACL-CPU", True),
        ("   ip address 192.0.2.5/24", "ipv6 access-list ACL6-CPU / 20 deny ipv6 any any", True),
        ("   ip address 192.0.2.5/24", "ip access-list ACL-PORT / 10 permit ip any any", True),
        ("   ip address 192.0.2.5/24", "ip access-list COMPUTE-HOSTS / 10 deny ip any any", False),
        ("   ip address 192.0.2.5/24", "interface Ethernet1/1 / ip access-group COMPUTE-HOSTS in", False),
        ("", "ip access-list COMPUTE-HOSTS / 10 deny ip any any", True),
        ("", "interface Ethernet1/1 / ip access-group COMPUTE-HOSTS in", True),
        ("", "interface Ethernet1/10 / ip access-group COMPUTE-HOSTS in", False),
    ],
)
def test_a_list_on_our_own_path_is_protected_and_any_other_is_not(more: str, line: str, *, is_refused: bool) -> None:
    """Without an address on the management port the API is reached through the ports of its VRF."""
    running = MANAGED.replace(
        "interface Management1", f"interface Management1\n{more}" if more else "interface Management1"
    )
    running = running if more else running.replace("vrf OPS", "no shutdown")
    patterns = management_path(to_tree(running))
    assert any(re.match(pattern, line) for pattern in (*PROTECTED, *patterns)) is is_refused


def test_our_own_path_to_the_switch_is_protected() -> None:
    guarded = [re.compile(pattern) for pattern in PROTECTED]
    for line in (
        "username admin privilege 15 secret sha512 x",
        "no username admin",
        "aaa authorization exec default local",
        "no aaa root",
        "interface Management1 / ip address 10.0.0.1/24",
        "management api http-commands / shutdown",
        "management ssh",
        "management security / ssl profile API",
        "vrf instance MGMT",
        "ip route vrf MGMT 0.0.0.0/0 10.0.0.1",
        "system control-plane / ip access-group X in",
        "boot system flash:EOS.swi",
        "tacacs-server host 192.0.2.9",
        "hostname x",
    ):
        assert any(pattern.match(line) for pattern in guarded), line
    for config in examples():
        for path in canonical(to_tree(rendered(config))).paths():
            assert not any(pattern.match(" / ".join(path)) for pattern in guarded), path


def test_lines_of_strangers_outside_our_sections_are_never_ours() -> None:
    """All top-level lines of the outside corpus whose section we do not render belong to nobody."""
    ours = set(SECTIONS)
    section, mode, seen = "", "global", 0
    for line in OUTSIDE.read_text().splitlines():
        if found := re.fullmatch(r"# (section|mode): (.*)", line):
            section, mode = (found[2], mode) if found[1] == "section" else (section, found[2])
        elif line and not line.startswith("#") and section not in ours and mode == "global":
            parts = split(to_tree(line.replace("\\n", "\n")), OWNERSHIP, claims(leaf()))
            assert [owner for owner, part in parts.items() if part and owner is not None] == [], line
            seen += 1
    assert seen > 100


def test_the_platform_knows_its_releases_and_asics() -> None:
    facts = PLATFORM.facts
    record = facts.capabilities("4.33.1F", "tomahawk4")
    assert record.runs("4.33.1F")
    assert record.runs("4.33.1F-39879738.4331F")
    assert not record.runs("4.33.11F")
    for release, asic, word in (("4.20.1F", "tomahawk4", "release"), ("4.33.1F", "spectrum4", "ASIC")):
        with pytest.raises(KeyError, match=word):
            facts.capabilities(release, asic)


def test_an_unused_port_is_the_switchs_with_its_whole_block_and_nobodys_where_they_are_left_alone() -> None:
    config = split_leaf()
    running = to_tree("interface Ethernet7/1\n   description old\n   switchport access vlan 9\ninterface Ethernet8/1\n")
    parts = split(running, OWNERSHIP, claims(config))
    assert to_text(parts[SWITCH]).splitlines()[0] == "interface Ethernet7/1"
    assert len(parts[SWITCH].paths()) == 3
    assert list(parts[None].children) == ["interface Ethernet8/1"]
    left_alone = Claims(claims(config).claims)
    assert set(split(running, OWNERSHIP, left_alone)[None].children) == set(running.children)


def test_what_is_rendered_for_split_cages_has_an_owner_down_to_the_last_line() -> None:
    config = split_leaf()
    parts = split(canonical(to_tree(rendered(config))), OWNERSHIP, claims(config))
    assert not parts[None]
    assert {line for line in parts[SWITCH].children if line.startswith("interface ")} == {
        f"interface {name}" for name in UNUSED
    }
