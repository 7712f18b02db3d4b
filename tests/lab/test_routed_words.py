"""What FRR is told of a switch: every line of our sites has a counterpart, and what has none is refused by its name."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from loaded_twins import loaded

from switch_twins.routed.conf import Lines, configuration, text
from switch_twins.routed.delta import delta
from switch_twins.routed.form import BfdTimes, Peer, Routing
from switch_twins.routed.names import kernel_name
from switch_twins.server import LabServer
from switch_twins.state import (
    BgpInstance,
    BgpNeighbor,
    PrefixList,
    PrefixListEntry,
    RouteMap,
    RouteMapEntry,
    StaticRoute,
    SwitchState,
)
from switch_twins.twin import Twin

SITES = ("lab", "lab-rails", "lab-unnumbered", "lab-breakout", "ref-512")
PLANES = ["compute"]


def routing_of(twin: Twin) -> Routing:
    found: Routing = import_module(f"switch_twins.{twin.device.os}.to_frr").routing(twin)
    return found


@pytest.fixture(scope="module")
def rails(tmp_path_factory: pytest.TempPathFactory) -> LabServer:
    return loaded("lab-rails", PLANES, tmp_path_factory.mktemp("rails"))


@pytest.mark.sampled(2)
@pytest.mark.needs("vtysh")
@pytest.mark.parametrize("site", SITES)
def test_frr_takes_every_line_that_a_site_is_translated_to(site: str, tmp_path: Path) -> None:
    lab = loaded(site, PLANES, tmp_path / "lab")
    (tmp_path / "vtysh.conf").write_text("service integrated-vtysh-config\n")
    for name, twin in lab.twins.items():
        routing = routing_of(twin)
        assert not routing.refused, (name, [str(each) for each in routing.refused])
        file = tmp_path / f"{name}.conf"
        file.write_text(text(configuration(twin.state(), routing, 8)))
        command = ["vtysh", "-C", "--config_dir", str(tmp_path), "-f", str(file)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), name


def test_a_switch_of_each_system_is_told_in_the_same_words(rails: LabServer) -> None:
    for name in ("leaf-g1-r0", "leaf-g1-r1"):
        twin = rails.twins[name]
        lines = configuration(twin.state(), routing_of(twin), 8)
        (process,) = (below for line, below in lines.items() if line.startswith("router bgp "))
        first = next(each.address for each in twin.state().bgp[0].neighbors)
        assert f"neighbor {first} remote-as 4200099998" in process
        for line in ("ttl-security hops 1", "timers 10 30", "bfd", "bfd profile ms-300-300-x3"):
            assert f"neighbor {first} {line}" in process
        family = process["address-family ipv4 unicast"]
        for line in ("activate", "route-map COMPUTE-IN in", "route-map COMPUTE-OUT out", "maximum-prefix 50 restart 5"):
            assert f"neighbor {first} {line}" in family
        assert "maximum-paths 2" in family
        assert not [line for line in process if line.startswith("bgp graceful-restart")]  # helper, as FRR by itself


def test_next_hop_groups_stay_out_of_the_kernel_of_frr_8_alone(rails: LabServer) -> None:
    twin = rails.twins["spine-1"]
    line = "no zebra nexthop kernel enable"
    assert line in configuration(twin.state(), routing_of(twin), 8)
    assert line not in configuration(twin.state(), routing_of(twin), 9)


def test_what_stands_in_other_vrfs_is_not_told(rails: LabServer) -> None:
    for twin in rails.twins.values():
        lines = text(configuration(twin.state(), routing_of(twin), 8))
        assert {each.vrf for each in twin.state().bgp} > {"default"}
        assert "198.51.100" not in lines and "203.0.113" not in lines and "64999" not in lines


@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        ("swp1s0", "swp1s0"),
        ("Ethernet1/31", "et1_31"),
        ("Ethernet63/1", "et63_1"),
        ("Ethernet12/1/4", "et12_1_4"),
        ("rail0", "rail0"),
    ],
)
def test_a_ports_name_in_the_kernel(name: str, kernel: str) -> None:
    assert kernel_name(name) == kernel


# -- from one configuration to the next ----------------------------------------------------------------------------

ROUTING = Routing({"10.0.0.1": Peer(BfdTimes(300, 300, 3), 10), "10.0.0.3": Peer(BfdTimes(300, 300, 3), 10)})
ONE = BgpNeighbor("10.0.0.1", 65001, route_map_in="IN", keepalive_s=10, hold_s=30, bfd=True)
OTHER = replace(ONE, address="10.0.0.3", remote_as=65002)


def switch(*neighbors: BgpNeighbor, asn: int = 65000, prefix: str = "10.1.0.0/16", rule: int = 10) -> Lines:
    state = SwitchState(
        "leaf",
        "any",
        bgp=(BgpInstance(asn, "10.9.9.9", neighbors=neighbors, networks=("10.1.1.0/24",), maximum_paths=4),),
        prefix_lists=(PrefixList("LIST", (PrefixListEntry(10, True, prefix, le=24),)),),
        route_maps=(RouteMap("IN", (RouteMapEntry(rule, match_prefix_lists=("LIST",)),)),),
        static_routes=(StaticRoute("10.1.1.0/24"),),
    )
    return configuration(state, ROUTING, 8)


def test_the_same_configuration_again_tells_frr_nothing() -> None:
    assert delta(switch(ONE, OTHER), switch(ONE, OTHER)) == ""


def test_from_nothing_all_is_told() -> None:
    assert delta({}, switch(ONE)) == text(switch(ONE))


def test_a_change_of_one_neighbour_names_no_other() -> None:
    lines = delta(switch(ONE, OTHER), switch(replace(ONE, hold_s=90, remote_as=65009), OTHER))
    assert lines.splitlines() == [
        "router bgp 65000",
        " neighbor 10.0.0.1 remote-as 65009",
        " neighbor 10.0.0.1 timers 10 90",
        "exit",
    ]


def test_a_neighbour_that_goes_takes_its_lines_with_it() -> None:
    lines = delta(switch(ONE, OTHER), switch(OTHER))
    assert lines.splitlines() == ["router bgp 65000", " no neighbor 10.0.0.1", "exit"]


def test_a_policy_goes_when_its_successor_is_there_and_an_entry_of_a_list_before() -> None:
    assert delta(switch(ONE), switch(ONE, prefix="10.2.0.0/16")).splitlines() == [
        "no ip prefix-list LIST seq 10 permit 10.1.0.0/16 le 24",
        "ip prefix-list LIST seq 10 permit 10.2.0.0/16 le 24",
    ]
    assert delta(switch(ONE), switch(ONE, rule=20)).splitlines() == [
        "route-map IN permit 20",
        " match ip address prefix-list LIST",
        "exit",
        "no route-map IN permit 10",
    ]


def test_a_line_that_goes_is_said_with_no() -> None:
    lines = delta(switch(ONE), switch(replace(ONE, route_map_in=None, bfd=False)))
    assert lines.splitlines() == [
        "router bgp 65000",
        " address-family ipv4 unicast",
        "  no neighbor 10.0.0.1 route-map IN in",
        " exit-address-family",
        " no neighbor 10.0.0.1 bfd profile ms-300-300-x3",
        " no neighbor 10.0.0.1 bfd",
        "exit",
        "no bfd",
    ]


def test_another_as_number_of_its_own_is_another_process() -> None:
    lines = delta(switch(ONE), switch(ONE, asn=65100)).splitlines()
    assert lines[0] == "no router bgp 65000"
    assert "router bgp 65100" in lines


# -- what has no counterpart ---------------------------------------------------------------------------------------

WITHOUT_COUNTERPART = {
    "a password": (
        "leaf-g1-r0",
        "router bgp 4200000000\n   neighbor 10.160.0.0 password 7 AAAAAAAAAAAAAAAAAAAAAA==\n",
        "router bgp 4200000000: 'neighbor ... password': "
        "FRR needs the password itself, which this text is not of by its name",
    ),
    "an AS of its own for one neighbour": (
        "leaf-g1-r0",
        "router bgp 4200000000\n   neighbor COMPUTE-SPINES local-as 65000\n",
        "router bgp 4200000000: 'neighbor COMPUTE-SPINES local-as 65000': no counterpart in FRR is known here",
    ),
    "a list of AS paths as numbers": (
        "leaf-g1-r2",
        "ip as-path access-list OURS permit ^$ any\nroute-map COMPUTE-IN permit 10\n   match as-path OURS\n",
        "'ip as-path access-list OURS permit ^$ any': FRR reads AS paths as text",
    ),
    "a packet filter": (
        "leaf-g1-r2",
        "ip access-list NEAR\n   10 permit ip any any ttl eq 255\ninterface Ethernet1/1\n   ip access-group NEAR in\n",
        "ip access-list NEAR: 'permit ip any any ttl eq 255': it decides what is forwarded,"
        " and has no counterpart here (ttl)",
    ),
    "a routed VLAN": (
        "leaf-g1-r4",
        "vlan 7\ninterface Vlan7\n   ip address 198.18.7.1/24\n",
        "'interface Vlan7': this kernel has no VLANs or no bonds",
    ),
    "another family": (
        "leaf-g1-r1",
        "router bgp 4200000001\n  address-family ipv6 multicast\n    network 2001:db8::/32\n",
        "router bgp 4200000001, address-family ipv6 multicast: 'address-family ipv6 multicast': only unicast is routed,"
        " that of IPv6 between addresses of IPv6 in the default VRF alone",
    ),
    "IPv6 over a session of IPv4": (
        "leaf-g1-r1",
        "router bgp 4200000001\n  neighbor 10.160.0.2\n    address-family ipv6 unicast\n      send-community\n",
        "router bgp 4200000001, neighbor 10.160.0.2, address-family ipv6 unicast: 'address-family ipv6 unicast': only"
        " unicast is routed, that of IPv6 between addresses of IPv6 in the default VRF alone",
    ),
    "a metric": (
        "leaf-g1-r1",
        "route-map COMPUTE-OUT permit 10\n  set metric 10\n",
        "route-map COMPUTE-OUT permit 10: 'set metric 10': no counterpart in FRR is known here",
    ),
    "a default route for a neighbour": (
        "spine-1",
        '{"vrf": {"default": {"router": {"bgp": {"neighbor": {"10.160.0.1": {"address-family": {"ipv4-unicast":'
        ' {"default-route-origination": {"state": "enabled"}}}}}}}}}}',
        "vrf default router bgp: 'neighbor/10.160.0.1/address-family/ipv4-unicast/default-route-origination/state:"
        " enabled': no counterpart in FRR is known here",
    ),
    "OSPF": (
        "spine-2",
        '{"vrf": {"default": {"router": {"ospf": {"router-id": "10.0.0.1"}}}}}',
        "vrf default router: 'ospf/router-id: 10.0.0.1': no counterpart in FRR is known here",
    ),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("case", WITHOUT_COUNTERPART)
def test_a_line_without_a_counterpart_is_refused_by_its_name(case: str, tmp_path: Path) -> None:
    name, lines, refusal = WITHOUT_COUNTERPART[case]
    lab = loaded("lab-rails", PLANES, tmp_path, more={name: lines})
    assert refusal in [str(each) for each in routing_of(lab.twins[name]).refused]
    assert all(not routing_of(twin).refused for other, twin in lab.twins.items() if other != name)
