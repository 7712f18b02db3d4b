"""One BGP speaker: the routes it receives and announces, and its choice between routes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .policy import NO_COMMUNITIES, Judge, Policies
from .sessions import Key
from .state import BgpInstance, BgpNeighbor

RANKS = 2  # of paths of one length those from other networks come first
PREFERENCE_WEIGHT = 20_000  # longer than any AS path, ranks included
NO_EXPORT = frozenset({"no-export", "65535:65281"})
"""RFC 1997, by name and number."""
_OWN_RANK = -(1 << 60)  # a prefix of one's own is preferred to any received one

Path = tuple[tuple[int, ...], frozenset[str]]
"""AS path and communities of an announced route."""
Received = tuple[tuple[int, ...], frozenset[str], int]
"""AS path, communities and rank of an accepted route; the lowest rank wins (local preference, then path length)."""
Instance = tuple[str, str]
"""(device, vrf)."""
Group = tuple[str | None, str | None, bool, bool]
"""Outbound prefix list and route map, whether communities are sent, and whether the neighbours are in our AS."""


@dataclass(frozen=True, slots=True)
class Best:
    """The best route to a prefix: its path, and the sessions it is forwarded over (none for an own prefix)."""

    path: Path
    sessions: tuple[Key, ...]
    rank: int = _OWN_RANK


@dataclass(slots=True)
class Update:
    """The announcements of one update group; for each inbound policy the routes it accepts, and the listeners."""

    routes: dict[str, Path] = field(default_factory=dict)
    accepted: dict[Judge, dict[str, Received]] = field(default_factory=dict)
    listeners: dict[Key, tuple[Instance, Judge]] = field(default_factory=dict)
    version: int = 0

    def listen(self, key: Key, instance: Instance, judge: Judge) -> dict[str, Received]:
        """The routes that an inbound policy accepts; updated as the update changes."""
        self.listeners[key] = (instance, judge)
        if judge not in self.accepted:
            judged = ((prefix, _received(judge, prefix, path)) for prefix, path in self.routes.items())
            self.accepted[judge] = {prefix: route for prefix, route in judged if route is not None}
        return self.accepted[judge]

    def ignore(self, key: Key) -> None:
        """Remove a listener, and the results that only it needed."""
        _, judge = self.listeners.pop(key)
        if not any(other is judge for _, other in self.listeners.values()):
            del self.accepted[judge]

    def change(self, routes: Mapping[str, Path | None]) -> dict[Judge, set[str]]:
        """Announce (None: withdraw) these; returns the prefixes that changed, by inbound policy."""
        self.version += 1
        for prefix, path in routes.items():
            if path is None:
                del self.routes[prefix]
            else:
                self.routes[prefix] = path
        changed = {}
        for judge, accepted in self.accepted.items():
            changed[judge] = {prefix for prefix, path in routes.items() if _change(accepted, judge, prefix, path)}
        return changed


@dataclass(slots=True)
class Incoming:
    """The routes of one session. ``accepted`` belongs to the sender's update; loops are detected at each lookup."""

    key: Key
    update: Update
    accepted: dict[str, Received]
    allowas_in: int
    rank: tuple[int, int]
    """Rank of the session among those with equal routes: the peer's router id, then its address."""
    is_internal: bool = False
    """Its routes come from our own AS: worse than equal ones from others, and not told to a third one there."""
    counted: tuple[int, int] = (-1, 0)
    """Version of the update, and the number of its accepted routes."""


@dataclass(slots=True)
class Speaker:
    """One BGP instance."""

    instance: BgpInstance
    policies: Policies
    own: dict[str, Path]
    incoming: dict[Key, Incoming] = field(default_factory=dict)
    order: list[Incoming] | None = None
    best: dict[str, Best] = field(default_factory=dict)
    updates: dict[Group, Update] = field(default_factory=dict)
    equals: dict[tuple[Key, ...], tuple[Key, ...]] = field(default_factory=dict)
    """Sets of equal sessions, each stored once: most prefixes share theirs."""
    joined: dict[tuple[int, Key], tuple[Key, ...]] = field(default_factory=dict)
    left: dict[tuple[int, Key], tuple[Key, ...]] = field(default_factory=dict)
    """The set (by its id: it is stored) with one more session, and without one."""

    def by_preference(self) -> list[Incoming]:
        """Incoming sessions, the preferred first."""
        if self.order is None:
            self.order = sorted(self.incoming.values(), key=lambda each: each.rank)
        return self.order

    def reorder(self) -> None:
        """Sort the sessions again, after a change."""
        self.order = None
        self.joined.clear()

    def with_one(self, sessions: tuple[Key, ...], key: Key) -> tuple[Key, ...]:
        """A set of equal sessions and one more, limited to the usable number, the preferred first."""
        known = self.joined.get((id(sessions), key))
        if known is None:
            members = {*sessions, key}
            found = tuple(each.key for each in self.by_preference() if each.key in members)
            known = self.kept(found[: self.instance.maximum_paths])
            self.joined[id(sessions), key] = known
        return known

    def without_one(self, sessions: tuple[Key, ...], key: Key) -> tuple[Key, ...]:
        """A set of equal sessions without one; the same object if that is not in it."""
        known = self.left.get((id(sessions), key))
        if known is None:
            known = self.kept(tuple(each for each in sessions if each != key)) if key in sessions else sessions
            self.left[id(sessions), key] = known
        return known

    def kept(self, sessions: tuple[Key, ...]) -> tuple[Key, ...]:
        """The one stored object for this set."""
        return self.equals.setdefault(sessions, sessions)


