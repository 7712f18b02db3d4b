"""The checks of ``nornir validate``, in the order they are reported: the cause before its effects."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from nornir_tasks.checks.balancing import check_balancing
from nornir_tasks.checks.bgp import check_sessions
from nornir_tasks.checks.causes import Cause, causes
from nornir_tasks.checks.config import check_config
from nornir_tasks.checks.ecmp import check_ecmp
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.checks.lldp import check_lldp
from nornir_tasks.checks.ports import check_mtu, check_ports
from nornir_tasks.checks.qos import check_qos
from nornir_tasks.checks.router_advertisements import check_router_advertisements
from nornir_tasks.checks.unfinished import check_unfinished
from nornir_tasks.checks.vlans import check_vlans
from nornir_tasks.platforms.observed import Observed


@dataclass(frozen=True, slots=True)
class Check:
    """One check, and what it must know of the switches."""

    judge: Callable[[Evidence], list[Finding]]
    needs: tuple[str, ...] = ()
    """Fields of Observed that it reads, of whichever switch; nobody asks a switch for the others."""


CHECKS = (
    Check(check_unfinished),
    Check(check_config),
    Check(check_ports, ("ports",)),
    Check(check_lldp, ("lldp",)),
    Check(check_mtu, ("ports",)),
    Check(check_router_advertisements, ("ports",)),
    Check(check_vlans, ("ports",)),
    Check(check_sessions, ("bgp",)),
    Check(check_ecmp, ("routes",)),
    Check(check_balancing, ("paths",)),
    Check(check_qos, ("qos", "dscp_to_priority")),
)

NEEDED = frozenset(field for check in CHECKS for field in check.needs)
"""What has to be asked of a switch so that every check can judge it."""


@dataclass(frozen=True, slots=True)
class Report:
    """All findings of one run, and what is wrong by its causes."""

    findings: tuple[Finding, ...]
    causes: tuple[Cause, ...] = ()

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
    def undecided(self) -> tuple[Finding, ...]:
        """What could not be told."""
        return self._of(Verdict.ERROR)

    @property
    def skipped(self) -> tuple[Finding, ...]:
        """What is none of the site's things, and was seen."""
        return self._of(Verdict.SKIPPED)

    def summary(self) -> str:
        """``tested N of M``: N were judged, M should have been; what was skipped is counted apart."""
        skipped = len(self.skipped)
        return f"tested {self.tested} of {self.total}" + (f", {skipped} skipped" if skipped else "")

    def _of(self, verdict: Verdict) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.verdict is verdict)


def judge(evidence: Evidence) -> Report:
    """Run every check. On a switch that did not answer, everything that should have been judged could not be told."""
    findings = _reach(evidence)
    for check in CHECKS:
        findings += check.judge(evidence)
    findings += _not_read(evidence)
    return Report(tuple(findings), causes(evidence, findings))


def _reach(evidence: Evidence) -> list[Finding]:
    """One finding for each switch that was to be read."""
    expected = "an answer"
    findings = [
        Finding("reach", device, "", Verdict.PASS, f"{device}: answers", expected) for device in evidence.observed
    ]
    for device, why in evidence.unreachable.items():
        findings.append(Finding("reach", device, "", Verdict.ERROR, f"{device}: {why.what}", expected, why.found))
    return findings


def _not_read(evidence: Evidence) -> list[Finding]:
    """What would have been judged on the switches that did not answer: the same things as on one that shows nothing."""
    blank = {device: Observed(device, (), (), (), (), (), None) for device in evidence.unreachable}
    if not blank:
        return []
    silent = replace(
        evidence, observed=blank, changes=dict.fromkeys(blank, ()), running={}, unreachable={}, unfinished={}
    )
    return [
        replace(each, verdict=Verdict.ERROR, message=f"{each.device}: not judged, the switch was not read", found="")
        for check in CHECKS
        for each in check.judge(silent)
        if each.counted
    ]
