"""Owners' parts of one switch, drawn at random: the result of merge does not depend on their order."""

from dataclasses import fields, replace
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nornir_tasks.design.config.access_lists import AccessList, AclRule
from nornir_tasks.design.config.bgp import Bfd, Neighbor, PeerGroup, Validator
from nornir_tasks.design.config.gateway import Gateway
from nornir_tasks.design.config.interfaces import Breakout, Layer1
from nornir_tasks.design.config.lag import Lag
from nornir_tasks.design.config.pair import PairSettings
from nornir_tasks.design.config.routing_policy import (
    AsPathList,
    AsPathRule,
    PrefixList,
    PrefixRule,
    RouteMap,
    RouteMapRule,
)
from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.design.config.storm_control import StormControl
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.contribute.merge import Contribution, merge
from nornir_tasks.design.model.claims import Owner
from nornir_tasks.design.model.links import ManagementAddress
from nornir_tasks.design.model.partial_config import (
    BalancingPolicy,
    ClassPolicy,
    PartialConfig,
    PartialPort,
    PartialVrf,
    ProfilePolicy,
    SwitchBase,
)
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.keys.base import BaseIntent

FEW = st.integers(1, 2)
NAMES = st.sampled_from(("A", "B"))
FAMILIES = st.sampled_from(("ipv4", "ipv6"))
PREFIXES = st.sampled_from(("10.0.0.0/24", "10.0.1.0/24"))


def maybe(values: st.SearchStrategy) -> st.SearchStrategy:
    return st.none() | values


def by(keys: st.SearchStrategy, make: Any) -> st.SearchStrategy:
    """A mapping of objects that know their key."""
    return st.lists(keys, max_size=2, unique=True).flatmap(
        lambda found: st.fixed_dictionaries({key: make(key) for key in found})
    )


def in_sequence(make: Any) -> st.SearchStrategy:
    """Rules by number, in its order."""
    numbers = st.sets(st.sampled_from((10, 20)))
    return numbers.flatmap(lambda found: st.tuples(*(make(number) for number in sorted(found))))


def as_path_rules() -> st.SearchStrategy:
    return in_sequence(lambda number: st.builds(AsPathRule, st.just(number), permit=st.just(True), pattern=NAMES))


def prefix_rules() -> st.SearchStrategy:
    return in_sequence(lambda number: st.builds(PrefixRule, st.just(number), permit=st.just(True), prefix=PREFIXES))


def map_rules() -> st.SearchStrategy:
    return in_sequence(
        lambda number: st.builds(RouteMapRule, st.just(number), permit=st.just(True), match_prefix_list=maybe(NAMES))
    )


def acl_rules() -> st.SearchStrategy:
    return in_sequence(
        lambda number: st.builds(AclRule, st.just(number), st.booleans(), maybe(FEW), maybe(PREFIXES), maybe(PREFIXES))
    )


def peer_group(name: str) -> st.SearchStrategy:
    timers = (st.just(3), st.just(9), maybe(FEW), maybe(FEW))
    return st.builds(
        PeerGroup, st.just(name), *timers, *[st.just(True)] * 3, FEW, maybe(FEW), maybe(NAMES), maybe(NAMES)
    )


def neighbor(key: tuple[str | None, str]) -> st.SearchStrategy:
    return st.builds(Neighbor, st.just(key[1]), FEW, NAMES, NAMES, route_map_in=maybe(NAMES))


def validator(address: str) -> st.SearchStrategy:
    return st.builds(Validator, st.just(address), FEW, maybe(NAMES))