def count(speaker: Speaker, incoming: Incoming | None) -> int:
    """Number of accepted routes of a session: those that the policy accepts and that are no loops."""
    if incoming is None:
        return 0
    if incoming.counted[0] != incoming.update.version:
        found = sum(not is_loop(speaker, incoming, prefix) for prefix in incoming.accepted)
        incoming.counted = (incoming.update.version, found)
    return incoming.counted[1]


def group_of(neighbor: BgpNeighbor, *, is_internal: bool) -> Group:
    """The update group of a neighbour: all neighbours with one outbound policy share an update."""
    return (neighbor.prefix_list_out, neighbor.route_map_out, neighbor.send_community, is_internal)


def choose(speaker: Speaker, prefix: str) -> Best | None:
    """Own routes first, then highest local preference, shortest path, lowest router id and address (session order)."""
    if prefix in speaker.own:
        return Best(speaker.own[prefix], ())
    asn, rank = speaker.instance.asn, None
    equal: list[tuple[Key, Received]] = []
    for incoming in speaker.by_preference():
        route = incoming.accepted.get(prefix)
        if route is not None and incoming.is_internal:
            route = (*route[:2], route[2] + 1)
        if route is None or (rank is not None and route[2] > rank):
            continue
        if asn in incoming.update.routes[prefix][0] and is_loop(speaker, incoming, prefix):
            continue
        if route[2] != rank:
            rank = route[2]
            equal.clear()
        equal.append((incoming.key, route))
    return _multipath(speaker, equal)


def _multipath(speaker: Speaker, equal: list[tuple[Key, Received]]) -> Best | None:
    if not equal:
        return None
    as_path, communities, rank = equal[0][1]
    if not speaker.instance.multipath_relax:
        equal = [each for each in equal if each[1][0] == as_path]
    keys = tuple(key for key, _ in equal[: speaker.instance.maximum_paths])
    return Best((as_path, communities), speaker.kept(keys), rank)


def revise(speaker: Speaker, prefix: str, old: Best, key: Key) -> Best | None:
    """The result of ``choose`` from the best so far, after a change over one session only: others are not read."""
    if not old.sessions or not speaker.instance.multipath_relax or prefix in speaker.own:
        return choose(speaker, prefix)
    incoming = speaker.incoming.get(key)
    if incoming is not None and incoming.is_internal:
        return choose(speaker, prefix)
    route = incoming.accepted.get(prefix) if incoming is not None else None
    if route is not None and incoming is not None and is_loop(speaker, incoming, prefix):
        route = None
    if route is None or route[2] > old.rank:
        return _without(speaker, prefix, old, key)
    as_path, communities, rank = route
    if rank < old.rank:
        return Best((as_path, communities), speaker.kept((key,)), rank)
    keys = speaker.with_one(old.sessions, key)
    path = (as_path, communities) if keys[0] == key else old.path
    return old if keys is old.sessions and path == old.path else Best(path, keys, rank)


def _without(speaker: Speaker, prefix: str, old: Best, key: Key) -> Best | None:
    """The best route when one session has no equally good one any more."""
    keys = speaker.without_one(old.sessions, key)
    if keys is old.sessions:
        return old
    if not keys or len(old.sessions) >= speaker.instance.maximum_paths:  # others may take its place
        return choose(speaker, prefix)
    if keys[0] == old.sessions[0]:
        return Best(old.path, keys, old.rank)
    as_path, communities, _ = speaker.incoming[keys[0]].accepted[prefix]
    return Best((as_path, communities), keys, old.rank)


def is_loop(speaker: Speaker, incoming: Incoming, prefix: str) -> bool:
    """Is our own AS in the path more often than the neighbour's configuration permits?"""
    return incoming.update.routes[prefix][0].count(speaker.instance.asn) > incoming.allowas_in


def outbound(speaker: Speaker, judge: Judge, group: Group, prefix: str) -> Path | None:
    """The best route to a prefix after an outbound policy; None if nothing is announced."""
    best = speaker.best.get(prefix)
    verdict = judge.verdict(prefix, best.path[1], best.path[0]) if best is not None else None
    if best is None or verdict is None:
        return None
    sends_communities, is_internal = group[2:]
    if (is_internal and is_from_inside(speaker, best)) or (not is_internal and NO_EXPORT & best.path[1]):
        return None
    sent = verdict.communities if sends_communities else NO_COMMUNITIES
    own = () if is_internal else (speaker.instance.asn,)
    return (*own, *verdict.prepend, *best.path[0]), sent


def is_from_inside(speaker: Speaker, best: Best | None) -> bool:
    """Was the best route learned from our own AS?"""
    found = (speaker.incoming.get(key) for key in (best.sessions[:1] if best is not None else ()))
    return any(each is not None and each.is_internal for each in found)


def _received(judge: Judge, prefix: str, path: Path) -> Received | None:
    """A route after an inbound policy."""
    as_path, communities = path
    verdict = judge.verdict(prefix, communities, as_path)
    if verdict is None:
        return None
    taken = (*verdict.prepend, *as_path) if verdict.prepend else as_path
    return taken, verdict.communities, RANKS * len(taken) - PREFERENCE_WEIGHT * verdict.local_preference


def _change(accepted: dict[str, Received], judge: Judge, prefix: str, path: Path | None) -> bool:
    """Update one prefix among the routes that a policy accepts; returns whether that changed it."""
    old, new = accepted.get(prefix), None if path is None else _received(judge, prefix, path)
    if new is None:
        accepted.pop(prefix, None)
    elif new != old:
        accepted[prefix] = new
    return new != old
