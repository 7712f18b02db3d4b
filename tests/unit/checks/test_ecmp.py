"""Routes of every kind of site: all that is learned is judged, a clean site passes, each single fault is caught."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import pytest
from simulated import SMALL, Network, site_design

from nornir_tasks.checks.ecmp import check_ecmp
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.checks.suite import judge

TIERS = ("leaf-g1-r0", "spine-1", "core-1")
"""One switch of each tier of the site with three."""
BY_TIER = pytest.mark.parametrize("device", TIERS)


@cache
def three_tiers() -> Evidence:
    return Network("clos3").evidence()


def learned(evidence: Evidence, device: str, change: Callable[[dict[str, int]], None]) -> list[Finding]:
    """What is wrong of the routes when one switch learns something else."""
    routes = dict(evidence.observed[device].routes)
    change(routes)
    observed = replace(evidence.observed[device], routes=tuple(routes.items()))
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
    assert judged == {(name, prefix) for name, seen in evidence.observed.items() for prefix, _ in seen.routes}
    report = judge(evidence)
    assert (report.failed, report.undecided, report.skipped, report.causes) == ((), (), (), ())
    figure(f"{site}: {len(judged)} of {len(judged)} learned routes judged")


def each_prefix(device: str) -> Iterator[tuple[str, int]]:
    yield from three_tiers().observed[device].routes


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
    routes = (*evidence.observed[device].routes, ("192.0.2.0/24", 3))
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
