"""Allowed flows as access lists: what passes a gateway and what does not, judged packet by packet."""

from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Any

import pytest

from nornir_tasks.design.config.access_lists import TCP, UDP, AccessList, AclRule, Direction, Family
from nornir_tasks.design.demand.flows import Terms, access_lists
from nornir_tasks.design.model.flow_terms import Ends, Flow, Service, ends
from nornir_tasks.design.model.mlag import BondVlan, Pair, Segment, segment

PAIR = Pair("front-leaf-g1", "front", 1, ("front-leaf-g1-a", "front-leaf-g1-b"), ())
LOGIN = segment("business", BondVlan("login", 110), PAIR, ("login",), ("10.0.1.0/24", "fd00:1::/64"))
API = segment("business", BondVlan("api", 120), PAIR, ("api",), ("10.0.2.0/24", None))
SSH, HTTPS, DNS = Service(TCP, (22, 22)), Service(TCP, (443, 443)), Service(UDP, (53, 53))
FLOWS = (
    Flow("office", "login", (SSH,)),
    Flow("outside", "api", (HTTPS,)),
    Flow("login", "api", (HTTPS,)),
    Flow("login", "outside", (DNS,)),
)
KNOWN = ends((LOGIN, API), {"office": ("192.0.2.0/24",)}, "outside")
SITE: dict[Family, tuple[str, ...]] = {"ipv4": ("10.0.0.0/16", "10.255.0.0/24"), "ipv6": ("fd00::/16",)}
OFFICE, USER, ADMIN, SERVER = "192.0.2.7", "198.51.100.9", "10.0.1.8", "10.0.2.8"


@dataclass(frozen=True)
class Packet:
    protocol: int
    source: str
    destination: str
    ports: tuple[int, int] = (0, 0)
    is_open: bool = False
    """A segment of a connection that is open already."""
    icmp_type: int | None = None


def matches(rule: AclRule, packet: Packet) -> bool:
    within = (
        prefix is None or ip_address(address) in ip_network(prefix)
        for prefix, address in ((rule.source, packet.source), (rule.destination, packet.destination))
    )
    ranges = zip((rule.source_ports, rule.destination_ports), packet.ports, strict=True)
    return (
        rule.protocol in (None, packet.protocol)
        and all(within)
        and all(ports is None or ports[0] <= port <= ports[1] for ports, port in ranges)
        and (not rule.established or packet.is_open)
        and rule.icmp_type in (None, packet.icmp_type)
    )


def passes(filtered: AccessList, packet: Packet) -> bool:
    rules = sorted(filtered.rules, key=lambda each: each.sequence)
    return next(each.permit for each in rules if matches(each, packet))


def lists(of: Segment, *, flows: tuple[Flow, ...] = FLOWS, **terms: Any) -> dict[tuple[Family, Direction], AccessList]:
    every: dict[str, Any] = {"site": SITE, "has_dhcp": False, **terms}
    return access_lists("BUSINESS-", of, flows, KNOWN, Terms(**every))


def goes(of: Segment, direction: Direction, packet: Packet) -> bool:
    return passes(lists(of)["ipv4", direction], packet)


