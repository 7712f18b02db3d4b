"""The edge routers as the design has them: what is taken of whom, what is told to whom, and what stands behind it."""

import re
from dataclasses import replace
from functools import cache
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest

from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.design.capacity.tables import acl_uses
from nornir_tasks.design.config.access_lists import AccessList
from nornir_tasks.design.config.bgp import TcpAo, Validator
from nornir_tasks.design.contribute.as_paths import containing, patterns
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.model.system_facts import AoFacts, GuardFacts, KeyFacts
from nornir_tasks.design.pipeline import design, device_config
from nornir_tasks.design.realise.configuration import Realised
from nornir_tasks.errors import IntentError
from nornir_tasks.files.catalogue import load_bogons, load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms import platform, platforms
from nornir_tasks.usecases.site import load, select
from tests.unit.design import edge_systems

SITE = Path(__file__).parents[2] / "sites" / "edge"
FACTS = {name: each.facts for name, each in platforms().items()}


@cache
def network() -> Network:
    return design(load_intent(SITE / "fabric.yml"), load_catalogue(), FACTS)


@cache
def router(name: str, *, drained: bool = False) -> Realised:
    return device_config(network(), network().device(name), drained=drained)


def rendered_of(made: Realised) -> Wanted:
    """Refuses a line that nobody owns."""
    return wanted(made.config, made.capabilities, made.claims, environment(made.config.os))


