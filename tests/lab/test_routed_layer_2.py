"""What the kernel is told of a switch's VLANs, groups, VRFs and gateways, and that telling it again changes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from loaded_twins import loaded

from switch_twins.routed.bridging import all_ports
from switch_twins.routed.changes import Changes, changes
from switch_twins.routed.conf import configuration, text
from switch_twins.routed.delta import delta
from switch_twins.routed.form import Gateway, Routing
from switch_twins.routed.names import kernel_name, vrf_name
from switch_twins.routed.ports import Port, read_ports
from switch_twins.routed.startup import routing_of
from switch_twins.routed.surroundings import Surroundings, surroundings
from switch_twins.server import LabServer
from switch_twins.spec import End
from switch_twins.state import BgpInstance, InterfaceState, PairState, StaticRoute, SwitchState

HERE = Surroundings("02:00:00:00:00:01", {"Port-Channel1": "02:00:00:00:00:99"})
UPLINK = InterfaceState("Ethernet9", addresses=("10.0.0.1/31",), mtu_bytes=9214)
MEMBER = InterfaceState("Ethernet1", is_routed=False, group="Port-Channel1", lacp_active=True, lacp_is_fast=True)
GROUP = InterfaceState(
    "Port-Channel1", is_routed=False, is_group=True, over_both="7", vlans=frozenset({200, 300}), native_vlan=200
)
ACCESS = InterfaceState("Ethernet2", is_routed=False, access_vlan=300, vlans=frozenset({300}))
SVI = InterfaceState("Vlan300", addresses=("10.3.0.2/24",), mtu_bytes=9214, svi_vlan=300)
GATEWAY = Gateway("Vlan300", "00:00:5e:00:01:01", ("10.3.0.1", "fd00::1"))
ROUTING = Routing(vlans=frozenset({1, 200, 300}), gateways=(GATEWAY,), addresses_v6={"Vlan300": ("fd00::2/64",)})


def switch(*interfaces: InterfaceState, pair: PairState | None = None, **more: Any) -> SwitchState:
    return SwitchState("leaf", "eos", interfaces=interfaces, pair=pair, **more)


def ports_of(state: SwitchState, routing: Routing = ROUTING, around: Surroundings = HERE) -> dict[str, Port]:
    cabled = {each.name: True for each in state.interfaces if each.name.startswith("Ethernet")}
    return all_ports(state, cabled, routing, around)


def plugged(*names: str) -> dict[str, Port]:
    """Ends of cables as they are plugged in: down, and nobody's."""
    there = {name: Port(False, 9216, index=number + 2, peer_index=9) for number, name in enumerate(names)}
    return {"lo": Port(True, 65536), **there}


def lines(found: Changes) -> list[str]:
    return [*found.ip, *found.bridge, *found.up]


ALL = switch(UPLINK, MEMBER, GROUP, ACCESS, SVI)
PLUGGED = plugged("Ethernet9", "Ethernet1", "Ethernet2")


def test_a_switch_is_told_in_an_order_that_the_kernel_takes() -> None:
    found = changes(ports_of(ALL), PLUGGED)
    assert found.ip == (
        "link add name bridge address 02:00:00:00:00:01 type bridge vlan_filtering 1 vlan_default_pvid 0 stp_state 0"
        " mcast_snooping 0",
        "link add name Port-Channel1 type bond mode 802.3ad miimon 100 xmit_hash_policy layer3+4 lacp_active on"
        " lacp_rate fast min_links 1 ad_actor_system 02:00:00:00:00:99 ad_user_port_key 7",
        "link add link bridge name Vlan300 type vlan id 300 bridge_binding on",
        "link add link Vlan300 name Vlan300-v0 address 00:00:5e:00:01:01 type macvlan mode private",
        "link set bridge mtu 9216",
        "link set Port-Channel1 master bridge",
        "link set Port-Channel1 mtu 9216",
        "link set Ethernet9 mtu 9214",
        "address replace 10.0.0.1/31 dev Ethernet9",
        "link set Ethernet1 master Port-Channel1",
        "link set Ethernet2 master bridge",
        "link set Vlan300 mtu 9214",
        "address replace 10.3.0.2/24 dev Vlan300",
        "address replace fd00::2/64 dev Vlan300 nodad",
        "link set Vlan300-v0 mtu 9214",
        "address replace 10.3.0.1/32 dev Vlan300-v0",
        "address replace fd00::1/128 dev Vlan300-v0 nodad",
    )
    assert found.bridge == (
        "vlan add dev bridge vid 300 self",
        "fdb replace 00:00:5e:00:01:01 dev bridge vlan 300 self local",
        "vlan add dev Port-Channel1 vid 300",
        "vlan add dev Port-Channel1 vid 200 pvid untagged",
        "vlan add dev Ethernet2 vid 300 pvid untagged",
    )
    assert found.up == tuple(
        f"link set {each} up"
        for each in ("bridge", "Port-Channel1", "Ethernet9", "Ethernet1", "Ethernet2", "Vlan300", "Vlan300-v0")
    )