@pytest.mark.parametrize(
    ("of", "direction", "packet", "expected"),
    [
        pytest.param(LOGIN, "out", Packet(TCP, OFFICE, ADMIN, (5000, 22)), True, id="ssh-from-the-office"),
        pytest.param(LOGIN, "out", Packet(TCP, USER, ADMIN, (5000, 22)), False, id="ssh-from-elsewhere"),
        pytest.param(LOGIN, "out", Packet(TCP, OFFICE, ADMIN, (5000, 23)), False, id="another-service"),
        pytest.param(LOGIN, "in", Packet(TCP, ADMIN, OFFICE, (22, 5000), is_open=True), True, id="answers-to-office"),
        pytest.param(LOGIN, "in", Packet(TCP, ADMIN, OFFICE, (22, 5000)), False, id="no-new-connection-from-port-22"),
        pytest.param(LOGIN, "in", Packet(TCP, ADMIN, OFFICE, (5000, 22)), False, id="the-way-back-is-no-flow"),
        pytest.param(API, "out", Packet(TCP, USER, SERVER, (5000, 443)), True, id="https-from-anywhere"),
        pytest.param(API, "in", Packet(TCP, SERVER, USER, (443, 5000), is_open=True), True, id="answers-to-anywhere"),
        pytest.param(API, "in", Packet(TCP, SERVER, ADMIN, (5000, 22)), False, id="from-api-into-login"),
        pytest.param(LOGIN, "in", Packet(TCP, ADMIN, SERVER, (5000, 443)), True, id="from-login-to-api"),
        pytest.param(LOGIN, "out", Packet(TCP, SERVER, ADMIN, (443, 5000), is_open=True), True, id="answers-of-api"),
        pytest.param(LOGIN, "in", Packet(UDP, ADMIN, USER, (5000, 53)), True, id="dns-to-anywhere"),
        pytest.param(LOGIN, "out", Packet(UDP, USER, ADMIN, (53, 5000)), True, id="answers-of-dns"),
        pytest.param(LOGIN, "out", Packet(UDP, USER, ADMIN, (5000, 53)), False, id="dns-to-login"),
        pytest.param(API, "in", Packet(UDP, SERVER, USER, (5000, 53)), False, id="dns-of-others"),
        pytest.param(LOGIN, "in", Packet(1, ADMIN, USER, icmp_type=3), True, id="fragmentation-needed"),
        pytest.param(LOGIN, "in", Packet(1, ADMIN, USER, icmp_type=8), False, id="ping"),
        pytest.param(LOGIN, "in", Packet(UDP, "0.0.0.0", "255.255.255.255", (68, 67)), False, id="dhcp-without-relay"),
    ],
)
def test_a_packet_passes_only_as_a_flow_or_its_answer(
    of: Segment, direction: Direction, packet: Packet, *, expected: bool
) -> None:
    assert goes(of, direction, packet) == expected


def test_hosts_get_their_address_where_dhcp_is_relayed() -> None:
    found = lists(LOGIN, has_dhcp=True)
    assert passes(found["ipv4", "in"], Packet(UDP, "0.0.0.0", "255.255.255.255", (68, 67)))
    assert passes(found["ipv4", "out"], Packet(UDP, "10.0.1.2", ADMIN, (67, 68)))
    assert passes(found["ipv6", "in"], Packet(UDP, "fe80::1", "ff02::1:2", (546, 547)))


def test_a_vlan_with_ipv6_has_lists_of_it_with_neighbour_discovery_and_no_ipv4_address() -> None:
    found = lists(LOGIN)
    assert set(found) == {("ipv4", "in"), ("ipv4", "out"), ("ipv6", "in"), ("ipv6", "out")}
    assert passes(found["ipv6", "in"], Packet(58, "fe80::1", "ff02::2", icmp_type=133))
    assert passes(found["ipv6", "in"], Packet(UDP, "fd00:1::8", "2001:db8::1", (5000, 53)))
    assert not passes(found["ipv6", "out"], Packet(TCP, "2001:db8::1", "fd00:1::8", (5000, 22)))
    assert set(lists(API)) == {("ipv4", "in"), ("ipv4", "out")}


def test_every_list_ends_with_a_rule_that_counts_what_is_refused_and_has_no_rule_twice() -> None:
    for each in (*lists(LOGIN).values(), *lists(API, flows=()).values(), *lists(API, flows=FLOWS * 2).values()):
        assert [rule.sequence for rule in each.rules] == [10 * n for n in range(1, len(each.rules) + 1)]
        assert (each.rules[-1].permit, each.rules[-1].is_all, each.counted) == (False, True, True)
        seen = [
            (r.protocol, r.source, r.destination, r.source_ports, r.destination_ports, r.icmp_type) for r in each.rules
        ]
        assert len(set(seen)) == len(seen)


def test_no_flows_at_all_let_nothing_but_what_networks_need_pass() -> None:
    nothing = lists(API, flows=())["ipv4", "out"]
    assert not passes(nothing, Packet(TCP, USER, SERVER, (5000, 443)))
    assert passes(nothing, Packet(1, USER, SERVER, icmp_type=3))


def test_names_of_lists_begin_with_their_owner_and_differ() -> None:
    names = [each.name for of in (LOGIN, API) for each in lists(of).values()]
    of_login = ["BUSINESS-V110-IN", "BUSINESS-V110-OUT", "BUSINESS-V110-IN-V6", "BUSINESS-V110-OUT-V6"]
    assert names == [*of_login, "BUSINESS-V120-IN", "BUSINESS-V120-OUT"]


def test_hosts_on_many_pairs_are_as_few_prefixes_as_hold_just_them() -> None:
    assert Ends.of(f"10.1.{n}.0/24" for n in range(8)).prefixes["ipv4"] == ("10.1.0.0/21",)
    assert Ends.of(("10.1.0.0/24", "10.1.1.0/24", "10.1.2.0/24")).prefixes["ipv4"] == ("10.1.0.0/23", "10.1.2.0/24")


