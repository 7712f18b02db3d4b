"""A gateway with a route: each leaf that answers as a gateway can hand on what it gets, and could without uplinks.

Both leaves of a pair answer, and hosts spread their packets over both. One that has no way on drops half of them, while
every port of a host is up (NVIDIA, Multi-Chassis-Link-Aggregation-MLAG.md, Peer Link Routing).
"""

from collections.abc import Iterator

from nornir_tasks.checks.about import About
from nornir_tasks.checks.causes.cause_board import Board, Key
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.checks.switches.mlag import pairs_of
from nornir_tasks.design.contribute.mlag_config import peer_ends

ABOUT = About(
    name="ways-on",
    each="switch with a redundant gateway: its routes, in each VRF of one; and of a pair, the session to the other one",
    reads=("bgp.established", "routes"),
    wanted="interfaces: gateway; the pairs of the design",
    passes="a session is established there and a route learned by it; the session over the peer link is established",
    fails="it answers as a gateway and learns no route, or has no session; or without its uplinks it would have none",
)
ROUTES, PEER = "routes", "peer"
"""What a finding is of."""
_NO_WAY = "it answers as a gateway and has no way on"


def check_ways_on(evidence: Evidence) -> list[Finding]:
    """One finding for each switch and VRF with redundant gateways, and one more for each member of a pair."""
    members = pairs_of(evidence)
    peers = {leaf: (port, far, peer) for (leaf, port), (far, _, peer) in peer_ends(evidence.network).items()}
    findings = []
    for device in evidence.observed:
        answering = [port for port in evidence.wanted[device].interfaces if port.gateway is not None]
        findings += [_routes(evidence, device, vrf) for vrf in dict.fromkeys(port.vrf for port in answering)]
        if answering and device in members and device in peers:
            findings.append(_peer(evidence, device, *peers[device]))
    return findings


def _routes(evidence: Evidence, device: str, vrf: str | None) -> Finding:
    """By whatever session: uplinks, or the other leaf."""
    seen = evidence.observed[device]
    up = sum(each.established for each in seen.bgp if each.vrf == vrf)
    learned = sum(hops > 0 for (where, _), hops in seen.routes if where == vrf)
    verdict = Verdict.PASS if up and learned else Verdict.FAIL
    found = f"{up} sessions, {learned} routes learned"
    place = device if vrf is None else f"{device} VRF {vrf}"
    message = f"{place}: {found}" + ("" if verdict is Verdict.PASS else f": {_NO_WAY}")
    subject = ROUTES if vrf is None else f"{ROUTES} in {vrf}"
    return Finding("ways-on", device, "", verdict, message, "a session and a route", found, subject)


def _peer(evidence: Evidence, device: str, port: str, other: str, peer: str) -> Finding:
    seen = evidence.sessions.get((device, (None, peer)))
    is_up = seen is not None and seen.established
    found = "no session" if seen is None else f"session {seen.state}"
    where, expected = f"{device} {port} <-> {other}", f"a session with {other}"
    words = found if is_up else f"{found} over the peer link: without its uplinks {_NO_WAY.removeprefix('it ')}"
    verdict = Verdict.PASS if is_up else Verdict.FAIL
    return Finding("ways-on", device, port, verdict, f"{where}: {words}", expected, found, PEER)


def explain_ways_on(board: Board) -> None:
    """It follows what broke the switch's sessions: the same one, or the first of all."""
    for finding in board.open("ways-on"):
        key = next(_broken_sessions(board, finding), None)
        if key is not None:
            board.follow(finding, key)


def _broken_sessions(board: Board, finding: Finding) -> Iterator[Key]:
    found = [(each, key) for each, key in board.failed("bgp") if each.device == finding.device]
    return (key for each, key in found if finding.port in ("", each.port))