PORTS = st.builds(
    PartialPort,
    enabled=maybe(st.booleans()),
    description=maybe(NAMES),
    layer1=maybe(st.builds(Layer1, FEW, FEW, st.just("rs"), st.booleans())),
    address=maybe(PREFIXES),
    mtu_bytes=maybe(FEW),
    profile=maybe(NAMES),
    ra_interval_ms=maybe(FEW),
    access_vlan=maybe(FEW),
    edge=maybe(st.booleans()),
    vrf=maybe(NAMES),
    tagged_vlans=maybe(st.frozensets(FEW)),
    native_vlan=maybe(FEW),
    tag=maybe(FEW),
    lag=maybe(st.builds(Lag, st.sampled_from(("fast", "slow")), individual=st.booleans(), min_links=maybe(FEW))),
    member_of=maybe(NAMES),
    acls=maybe(st.dictionaries(st.tuples(FAMILIES, st.sampled_from(("in", "out"))), NAMES)),
    ipv6_address=maybe(PREFIXES),
    gateway=maybe(st.builds(Gateway, maybe(NAMES), mac_address=maybe(NAMES), priority=maybe(FEW))),
    dhcp_servers=maybe(st.frozensets(NAMES)),
    storm=maybe(st.builds(StormControl, maybe(FEW), maybe(FEW), maybe(FEW))),
)
CLASSES = st.builds(ClassPolicy, NAMES, st.just((0,)), FEW, st.just(True), st.just(False), maybe(FEW), st.just("auto"))
PARTS = {
    "hash_seed": FEW,
    "lossless_memory_percent": FEW,
    "counts_marks": st.booleans(),
    "lag_hash": st.booleans(),
    "bridge_priority": FEW,
    "lldp": st.booleans(),
    "classes": st.tuples(CLASSES),
    "profiles": st.dictionaries(NAMES, st.builds(ProfilePolicy, st.tuples(CLASSES))),
    "bfd": st.builds(Bfd, FEW, FEW, FEW),
    "load_balancing": st.builds(BalancingPolicy, st.just("flowlet"), st.just(("A",)), FEW, FEW),
    "breakouts": by(FEW, lambda port: st.builds(Breakout, st.just(port), FEW, maybe(FEW), maybe(FEW))),
    "vlans": by(FEW, lambda number: st.builds(Vlan, st.just(number), maybe(NAMES))),
    "pair": st.builds(PairSettings, NAMES, NAMES, FEW, priority=maybe(FEW)),
    "ports": st.dictionaries(NAMES, PORTS),
    "as_path_lists": by(NAMES, lambda name: st.builds(AsPathList, st.just(name), as_path_rules())),
    "prefix_lists": by(NAMES, lambda name: st.builds(PrefixList, st.just(name), prefix_rules())),
    "route_maps": by(NAMES, lambda name: st.builds(RouteMap, st.just(name), map_rules())),
    "access_lists": by(NAMES, lambda name: st.builds(AccessList, st.just(name), FAMILIES, acl_rules())),
    "vrfs": st.dictionaries(NAMES, st.builds(PartialVrf, maybe(NAMES), maybe(FEW), maybe(st.frozensets(PREFIXES)))),
    "static_routes": by(
        st.tuples(maybe(NAMES), PREFIXES),
        lambda key: st.builds(StaticRoute, st.just(key[1]), st.just(key[0]), maybe(st.tuples(NAMES)), maybe(FEW)),
    ),
    "base": st.builds(
        SwitchBase,
        st.builds(BaseIntent, banner=maybe(NAMES), accounts=st.none()),
        maybe(st.builds(ManagementAddress, PREFIXES, st.just(24), NAMES)),
        st.tuples(PREFIXES),
    ),
    "asn": FEW,
    "router_id": NAMES,
    "maximum_paths": FEW,
    "multipath_relax": st.booleans(),
    "graceful_restart_helper_only": st.booleans(),
    "log_neighbor_changes": st.booleans(),
    "wait_for_install": st.booleans(),
    "wait_for_convergence": st.booleans(),
    "networks": st.frozensets(PREFIXES),
    "aggregates": st.frozensets(PREFIXES),
    "peer_groups": by(NAMES, peer_group),
    "validators": by(NAMES, validator),
    "neighbors": by(st.tuples(maybe(NAMES), NAMES), neighbor),
}
CONFIGS = st.fixed_dictionaries({}, optional=PARTS).map(lambda value: PartialConfig(**value))
OWNERS = [Owner(name, "plane", name.upper()) for name in ("one", "two", "three")]
ALL = st.tuples(*[CONFIGS] * len(OWNERS))


def joined(*configs: PartialConfig, owners: list[Owner] = OWNERS) -> PartialConfig | list[str]:
    """What comes of it, or everything that stands against it."""
    try:
        return merge(
            "leaf", [Contribution(owner, "leaf", config) for owner, config in zip(owners, configs, strict=False)]
        )
    except DesignError as error:
        return [str(problem) for problem in error.problems]