GATEWAYS = ("10.0.1.1", "10.0.1.2", "10.0.1.3")
"""The shared address and those of both leaves."""


@pytest.mark.parametrize("gateway", GATEWAYS)
@pytest.mark.parametrize("takes_bridged", [False, True])
def test_hosts_ping_their_gateways_and_trace_the_way_to_them_and_reach_nothing_else_of_a_switch(
    gateway: str, *, takes_bridged: bool
) -> None:
    anything = (Flow("login", "outside", (SSH, HTTPS)), Flow("office", "login", (SSH,)))
    found = lists(LOGIN, flows=anything, takes_bridged=takes_bridged)
    into, out = found["ipv4", "in"], found["ipv4", "out"]
    assert passes(into, Packet(1, ADMIN, gateway, icmp_type=8))
    assert all(passes(into, Packet(UDP, ADMIN, gateway, (5000, port))) for port in (33434, 33523))
    assert all(passes(out, Packet(1, gateway, ADMIN, icmp_type=kind)) for kind in (0, 3, 11))
    for packet in (
        Packet(TCP, ADMIN, gateway, (5000, 22)),
        Packet(TCP, ADMIN, gateway, (5000, 443)),
        Packet(UDP, ADMIN, gateway, (5000, 161)),
        Packet(1, USER, gateway, icmp_type=8),
    ):
        assert not passes(into, packet), packet
    assert not passes(out, Packet(TCP, OFFICE, gateway, (5000, 22))), "a flow to hosts of the VLAN is none to a switch"


def test_hosts_ping_their_gateways_by_ipv6_too() -> None:
    found = lists(LOGIN)
    assert passes(found["ipv6", "in"], Packet(58, "fd00:1::8", "fd00:1::1", icmp_type=128))
    assert passes(found["ipv6", "out"], Packet(58, "fd00:1::1", "fd00:1::8", icmp_type=129))
    assert not passes(found["ipv6", "in"], Packet(TCP, "fd00:1::8", "fd00:1::1", (5000, 53)))


def test_outside_is_not_this_site() -> None:
    flows = (Flow("login", "outside", (HTTPS,)), Flow("outside", "login", (SSH,)))
    found = lists(LOGIN, flows=flows)
    into, out = found["ipv4", "in"], found["ipv4", "out"]
    assert passes(into, Packet(TCP, ADMIN, USER, (5000, 443)))
    assert passes(out, Packet(TCP, USER, ADMIN, (5000, 22)))
    for own in (SERVER, "10.255.0.7"):
        assert not passes(into, Packet(TCP, ADMIN, own, (5000, 443)))
        assert not passes(out, Packet(TCP, own, ADMIN, (5000, 22)))
    named = lists(LOGIN, flows=(*flows, Flow("login", "api", (HTTPS,))))["ipv4", "in"]
    assert passes(named, Packet(TCP, ADMIN, SERVER, (5000, 443))), "what a flow names is reached, outside or not"
    assert not passes(found["ipv6", "in"], Packet(TCP, "fd00:1::8", "fd00:2::8", (5000, 443)))


def test_where_a_list_meets_bridged_packets_hosts_of_the_vlan_reach_one_another() -> None:
    found = lists(LOGIN, takes_bridged=True)
    for direction in ("in", "out"):
        assert passes(found["ipv4", direction], Packet(TCP, ADMIN, "10.0.1.9", (5000, 8080)))
        assert passes(found["ipv6", direction], Packet(UDP, "fd00:1::8", "fd00:1::9", (5000, 8080)))
    routed_only = lists(LOGIN)
    assert not passes(routed_only["ipv4", "in"], Packet(TCP, ADMIN, "10.0.1.9", (5000, 8080)))


def test_where_a_list_meets_bridged_packets_what_the_other_leaf_has_routed_passes_to_hosts_here() -> None:
    found = lists(LOGIN, takes_bridged=True)
    let_out = [Packet(TCP, OFFICE, ADMIN, (5000, 22)), Packet(TCP, SERVER, ADMIN, (443, 5000), is_open=True)]
    for packet in (*let_out, Packet(UDP, USER, ADMIN, (53, 5000))):
        assert passes(found["ipv4", "out"], packet), packet
        assert passes(found["ipv4", "in"], packet), packet
    assert not passes(lists(LOGIN)["ipv4", "in"], let_out[0])
