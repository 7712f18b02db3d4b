"""Ports: every port the design uses is up, and both ends of every link carry the same, wanted MTU."""

from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.checks.observed import PortState
from nornir_tasks.design.device_config import Interface


def check_ports(evidence: Evidence) -> list[Finding]:
    """One finding for each port of the design: admin and link state."""
    findings = []
    for device, observed in evidence.observed.items():
        states = {state.name: state for state in observed.ports}
        ports = evidence.wanted[device].interfaces
        findings += [_state(evidence, device, port, states.get(port.name)) for port in ports]
    return findings


def check_mtu(evidence: Evidence) -> list[Finding]:
    """One finding for each port with an MTU, naming both ends' values."""
    states = {(device, state.name): state for device, observed in evidence.observed.items() for state in observed.ports}
    return [
        _mtu(evidence, device, port, states)
        for device in evidence.observed
        for port in evidence.wanted[device].interfaces
        if port.mtu_bytes is not None
    ]


def _state(evidence: Evidence, device: str, port: Interface, state: PortState | None) -> Finding:
    where = evidence.where(device, port.name)
    if state is None:
        return Finding("port", device, port.name, Verdict.FAIL, f"{where}: the switch has no such port")
    up = state.admin_up and state.oper_up
    found = f"admin {'up' if state.admin_up else 'down'}, link {'up' if state.oper_up else 'down'}"
    verdict = Verdict.PASS if up == port.enabled else Verdict.FAIL
    expected = "admin up, link up" if port.enabled else "down"
    return Finding("port", device, port.name, verdict, f"{where}: {found}", expected, found)


def _mtu(evidence: Evidence, device: str, port: Interface, states: dict[tuple[str, str], PortState]) -> Finding:
    where = evidence.where(device, port.name)
    state = states.get((device, port.name))
    if state is None or state.mtu_bytes is None:
        return Finding("mtu", device, port.name, Verdict.ERROR, f"{where}: the switch shows no MTU")
    far = evidence.far.get((device, port.name))
    other = states.get((far.device, far.port)) if far else None
    ends = f"MTU {state.mtu_bytes} here" + (f", {other.mtu_bytes} at the far end" if other else "")
    good = state.mtu_bytes == port.mtu_bytes and (other is None or other.mtu_bytes == state.mtu_bytes)
    verdict = Verdict.PASS if good else Verdict.FAIL
    return Finding("mtu", device, port.name, verdict, f"{where}: {ends}", f"MTU {port.mtu_bytes} at both ends", ends)
