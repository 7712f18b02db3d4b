"""Cabling: what LLDP sees at the far end of each fabric port is what the cabling plan says.

A wrong cable cannot be repaired by a push, so the finding names the cables to move. Host ports are left out: whether a
host speaks LLDP is the host's own affair.
"""

from nornir_tasks.checks.about import About
from nornir_tasks.checks.evidence import End, Evidence, Far, Finding, Verdict

ABOUT = About(
    name="lldp",
    each="port that is cabled to another switch, at both ends",
    reads=("lldp.remote_device", "lldp.remote_port"),
    wanted="the cabling plan",
    passes="the neighbour that is heard is the one of the plan, at its port",
    fails="nobody is heard, or another switch or port; the cables to swap are named",
)
NOBODY = "nobody"
"""What is found at a port that hears no neighbour."""


def check_lldp(evidence: Evidence) -> list[Finding]:
    """One finding for each fabric port."""
    return [
        _cable(evidence, device, port.name, far)
        for device in evidence.observed
        for port in evidence.wanted[device].interfaces
        if port.tag is None and (far := evidence.far.get((device, port.name))) is not None and not far.is_host
    ]


def ends_heard(evidence: Evidence, device: str, port: str) -> list[End]:
    """Who is heard on a port, by the names that the plan has."""
    return sorted({(_planned_name(evidence, name), there) for name, there in evidence.heard.get((device, port), ())})


def _cable(evidence: Evidence, device: str, port: str, far: Far) -> Finding:
    expected = f"cable {far.cable} to {with_leg((far.device, far.port), far.far_leg)}"
    ends = ends_heard(evidence, device, port)
    if not ends:
        message = f"{evidence.where(device, port)}: no LLDP neighbour; is cable {far.cable} plugged in at both ends?"
        return Finding("lldp", device, port, Verdict.FAIL, message, expected, NOBODY)
    if ends == [(far.device, far.port)]:
        message = f"{evidence.where(device, port)}: cabled as planned"
        return Finding("lldp", device, port, Verdict.PASS, message, expected)
    found = " and ".join(with_leg(end, evidence.far[end].leg if end in evidence.far else "") for end in ends)
    others = (evidence.far[end].cable for end in ends if end in evidence.far)
    swap = "".join(
        f"; that port belongs to cable {cable}: swap the ends of {far.cable} and {cable}"
        for cable in others
        if cable != far.cable
    )
    here, there = with_leg((device, port), far.leg), with_leg((far.device, far.port), far.far_leg)
    message = f"{here}: cable {far.cable} leads to {found}, not to {there}{swap}"
    return Finding("lldp", device, port, Verdict.FAIL, message, expected, found)


def with_leg(end: End, leg: str) -> str:
    """``spine-1 swp5s1 (leg 2 of cage 5)``; without the words where the cage is the port's alone."""
    return f"{end[0]} {end[1]} ({leg})" if leg else f"{end[0]} {end[1]}"


def _planned_name(evidence: Evidence, name: str) -> str:
    """A switch with a DNS domain says its whole name; the plan knows the first label."""
    label = name.partition(".")[0]
    return label if name not in evidence.wanted and label in evidence.wanted else name
