"""Which results rest on a host that is not there, but played to a lab's switches. Pure."""

from nornir_tasks.checks.causes.interface_dependencies import Standing
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict

_OF_BOTH_ENDS = frozenset({"port", "lldp", "lacp", "trunks", "stp", "partners", "macs"})
"""Checks whose result at a port is the far end's doing as well; all others judge the switch alone."""


def played_findings(evidence: Evidence, findings: list[Finding]) -> tuple[Finding, ...]:
    """The judged ones at ports that lead to played hosts, and at groups of such ports."""
    if not evidence.played:
        return ()
    standing = Standing(evidence)
    return tuple(
        each
        for each in findings
        if each.check in _OF_BOTH_ENDS
        and each.verdict in {Verdict.PASS, Verdict.FAIL}
        and _is_at_host(evidence, standing, each)
    )


def _is_at_host(evidence: Evidence, standing: Standing, finding: Finding) -> bool:
    end = (finding.device, finding.port)
    port = evidence.interfaces.get(end)
    if port is None or not port.enabled:
        return False  # a port that is shut is down whatever the host does
    ends = standing.beneath(end) if port.lag is not None else (end,)
    far = [evidence.far.get(each) for each in ends]
    return any(each is not None and each.device in evidence.played for each in far)
