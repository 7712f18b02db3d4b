"""BGP: every session of the design is up, with the ASN of the design at its far end."""

from collections.abc import Iterator, Mapping

from nornir_tasks.checks.about import About
from nornir_tasks.checks.evidence import Evidence, Far, Finding, Verdict
from nornir_tasks.design.config.bgp import Neighbor, signed_alike
from nornir_tasks.design.config.vrfs import SessionKey, key_name
from nornir_tasks.design.model.device_config import DeviceConfig

ABOUT = About(
    name="bgp",
    each="neighbour of each switch",
    reads=("bgp.established", "bgp.remote_as"),
    configuration="BGP's neighbours of both ends, to say why a session is down",
    wanted="bgp.neighbors",
    passes="the session is established, with the AS number of the design at the far end",
    fails="there is no such session, it is not established, or the AS number is another one",
)

Configured = Mapping[tuple[str, SessionKey], Neighbor]
"""(device, session) -> the neighbour as its running configuration has it."""


def check_sessions(evidence: Evidence) -> list[Finding]:
    """One finding for each neighbour of the design; a session that is down is explained from both ends."""
    findings = []
    configured = {
        (device, each.key): each
        for device, running in evidence.running.items()
        for each in (running.bgp.neighbors if running.bgp else ())
    }
    for device in evidence.observed:
        bgp = evidence.wanted[device].bgp
        findings += [_session(evidence, configured, device, each) for each in (bgp.neighbors if bgp else ())]
    return findings


def _session(evidence: Evidence, configured: Configured, device: str, neighbor: Neighbor) -> Finding:
    port, seen = evidence.port_of_neighbor(device, neighbor.key), evidence.sessions.get((device, neighbor.key))
    name = key_name(neighbor.key)
    where = f"{evidence.where(device, port) if port else device}, neighbour {name}"
    expected = f"established with AS {neighbor.remote_as}"
    if seen is not None and seen.established and seen.remote_as == neighbor.remote_as:
        message = f"{where}: established"
        return Finding("bgp", device, port, Verdict.PASS, message, expected, subject=name)
    found = ("no such session" if seen is None else f"{seen.state} with AS {seen.remote_as}") + " here"
    found += _far_end(evidence, device, port, neighbor)
    reasons = list(_reasons(evidence, configured, device, port, neighbor))
    message = f"{where}: {found}" + (f" ({'; '.join(reasons)})" if reasons else "")
    return Finding("bgp", device, port, Verdict.FAIL, message, expected, found, subject=name)


def _far_end(evidence: Evidence, device: str, port: str, neighbor: Neighbor) -> str:
    """The other switch's view of the same session."""
    far = evidence.behind(device, port)
    back = evidence.sessions.get((far.device, _called_there(evidence, device, port, far, neighbor))) if far else None
    return f", {back.state} with AS {back.remote_as} at the far end" if back else ""


def _called_there(evidence: Evidence, device: str, port: str, far: Far, neighbor: Neighbor) -> SessionKey:
    """The far end's key of the session with us: our address on this port, or its own port if unnumbered."""
    return neighbor.vrf, far.port if neighbor.interface is not None else evidence.addresses.get((device, port), "")


def _reasons(evidence: Evidence, configured: Configured, device: str, port: str, neighbor: Neighbor) -> Iterator[str]:
    """The differences between the running configurations of both ends."""
    far = evidence.behind(device, port)
    here = evidence.running.get(device)
    there = evidence.running.get(far.device) if far else None
    if far is None or here is None or here.bgp is None:
        return
    ours = configured.get((device, neighbor.key))
    if ours is None:
        yield f"{device} has no such neighbour configured"
    elif there is not None and there.bgp is not None and ours.remote_as != there.bgp.asn:
        yield f"remote AS is {ours.remote_as} here, {far.device} is AS {there.bgp.asn}"
    if there is None or there.bgp is None:
        yield f"{far.device} runs no BGP or did not answer"
        return
    key = _configured_there(here, port, far, neighbor)
    back = configured.get((far.device, key))
    if back is None:
        yield f"{far.device} has no neighbour {key_name(key) if key[1] else '(no address here)'}"
    elif back.remote_as != here.bgp.asn:
        yield f"remote AS is {back.remote_as} at {far.device}, {device} is AS {here.bgp.asn}"
    if ours is not None and back is not None and not signed_alike(here.bgp, ours, there.bgp, back):
        yield f"its password at {far.device} is another than at {device}"


def _configured_there(here: DeviceConfig, port: str, far: Far, neighbor: Neighbor) -> SessionKey:
    """The far end's key of the session according to our running configuration, which may differ from the design."""
    if neighbor.interface is not None:
        return neighbor.vrf, far.port
    found = ((each.address or "").partition("/")[0] for each in here.interfaces if each.name == port)
    return neighbor.vrf, next(found, "")