def test_what_is_as_it_shall_be_is_not_touched() -> None:
    wanted = ports_of(ALL)
    assert lines(changes(wanted, wanted)) == []


def test_one_vlan_more_is_one_line() -> None:
    more = replace(GROUP, vlans=GROUP.vlans | {1})
    found = changes(ports_of(switch(UPLINK, MEMBER, more, ACCESS, SVI)), ports_of(ALL))
    assert lines(found) == ["vlan add dev Port-Channel1 vid 1"]


def test_another_native_vlan_leaves_the_one_before_tagged() -> None:
    found = changes(ports_of(switch(UPLINK, MEMBER, replace(GROUP, native_vlan=300), ACCESS, SVI)), ports_of(ALL))
    assert found.bridge == (
        "vlan add dev Port-Channel1 vid 200",
        "vlan add dev Port-Channel1 vid 300 pvid untagged",
    )


def test_a_bond_that_sends_as_another_system_is_made_anew_with_its_members() -> None:
    """Which is when a switch learns that it is one of a pair."""
    alone = replace(HERE, systems={})
    found = changes(ports_of(ALL), ports_of(ALL, around=alone))
    assert found.ip[0] == "link delete Port-Channel1"
    assert "link set Ethernet1 master Port-Channel1" in found.ip
    assert found.up == ("link set Port-Channel1 up", "link set Ethernet1 up")
    assert "vlan add dev Port-Channel1 vid 200 pvid untagged" in found.bridge


def test_what_is_no_longer_configured_goes_with_what_is_on_it() -> None:
    found = changes(ports_of(switch(UPLINK, MEMBER), Routing()), ports_of(ALL))
    assert set(found.ip[:2]) == {"link delete Port-Channel1", "link delete bridge"}
    assert not [line for line in found.ip if "Vlan300" in line]  # they went with the bridge


def test_a_peer_link_learns_no_address() -> None:
    pair = PairState("domain", "Port-Channel1")
    found = changes(ports_of(switch(UPLINK, MEMBER, GROUP, ACCESS, SVI, pair=pair)), PLUGGED)
    assert "link set dev Port-Channel1 learning off" in found.bridge


def test_a_port_that_would_close_a_circle_stays_out_of_the_bridge() -> None:
    found = ports_of(ALL, around=replace(HERE, closed={"Ethernet2"}))
    assert found["Ethernet2"].master == "" and found["Port-Channel1"].master == "bridge"


def test_an_interface_of_a_vlan_that_needs_no_port_has_one_that_is_always_up() -> None:
    assert "always-up" not in ports_of(ALL)
    always = ports_of(switch(UPLINK, ACCESS, replace(SVI, autostate=False)))
    assert always["always-up"].master == "bridge"
    assert dict(always["Vlan300"].options)["bridge_binding"] == "off"


def test_a_vrf_has_its_interfaces_its_loopback_and_the_end_of_its_table() -> None:
    inside = replace(UPLINK, vrf="TENANT")
    loopback = InterfaceState("Loopback7", addresses=("10.7.7.7/32",), vrf="TENANT", is_loopback=True)
    found = changes(ports_of(switch(inside, loopback), Routing()), plugged("Ethernet9"))
    added, *ends = (line for line in found.ip if "table" in line)
    assert added.startswith("link add name TENANT type vrf table ")
    assert [line.split(" metric")[0] for line in ends] == [
        "route replace unreachable 0.0.0.0/0",
        "route replace unreachable ::/0",
    ]
    assert "link set Ethernet9 master TENANT" in found.ip
    assert "address replace 10.7.7.7/32 dev TENANT" in found.ip