def test_every_field_of_a_wish_is_drawn_here() -> None:
    assert PARTS.keys() == {each.name for each in fields(PartialConfig)}


@given(ALL)
def test_the_order_of_owners_does_not_matter_for_what_comes_of_it_nor_for_what_clashes(configs) -> None:
    pairs = list(zip(OWNERS, configs, strict=True))
    outcomes = [
        joined(*(config for _, config in order), owners=[owner for owner, _ in order]) for order in permutations(pairs)
    ]
    assert all(outcome == outcomes[0] for outcome in outcomes)


@given(CONFIGS)
def test_to_say_the_same_twice_is_to_say_it_once(config) -> None:
    assert joined(config, replace(config)) == joined(config) == config


@given(CONFIGS, CONFIGS)
def test_what_was_joined_once_stays_as_it_is(one, other) -> None:
    both = joined(one, other)
    if isinstance(both, PartialConfig):
        assert joined(both, one, other) == joined(both) == both


@given(CONFIGS, CONFIGS)
def test_who_says_nothing_changes_nothing(one, other) -> None:
    both = joined(one, other)
    assert joined(one, other, PartialConfig()) == both
    assert joined(PartialConfig(), one, other, owners=[OWNERS[2], *OWNERS[:2]]) == both


def test_of_nothing_comes_nothing() -> None:
    assert joined() == PartialConfig()


@given(CONFIGS, CONFIGS)
def test_a_clash_names_both_owners_and_nothing_is_lost_where_there_is_none(one, other) -> None:
    both = joined(one, other)
    if isinstance(both, list):
        assert all("plane one and plane two want different things" in problem for problem in both)
        return
    for config in (one, other):
        assert set(config.networks or ()) <= set(both.networks or ())
        assert set(config.neighbors or ()) <= set(both.neighbors or ())
        assert (both.maximum_paths or 0) >= (config.maximum_paths or 0)
        for name, port in (config.ports or {}).items():
            assert all(
                getattr(both.ports[name], each.name) == value
                or (each.metadata and value <= getattr(both.ports[name], each.name))
                for each in fields(PartialPort)
                if (value := getattr(port, each.name)) is not None
            )


def test_all_clashes_come_at_once_each_with_its_field_and_both_values() -> None:
    session = Neighbor("10.0.0.1", 1, "A", "a")
    one = PartialConfig(asn=1, ports={"A": PartialPort(mtu_bytes=9000)}, neighbors={("red", "10.0.0.1"): session})
    other = PartialConfig(
        asn=2, ports={"A": PartialPort(mtu_bytes=1500)}, neighbors={("red", "10.0.0.1"): replace(session, remote_as=7)}
    )
    found = joined(one, other)
    assert [problem.splitlines()[:3] for problem in found] == [
        [
            f"leaf {where}: plane one and plane two want different things",
            f"  expected: plane one: {a}",
            f"  found: plane two: {b}",
        ]
        for where, a, b in (
            ("asn", 1, 2),
            ("neighbors.red 10.0.0.1.remote_as", 1, 7),
            ("ports.A.mtu_bytes", 9000, 1500),
        )
    ]


@pytest.mark.parametrize("limits", [(5, 30), (30, 5)])
def test_two_owners_of_one_peer_group_have_the_greater_prefix_limit(limits: tuple[int, int]) -> None:
    groups = [PeerGroup("A", 3, 9, None, None, False, True, True, limit, None, None, None) for limit in limits]
    both = joined(*(PartialConfig(peer_groups={"A": group}) for group in groups))
    assert both.peer_groups["A"].max_prefixes == 30


def test_two_sessions_with_one_peer_in_two_vrfs_are_two() -> None:
    session = Neighbor("10.0.0.1", 1, "A", "a")
    one = PartialConfig(neighbors={(None, "10.0.0.1"): session})
    other = PartialConfig(neighbors={("red", "10.0.0.1"): replace(session, remote_as=7)})
    assert len(joined(one, other).neighbors) == 2


def test_two_owners_make_one_list_of_rules() -> None:
    lists = [PrefixList("A", (PrefixRule(number, permit=True, prefix=f"10.{number}.0.0/16"),)) for number in (20, 10)]
    both = joined(*(PartialConfig(prefix_lists={"A": each}) for each in lists))
    assert [rule.sequence for rule in both.prefix_lists["A"].rules] == [10, 20]
