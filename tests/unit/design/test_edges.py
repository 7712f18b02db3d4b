"""The edge routers as the design has them: what is taken of whom, what is told to whom, and what stands behind it."""

import re
from functools import cache
from pathlib import Path

import pytest

from nornir_tasks.deploy.wanted import wanted
from nornir_tasks.design.as_paths import containing, patterns
from nornir_tasks.design.network import Network
from nornir_tasks.design.pipeline import design, device_config
from nornir_tasks.design.realise import Realised
from nornir_tasks.errors import IntentError
from nornir_tasks.files.catalogue import load_bogons, load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms import platform, platforms
from nornir_tasks.usecases.site import load, select

SITE = Path(__file__).parents[2] / "sites" / "edge"
FACTS = {name: each.facts for name, each in platforms().items()}


@cache
def network() -> Network:
    return design(load_intent(SITE / "fabric.yml"), load_catalogue(), FACTS)


@cache
def router(name: str, *, drained: bool = False) -> Realised:
    return device_config(network(), network().device(name), drained=drained)


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


def test_a_drained_router_makes_paths_longer_both_ways_and_never_by_a_number_that_the_other_one_refuses() -> None:
    config = router("edge-1", drained=True).config
    assert config.bgp is not None
    maps = {each.name: each.rules[-1] for each in config.routing_policy.route_maps}
    assert maps["EDGE-ISP-A-V4-OUT"].prepend == (config.bgp.asn,) * 3
    assert maps["EDGE-ISP-A-V4-IN"].prepend == (64500,) * 3


def test_what_is_taken_is_marked_for_no_other_network() -> None:
    maps = {each.name: each.rules[-1] for each in router("edge-2").config.routing_policy.route_maps}
    assert maps["EDGE-ISP-B-V4-IN"].communities == ("65535:65281",)


def test_a_plane_called_boundary_is_both_edge_routers_and_nobody_elses() -> None:
    assert list(select(load(SITE), ["boundary"])) == ["edge-1", "edge-2"]
    with pytest.raises(IntentError, match="no such plane") as refused:
        select(load("lab"), ["boundary"])
    assert "playbooks/boundary.yml" in str(refused.value)


@pytest.mark.parametrize("drained", [False, True])
@pytest.mark.parametrize("name", ["edge-1", "edge-2"])
def test_what_is_rendered_is_read_back_whole_and_every_line_has_its_owner(name: str, drained: bool) -> None:
    made = router(name, drained=drained)
    os = platform(made.config.os)
    # refuses a line that nobody owns
    rendered = wanted(made.config, made.capabilities, made.claims, environment(made.config.os))
    read = os.parse(rendered.tree, made.capabilities, name, made.config.model)
    assert read.config == made.config
    assert not [*read.remainder.walk()]
