"""The checks of ``nornir validate``, in the order they are reported: the cause before its effects."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from nornir_tasks.checks.about import NEVER, About
from nornir_tasks.checks.causes import ways_on
from nornir_tasks.checks.causes.root_causes import Cause, causes
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.checks.simulated_hosts import played_findings
from nornir_tasks.checks.switches import (
    balancing,
    base,
    bgp,
    certificate,
    config,
    ecmp,
    extra_cables,
    gateways,
    lacp,
    lacp_partners,
    lldp,
    mlag,
    oob_neighbors,
    pending_commits,
    ports,
    prefixes,
    qos,
    router_advertisements,
    spanning_tree,
    supplies,
    trunks,
    vlans,
)
from nornir_tasks.errors import Problem
from nornir_tasks.platforms import platforms
from nornir_tasks.platforms.observed import Observed


@dataclass(frozen=True, slots=True)
class Check:
    """A function that judges, and what it says of each check it makes findings of."""

    judge: Callable[[Evidence], list[Finding]]
    about: tuple[About, ...]

    @property
    def needs(self) -> frozenset[str]:
        """Fields of Observed that it reads, of whichever switch; the others are not read."""
        return frozenset(read.partition(".")[0] for each in self.about for read in each.reads)


CHECKS = (
    Check(pending_commits.check_unfinished, (pending_commits.ABOUT,)),
    Check(config.check_config, (config.ABOUT,)),
    Check(base.check_base, base.ABOUT),
    Check(certificate.check_certificates, (certificate.ABOUT,)),
    Check(supplies.check_supplies, (supplies.ABOUT,)),
    Check(ports.check_ports, (ports.PORT,)),
    Check(lldp.check_lldp, (lldp.ABOUT,)),
    Check(extra_cables.check_extra_cables, (extra_cables.ABOUT,)),
    Check(oob_neighbors.check_macs, (oob_neighbors.ABOUT,)),
    Check(lacp.check_lacp, (lacp.ABOUT,)),
    Check(lacp_partners.check_partners, (lacp_partners.ABOUT,)),
    Check(ports.check_mtu, (ports.MTU,)),
    Check(router_advertisements.check_router_advertisements, (router_advertisements.ABOUT,)),
    Check(vlans.check_vlans, (vlans.ABOUT,)),
    Check(trunks.check_trunks, (trunks.ABOUT,)),
    Check(bgp.check_sessions, (bgp.ABOUT,)),
    Check(prefixes.check_prefixes, (prefixes.ABOUT,)),
    Check(ecmp.check_ecmp, (ecmp.ABOUT,)),
    Check(mlag.check_pairs, (mlag.ABOUT,)),
    Check(gateways.check_gateways, (gateways.ABOUT,)),
    Check(ways_on.check_ways_on, (ways_on.ABOUT,)),
    Check(spanning_tree.check_trees, (spanning_tree.ABOUT,)),
    Check(balancing.check_balancing, (balancing.ABOUT,)),
    Check(qos.check_qos, qos.ABOUT),
)

REACH = About(
    name="reach",
    each="switch that was to be read",
    wanted="an answer",
    passes="the switch answered",
    fails=NEVER,
    cannot_tell="it did not answer, refused the login, or is another switch than expected; no check can be decided",
)

ABOUT = (REACH, *(each for check in CHECKS for each in check.about))
"""All checks by name, in the order they are reported."""


def needed(names: Collection[str] = ()) -> frozenset[str]:
    """What has to be asked of a switch so that these checks can judge it; without names: every check."""
    return frozenset(field for check in _chosen(names) for field in check.needs)


def _chosen(names: Collection[str]) -> Iterator[Check]:
    """The functions that make findings of these checks; without names all."""
    return (each for each in CHECKS if not names or not {about.name for about in each.about}.isdisjoint(names))


@dataclass(frozen=True, slots=True)
class Report:
    """All findings of one run, and what is wrong by its causes."""

    findings: tuple[Finding, ...]
    causes: tuple[Cause, ...] = ()
    on_played: tuple[Finding, ...] = ()
    """Those of a lab that rest on hosts which are not there (``checks/simulated_hosts.py``); none in a real network."""

    warnings: tuple[str, ...] = ()
    """What is right today and will not stay so, in words."""

    @property
    def played(self) -> int:
        """How many of what ``tested`` counts rest on hosts that are not there."""
        return sum(each.counted for each in self.on_played)

    @property
    def tested(self) -> int:
        """How many of the site's things were judged."""
        return sum(each.counted and each.verdict in {Verdict.PASS, Verdict.FAIL} for each in self.findings)

    @property
    def total(self) -> int:
        """How many there are; it follows from the design, whatever state the network is in."""
        return sum(each.counted for each in self.findings)

    @property
    def failed(self) -> tuple[Finding, ...]:
        """What is wrong."""
        return self._of(Verdict.FAIL)

    @property
    def failed_of_total(self) -> int:
        """How many of ``total`` failed: ``failed`` also has what does not count there, as each of a switch's lines."""
        return sum(each.counted for each in self.failed)

    @property
    def undecided(self) -> tuple[Finding, ...]:
        """What could not be determined."""
        return self._of(Verdict.ERROR)

    @property
    def skipped(self) -> tuple[Finding, ...]:
        """What is none of the site's things, and was seen."""
        return self._of(Verdict.SKIPPED)

    def summary(self) -> str:
        """``tested N of M``: N were judged, M should have been; what was skipped is counted apart.

        So is, in a lab, what of N rests on hosts that are not there.
        """
        skipped, played = len(self.skipped), self.played
        apart = f", {played} of them with played hosts" if played else ""
        return f"tested {self.tested} of {self.total}" + apart + (f", {skipped} skipped" if skipped else "")

    def _of(self, verdict: Verdict) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.verdict is verdict)