def test_frr_is_told_of_vrfs_where_the_kernel_has_them() -> None:
    state = switch(
        UPLINK,
        bgp=(BgpInstance(65000, "10.9.9.9", "TENANT", networks=("10.1.0.0/24",)),),
        static_routes=(StaticRoute("10.1.0.0/24", vrf="TENANT"), StaticRoute("10.2.0.0/24")),
    )
    without, with_vrfs = configuration(state, ROUTING, 8), configuration(state, ROUTING, 8, has_vrfs=True)
    assert "TENANT" not in text(without)
    assert "vrf TENANT\n ip route 10.1.0.0/24 blackhole\nexit-vrf\n" in text(with_vrfs)
    assert "router bgp 65000 vrf TENANT\n" in text(with_vrfs)
    gone = delta(with_vrfs, configuration(replace(state, static_routes=(), bgp=()), ROUTING, 8, has_vrfs=True))
    assert "no vrf" not in gone  # FRR refuses it while the kernel has the VRF
    assert "vrf TENANT\n no ip route 10.1.0.0/24 blackhole\nexit-vrf\n" in gone


@pytest.mark.parametrize("vrf", ["TENANT", "a-name-of-more-than-fifteen-letters", "a-name-of-more-than-fifteen-words"])
def test_a_vrf_of_any_name_has_one_that_the_kernel_takes(vrf: str) -> None:
    assert len(vrf_name(vrf)) <= 15
    assert vrf_name(vrf) != vrf_name(vrf + "x")


# -- what the kernel shows -----------------------------------------------------------------------------------------

BOND: Mapping[str, Any] = {
    "ifindex": 4,
    "ifname": "bond1",
    "flags": ["BROADCAST", "MULTICAST", "MASTER", "UP", "LOWER_UP"],
    "mtu": 9216,
    "master": "bridge",
    "address": "5e:3d:b3:ef:7f:a2",
    "linkinfo": {
        "info_kind": "bond",
        "info_data": {
            "mode": "802.3ad",
            "miimon": 100,
            "xmit_hash_policy": "layer3+4",
            "min_links": 1,
            "ad_lacp_active": "on",
            "ad_lacp_rate": "fast",
            "ad_info": {"aggregator": 1, "num_ports": 1, "partner_mac": "12:a9:71:ed:9f:35"},
            "ad_user_port_key": 1,
            "ad_actor_system": "02:11:22:33:44:55",
        },
        "info_slave_kind": "bridge",
        "info_slave_data": {"state": "forwarding", "learning": False},
    },
    "addr_info": [{"family": "inet6", "local": "fe80::5c3d:b3ff:feef:7fa2", "prefixlen": 64, "scope": "link"}],
}
"""Of ``ip -details -json address`` (iproute2 6.1, Linux 6.1), what is read of it."""
PORT_OF_BOND: Mapping[str, Any] = {
    "ifindex": 2,
    "link_index": 2,
    "ifname": "po1",
    "flags": ["BROADCAST", "MULTICAST", "SLAVE", "UP", "LOWER_UP"],
    "mtu": 9216,
    "master": "bond1",
    "address": "5e:3d:b3:ef:7f:a2",
    "linkinfo": {
        "info_kind": "veth",
        "info_slave_kind": "bond",
        "info_slave_data": {"state": "ACTIVE", "mii_status": "UP", "ad_actor_oper_port_state": 63},
    },
    "addr_info": [],
}


def test_a_bond_is_read_as_it_was_made() -> None:
    vlans = [{"ifname": "bond1", "vlans": [{"vlan": 200, "flags": ["PVID", "Egress Untagged"]}, {"vlan": 300}]}]
    found = read_ports([BOND, PORT_OF_BOND], vlans)
    assert found["bond1"].vlans == {(200, True), (300, False)}
    assert not found["bond1"].learns and found["bond1"].partner == "12:a9:71:ed:9f:35"
    assert dict(found["bond1"].options)["ad_actor_system"] == "02:11:22:33:44:55"
    assert found["bond1"].addresses == frozenset()
    assert found["po1"].is_bundled and found["po1"].kind == "" and found["po1"].master == "bond1"


def test_a_member_that_is_not_in_sync_is_not_bundled() -> None:
    data = {**PORT_OF_BOND["linkinfo"]["info_slave_data"], "ad_actor_oper_port_state": 7}
    port = {**PORT_OF_BOND, "linkinfo": {**PORT_OF_BOND["linkinfo"], "info_slave_data": data}}
    assert not read_ports([port])["po1"].is_bundled


