"""Prefixes at the edge: a default route that no upstream brings, and an announcement that nobody hears, are named."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from edge_evidence import evidence, network_of

from nornir_tasks.checks.causes.root_causes import causes
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.checks.switches.prefixes import check_prefixes
from nornir_tasks.deploy.tasks import worth_asking
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.platforms.observed import FIELDS, Observed
from tests.unit.design import edge_systems

SYSTEM = "nvue"
PEER, SIX, OTHER = "198.51.100.1", "2001:db8:200::1", "198.51.100.5"


def shows(device: str, change: Callable[[Observed], Observed]) -> Evidence:
    """The good evidence, but for what one router shows."""
    good = evidence(SYSTEM)
    return replace(good, observed={**good.observed, device: change(good.observed[device])})


def exchanges(device: str, peer: str, **changes: Any) -> Evidence:
    def changed(seen: Observed) -> Observed:
        rows = seen.exchanged or ()
        return replace(seen, exchanged=tuple(replace(e, **changes) if e.address == peer else e for e in rows))

    return shows(device, changed)


def bad(found: Evidence) -> dict[str, Finding]:
    return {each.id: each for each in check_prefixes(found) if each.verdict is not Verdict.PASS}


@pytest.mark.parametrize("system", edge_systems.SYSTEMS)
def test_each_session_is_judged_both_ways_and_each_router_by_its_default_route(system: str) -> None:
    found = check_prefixes(evidence(system))
    assert {each.verdict for each in found} == {Verdict.PASS}
    ways = {(each.device, each.subject) for each in found}
    assert ways == {
        *(("edge-1", f"{peer} {way}") for peer in (PEER, SIX) for way in ("in", "out")),
        *(("edge-2", f"{OTHER} {way}") for way in ("in", "out")),
        ("edge-1", "0.0.0.0/0"),
        ("edge-2", "0.0.0.0/0"),
    }
    assert len(found) == len(ways)


@pytest.mark.parametrize(
    ("device", "peer", "changes", "way"),
    [
        ("edge-1", PEER, {"accepted": 0}, "in"),
        ("edge-1", PEER, {"accepted": 2}, "in"),
        ("edge-1", SIX, {"accepted": 0}, "in"),
        ("edge-2", OTHER, {"accepted": 0}, "in"),
        ("edge-2", OTHER, {"accepted": 20_001}, "in"),
        ("edge-1", PEER, {"sent": 0}, "out"),
        ("edge-1", SIX, {"sent": 2}, "out"),
        ("edge-2", OTHER, {"sent": 0}, "out"),
    ],
)
def test_each_number_that_is_another_one_fails_that_way_alone(
    device: str, peer: str, changes: dict[str, int], way: str
) -> None:
    found = bad(exchanges(device, peer, **changes))
    assert list(found) == [f"prefixes {device} swp2 {peer} {way}"]
    (finding,) = found.values()
    assert finding.verdict is Verdict.FAIL
    assert finding.found == str(next(iter(changes.values())))


@pytest.mark.parametrize("changes", [{"accepted": None, "sent": None}, {"address": "192.0.2.9"}, {"vrf": "OTHER"}])
def test_what_is_not_shown_could_not_be_told(changes: dict[str, Any]) -> None:
    found = bad(exchanges("edge-1", PEER, **changes))
    assert {each.verdict for each in found.values()} == {Verdict.ERROR}
    assert [each.subject for each in found.values()] == [f"{PEER} in", f"{PEER} out"]


def test_a_default_route_that_is_missing_is_named_though_every_session_is_up() -> None:
    lost = exchanges("edge-1", PEER, accepted=0)
    lost = replace(
        lost,
        observed={
            name: replace(each, routes=tuple(r for r in each.routes if r[0][1] != "0.0.0.0/0"))
            for name, each in lost.observed.items()
        },
    )
    found = check_prefixes(lost)
    missing = [each.message for each in found if each.verdict is Verdict.FAIL]
    assert missing == [
        f"edge-1 swp2 <-> isp-a to-64510, neighbour {PEER}: 0 prefixes let in, 1 wanted: the default route",
        "edge-1: no 0.0.0.0/0 by BGP, of any upstream (isp-a, isp-b)",
        "edge-2: no 0.0.0.0/0 by BGP, of any upstream (isp-a, isp-b)",
    ]
    (cause,) = causes(lost, found)
    assert cause.lead.message == missing[0]
    assert cause.remedy == f"ask isp-a what it announces from {PEER} to edge-1"
    assert len(cause.follows) == 2


def test_a_session_that_is_down_explains_what_it_does_not_carry() -> None:
    def down(seen: Observed) -> Observed:
        sessions = tuple(replace(e, established=e.address != PEER, state="Active") for e in seen.bgp)
        return replace(seen, bgp=sessions)

    there = shows("edge-1", down)
    session = Finding("bgp", "edge-1", "swp2", Verdict.FAIL, "down", subject=PEER)
    found = [session, *check_prefixes(there)]
    (cause,) = causes(there, found)
    assert cause.lead is session
    assert [each.subject for each in cause.follows] == [f"{PEER} in", f"{PEER} out"]


def test_nothing_is_sent_where_the_vlan_to_the_firewalls_is_down() -> None:
    there = exchanges("edge-1", PEER, sent=0)
    ports = [each.name for each in there.wanted["edge-1"].interfaces]
    vlan = next(name for name in ports if name.startswith("vlan"))
    svi = Finding("port", "edge-1", vlan, Verdict.FAIL, "down", "up", "down")
    (cause,) = causes(there, [svi, *check_prefixes(there)])
    assert cause.lead is svi
    assert [each.subject for each in cause.follows] == [f"{PEER} out"]


@pytest.mark.parametrize("system", edge_systems.SYSTEMS)
def test_edge_routers_alone_are_asked(system: str) -> None:
    network = network_of(system)
    edge = {
        each.name
        for each in network.devices
        if "exchanged" in worth_asking(device_config(network, each).config, FIELDS)
    }
    assert edge == {"edge-1", "edge-2"}
