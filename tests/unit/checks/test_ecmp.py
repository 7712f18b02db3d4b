"""Routes of every kind of site: all that is learned is judged, a clean site passes, each single fault is caught."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import pytest
from simulated import SMALL, Network, site_design

from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.checks.suite import judge
from nornir_tasks.checks.switches.ecmp import check_ecmp
from nornir_tasks.design.config.vrfs import key_name
from tests.unit.checks.in_a_vrf import VRF, in_a_vrf

TIERS = ("leaf-g1-r0", "spine-1", "core-1")
"""One switch of each tier of the site with three."""
BY_TIER = pytest.mark.parametrize("device", TIERS)


@cache
def three_tiers() -> Evidence:
    return Network("clos3").evidence()


def learned(
    evidence: Evidence, device: str, change: Callable[[dict[str, int]], None], vrf: str | None = None
) -> list[Finding]:
    """What is wrong of the routes when one switch learns something else in a VRF."""
    seen = evidence.observed[device].routes
    routes = {prefix: hops for (name, prefix), hops in seen if name == vrf}
    change(routes)
    others = tuple(each for each in seen if each[0][0] != vrf)
    routes_now = (*others, *(((vrf, prefix), hops) for prefix, hops in routes.items()))
    observed = replace(evidence.observed[device], routes=routes_now)
    found = check_ecmp(replace(evidence, observed={**evidence.observed, device: observed}))
    return [each for each in found if each.verdict is Verdict.FAIL]


@pytest.mark.parametrize("site", SMALL)
def test_every_route_that_is_learned_is_judged_and_a_clean_site_passes(
    site: str, figure: Callable[[str], None]
) -> None:
    evidence = Network(site).evidence()
    findings = check_ecmp(evidence)
    assert {each.verdict for each in findings} == {Verdict.PASS}
    judged = {(each.device, each.subject) for each in findings} - {(name, "others") for name in evidence.wanted}
    assert judged == {(name, key_name(key)) for name, seen in evidence.observed.items() for key, _ in seen.routes}
    report = judge(evidence)
    assert (report.failed, report.undecided, report.skipped, report.causes) == ((), (), (), ())
    figure(f"{site}: {len(judged)} of {len(judged)} learned routes judged")


def each_prefix(device: str) -> Iterator[tuple[str, int]]:
    yield from ((prefix, hops) for (_, prefix), hops in three_tiers().observed[device].routes)


@BY_TIER
@pytest.mark.parametrize("step", [-1, +1])
def test_one_path_too_few_or_too_many_is_caught_for_every_prefix(device: str, step: int) -> None:
    for prefix, width in each_prefix(device):
        (finding,) = learned(three_tiers(), device, lambda routes, p=prefix: routes.update({p: routes[p] + step}))
        assert (finding.device, finding.subject, finding.found) == (device, prefix, str(width + step))
        assert finding.expected == f"{width} next hops"


@BY_TIER
def test_a_missing_route_is_caught_for_every_prefix(device: str) -> None:
    for prefix, _ in each_prefix(device):
        (finding,) = learned(three_tiers(), device, lambda routes, p=prefix: routes.pop(p))
        assert (finding.device, finding.subject, finding.found) == (device, prefix, "0")


@BY_TIER
@pytest.mark.parametrize("prefix", ["10.255.200.7/32", "10.168.77.0/24", "10.160.0.0/31", "10.160.0.0/13"])
def test_a_route_of_the_designs_pools_that_nobody_should_announce_is_caught(device: str, prefix: str) -> None:
    (finding,) = learned(three_tiers(), device, lambda routes: routes.update({prefix: 1}))
    assert (finding.device, finding.found) == (device, prefix)


def test_another_spines_loopback_is_no_route_of_a_spine() -> None:
    loopback = site_design("clos3").network.device("spine-2").loopback
    (finding,) = learned(three_tiers(), "spine-1", lambda routes: routes.update({f"{loopback}/32": 1}))
    assert finding.found == f"{loopback}/32"


@BY_TIER
def test_a_route_of_somebody_else_is_skipped_with_its_reason_and_counts_neither_way(device: str) -> None:
    evidence = three_tiers()
    routes = (*evidence.observed[device].routes, ((None, "192.0.2.0/24"), 3))
    observed = {**evidence.observed, device: replace(evidence.observed[device], routes=routes)}
    report = judge(replace(evidence, observed=observed))
    (skipped,) = report.skipped
    assert skipped.message == f"{device}: routes learned that are not of this design: 192.0.2.0/24"
    assert (report.tested, report.total) == (judge(evidence).tested, judge(evidence).total)
    assert report.summary() == f"tested {report.total} of {report.total}, 1 skipped"


def lengthened(device: str) -> Network:
    """The three tiers with a switch that prepends its ASN once to all that it hands on."""
    network = Network("clos3")
    policy = network.running[device].routing_policy
    longer = (network.bgp_of(device).asn,)
    maps = tuple(
        replace(each, rules=tuple(replace(rule, prepend=longer) for rule in each.rules))
        if each.name == "COMPUTE-OUT"
        else each
        for each in policy.route_maps
    )
    network.config(device, routing_policy=replace(policy, route_maps=maps))
    return network


def with_other_asn(device: str) -> Network:
    network = Network("clos3")
    network.bgp(device, asn=65009)
    return network


@pytest.mark.parametrize(
    ("network", "device"),
    [
        (lengthened("spine-1"), "leaf-g1-r0"),
        (lengthened("core-1"), "spine-1"),
        (with_other_asn("spine-1"), "core-1"),
        (with_other_asn("leaf-g1-r0"), "leaf-g4-r1"),
    ],
    ids=("leaf: longer over a spine", "spine: longer over a core", "core: another ASN", "far leaf: another ASN"),
)
def test_a_wrong_as_path_is_caught_where_it_is_received(network: Network, device: str) -> None:
    """On a core by an ASN only: it has one way to each pod, and a longer path over the same links is still the best."""
    wrong = {each.device for each in check_ecmp(network.evidence()) if each.verdict is Verdict.FAIL}
    assert device in wrong


def test_a_limited_run_expects_what_the_whole_fabric_announces() -> None:
    evidence = three_tiers()
    alone = replace(
        evidence,
        observed={"leaf-g1-r0": evidence.observed["leaf-g1-r0"]},
        running={"leaf-g1-r0": evidence.running["leaf-g1-r0"]},
        changes={"leaf-g1-r0": ()},
    )
    report = judge(alone)
    assert (report.failed, report.undecided) == ((), ())
    assert sum(each.check == "ecmp" for each in report.findings) == len(evidence.observed["leaf-g1-r0"].routes) + 1


@cache
def in_one_vrf() -> Evidence:
    return in_a_vrf(three_tiers())


def test_in_a_vrf_the_same_things_are_judged_and_a_clean_site_passes() -> None:
    before, report = judge(three_tiers()), judge(in_one_vrf())
    assert (report.failed, report.undecided, report.skipped) == ((), (), ())
    assert (report.tested, report.total) == (before.tested, before.total)


@BY_TIER
@pytest.mark.parametrize("step", [-1, +1])
def test_one_path_too_few_or_too_many_in_a_vrf_is_caught_and_says_the_vrf(device: str, step: int) -> None:
    (_, prefix), width = in_one_vrf().observed[device].routes[0]
    (finding,) = learned(in_one_vrf(), device, lambda routes: routes.update({prefix: width + step}), VRF)
    assert (finding.subject, finding.found) == (f"{prefix} in VRF {VRF}", str(width + step))


@BY_TIER
def test_a_prefix_that_is_learned_in_another_vrf_than_designed_is_missing_where_it_should_be(device: str) -> None:
    evidence = in_one_vrf()
    seen = evidence.observed[device]
    leaked = tuple(((None, prefix), hops) for (_, prefix), hops in seen.routes)
    observed = {**evidence.observed, device: replace(seen, routes=leaked)}
    failed = [each for each in check_ecmp(replace(evidence, observed=observed)) if each.verdict is Verdict.FAIL]
    assert {each.found for each in failed if each.subject != "others"} == {"0"}
    assert len(failed) >= len(seen.routes)


@BY_TIER
def test_a_route_of_the_designs_pools_in_its_vrf_that_nobody_should_announce_is_caught(device: str) -> None:
    (finding,) = learned(in_one_vrf(), device, lambda routes: routes.update({"10.168.77.0/24": 1}), VRF)
    assert (finding.subject, finding.found) == ("others", f"10.168.77.0/24 in VRF {VRF}")


@BY_TIER
def test_what_a_switch_learns_in_a_vrf_that_nobody_wants_is_not_looked_at(device: str) -> None:
    evidence = three_tiers()
    (finding,) = [
        each
        for each in with_routes_of(evidence, device, "CUSTOMER")
        if (each.device, each.subject) == (device, "others")
    ]
    assert finding.verdict is Verdict.PASS


def with_routes_of(evidence: Evidence, device: str, vrf: str) -> list[Finding]:
    seen = evidence.observed[device]
    routes = (*seen.routes, ((vrf, "10.168.77.0/24"), 1), ((vrf, "192.0.2.0/24"), 1))
    return check_ecmp(replace(evidence, observed={**evidence.observed, device: replace(seen, routes=routes)}))


def test_a_cut_link_in_a_vrf_is_one_cause_and_explains_the_routes_behind_it() -> None:
    network = Network("clos3")
    network.cut.add(network.links()[0])
    (before,), (cause,) = judge(network.evidence()).causes, judge(in_a_vrf(network.evidence())).causes
    assert cause.lead == before.lead
    assert len(cause.follows) == len(before.follows)
    assert any(each.subject.endswith(f" in VRF {VRF}") for each in cause.follows)