# -- a whole site --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> LabServer:
    return loaded("lab", [], tmp_path_factory.mktemp("whole"))


def all_around(lab: LabServer) -> dict[str, Surroundings]:
    states = {name: twin.state() for name, twin in lab.twins.items()}
    interfaces = {End(name, each.name): each for name, state in states.items() for each in state.interfaces}
    return surroundings(states, interfaces, lab.fabric.wiring)


def test_every_line_of_the_default_lab_has_a_counterpart(lab: LabServer) -> None:
    for name, twin in lab.twins.items():
        routing = routing_of(twin, has_devices=True)
        assert (name, routing.refused, routing.left_out) == (name, (), ())
        assert configuration(twin.state(), routing, 8, has_vrfs=True)


ONLY_WITH_DEVICES = {
    "a list on a switched port": (
        "front-leaf-g1-a",
        "ip access-list NEAR\n   10 permit ip any any\n"
        "interface Ethernet9\n   switchport\n   ip access-group NEAR in\n",
        "interface Ethernet9: 'ip access-group NEAR in': it decides what is forwarded, and has no counterpart here",
    ),
    "a VRF that does not route": (
        "front-leaf-g1-b",
        "vlan 7-8\nvrf instance QUIET\n"
        + "".join(f"interface Vlan{n}\n   vrf QUIET\n   ip address 198.18.{n}.1/24\n" for n in (7, 8)),
        "'vrf instance QUIET': it does not route between its interfaces, which the kernel would",
    ),
    "a routing protocol in a VRF": (
        "front-leaf-g3-a",
        '{"vrf": {"TENANT": {"router": {"ospf": {"router-id": "10.0.0.1"}}}}}',
        "vrf TENANT router: 'ospf/router-id: 10.0.0.1': no counterpart in FRR is known here",
    ),
}


def test_a_line_without_a_counterpart_is_refused_by_its_name(tmp_path: Path) -> None:
    more = {name: lines for name, lines, _ in ONLY_WITH_DEVICES.values()}
    lab = loaded("lab", [], tmp_path, more=more)
    for case, (name, _, refusal) in ONLY_WITH_DEVICES.items():
        found = [str(each) for each in routing_of(lab.twins[name], has_devices=True).refused]
        assert found == [refusal], case


def test_no_name_is_too_long_for_the_kernel_and_none_is_there_twice(lab: LabServer) -> None:
    around = all_around(lab)
    for name, twin in lab.twins.items():
        state, cabled = twin.state(), dict.fromkeys(lab.fabric.wiring.ports_of(name), True)
        found = all_ports(state, cabled, routing_of(twin, has_devices=True), around[name])
        assert all(len(each) <= 15 for each in found), name
        names = [each.name for each in state.interfaces if each.svi_vlan or each.is_group or each.port]
        assert len({kernel_name(each) for each in names}) == len(names)


@pytest.mark.parametrize("pair", ["front-leaf-g1", "front-leaf-g2", "front-leaf-g3"])
def test_both_of_a_pair_send_lacp_as_one_and_answer_for_one_gateway(lab: LabServer, pair: str) -> None:
    """MLAG of EOS, vPC of NX-OS and MLAG of Cumulus Linux."""
    around, made = all_around(lab), []
    for name in (f"{pair}-a", f"{pair}-b"):
        twin = lab.twins[name]
        cabled = dict.fromkeys(lab.fabric.wiring.ports_of(name), True)
        made.append(all_ports(twin.state(), cabled, routing_of(twin, has_devices=True), around[name]))
    one, other = (_shared(each) for each in made)
    assert one == other and any(kind == "macvlan" for _, kind in one) and any(kind == "bond" for _, kind in one)
    assert made[0]["bridge"].mac != made[1]["bridge"].mac


def _shared(ports: Mapping[str, Port]) -> dict[tuple[str, str], object]:
    """What both members have alike: bonds to hosts, and gateways."""
    peer_link = {name for name, each in ports.items() if not each.learns}
    chosen = (
        (name, each) for name, each in ports.items() if each.kind in ("bond", "macvlan") and name not in peer_link
    )
    return {(name, each.kind): (each.options, each.mac, sorted(each.addresses)) for name, each in chosen}
