"""A gateway with a route: without a way on, and without the session between both leaves, a gateway is named."""

from dataclasses import replace

import pytest
from simulated import Network

from nornir_tasks.checks.evidence import Finding, Verdict
from nornir_tasks.checks.ways_on import PEER, ROUTES, check_ways_on

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
