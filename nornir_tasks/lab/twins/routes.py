"""Routes over the sessions that are up, as eBGP spreads them, until nothing changes any more.

Switches with the same outbound policy towards several neighbours compute one update for all of them (an update
group, as real implementations do), and receivers share what they did not have to change: a fabric of 300 switches
stays quick. Every step is in a fixed order, so the same configurations always give the same tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from nornir_tasks.errors import LabError, Problem

from .policy import NO_COMMUNITIES, Policies, address_number
from .sessions import BgpSession, Key
from .state import BgpInstance, BgpNeighbor

_MAX_ROUNDS = 100
_PREFERENCE_WEIGHT = 10_000  # more than any AS path is long

Path = tuple[tuple[int, ...], frozenset[str]]
"""AS path and communities of an announced route."""
Received = tuple[tuple[int, ...], frozenset[str], int]
"""AS path, communities and rank of an accepted route; the lowest rank wins (local preference, then path length)."""
Instance = tuple[str, str]
"""(device, vrf)."""
_Group = tuple[str | None, str | None, bool]


@dataclass(frozen=True, slots=True)
class Best:
    """The best route to a prefix: its path, and the sessions it is forwarded over (none for one of our own)."""

    path: Path
    sessions: tuple[Key, ...]


@dataclass(slots=True)
class Update:
    """What one update group announces, with an index of the prefixes whose path holds an AS."""

    routes: dict[str, Path]
    by_as: dict[int, frozenset[str]] = field(default_factory=dict)
    imported: dict[tuple[object, ...], dict[str, Received]] = field(default_factory=dict)

    @classmethod
    def of(cls, routes: dict[str, Path]) -> Update:
        by_as: dict[int, set[str]] = {}
        for prefix, (as_path, _) in routes.items():
            for asn in set(as_path):
                by_as.setdefault(asn, set()).add(prefix)
        return cls(routes, {asn: frozenset(prefixes) for asn, prefixes in by_as.items()})


@dataclass(slots=True)
class _Speaker:
    """One BGP instance while routes spread."""

    instance: BgpInstance
    policies: Policies
    policy_identity: int
    own: dict[str, Path]
    sessions: list[BgpSession]
    received: dict[Key, dict[str, Received]] = field(default_factory=dict)
    best: dict[str, Best] = field(default_factory=dict)
    updates: dict[_Group, Update] = field(default_factory=dict)


class Propagation:
    """Spreads routes over established sessions."""

    def __init__(self, sessions: Mapping[Key, BgpSession]) -> None:
        self._sessions = sessions
        self._speakers: dict[Instance, _Speaker] = {}

    def add(self, device: str, instance: BgpInstance, policies: Policies, own: Mapping[str, frozenset[str]]) -> None:
        """Add a BGP instance with the prefixes it originates and their communities."""
        up = [
            s for n in instance.neighbors if (s := self._sessions[device, instance.vrf, n.address]).peer_key is not None
        ]
        up.sort(key=lambda s: (address_number(s.peer_router_id), address_number(s.neighbor.address)))
        routes: dict[str, Path] = {prefix: ((), communities) for prefix, communities in own.items()}
        self._speakers[device, instance.vrf] = _Speaker(instance, policies, id(policies), routes, up)

    def run(self) -> dict[Instance, dict[str, Best]]:
        """The best routes of every instance. Raises LabError if routes do not settle (policies that oscillate)."""
        waiting = sorted(self._speakers)
        for _ in range(_MAX_ROUNDS):
            changed: list[tuple[Instance, set[_Group]]] = []
            for name in waiting:
                groups = self._decide(self._speakers[name])
                if groups:
                    changed.append((name, groups))
            touched: set[Instance] = set()
            for name, groups in changed:
                touched |= self._announce(self._speakers[name], groups)
            if not touched:
                return {name: speaker.best for name, speaker in self._speakers.items()}
            waiting = sorted(touched)
        raise LabError(Problem("fabric", f"BGP routes do not settle within {_MAX_ROUNDS} rounds: {waiting[:4]}"))

    def count(self) -> None:
        """Fill in the prefix counts of every established session."""
        for speaker in self._speakers.values():
            for session in speaker.sessions:
                session.prefixes_accepted = len(speaker.received.get(session.key, ()))
                update = speaker.updates.get(_group(session.neighbor))
                session.prefixes_sent = len(update.routes) if update is not None else 0
        for speaker in self._speakers.values():
            for session in speaker.sessions:
                peer = self._sessions[session.peer_key] if session.peer_key is not None else None
                session.prefixes_received = peer.prefixes_sent if peer is not None else 0

    # -- deciding --------------------------------------------------------------------------------------------------

    def _decide(self, speaker: _Speaker) -> set[_Group]:
        """Choose best routes anew; returns the update groups whose announcement changed."""
        speaker.best = _choose(speaker)
        changed = set()
        for group in sorted({_group(session.neighbor) for session in speaker.sessions}, key=str):
            routes = _outbound(speaker, group)
            before = speaker.updates.get(group)
            if before is None or before.routes != routes:
                speaker.updates[group] = Update.of(routes)
                changed.add(group)
        return changed

    def _announce(self, speaker: _Speaker, groups: set[_Group]) -> set[Instance]:
        touched = set()
        for session in speaker.sessions:
            group = _group(session.neighbor)
            if group not in groups or session.peer_key is None:
                continue
            peer_session = self._sessions[session.peer_key]
            peer = self._speakers[peer_session.device, peer_session.vrf]
            accepted = _import(peer, peer_session.neighbor, speaker.updates[group])
            if peer.received.get(peer_session.key) != accepted:
                peer.received[peer_session.key] = accepted
                touched.add((peer_session.device, peer_session.vrf))
        return touched


def _group(neighbor: BgpNeighbor) -> _Group:
    return (neighbor.prefix_list_out, neighbor.route_map_out, neighbor.send_community)


def _choose(speaker: _Speaker) -> dict[str, Best]:
    """Own routes first, then highest local preference, shortest path, lowest router id and address (session order)."""
    ranks: dict[str, int] = {}
    candidates: dict[str, list[Key]] = {}  # keys alone: a tuple for each route would keep the garbage collector busy
    for session in speaker.sessions:
        key = session.key
        for prefix, route in speaker.received.get(key, {}).items():
            known = ranks.get(prefix)
            if known is None or route[2] < known:
                ranks[prefix] = route[2]
                candidates[prefix] = [key]
            elif route[2] == known:
                candidates[prefix].append(key)
    best = {prefix: _multipath(speaker, prefix, equal) for prefix, equal in candidates.items()}
    best.update({prefix: Best(path, ()) for prefix, path in speaker.own.items()})
    return best


def _multipath(speaker: _Speaker, prefix: str, equal: list[Key]) -> Best:
    received, width = speaker.received, speaker.instance.maximum_paths
    as_path, communities, _ = received[equal[0]][prefix]
    if not speaker.instance.multipath_relax:
        equal = [key for key in equal if received[key][prefix][0] == as_path]
    return Best((as_path, communities), tuple(equal[:width]))


def _outbound(speaker: _Speaker, group: _Group) -> dict[str, Path]:
    prefix_list, route_map, sends_communities = group
    own_as, judge = speaker.instance.asn, speaker.policies.judge
    routes: dict[str, Path] = {}
    for prefix, best in speaker.best.items():
        as_path, communities = best.path
        verdict = judge(prefix_list, route_map, prefix, communities)
        if verdict is not None:
            sent = verdict.communities if sends_communities else NO_COMMUNITIES
            routes[prefix] = ((own_as, *verdict.prepend, *as_path), sent)
    return routes


def _import(speaker: _Speaker, neighbor: BgpNeighbor, update: Update) -> dict[str, Received]:
    """What a neighbour's update leaves after its inbound policy and the check for our own AS in the path."""
    policy = (neighbor.prefix_list_in, neighbor.route_map_in)
    looped = update.by_as.get(speaker.instance.asn, frozenset[str]())
    is_plain = policy == (None, None)
    memo = ("plain",) if is_plain else (speaker.policy_identity, *policy)
    accepted = update.imported.get(memo)
    if accepted is None:
        accepted = _after_policy(speaker.policies, neighbor, update.routes)
        update.imported[memo] = accepted
    if not looped:
        return accepted
    if neighbor.allowas_in:
        looped = frozenset(prefix for prefix in looped if _is_loop(speaker, neighbor, update.routes[prefix]))
    return {prefix: accepted[prefix] for prefix in accepted.keys() - looped}


def _is_loop(speaker: _Speaker, neighbor: BgpNeighbor, path: Path) -> bool:
    return path[0].count(speaker.instance.asn) > neighbor.allowas_in


def _after_policy(policies: Policies, neighbor: BgpNeighbor, routes: Mapping[str, Path]) -> dict[str, Received]:
    accepted: dict[str, Received] = {}
    for prefix, (as_path, communities) in routes.items():
        verdict = policies.judge(neighbor.prefix_list_in, neighbor.route_map_in, prefix, communities)
        if verdict is not None:
            path = (*verdict.prepend, *as_path) if verdict.prepend else as_path
            accepted[prefix] = (path, verdict.communities, len(path) - _PREFERENCE_WEIGHT * verdict.local_preference)
    return accepted


def over_limit(sessions: Iterable[BgpSession]) -> list[BgpSession]:
    """The established sessions that accepted more prefixes than their limit allows, warnings excepted."""
    return [
        session
        for session in sessions
        if session.peer_key is not None
        and session.neighbor.prefix_limit
        and not session.neighbor.prefix_limit_warning_only
        and session.prefixes_accepted > session.neighbor.prefix_limit
    ]
