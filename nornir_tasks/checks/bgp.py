"""BGP: every session of the design is up, and every prefix has as many ECMP next hops as there are links towards it."""

from collections import Counter
from collections.abc import Iterator

from nornir_tasks.checks.evidence import Evidence, Far, Finding, Verdict
from nornir_tasks.checks.observed import BgpSession
from nornir_tasks.design.device_config import DeviceConfig, Neighbor


def check_sessions(evidence: Evidence) -> list[Finding]:
    """One finding for each neighbour of the design; a session that is down is explained from both ends."""
    findings = []
    for device, observed in evidence.observed.items():
        seen = {session.address: session for session in observed.bgp}
        bgp = evidence.wanted[device].bgp
        findings += [
            _session(evidence, device, neighbor, seen.get(neighbor.key)) for neighbor in (bgp.neighbors if bgp else ())
        ]
    return findings


def check_ecmp(evidence: Evidence) -> list[Finding]:
    """One finding for each (switch, prefix that another switch announces to it)."""
    links = _links(evidence)
    findings = []
    for device, observed in evidence.observed.items():
        held = dict(observed.routes)
        limit = bgp.maximum_paths if (bgp := evidence.wanted[device].bgp) else 1
        for owner, prefix, width in _expected_routes(evidence, links, device):
            expected, found = min(width, limit), held.get(prefix, 0)
            verdict = Verdict.PASS if found == expected else Verdict.FAIL
            message = f"{device}: {found} of {expected} next hops to {prefix} ({owner})"
            findings.append(Finding("ecmp", device, "", verdict, message, f"{expected} next hops", f"{found}"))
    return findings


def _session(evidence: Evidence, device: str, neighbor: Neighbor, seen: BgpSession | None) -> Finding:
    port = evidence.port_of_neighbor(device, neighbor.key)
    where = f"{evidence.where(device, port) if port else device}, neighbour {neighbor.key}"
    expected = f"established with AS {neighbor.remote_as}"
    if seen is not None and seen.established and seen.remote_as == neighbor.remote_as:
        return Finding("bgp", device, port, Verdict.PASS, f"{where}: established", expected)
    found = ("no such session" if seen is None else f"{seen.state} with AS {seen.remote_as}") + " here"
    found += _far_end(evidence, device, port, neighbor)
    reasons = list(_reasons(evidence, device, port, neighbor))
    message = f"{where}: {found}" + (f" ({'; '.join(reasons)})" if reasons else "")
    return Finding("bgp", device, port, Verdict.FAIL, message, expected, found)


def _far_end(evidence: Evidence, device: str, port: str, neighbor: Neighbor) -> str:
    """What the other switch says of the same session."""
    far = evidence.far.get((device, port))
    observed = evidence.observed.get(far.device) if far else None
    ours = _called_there(evidence.wanted[device], port, far, neighbor) if far else ""
    back = next((each for each in observed.bgp if each.address == ours), None) if observed else None
    return f", {back.state} with AS {back.remote_as} at the far end" if back else ""


def _called_there(config: DeviceConfig, port: str, far: Far, neighbor: Neighbor) -> str:
    """What the far end calls its session with us: our address on this port, or its own port if it is unnumbered."""
    if neighbor.interface is not None:
        return far.port
    own = {interface.name: interface for interface in config.interfaces}.get(port)
    return ((own.address if own else None) or "").split("/")[0]


def _reasons(evidence: Evidence, device: str, port: str, neighbor: Neighbor) -> Iterator[str]:
    """What the two ends' running configurations disagree about."""
    far = evidence.far.get((device, port))
    here = evidence.running.get(device)
    there = evidence.running.get(far.device) if far else None
    if far is None or here is None or here.bgp is None:
        return
    configured = {each.key: each for each in here.bgp.neighbors}.get(neighbor.key)
    if configured is None:
        yield f"{device} has no such neighbour configured"
    elif there is not None and there.bgp is not None and configured.remote_as != there.bgp.asn:
        yield f"remote AS is {configured.remote_as} here, {far.device} is AS {there.bgp.asn}"
    ours = _called_there(here, port, far, neighbor)
    if there is None or there.bgp is None:
        yield f"{far.device} runs no BGP or did not answer"
        return
    back = {each.key: each for each in there.bgp.neighbors}.get(ours)
    if back is None:
        yield f"{far.device} has no neighbour {ours or '(no address here)'}"
    elif back.remote_as != here.bgp.asn:
        yield f"remote AS is {back.remote_as} at {far.device}, {device} is AS {here.bgp.asn}"


def _links(evidence: Evidence) -> dict[str, Counter[str]]:
    """How many fabric links each switch has to each other one."""
    links: dict[str, Counter[str]] = {device: Counter() for device in evidence.wanted}
    for (device, _), far in evidence.far.items():
        if device in links and not far.is_host:
            links[device][far.device] += 1
    return links


def _expected_routes(evidence: Evidence, links: dict[str, Counter[str]], device: str) -> Iterator[tuple[str, str, int]]:
    """(announcing switch, prefix, next hops): directly, or over one switch in between that both have links to.

    A switch that is not pushed along (``--limit``) still counts, for it is part of the fabric. Switches of one ASN hear
    nothing of one another: AS_PATH's loop check refuses it, which is what keeps the fabric valley-free.
    """
    own = evidence.wanted[device].bgp
    for owner, config in evidence.wanted.items():
        if owner == device or config.bgp is None or own is None or config.bgp.asn == own.asn:
            continue
        width = links[device][owner] or sum(
            count for middle, count in links[device].items() if links.get(middle, Counter())[owner]
        )
        if not width or (not links[device][owner] and not _is_leaf(evidence, owner)):
            continue
        yield from ((owner, prefix, width) for prefix in config.bgp.networks)


def _is_leaf(evidence: Evidence, device: str) -> bool:
    """A switch with hosts; what a spine announces stays with its own neighbours."""
    return any(far.is_host for (name, _), far in evidence.far.items() if name == device)
