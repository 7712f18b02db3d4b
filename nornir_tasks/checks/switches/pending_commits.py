"""What runs may not stay: a commit that its timer takes back, a configuration that a reboot loses.

It is none of the things that the design has judged: a finding only where it is so, and the first of all.
"""

from nornir_tasks.checks.about import NEVER, About
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict

ABOUT = About(
    name="unfinished",
    each="nothing: it has no findings where all is well",
    uncounted="each switch whose last change is not through",
    configuration="whether a commit waits to be confirmed, and whether what runs is saved",
    wanted="nothing under way, and what runs is what a reboot brings back",
    passes=NEVER,
    fails="a commit is not confirmed, so its timer takes it back; or what runs is as wanted but was not saved",
)


def check_unfinished(evidence: Evidence) -> list[Finding]:
    """One failure for each switch whose last change is not through."""
    return [
        Finding("unfinished", device, "", Verdict.FAIL, f"{device}: {why}", "what runs is there to stay", counted=False)
        for device, why in evidence.unfinished.items()
    ]
