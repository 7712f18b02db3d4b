"""What runs may not stay: a commit that its timer takes back, a configuration that a reboot loses.

It is none of the things that the design has judged: a finding only where it is so, and the first of all.
"""

from nornir_tasks.checks.evidence import Evidence, Finding, Verdict


def check_unfinished(evidence: Evidence) -> list[Finding]:
    """One failure for each switch whose last change is not through."""
    return [
        Finding("unfinished", device, "", Verdict.FAIL, f"{device}: {why}", "what runs is there to stay", counted=False)
        for device, why in evidence.unfinished.items()
    ]
