"""Prefixes at the site's edge: each upstream brings its default route, and is told of all that it should announce.

Numbers tell it, as filters are an exact list each way and ``config`` compares them: what a filter for the default route
alone let in is that one, and as many as are on the list of what is announced are all of it. Where an upstream brings
other routes too, its number alone does not tell: the default route is looked for in the routing table, of IPv4; that of
IPv6 is not read.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from nornir_tasks.checks.about import About
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.design.model.edge_policy import EdgeTerms, OutsideLink, OutsideSession
from nornir_tasks.platforms.observed import SessionPrefixes

ABOUT = About(
    name="prefixes",
    each="session with an upstream, in and out; and edge router, its default route of IPv4",
    reads=("exchanged.accepted", "exchanged.sent", "bgp.established", "routes"),
    wanted="what the edge takes from each upstream, and announces to it",
    passes="the upstream's default route was let in, with others if it is asked for them; as many prefixes are sent as "
    "it should be told of; the default route is in the routing table, by BGP",
    fails="none was let in, or more than the default route alone; fewer are sent than it should be told of, as when "
    "nothing behind the firewalls is reachable, or more; there is no default route; or the session is down",
    cannot_tell="the switch does not show the number",
)
IN, OUT = " in", " out"
"""What the subject of a finding ends with."""
DEFAULT = "0.0.0.0/0"


@dataclass(frozen=True, slots=True)
class _Wanted:
    """How many prefixes of a session, one way."""

    done: str
    """What happened to them, for messages."""
    least: int
    most: int
    what: str

    @property
    def numbers(self) -> str:
        return str(self.least) if self.least == self.most else f"{self.least} to {self.most}"


def check_prefixes(evidence: Evidence) -> list[Finding]:
    """Two findings for each session of an edge router with an upstream, and one for its default route."""
    terms = evidence.network.edge
    if terms is None:
        return []
    has_default = any(each.family == "ipv4" for link in terms.outside_links for each in link.sessions)
    findings: list[Finding] = []
    for device in (each for each in evidence.observed if evidence.network.device(each).fabric == terms.fabric):
        for link in terms.on(device):
            for session in link.sessions:
                findings += _session(evidence, link, session)
        if has_default:
            findings.append(_default(evidence, terms, device))
    return findings


def _session(evidence: Evidence, link: OutsideLink, session: OutsideSession) -> Iterator[Finding]:
    seen = _shown(evidence, link.device, session.peer)
    is_alone, count = link.takes == "default", len(session.announced)
    taken = "the default route" if is_alone else "the default route and others"
    let_in = _Wanted("let in", 1, 1 if is_alone else link.max_prefixes, taken)
    sent = _Wanted("sent", count, count, ", ".join(session.announced))
    for way, wanted, found in (
        (IN, let_in, None if seen is None else seen.accepted),
        (OUT, sent, None if seen is None else seen.sent),
    ):
        verdict, words = _judged(wanted, found)
        message = f"{evidence.where(link.device, link.port)}, neighbour {session.peer}: {words}"
        number = "" if found is None else str(found)
        subject = f"{session.peer}{way}"
        yield Finding("prefixes", link.device, link.port, verdict, message, wanted.numbers, number, subject)


def _shown(evidence: Evidence, device: str, peer: str) -> SessionPrefixes | None:
    """What is shown of a session; one that is not there, or is down, holds none."""
    all_shown = evidence.observed[device].exchanged
    if all_shown is None:
        return None
    session = evidence.sessions.get((device, (None, peer)))
    if session is None or not session.established:
        return SessionPrefixes(peer, 0, 0)
    return next((each for each in all_shown if each.key == session.key), None)


def _judged(wanted: _Wanted, found: int | None) -> tuple[Verdict, str]:
    if found is None:
        return Verdict.ERROR, f"the switch does not show how many prefixes are {wanted.done}"
    verdict = Verdict.PASS if wanted.least <= found <= wanted.most else Verdict.FAIL
    return verdict, f"{found} prefixes {wanted.done}, {wanted.numbers} wanted: {wanted.what}"


def _default(evidence: Evidence, terms: EdgeTerms, device: str) -> Finding:
    """By BGP, of an upstream of its own or of the other router's."""
    there = (None, DEFAULT) in {key for key, hops in evidence.observed[device].routes if hops}
    verdict = Verdict.PASS if there else Verdict.FAIL
    found = f"{DEFAULT} by BGP" if there else f"no {DEFAULT} by BGP"
    upstreams = ", ".join(link.name for link in terms.outside_links)
    message = f"{device}: {found}" + ("" if there else f", of any upstream ({upstreams})")
    return Finding("prefixes", device, "", verdict, message, f"{DEFAULT} by BGP", found, DEFAULT)