@pytest.mark.parametrize(("first", "last"), [*load_bogons().asns, (1, 4294967295), (0, 12), (99, 1001), (7, 7)])
def test_patterns_match_just_the_numbers_of_a_range(first: int, last: int) -> None:
    found = [re.compile(each) for each in patterns(first, last)]
    near = {*range(max(0, first - 120), first + 120), *range(max(0, last - 120), last + 120), (first + last) // 2}
    for number in near:
        assert sum(each.fullmatch(str(number)) is not None for each in found) == (first <= number <= last), number


def test_a_path_with_an_exempt_number_alone_is_taken() -> None:
    rules = containing("BAD", load_bogons().asns, {64500}).rules
    text = [re.compile(each.pattern.replace("_", r"\b")) for each in rules]
    assert not any(each.search("64500 3333 131072") for each in text)
    for path in ("64501", "64500 64512", "3333 4200000001 64500", "23456", "0", "65535"):
        assert any(each.search(path) for each in text), path


def test_a_session_without_a_filter_each_way_is_none() -> None:
    for name in ("edge-1", "edge-2"):
        bgp = router(name).config.bgp
        assert bgp is not None
        outside = {each.peer_group for each in bgp.neighbors if each.remote_as != bgp.asn}
        groups = [each for each in bgp.peer_groups if each.name in outside]
        assert groups
        assert all(each.route_map_in and each.route_map_out and each.ttl_security for each in groups)


def test_an_upstream_of_which_the_default_route_is_taken_gives_nothing_else() -> None:
    lists = {each.name: each for each in router("edge-1").config.routing_policy.prefix_lists}
    assert [(rule.permit, rule.prefix, rule.le) for rule in lists["EDGE-ISP-A-V4-TAKEN"].rules] == [
        (True, "0.0.0.0/0", None)
    ]
    assert [rule.prefix for rule in lists["EDGE-ISP-A-V6-TAKEN"].rules] == ["::/0"]


def test_our_own_prefixes_are_refused_before_any_is_permitted() -> None:
    lists = {each.name: each for each in router("edge-2").config.routing_policy.prefix_lists}
    first, *_ = lists["EDGE-ISP-B-V4-TAKEN"].rules
    assert (first.permit, first.prefix, first.le) == (False, "203.0.113.0/24", 32)


def test_what_is_announced_is_an_exact_list_and_stands_on_routes_by_the_vlan_alone() -> None:
    config = router("edge-1").config
    lists = {each.name: each for each in config.routing_policy.prefix_lists}
    assert [(rule.prefix, rule.ge, rule.le) for rule in lists["EDGE-ISP-A-V4-ANNOUNCED"].rules] == [
        ("203.0.113.0/24", None, None)
    ]
    assert config.bgp is not None
    assert config.bgp.aggregates == ("203.0.113.0/24", "2001:db8:100::/40")
    routes = {each.prefix: each for each in config.static_routes}
    assert all(routes[each].interface == "vlan900" for each in config.bgp.networks)
    assert all(not routes[each].next_hops for each in config.bgp.aggregates)


@pytest.mark.parametrize("system", edge_systems.SYSTEMS)
def test_a_discard_route_never_keeps_its_aggregate_out_of_bgp(system: str) -> None:
    """Where an aggregate has a distance, a route of its prefix with a smaller one would: the discard route has not."""
    for made in edge_systems.edges(system):
        assert made.config.bgp is not None
        routes = {each.prefix: each for each in made.config.static_routes}
        distances = {routes[each].distance for each in made.config.bgp.aggregates}
        assert distances == ({254} if made.capabilities.aggregate_distance == 200 else {None})
        assert (made.capabilities.aggregate_distance is not None) == (system == "eos")
        assert {each.distance for each in routes.values() if each.next_hops} <= {None}


def test_a_drained_router_makes_paths_longer_both_ways_and_never_by_a_number_that_the_other_one_refuses() -> None:
    config = router("edge-1", drained=True).config
    assert config.bgp is not None
    maps = {each.name: each.rules[-1] for each in config.routing_policy.route_maps}
    assert maps["EDGE-ISP-A-V4-OUT"].prepend == (config.bgp.asn,) * 3
    assert maps["EDGE-ISP-A-V4-IN"].prepend == (64500,) * 3


def test_what_is_taken_is_marked_for_no_other_network() -> None:
    maps = {each.name: each.rules[-1] for each in router("edge-2").config.routing_policy.route_maps}
    assert maps["EDGE-ISP-B-V4-IN"].communities == ("65535:65281",)


def first_match(acl: AccessList, protocol: int, source: str, destination: str, port: int | None = None) -> bool:
    """Does a list let the first packet of something pass? A judge of its own; of ICMP it is an echo request."""
    for rule in acl.rules:
        if rule.protocol not in (None, protocol) or rule.icmp_type is not None or rule.established:
            continue
        ends = ((rule.source, source), (rule.destination, destination))
        if any(prefix is not None and ip_address(each) not in ip_network(prefix) for prefix, each in ends):
            continue
        if rule.destination_ports is None or (port is not None and rule.destination_ports == (port, port)):
            return rule.permit
    raise AssertionError("no rule for it")


def test_a_router_that_comes_back_leaves_the_gateway_to_the_one_that_answers() -> None:
    """Of HSRP: its sessions have brought no default route yet, so all that the firewalls sent it would be dropped."""
    for made in edge_systems.edges("nxos"):
        groups = [each.gateway for each in made.config.interfaces if each.gateway is not None]
        assert [(each.group, each.preempt) for each in groups] == [(900, False)]
        lines = [str(path[-1]) for path, _ in rendered_of(made).tree.walk()]
        assert "hsrp version 2" in lines
        assert not [each for each in lines if each.startswith("preempt")]


UDP_, TCP_, ICMP_ = 17, 6, 1
FROM_ISP_A = [
    (TCP_, "198.51.100.1", "198.51.100.2", 179, True),
    (TCP_, "198.51.100.1", "198.51.100.2", 22, False),
    (TCP_, "8.8.8.8", "198.51.100.2", 179, False),
    (ICMP_, "8.8.8.8", "198.51.100.2", None, True),
    (ICMP_, "8.8.8.8", "203.0.113.5", None, True),
    (UDP_, "8.8.8.8", "203.0.113.5", 161, False),
    (TCP_, "8.8.8.8", "203.0.113.4", 179, False),
    (TCP_, "8.8.8.8", "203.0.113.70", 443, True),
    (UDP_, "203.0.113.70", "203.0.113.71", 53, False),
    (ICMP_, "203.0.113.70", "203.0.113.5", None, False),
    (UDP_, "10.1.1.1", "203.0.113.70", 53, False),
    (UDP_, "192.0.2.1", "203.0.113.70", 53, False),
    (UDP_, "8.8.8.8", "9.9.9.9", 53, False),
    (TCP_, "8.8.8.8", "10.252.0.0", 22, False),
]
FROM_FIREWALLS = [
    (UDP_, "203.0.113.17", "8.8.8.8", 53, True),
    (UDP_, "203.0.113.1", "8.8.8.8", 53, True),
    (UDP_, "10.181.0.5", "8.8.8.8", 53, False),
    (UDP_, "192.0.2.9", "8.8.8.8", 53, False),
    (UDP_, "8.8.4.4", "8.8.8.8", 53, False),
    (TCP_, "203.0.113.17", "203.0.113.5", 22, False),
    (TCP_, "203.0.113.17", "198.51.100.2", 179, False),
    (TCP_, "203.0.113.17", "10.252.0.0", 22, False),
    (TCP_, "203.0.113.17", "10.252.0.1", 22, False),
    (ICMP_, "203.0.113.17", "10.252.0.1", None, False),
    (TCP_, "203.0.113.17", "10.252.0.2", 22, True),
    (TCP_, "203.0.113.6", "203.0.113.5", 179, True),
    (ICMP_, "203.0.113.1", "203.0.113.4", None, True),
]


@pytest.mark.parametrize(
    ("name", "protocol", "source", "destination", "port", "passes"),
    [
        *(("EDGE-ISP-A-V4-FILTER", *each) for each in FROM_ISP_A),
        *(("EDGE-FILTER-V4", *each) for each in FROM_FIREWALLS),
    ],
)
def test_a_router_takes_in_what_comes_from_where_it_may(
    name: str, protocol: int, source: str, destination: str, port: int | None, *, passes: bool
) -> None:
    lists = {each.name: each for each in router("edge-1").config.access_lists}
    assert first_match(lists[name], protocol, source, destination, port) is passes


@pytest.mark.parametrize("system", edge_systems.SYSTEMS)
def test_what_the_other_router_took_in_passes_to_the_firewall_here_where_a_vlans_list_meets_what_is_bridged(
    system: str,
) -> None:
    """As on Cumulus Linux: a firewall's packets come over the other router whenever its own has no cable or no way."""
    for made in edge_systems.edges(system):
        lists = {each.name: each for each in made.config.access_lists}
        assert made.capabilities.acls is not None
        passes = made.capabilities.acls.svi_takes_bridged
        assert passes is (system == "nvue")
        inside = lists["EDGE-FILTER-V4"]
        assert first_match(inside, TCP_, "8.8.8.8", "203.0.113.70", 443) is passes
        assert first_match(inside, TCP_, "8.8.8.8", "203.0.113.5", 22) is False
        assert first_match(inside, TCP_, "8.8.8.8", "9.9.9.9", 443) is False


def test_every_port_to_others_has_a_list_of_each_family_also_of_one_that_it_has_no_address_of() -> None:
    for name in ("edge-1", "edge-2"):
        config = router(name).config
        lists = {each.name: each.family for each in config.access_lists}
        ports = [each for each in config.interfaces if each.address and each.name != "lo"]
        assert len(ports) == 2
        for port in ports:
            assert {each.family for each in port.acls if lists[each.name] == each.family} == {"ipv4", "ipv6"}, port.name
            assert {each.direction for each in port.acls} == {"in"}


def test_rules_of_edge_routers_are_counted_as_they_come_out() -> None:
    for name in ("edge-1", "edge-2"):
        lists = router(name).config.access_lists
        there = [sum(len(each.rules) for each in lists if each.family == family) for family in ("ipv4", "ipv6")]
        assert [each.used for each in acl_uses(network(), network().device(name))] == there


def test_a_laboratorys_source_is_exempt_and_its_neighbours_are_not(tmp_path: Path) -> None:
    exempt = '"2001:db8:100::/40", 198.51.100.128/25, "2001:db8:900::/48"'
    text = (SITE / "fabric.yml").read_text().replace('"2001:db8:100::/40"]\n  services', f"{exempt}]\n  services")
    (tmp_path / "fabric.yml").write_text(text)
    made = design(load_intent(tmp_path / "fabric.yml"), load_catalogue(), FACTS)
    lists = {each.name: each for each in device_config(made, made.device("edge-1")).config.access_lists}
    four, six = lists["EDGE-ISP-A-V4-FILTER"], lists["EDGE-ISP-A-V6-FILTER"]
    assert first_match(four, UDP_, "198.51.100.200", "203.0.113.70")
    assert not first_match(four, UDP_, "198.51.100.100", "203.0.113.70")
    assert not first_match(four, UDP_, "198.51.100.200", "203.0.113.5"), "the router itself"
    assert first_match(six, UDP_, "2001:db8:900::1", "2001:db8:101::1")
    assert not first_match(six, UDP_, "2001:db8:901::1", "2001:db8:101::1")
    assert not first_match(six, UDP_, "2001:db8:101::2", "2001:db8:101::1"), "our own, exempt from being a bogon"


SIGNED = {
    "md5": "md5: !secret isp-a-bgp",
    "ao": "ao: {key: !secret isp-a-ao, key_id: 7, algorithm: hmac-sha-1-96}",
}
WITH_ALL = GuardFacts(
    md5=KeyFacts(".*", "any"), ao=AoFacts(frozenset({"hmac-sha-1-96"}), KeyFacts(".*", "any")), has_rpki=True
)


def signed(folder: Path, how: str) -> DeviceConfig:
    """edge-1 on a system that has all guards, its sessions with isp-a signed, prefixes judged by validators."""
    text = (SITE / "fabric.yml").read_text().replace("      edge: 1\n", f"      edge: 1\n      {SIGNED[how]}\n")
    text = text.replace("    peer_speed: 100G\n", "    peer_speed: 100G\n    validators: [{address: 10.183.0.20}]\n")
    (folder / "fabric.yml").write_text(text)
    nvue = FACTS["nvue"]

    def capabilities(release: str, asic: str) -> Capabilities:
        return replace(nvue.capabilities(release, asic), guards=WITH_ALL)

    facts = {**FACTS, "nvue": replace(nvue, capabilities=capabilities)}
    made = design(load_intent(folder / "fabric.yml"), load_catalogue(), facts)
    return device_config(made, made.device("edge-1")).config


def test_every_session_with_an_upstream_is_signed_by_its_secret_and_no_other_one(tmp_path: Path) -> None:
    bgp = signed(tmp_path, "md5").bgp
    assert bgp is not None
    assert {each.name: each.password for each in bgp.peer_groups} == {
        "EDGE-ISP-A-V4": "<secret:isp-a-bgp>",
        "EDGE-ISP-A-V6": "<secret:isp-a-bgp>",
        "EDGE-PEER-V4": None,
        "EDGE-PEER-V6": None,
    }


def test_tcp_ao_and_validators_are_in_the_model_for_systems_that_have_them(tmp_path: Path) -> None:
    config = signed(tmp_path, "ao")
    assert config.bgp is not None
    assert {each.ao for each in config.bgp.peer_groups} == {None, TcpAo(7, "hmac-sha-1-96", "<secret:isp-a-ao>")}
    assert config.bgp.validators == (Validator("10.183.0.20", 323, None),)
    maps = {each.name: each for each in config.routing_policy.route_maps}
    rules = maps["EDGE-ISP-A-V4-IN"].rules
    assert [(each.permit, each.match_origin) for each in rules] == [(False, None), (False, "invalid"), (True, None)]


def test_a_plane_called_boundary_is_both_edge_routers_and_nobody_elses() -> None:
    assert list(select(load(SITE), ["boundary"])) == ["edge-1", "edge-2"]
    with pytest.raises(IntentError, match="no such plane") as refused:
        select(load("lab-rails"), ["boundary"])
    assert "playbooks/boundary.yml" in str(refused.value)


@pytest.mark.parametrize("drained", [False, True])
@pytest.mark.parametrize("name", ["edge-1", "edge-2"])
@pytest.mark.parametrize("system", edge_systems.SYSTEMS)
def test_what_is_rendered_is_read_back_whole_and_every_line_has_its_owner(
    system: str, name: str, drained: bool, tmp_path: Path
) -> None:
    (tmp_path / "fabric.yml").write_text(edge_systems.text_of(system, signed=True))
    there = edge_systems.design_of(tmp_path).network
    made = device_config(there, there.device(name), drained=drained)
    assert made.config.os == system
    os = platform(made.config.os)
    rendered = rendered_of(made)
    read = os.parse(rendered.tree, made.capabilities, name, made.config.model)
    assert read.config == made.config
    assert not [*read.remainder.walk()]
