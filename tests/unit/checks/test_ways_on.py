"""A gateway with a route: without a way on, and without the session between both leaves, a gateway is named."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from simulated import Network

from nornir_tasks.checks.causes.ways_on import PEER, ROUTES, check_ways_on
from nornir_tasks.checks.evidence import Finding, Verdict
from nornir_tasks.design.model.device_config import DeviceConfig

EOS, NXOS, NVUE = "front-leaf-g1", "front-leaf-g2", "front-leaf-g4"
PAIRS = (EOS, NXOS, NVUE)
BETWEEN = {EOS: "Vlan4094", NXOS: "Vlan3967", NVUE: "peerlink.4094"}
LINK = {EOS: "Port-Channel1000", NXOS: "port-channel1000", NVUE: "peerlink"}


def found(network: Network, device: str) -> dict[str, Finding]:
    return {each.subject: each for each in check_ways_on(network.evidence()) if each.device == device}


def uplinks(network: Network, device: str) -> list[str]:
    links = network.design.network.links_of(device)
    return [each.end(device).port for each in links if each.kind == "fabric"]


def without_uplinks(device: str) -> Network:
    network = Network("front")
    for port in uplinks(network, device):
        network.port(device, port, enabled=False)
    return network


def without_session(network: Network, device: str) -> None:
    bgp = network.bgp_of(device)
    kept = tuple(each for each in bgp.neighbors if not each.peer_group.endswith("-PAIR"))
    network.bgp(device, neighbors=kept)


def test_each_switch_with_a_gateway_is_judged_and_passes() -> None:
    network = Network("front")
    findings = check_ways_on(network.evidence())
    answering = {name for name, each in network.wanted.items() if any(port.gateway for port in each.interfaces)}
    assert {each.device for each in findings} == answering
    assert len(findings) == 2 * len(answering) == 16
    assert {each.verdict for each in findings} == {Verdict.PASS}
    assert {each.port for each in findings if each.subject == PEER} == {*BETWEEN.values()}


@pytest.mark.parametrize("pair", PAIRS)
def test_a_leaf_without_uplinks_has_a_way_on_over_its_pair(pair: str) -> None:
    network = without_uplinks(f"{pair}-a")
    assert {each.verdict for each in found(network, f"{pair}-a").values()} == {Verdict.PASS}
    assert [each for each in network.judge().failed if each.check == "ways-on"] == []


@pytest.mark.parametrize("pair", PAIRS)
def test_a_session_that_is_missing_is_named_before_it_is_needed(pair: str) -> None:
    network = Network("front")
    without_session(network, f"{pair}-a")
    for leaf in "ab":
        seen = found(network, f"{pair}-{leaf}")
        assert (seen[ROUTES].verdict, seen[PEER].verdict) == (Verdict.PASS, Verdict.FAIL)
        assert "without its uplinks answers as a gateway and has no way on" in seen[PEER].message
    (cause,) = network.judge().causes
    assert {each.check for each in (cause.lead, *cause.follows)} >= {"config", "bgp", "ways-on"}


@pytest.mark.parametrize("pair", PAIRS)
def test_a_leaf_with_neither_answers_and_has_no_way_on(pair: str) -> None:
    network = without_uplinks(f"{pair}-a")
    without_session(network, f"{pair}-a")
    seen = found(network, f"{pair}-a")
    assert (seen[ROUTES].verdict, seen[PEER].verdict) == (Verdict.FAIL, Verdict.FAIL)
    assert seen[ROUTES].message.endswith("0 sessions, 0 routes learned: it answers as a gateway and has no way on")


@pytest.mark.parametrize("pair", PAIRS)
def test_a_peer_link_that_is_shut_is_the_one_cause_of_the_lost_session(pair: str) -> None:
    network = Network("front")
    network.port(f"{pair}-a", LINK[pair], enabled=False)
    (cause,) = network.judge().causes
    assert cause.lead.port == LINK[pair]
    assert {(each.device, each.check) for each in cause.follows} >= {
        (f"{pair}-{leaf}", check) for leaf in "ab" for check in ("bgp", "ways-on")
    }


def test_sessions_that_let_in_no_route_are_no_way_on() -> None:
    network = Network("front")
    network.shows(f"{EOS}-a", lambda seen: replace(seen, routes=()))
    assert found(network, f"{EOS}-a")[ROUTES].verdict is Verdict.FAIL


def mutants(network: Network, device: str) -> Iterator[tuple[str, DeviceConfig]]:
    """The switch with one thing of its way over the peer link otherwise, or gone."""
    config = network.wanted[device]
    bgp, policy = config.bgp, config.routing_policy
    assert bgp is not None
    (group,) = (each for each in bgp.peer_groups if each.name.endswith("-PAIR"))
    (peer,) = (each for each in bgp.neighbors if each.peer_group == group.name)
    other = {"keepalive_s": 5, "hold_s": 20, "max_prefixes": 7, "prefix_restart_min": 9, "ttl_security": False}
    other |= {"send_community": False, "route_map_in": None, "route_map_out": None, "bfd": True}
    for name, value in other.items():
        groups = tuple(replace(each, **{name: value}) if each is group else each for each in bgp.peer_groups)
        yield f"group {name}", replace(config, bgp=replace(bgp, peer_groups=groups))
    for name, changed in {"gone": (), "remote_as": (replace(peer, remote_as=64999),)}.items():
        neighbors = (*(each for each in bgp.neighbors if each is not peer), *changed)
        yield f"neighbour {name}", replace(config, bgp=replace(bgp, neighbors=neighbors))
    for route_map in (each for each in policy.route_maps if "-PAIR-" in each.name):
        for rule in route_map.rules:
            others = tuple(each for each in route_map.rules if each is not rule)
            altered = [("gone", others), ("list", (*others, replace(rule, match_prefix_list="FRONT-NONE")))]
            altered += [("prepend", (*others, replace(rule, prepend=())))] if rule.prepend else []
            altered.append(("turned", (*others, replace(rule, permit=not rule.permit))))
            for name, rules in altered:
                maps = tuple(replace(each, rules=rules) if each is route_map else each for each in policy.route_maps)
                changed_policy = replace(policy, route_maps=maps)
                yield f"{route_map.name} {rule.sequence} {name}", replace(config, routing_policy=changed_policy)
    lists = tuple(each for each in policy.prefix_lists if not each.name.endswith("-LOOPBACKS"))
    yield "LOOPBACKS gone", replace(config, routing_policy=replace(policy, prefix_lists=lists))
    for port in (each for each in config.interfaces if each.name in BETWEEN.values()):
        for name, value in {"address": None, "mtu_bytes": 1500, "enabled": False}.items():
            ports = tuple(replace(each, **{name: value}) if each is port else each for each in config.interfaces)
            yield f"{port.name} {name}", replace(config, interfaces=ports)


@pytest.mark.parametrize("pair", PAIRS)
def test_each_line_of_the_way_over_the_peer_link_that_is_gone_or_altered_is_named(
    pair: str, figure: Callable[[str], None]
) -> None:
    network, device, count = Network("front"), f"{pair}-a", 0
    for name, config in mutants(network, device):
        network.running[device] = config
        assert [str(each) for each in network.changes(device)], (device, name)
        count += 1
    assert count > 20
    figure(f"{device}: {count} of {count} mutants of its session over the peer link are named by line")