def judge(evidence: Evidence, names: Collection[str] = ()) -> Report:
    """Run every check, or those named. On a switch that did not answer, every expected result is ``could not tell``."""
    findings = _reach(evidence)
    for check in _chosen(names):
        findings += check.judge(evidence)
    findings += _not_read(evidence, names)
    if names:  # a switch that does not answer is the cause of what is not known of it, whatever was asked for
        silent = [each for each in findings if each.check == REACH.name and each.verdict is Verdict.ERROR]
        apart = [] if REACH.name in names else [replace(each, counted=False) for each in silent]
        findings = [*apart, *(each for each in findings if each.check in names)]
    warnings = () if names and "certificate" not in names else tuple(certificate.warnings(evidence))
    warnings += tuple(f"{device} is {drain}" for device, drain in evidence.drained.items())
    return Report(tuple(findings), causes(evidence, findings), played_findings(evidence, findings), warnings)


def _reach(evidence: Evidence) -> list[Finding]:
    """One finding for each switch that was to be read."""
    expected = "an answer"
    findings = [
        Finding("reach", device, "", Verdict.PASS, f"{device}: answers", expected) for device in evidence.observed
    ]
    for device, why in evidence.unreachable.items():
        instead = f": {why.found}, not {why.expected}" if why.expected and why.found else ""
        findings.append(
            Finding("reach", device, "", Verdict.ERROR, f"{device}: {why.what}{instead}", expected, why.found)
        )
    return findings


def expected(evidence: Evidence, devices: Iterable[str]) -> dict[str, int]:
    """Check -> how many things it judges on these switches, in the order of the checks: M of "tested N of M" by check.

    It follows from the design; what a switch said is not looked at.
    """
    not_contacted = dict.fromkeys(devices, Problem("validate", "not asked"))
    unread = replace(evidence, observed={}, unreachable=not_contacted)
    found = Counter(each.check for each in (*_reach(unread), *_not_read(unread)))
    return {each.name: found[each.name] for each in ABOUT}


def not_shown(about: About) -> dict[str, tuple[str, ...]]:
    """System -> what it never shows of all that the check reads; nothing: it can tell all of it."""
    shows = {name: each.observing.shows for name, each in platforms().items()}
    return {name: tuple(read for read in about.reads if not shows[name](read)) for name in shows}


def _not_read(evidence: Evidence, names: Collection[str] = ()) -> list[Finding]:
    """What would have been judged on the switches that did not answer: the same things as on one that shows nothing."""
    blank = {device: Observed(device, (), (), (), (), (), None) for device in evidence.unreachable}
    if not blank:
        return []
    silent = replace(
        evidence,
        observed=blank,
        certificates={},
        changes=dict.fromkeys(blank, ()),
        running={},
        unreachable={},
        others={},
        unfinished={},
    )
    return [
        replace(each, verdict=Verdict.ERROR, message=f"{each.device}: not judged, the switch was not read", found="")
        for check in _chosen(names)
        for each in check.judge(silent)
        if each.counted
    ]
