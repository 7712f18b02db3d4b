"""Ports: every port is up, or shut, as the design wants it, and both ends of every link carry the same, wanted MTU."""

from nornir_tasks.checks.about import About
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.platforms.observed import PortState

PORT = About(
    name="port",
    each="port of the design: cabled, spare and logical ones",
    reads=("ports.admin_up", "ports.oper_up"),
    wanted="interfaces: enabled",
    passes="a port that should be up is enabled and its link is up; one that should be shut is neither",
    fails="it is up, down or shut otherwise, or the switch has no such port",
    cannot_tell="the switch shows no port at all",
)
MTU = About(
    name="mtu",
    each="port with an MTU",
    reads=("ports.mtu_bytes",),
    wanted="interfaces: mtu_bytes",
    passes="the port's MTU is the wanted one, and the same at the far end if that is a switch that was read; a "
    "management port's is no larger",
    fails="the MTU is another one at either end",
    cannot_tell="the switch shows no such port or no MTU of it, or the one at the far end shows none",
)


def check_ports(evidence: Evidence) -> list[Finding]:
    """One finding for each port of the design: admin and link state."""
    return [
        _state(evidence, device, port) for device in evidence.observed for port in evidence.wanted[device].interfaces
    ]


def check_mtu(evidence: Evidence) -> list[Finding]:
    """One finding for each port with an MTU, naming both ends' values."""
    return [
        _mtu(evidence, device, port)
        for device in evidence.observed
        for port in evidence.wanted[device].interfaces
        if port.mtu_bytes is not None
    ]


def _far_end(evidence: Evidence, device: str, port: str) -> PortState | None:
    """The other end's state; None for a host, and for a switch that was not read."""
    far = evidence.far.get((device, port))
    return evidence.port_states.get((far.device, far.port)) if far else None


def _state(evidence: Evidence, device: str, port: Interface) -> Finding:
    where, expected = evidence.where(device, port.name), "admin up, link up" if port.enabled else "admin down"
    if not evidence.observed[device].ports:
        message = f"{where}: the switch shows no ports"
        return Finding("port", device, port.name, Verdict.ERROR, message, expected)
    state = evidence.port_states.get((device, port.name))
    if state is None:
        message = f"{where}: the switch has no such port"
        return Finding("port", device, port.name, Verdict.FAIL, message, expected, "no such port")
    good = (state.admin_up and state.oper_up) if port.enabled else not (state.admin_up or state.oper_up)
    other = _far_end(evidence, device, port.name)
    found = _spell(state) + (f" here, {_spell(other)} at the far end" if other else "")
    if port.layer1 is not None and port.layer1.fec is None:
        # No line sets it, so the configuration cannot be compared; a link does not come up between different codes.
        found += "; FEC is the hardware's choice" + (", the same at both ends" if good else ", look at both ends")
    verdict = Verdict.PASS if good else Verdict.FAIL
    return Finding("port", device, port.name, verdict, f"{where}: {found}", expected, found)


def _spell(state: PortState) -> str:
    return f"admin {'up' if state.admin_up else 'down'}, link {'up' if state.oper_up else 'down'}"


def _mtu(evidence: Evidence, device: str, port: Interface) -> Finding:
    where = evidence.where(device, port.name)
    state = evidence.port_states.get((device, port.name))
    if state is None or state.mtu_bytes is None:
        return Finding("mtu", device, port.name, Verdict.ERROR, f"{where}: the switch shows no MTU")
    far = evidence.far.get((device, port.name))
    # a management port is no port of the design: its MTU is others', and a frame of it fits into a larger one
    is_planned = far is not None and (far.device, far.port) in evidence.interfaces
    other = _far_end(evidence, device, port.name) if is_planned else None
    there = other.mtu_bytes if other else port.mtu_bytes
    ends = f"MTU {state.mtu_bytes} here" + (f", {there or 'none shown'} at the far end" if other else "")
    far = evidence.far.get((device, port.name))
    # a management port is a host of its access switch: it sends no packets larger than its own MTU
    carries = far is not None and far.is_host and (there or 0) <= (port.mtu_bytes or 0)
    good = state.mtu_bytes == port.mtu_bytes and (there in (port.mtu_bytes, None) or carries)
    verdict = (Verdict.ERROR if there is None else Verdict.PASS) if good else Verdict.FAIL
    return Finding("mtu", device, port.name, verdict, f"{where}: {ends}", f"MTU {port.mtu_bytes} at both ends", ends)
