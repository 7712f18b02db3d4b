"""The checks of ``nornir validate``, in the order they are reported: the cause before its effects."""

from collections.abc import Callable
from dataclasses import dataclass

from nornir_tasks.checks.balancing import check_balancing
from nornir_tasks.checks.bgp import check_ecmp, check_sessions
from nornir_tasks.checks.config import check_config
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.checks.lldp import check_lldp
from nornir_tasks.checks.ports import check_mtu, check_ports
from nornir_tasks.checks.qos import check_qos
from nornir_tasks.checks.router_advertisements import check_router_advertisements
from nornir_tasks.checks.vlans import check_vlans

CHECKS: tuple[Callable[[Evidence], list[Finding]], ...] = (
    check_config,
    check_ports,
    check_lldp,
    check_mtu,
    check_router_advertisements,
    check_vlans,
    check_sessions,
    check_ecmp,
    check_balancing,
    check_qos,
)


@dataclass(frozen=True, slots=True)
class Report:
    """All findings of one run."""

    findings: tuple[Finding, ...]

    @property
    def tested(self) -> int:
        """How many things were judged."""
        return sum(finding.verdict in {Verdict.PASS, Verdict.FAIL} for finding in self.findings)

    @property
    def failed(self) -> tuple[Finding, ...]:
        """What is wrong."""
        return tuple(finding for finding in self.findings if finding.verdict is Verdict.FAIL)

    @property
    def undecided(self) -> tuple[Finding, ...]:
        """What could not be told."""
        return tuple(finding for finding in self.findings if finding.verdict is Verdict.ERROR)

    def summary(self) -> str:
        """``tested N of M``: N were judged, M should have been."""
        return f"tested {self.tested} of {len(self.findings)}"


def judge(evidence: Evidence) -> Report:
    """Run every check. A switch that did not answer is one finding that could not be told."""
    findings = [
        Finding("reach", device, "", Verdict.ERROR, f"{device}: {why}") for device, why in evidence.unreachable.items()
    ]
    for check in CHECKS:
        findings += check(evidence)
    return Report(tuple(findings))
