"""Cabling: what LLDP sees at the far end of each port is what the cabling plan says.

A wrong cable cannot be repaired by a push, so the finding names the cables to move. Whether a host speaks LLDP is not
part of the design, so ports to hosts do not count: those that hear one are judged, of the others one line says how many
there are. Ports to upstreams speak no LLDP on purpose, so nothing is expected there. What is attached to the
out-of-band plane and says nothing is judged by its address (``checks/switches/oob_neighbors.py``).
"""

from collections.abc import Iterator
from dataclasses import replace

from nornir_tasks.checks.about import About
from nornir_tasks.checks.evidence import End, Evidence, Far, Finding, Verdict

ABOUT = About(
    name="lldp",
    each="port that is cabled to another switch, at both ends",
    uncounted="ports to hosts, as a host may speak LLDP or not; ports to upstreams, which must not",
    reads=("lldp.remote_device", "lldp.remote_port"),
    wanted="the cabling plan",
    passes="the neighbour that is heard is the one of the plan, at its port",
    fails="no neighbour is heard, or another switch or port; the cables to swap are named; to a host: another end",
    skipped="a port to a host hears no neighbour, or an interface whose name the plan does not have",
)
NO_NEIGHBOUR = "no neighbour"
"""What is found at a port that hears no neighbour."""


def check_lldp(evidence: Evidence) -> list[Finding]:
    """One finding for each fabric port and for each port that hears a host; one for all other ports to hosts."""
    cabled = [
        (device, port.name, far)
        for device in evidence.observed
        for port in evidence.wanted[device].interfaces
        if port.tag is None and not port.undisclosed and (far := evidence.far.get((device, port.name))) is not None
    ]
    found = [_cable(evidence, *each) for each in cabled if not each[2].is_host]
    hosts = [each for each in cabled if each[2].is_host]
    speaking = [each for each in hosts if ends_heard(evidence, each[0], each[1])]
    silent = [
        device
        for device, port, _ in hosts
        if not ends_heard(evidence, device, port) and (device, port) not in evidence.attached
    ]
    return [*found, *(_host_cable(evidence, *each) for each in speaking), *_silent(silent)]


def _host_cable(evidence: Evidence, device: str, port: str, far: Far) -> Finding:
    """A port that hears a host. An interface of the right host may bear a name that the plan does not have.

    What is attached to the out-of-band plane (BMCs, power distribution) may call itself by any name.
    """
    ends = ends_heard(evidence, device, port)
    is_attached = (device, port) in evidence.attached and far.device not in evidence.network
    may_be = {far.device} | ({name for name, _ in ends} - evidence.planned if is_attached else set())
    unknown = [end for end in ends if end not in evidence.far and end[0] in may_be]
    if unknown:
        what = f"{device} {port}: hears {' '.join(unknown[0])}, a name that the plan does not have"
        return Finding("lldp", device, port, Verdict.SKIPPED, what, far.port, unknown[0][1], counted=False)
    return replace(_cable(evidence, device, port, far), counted=False)


def _silent(devices: list[str]) -> Iterator[Finding]:
    """All ports to hosts that hear no neighbour, in one finding; the switch of each port."""
    if devices:
        switches = len({*devices})
        ports = f"{len(devices)} port{'s' * (len(devices) > 1)} to hosts on {switches} switch{'es' * (switches > 1)}"
        what = f"{ports} hear no neighbour, so these cables are not judged from here"
        remedy = "role rail_interfaces has hosts speak LLDP: rail_interfaces_lldp"
        yield Finding("lldp", "", "", Verdict.SKIPPED, f"{what} ({remedy})", counted=False)


def ends_heard(evidence: Evidence, device: str, port: str) -> list[End]:
    """Who is heard on a port, by the names that the plan has."""
    return sorted({(_planned_name(evidence, name), there) for name, there in evidence.heard.get((device, port), ())})


def _cable(evidence: Evidence, device: str, port: str, far: Far) -> Finding:
    expected = f"cable {far.cable} to {with_leg((far.device, far.port), far.far_leg)}"
    ends = ends_heard(evidence, device, port)
    if not ends:
        message = f"{evidence.where(device, port)}: no LLDP neighbour; is cable {far.cable} plugged in at both ends?"
        return Finding("lldp", device, port, Verdict.FAIL, message, expected, NO_NEIGHBOUR)
    if ends == [(far.device, far.port)]:
        message = f"{evidence.where(device, port)}: cabled as planned"
        return Finding("lldp", device, port, Verdict.PASS, message, expected)
    found = " and ".join(with_leg(end, evidence.far[end].leg if end in evidence.far else "") for end in ends)
    swap = "".join(_swap(far, evidence.far[end]) for end in ends if end in evidence.far)
    here, there = with_leg((device, port), far.leg), with_leg((far.device, far.port), far.far_leg)
    message = f"{here}: cable {far.cable} leads to {found}, not to {there}{swap}"
    return Finding("lldp", device, port, Verdict.FAIL, message, expected, found)


def _swap(planned: Far, heard: Far) -> str:
    """What to do at a port where the end of another link is heard; ``heard`` is that link, seen from its far end."""
    if heard.cable != planned.cable:
        return f"; that port belongs to cable {heard.cable}: swap the ends of {planned.cable} and {heard.cable}"
    here, there = (each.partition(" of ")[0] for each in (planned.leg, heard.far_leg))
    return f"; that port belongs to {there} of this cable: swap {here} and {there}" if here != there else ""


def with_leg(end: End, leg: str) -> str:
    """``spine-1 swp5s1 (leg 2 of cage 5)``; without the words where the cage is the port's alone."""
    return f"{end[0]} {end[1]} ({leg})" if leg else f"{end[0]} {end[1]}"


def _planned_name(evidence: Evidence, name: str) -> str:
    """A switch or host with a DNS domain says its whole name; the plan knows the first label."""
    label = name.partition(".")[0]
    return label if name not in evidence.planned and label in evidence.planned else name
