"""A host judged by all checks."""

import json
from typing import Any

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.hosts.host_evidence import HostEvidence
from nornir_tasks.checks.hosts.host_suite import HostReport, judge_host
from tests.unit.checks.right_host import variables

VARIABLES = variables()


def judged(found: dict[str, Any], values: dict[str, Any] | None = None, **unread: str) -> HostReport:
    """The report on these facts; the table of nftables is given as a list and handed over as nft prints it."""
    guard = found.get("gpufabric_plane_guard")
    if isinstance(guard, list):
        answer = {"rc": 0, "stdout": json.dumps({"nftables": guard}), "stderr": ""}
        found = {**found, "gpufabric_plane_guard": answer}
    return judge_host(HostEvidence("gpu-1", values or VARIABLES, found, unread))


def wrong(report: HostReport) -> list[str]:
    return [f"{each.check}: {each.name}" for each in report.findings if each.verdict is not Verdict.PASS]
