"""Cabling: what LLDP sees at the far end of each fabric port is what the cabling plan says.

A wrong cable cannot be repaired by a push, so the finding names the cables to move. Host ports are left out: whether a
host speaks LLDP is the host's own affair.
"""

from nornir_tasks.checks.evidence import Evidence, Far, Finding, Verdict


def check_lldp(evidence: Evidence) -> list[Finding]:
    """One finding for each fabric port."""
    findings = []
    for device, observed in evidence.observed.items():
        seen: dict[str, set[tuple[str, str]]] = {}
        for neighbor in observed.lldp:
            seen.setdefault(neighbor.port, set()).add((neighbor.remote_device, neighbor.remote_port))
        for port in evidence.wanted[device].interfaces:
            far = evidence.far.get((device, port.name))
            if far is not None and not far.is_host:
                findings.append(_cable(evidence, device, port.name, far, seen.get(port.name, set())))
    return findings


def _cable(evidence: Evidence, device: str, port: str, far: Far, seen: set[tuple[str, str]]) -> Finding:
    expected = f"cable {far.cable} to {far.device} {far.port}"
    if not seen:
        message = f"{evidence.where(device, port)}: no LLDP neighbour; is cable {far.cable} plugged in at both ends?"
        return Finding("lldp", device, port, Verdict.FAIL, message, expected, "nobody")
    ends = sorted({(_planned_name(evidence, name), there) for name, there in seen})
    if ends == [(far.device, far.port)]:
        return Finding(
            "lldp", device, port, Verdict.PASS, f"{evidence.where(device, port)}: cabled as planned", expected
        )
    found = " and ".join(" ".join(end) for end in ends)
    others = (evidence.far[end].cable for end in ends if end in evidence.far)
    swap = "".join(
        f"; that port belongs to cable {cable}: swap the ends of {far.cable} and {cable}"
        for cable in others
        if cable != far.cable
    )
    message = f"{device} {port}: cable {far.cable} leads to {found}, not to {far.device} {far.port}{swap}"
    return Finding("lldp", device, port, Verdict.FAIL, message, expected, found)


def _planned_name(evidence: Evidence, name: str) -> str:
    """A switch with a DNS domain says its whole name; the plan knows the first label."""
    label = name.partition(".")[0]
    return label if name not in evidence.wanted and label in evidence.wanted else name
