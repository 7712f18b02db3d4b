"""Power supplies: each that a switch shows delivers power. One of two that is dead is noticed by nothing else.

Virtual switches have none, so how many there should be is not expected: what the switch shows is judged.
"""

from nornir_tasks.checks.about import About
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict

ABOUT = About(
    name="power",
    each="switch",
    reads=("supplies.works",),
    wanted="every power supply works",
    passes="each power supply that it shows works",
    fails="one has no power, is out or has failed: the next one takes the switch down",
    cannot_tell="the switch does not show its power supplies",
    skipped="it shows that it has none, as a virtual switch does",
)


def check_supplies(evidence: Evidence) -> list[Finding]:
    """One finding for each switch."""
    return [_switch(device, evidence) for device in evidence.observed]


def _switch(device: str, evidence: Evidence) -> Finding:
    supplies = evidence.observed[device].supplies
    expected = "all power supplies work"
    if supplies is None:
        message = f"{device}: the switch does not show its power supplies"
        return Finding("power", device, "", Verdict.ERROR, message, expected)
    if not supplies:
        return Finding("power", device, "", Verdict.SKIPPED, f"{device}: has no power supplies", expected)
    found = ", ".join(f"{each.name}: {each.state}" for each in supplies if not each.works)
    if not found:
        return Finding("power", device, "", Verdict.PASS, f"{device}: {len(supplies)} power supplies work", expected)
    message = f"{device}: power supply {found}, {sum(each.works for each in supplies)} of {len(supplies)} work"
    return Finding("power", device, "", Verdict.FAIL, f"{message}; look at its feed and cord", expected, found)
