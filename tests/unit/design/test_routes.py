"""Routes and ECMP groups as counted, against BGP played through on the configurations that switches get."""

import random
from dataclasses import replace
from ipaddress import IPv4Interface, IPv4Network

import pytest
from hypothesis import given, settings

from nornir_tasks.design.addresses.routes import count_routes
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import device_configs
from tests.strategies import fabrics
from tests.unit.design.test_drawing import site

Paths = dict[str, dict[str, tuple[int, ...]]]
"""Prefix -> neighbour's address (empty: its own) -> AS path."""


def passes(config: DeviceConfig, route_map: str | None, prefix: str) -> bool:
    """Does this route map let the prefix through?"""
    rules = next(each.rules for each in config.routing_policy.route_maps if each.name == route_map)
    lists = {each.name: each.rules for each in config.routing_policy.prefix_lists}
    network = IPv4Network(prefix)
    for rule in lists[rules[0].match_prefix_list]:
        covers = network.subnet_of(IPv4Network(rule.prefix))
        low = rule.ge or network.prefixlen if rule.ge or rule.le else IPv4Network(rule.prefix).prefixlen
        high = rule.le or 32 if rule.ge or rule.le else low
        if covers and low <= network.prefixlen <= high:
            return rule.permit
    return False


def best(paths: dict[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    """All shortest paths: bestpath as-path multipath-relax."""
    shortest = min(len(path) for path in paths.values())
    return {neighbour: path for neighbour, path in paths.items() if len(path) == shortest}


def played(network: Network) -> dict[str, Paths]:
    """What each switch holds when all sessions have gone quiet."""
    configs = {each.config.name: each.config for each in device_configs(network)}
    owner = {}
    for circuit in network.circuits:
        link = circuit.link
        for here, there in ((link.upper, link.lower), (link.lower, link.upper)):
            owner[here.device, circuit.address(there.device) or here.port] = there.device
    tables: dict[str, Paths] = {name: {p: {"": ()} for p in c.bgp.networks} for name, c in configs.items()}
    sessions = []
    for name, config in configs.items():
        group = config.bgp.peer_groups[0]
        for neighbor in config.bgp.neighbors:
            far = configs[owner[name, neighbor.peer]]
            outgoing = far.bgp.peer_groups[0].route_map_out
            sessions.append((name, neighbor, neighbor.route_map_in or group.route_map_in, far, outgoing))
    for _ in range(8):
        fresh: dict[str, Paths] = {name: {p: {"": ()} for p in c.bgp.networks} for name, c in configs.items()}
        for name, neighbor, incoming, far, outgoing in sessions:
            for prefix, paths in tables[far.name].items():
                path = (far.bgp.asn, *min(best(paths).values()))
                if configs[name].bgp.asn in path or "" in fresh[name].get(prefix, {}):
                    continue
                if passes(far, outgoing, prefix) and passes(configs[name], incoming, prefix):
                    fresh[name].setdefault(prefix, {})[neighbor.peer] = path
        if fresh == tables:
            return tables
        tables = fresh
    raise AssertionError("BGP does not come to rest")


def check(network: Network) -> None:
    tables = played(network)
    subnets = {each.config.name: _subnets(each.config) for each in device_configs(network)}
    for name, counted in count_routes(network).items():
        learned = {prefix: best(paths) for prefix, paths in tables[name].items() if "" not in paths}
        groups = {frozenset(paths) for paths in learned.values() if len(paths) > 1}
        assert counted.learned == len(learned), name
        assert (counted.groups, counted.members) == (len(groups), sum(map(len, groups))), name
        assert counted.widest == max(map(len, groups), default=1), name
        assert counted.own == len(tables[name]) - len(learned)
        assert counted.connected == subnets[name]


def _subnets(config: DeviceConfig) -> int:
    """Of ports with an address; the loopback's is its own route, and so is a subnet that is announced whole."""
    addresses = [port.address for port in config.interfaces if port.address is not None]
    return len({str(IPv4Interface(each).network) for each in addresses} - set(config.bgp.networks))


@pytest.mark.parametrize("name", ["lab-rails", "lab-breakout", "lab-unnumbered"])
def test_what_is_counted_is_what_bgp_comes_to_on_the_configurations(name: str) -> None:
    check(site(name))


@given(fabrics().filter(lambda network: len(network.devices) <= 24 and len(network.links) <= 400))
@settings(max_examples=15, deadline=None)
def test_so_it_is_for_any_small_site(network: Network) -> None:
    check(network)


def test_a_reference_site_of_three_tiers_holds_what_its_closed_form_says() -> None:
    """512 leaves in 8 pods, 512 spines, 256 cores; a leaf hears all others, its pod's spines and what cores hand on."""
    found = count_routes(site("ref-32768"))
    leaf, spine, core = (found[name] for name in ("leaf-g1-r0", "spine-1", "core-1"))
    assert leaf.learned == 2 * 511 + 512 + 256
    assert spine.learned == 2 * 512 + 7 + 4  # of other pods the spines of its own core plane
    assert core.learned == 2 * 512 + 8
    assert (leaf.widest, spine.widest) == (64, 64)


def test_rails_that_share_no_spine_do_not_hear_one_another() -> None:
    found = count_routes(site("ref-28672"))
    assert found["leaf-g1-r0"].learned == 2 * 127 + 16
    assert found["spine-1"].learned == 2 * 128


def test_the_order_in_which_the_design_lists_things_changes_no_count() -> None:
    network, mix = site("lab-breakout"), random.Random(5)
    mixed = replace(
        network,
        devices=tuple(mix.sample(network.devices, len(network.devices))),
        links=tuple(mix.sample(network.links, len(network.links))),
    )
    assert count_routes(mixed) == count_routes(network)
