"""Cabling: what LLDP sees at the far end of each fabric port is what the cabling plan says.

A wrong cable cannot be repaired by a push, so the finding names the cables to move. Host ports are left out: whether a
host speaks LLDP is the host's own affair.
"""

from nornir_tasks.checks.evidence import Evidence, Far, Finding, Verdict


def check_lldp(evidence: Evidence) -> list[Finding]:
    """One finding for each fabric port."""
    findings = []
    for device, observed in evidence.observed.items():
        seen = {neighbor.port: (neighbor.remote_device, neighbor.remote_port) for neighbor in observed.lldp}
        for port in evidence.wanted[device].interfaces:
            far = evidence.far.get((device, port.name))
            if far is not None and not far.is_host:
                findings.append(_cable(evidence, device, port.name, far, seen.get(port.name)))
    return findings


def _cable(evidence: Evidence, device: str, port: str, far: Far, seen: tuple[str, str] | None) -> Finding:
    expected = f"cable {far.cable} to {far.device} {far.port}"
    if seen is None:
        message = f"{evidence.where(device, port)}: no LLDP neighbour; is cable {far.cable} plugged in at both ends?"
        return Finding("lldp", device, port, Verdict.FAIL, message, expected, "nobody")
    if seen == (far.device, far.port):
        return Finding(
            "lldp", device, port, Verdict.PASS, f"{evidence.where(device, port)}: cabled as planned", expected
        )
    found = f"{seen[0]} {seen[1]}"
    other = evidence.far.get(seen)
    swap = (
        f"; that port belongs to cable {other.cable}: swap the ends of {far.cable} and {other.cable}" if other else ""
    )
    message = f"{device} {port}: cable {far.cable} leads to {found}, not to {far.device} {far.port}{swap}"
    return Finding("lldp", device, port, Verdict.FAIL, message, expected, found)
