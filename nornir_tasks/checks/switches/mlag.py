"""Pairs of switches (MLAG, vPC): each member has its peer over the peer link, hears it by another way, and is like it.

Whether the peer link is up and leads to the other switch is judged with the ports and by LLDP. Which of both is primary
is not judged: it follows from who was there first.
"""

from collections.abc import Iterator

from nornir_tasks.checks.about import About
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.design.config.pair import PairSettings
from nornir_tasks.design.model.mlag import Pair
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.observed import NO_PAIR, PairState

PEER, KEEPALIVE, LIKENESS = "peer", "keepalive", "likeness"
SECONDARY = "secondary"
"""The word of Cumulus Linux and NX-OS for the role of a member that holds groups down where both conflict."""

ABOUT = About(
    name="pairs",
    each="member of a pair: its peer; its keepalive; and, where the system shows it, what both have otherwise",
    reads=("pair.domain", "pair.peer_link", "pair.connected", "pair.keepalive", "pair.unlike"),
    wanted="pair: its domain, peer_link, keepalive_address",
    passes="the peer is there in the wanted domain over the wanted peer link; its keepalive is heard; both are alike",
    fails="there is no peer, or the pair has another domain or peer link; nothing is heard of it; or a value differs",
    cannot_tell="the switch does not show it, or has no peer to be compared with",
)


def pairs_of(evidence: Evidence) -> dict[str, Pair]:
    """Each leaf that is in a pair -> that pair."""
    return {leaf: pair for pair in evidence.network.pairs for leaf in pair.leaves}


def check_pairs(evidence: Evidence) -> list[Finding]:
    """Two findings for each member of a pair, three where its system shows what both have otherwise."""
    members = pairs_of(evidence)
    findings = []
    for device, observed in evidence.observed.items():
        config, seen = evidence.wanted[device], observed.pair
        if config.pair is None or device not in members:
            continue
        where = f"{device} {config.pair.peer_link} <-> {members[device].other(device)}"
        for subject, verdict, expected, found in _judged(config.os, config.pair, seen):
            message = f"{where}: {found or f'the switch does not show its {subject}'}"
            link = config.pair.peer_link
            findings.append(Finding("pairs", device, link, verdict, message, expected, found, subject))
    return findings


_Judged = tuple[str, Verdict, str, str]
"""Subject, verdict, expected, found."""


def _judged(os: str, wanted: PairSettings, seen: PairState | None) -> Iterator[_Judged]:
    yield PEER, *_peer(wanted, seen)
    yield KEEPALIVE, *_keepalive(wanted, seen)
    if platform(os).observing.shows("pair.unlike"):
        yield LIKENESS, *_likeness(seen)


def _peer(wanted: PairSettings, seen: PairState | None) -> tuple[Verdict, str, str]:
    expected = f"peer in domain {domain_of(wanted)} over {wanted.peer_link}"
    if seen is None or seen.connected is None:
        return Verdict.ERROR, expected, ""
    if seen == NO_PAIR:
        return Verdict.FAIL, expected, "in no pair"
    at = f"in domain {seen.domain} over {seen.peer_link}"
    found = f"peer {at}" if seen.connected else f"no peer {at} ({seen.state})"
    return Verdict.PASS if found == expected else Verdict.FAIL, expected, found


def _keepalive(wanted: PairSettings, seen: PairState | None) -> tuple[Verdict, str, str]:
    expected = f"keepalive of {wanted.keepalive_address} heard"
    if seen is None or seen.keepalive is None:
        return Verdict.ERROR, expected, ""
    found = expected if seen.keepalive else f"keepalive of {wanted.keepalive_address} not heard"
    return Verdict.PASS if seen.keepalive else Verdict.FAIL, expected, found


def _likeness(seen: PairState | None) -> tuple[Verdict, str, str]:
    expected = "both alike"
    if seen is None or seen.unlike is None:
        return Verdict.ERROR, expected, "" if seen is None else "no peer to be compared with"
    found = "; ".join(f"{each.what}: {each.here or 'none'} here, {each.there or 'none'} there" for each in seen.unlike)
    return Verdict.FAIL if seen.unlike else Verdict.PASS, expected, found or expected


def domain_of(wanted: PairSettings) -> str:
    """By which both know one another: whichever of the three the OS has."""
    return wanted.name or (str(wanted.number) if wanted.number is not None else (wanted.mac_address or "").lower())


def carries(evidence: Evidence, device: str) -> str:
    """What a member of a pair carries by itself: how many of its groups over both are up."""
    groups = [each for each in evidence.wanted[device].interfaces if each.lag is not None and each.lag.pair_id]
    up = sum((state := evidence.port_states.get((device, each.name))) is not None and state.oper_up for each in groups)
    return f"{device} carries on alone: {up} of {len(groups)} groups over both are up"
