"""Routes over the sessions that are up, as eBGP spreads them, until nothing changes any more.

Switches with the same outbound policy towards several neighbours keep one update for all of them (an update group, as
real implementations do). A receiver holds no copy: it looks its routes up in the sender's update, which keeps them once
for each inbound policy among its receivers. A change is worked out prefix by prefix from where it happened, so that a
commit on one of 1,280 switches costs what it changes and no more.

Rounds are synchronous and every step is in a fixed order, so the same commits always give the same tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from nornir_tasks.errors import LabError, Problem

from .policy import NO_COMMUNITIES, Judge, Policies, address_number, neighbor_number
from .sessions import BgpSession, Key
from .state import BgpInstance, BgpNeighbor

_MAX_ROUNDS = 100
_PREFERENCE_WEIGHT = 10_000  # more than any AS path is long
_OWN_RANK = -(1 << 60)  # a prefix of our own is preferred to any received one

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
    rank: int = _OWN_RANK


@dataclass(slots=True)
class Update:
    """What one update group announces; for each inbound policy what it leaves of it, and who listens."""

    routes: dict[str, Path] = field(default_factory=dict)
    accepted: dict[Judge, dict[str, Received]] = field(default_factory=dict)
    listeners: dict[Key, tuple[Instance, Judge]] = field(default_factory=dict)
    version: int = 0

    def listen(self, key: Key, instance: Instance, judge: Judge) -> dict[str, Received]:
        """What an inbound policy leaves of this; it stays true as the update changes."""
        self.listeners[key] = (instance, judge)
        if judge not in self.accepted:
            judged = ((prefix, _received(judge, prefix, path)) for prefix, path in self.routes.items())
            self.accepted[judge] = {prefix: route for prefix, route in judged if route is not None}
        return self.accepted[judge]

    def ignore(self, key: Key) -> None:
        """A listener is gone; what only it needed is forgotten."""
        _, judge = self.listeners.pop(key)
        if not any(other is judge for _, other in self.listeners.values()):
            del self.accepted[judge]

    def change(self, routes: Mapping[str, Path | None]) -> dict[Judge, set[str]]:
        """Announce (None: withdraw) these; the prefixes that became different, by inbound policy."""
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
class _Incoming:
    """What one session brings. ``accepted`` belongs to the sender's update; loops are looked for at each look-up."""

    key: Key
    update: Update
    accepted: dict[str, Received]
    allowas_in: int
    rank: tuple[int, int]
    """Of the session among those that bring equal routes: the peer's router id, then its address."""
    counted: tuple[int, int] = (-1, 0)
    """Version of the update, and how many routes of it were accepted."""


@dataclass(slots=True)
class _Speaker:
    """One BGP instance."""

    instance: BgpInstance
    policies: Policies
    own: dict[str, Path]
    incoming: dict[Key, _Incoming] = field(default_factory=dict)
    order: list[_Incoming] | None = None
    best: dict[str, Best] = field(default_factory=dict)
    updates: dict[_Group, Update] = field(default_factory=dict)
    equals: dict[tuple[Key, ...], tuple[Key, ...]] = field(default_factory=dict)
    """Sets of equal sessions, each kept once: most prefixes share theirs."""

    def by_preference(self) -> list[_Incoming]:
        """Incoming sessions, the preferred first."""
        if self.order is None:
            self.order = sorted(self.incoming.values(), key=lambda each: each.rank)
        return self.order


class Propagation:
    """Spreads routes over established sessions; ``sessions`` is the fabric's own table, as it changes."""

    def __init__(self, sessions: Mapping[Key, BgpSession]) -> None:
        self._sessions = sessions
        self._speakers: dict[Instance, _Speaker] = {}
        self._pending: dict[Instance, set[str]] = {}
        self._originated: Counter[str] = Counter()

    # -- what changes ----------------------------------------------------------------------------------------------

    def add(self, device: str, instance: BgpInstance, policies: Policies, own: Mapping[str, frozenset[str]]) -> None:
        """Add a BGP instance with the prefixes it originates and their communities; no session is connected yet."""
        routes: dict[str, Path] = {prefix: ((), communities) for prefix, communities in own.items()}
        self._speakers[device, instance.vrf] = _Speaker(instance, policies, routes)
        self._originated.update(routes.keys())
        self._note((device, instance.vrf), routes)

    def remove(self, instance: Instance) -> None:
        """Take a BGP instance and all its sessions away."""
        speaker = self._speakers[instance]
        for update in speaker.updates.values():
            for key in list(update.listeners):
                self.disconnect(key)
        for incoming in speaker.incoming.values():
            incoming.update.ignore(incoming.key)
        self._retract(speaker.own.keys())
        del self._speakers[instance]
        self._pending.pop(instance, None)

    def originate(self, instance: Instance, own: Mapping[str, frozenset[str]]) -> None:
        """An instance announces other prefixes as its own than before."""
        speaker = self._speakers[instance]
        routes: dict[str, Path] = {prefix: ((), communities) for prefix, communities in own.items()}
        changed = {prefix for prefix in {**speaker.own, **routes} if speaker.own.get(prefix) != routes.get(prefix)}
        self._retract(speaker.own.keys())
        self._originated.update(routes.keys())
        speaker.own = routes
        self._note(instance, changed)

    def _retract(self, prefixes: Collection[str]) -> None:
        self._originated.subtract(prefixes)
        for prefix in prefixes:
            if not self._originated[prefix]:
                del self._originated[prefix]

    def connect(self, session: BgpSession) -> None:
        """What the peer announces reaches this end from now on. Both ends are established."""
        assert session.peer_key is not None  # noqa: S101  (the caller connects established sessions only)
        peer = self._sessions[session.peer_key]
        receiver, sender = self._speakers[session.device, session.vrf], self._speakers[peer.device, peer.vrf]
        update = self._update_for(sender, _group(peer.neighbor))
        neighbor = session.neighbor
        judge = receiver.policies.judge_of(neighbor.prefix_list_in, neighbor.route_map_in)
        accepted = update.listen(session.key, (session.device, session.vrf), judge)
        rank = (address_number(session.peer_router_id), neighbor_number(neighbor.address))
        receiver.incoming[session.key] = _Incoming(session.key, update, accepted, neighbor.allowas_in, rank)
        receiver.order, best = None, receiver.best
        better = {prefix for prefix, route in accepted.items() if prefix not in best or route[2] <= best[prefix].rank}
        self._note((session.device, session.vrf), better)

    def disconnect(self, key: Key) -> None:
        """Nothing comes over this session any more. Harmless for one that was not connected."""
        speaker = self._speakers.get(key[:2])
        incoming = speaker.incoming.pop(key, None) if speaker is not None else None
        if speaker is None or incoming is None:
            return
        speaker.order = None
        incoming.update.ignore(key)
        used = {p for p in incoming.accepted if p in speaker.best and key in speaker.best[p].sessions}
        self._note(key[:2], used)

    def _note(self, instance: Instance, prefixes: Iterable[str]) -> None:
        self._pending.setdefault(instance, set()).update(prefixes)

    # -- until nothing changes -------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Spread what changed. Raises LabError if routes do not settle (policies that oscillate)."""
        for _ in range(_MAX_ROUNDS):
            batch, self._pending = self._pending, {}
            changed = [(name, self._decide(self._speakers[name], batch[name])) for name in sorted(batch)]
            for name, prefixes in changed:
                if prefixes:
                    self._announce(self._speakers[name], prefixes)
            if not self._pending:
                return
        raise LabError(
            Problem("fabric", f"BGP routes do not settle within {_MAX_ROUNDS} rounds: {sorted(self._pending)[:4]}")
        )

    def _decide(self, speaker: _Speaker, prefixes: set[str]) -> list[str]:
        """Choose best routes anew; returns the prefixes whose announcement may change."""
        changed, best = [], speaker.best
        for prefix in sorted(prefixes):
            old, new = best.get(prefix), _choose(speaker, prefix)
            if new is None:
                best.pop(prefix, None)
            elif new != old:
                best[prefix] = new
            if (old and old.path) != (new and new.path):
                changed.append(prefix)
        return changed

    def _announce(self, speaker: _Speaker, prefixes: list[str]) -> None:
        for group, update in speaker.updates.items():
            outbound = speaker.policies.judge_of(group[0], group[1])
            now = {prefix: _outbound(speaker, outbound, group[2], prefix) for prefix in prefixes}
            different = {prefix: path for prefix, path in now.items() if update.routes.get(prefix) != path}
            changed = update.change(different) if different else {}
            for instance, judge in update.listeners.values() if any(changed.values()) else ():
                if changed[judge]:
                    self._note(instance, changed[judge])

    def _update_for(self, speaker: _Speaker, group: _Group) -> Update:
        if group not in speaker.updates:
            outbound = speaker.policies.judge_of(group[0], group[1])
            judged = ((prefix, _outbound(speaker, outbound, group[2], prefix)) for prefix in speaker.best)
            speaker.updates[group] = Update({prefix: path for prefix, path in judged if path is not None})
        return speaker.updates[group]

    # -- questions -------------------------------------------------------------------------------------------------

    def best(self, instance: Instance) -> Mapping[str, Best]:
        """The best routes of an instance; none of one that does not exist."""
        speaker = self._speakers.get(instance)
        return speaker.best if speaker is not None else {}

    def originated(self) -> int:
        """How many prefixes the whole fabric originates: nobody can accept more."""
        return len(self._originated)

    def count(self, session: BgpSession) -> tuple[int, int, int]:
        """(received, accepted, sent) prefixes of one established session."""
        speaker = self._speakers[session.device, session.vrf]
        incoming, sent = speaker.incoming.get(session.key), speaker.updates.get(_group(session.neighbor))
        received = len(incoming.update.routes) if incoming is not None else 0
        return received, _count(speaker, incoming), len(sent.routes) if sent is not None else 0


def _count(speaker: _Speaker, incoming: _Incoming | None) -> int:
    if incoming is None:
        return 0
    if incoming.counted[0] != incoming.update.version:
        found = sum(not _is_loop(speaker, incoming, prefix) for prefix in incoming.accepted)
        incoming.counted = (incoming.update.version, found)
    return incoming.counted[1]


def _group(neighbor: BgpNeighbor) -> _Group:
    return (neighbor.prefix_list_out, neighbor.route_map_out, neighbor.send_community)


def _choose(speaker: _Speaker, prefix: str) -> Best | None:
    """Own routes first, then highest local preference, shortest path, lowest router id and address (session order)."""
    if prefix in speaker.own:
        return Best(speaker.own[prefix], ())
    asn, rank = speaker.instance.asn, None
    equal: list[tuple[Key, Received]] = []
    for incoming in speaker.by_preference():
        route = incoming.accepted.get(prefix)
        if route is None or (rank is not None and route[2] > rank):
            continue
        if asn in incoming.update.routes[prefix][0] and _is_loop(speaker, incoming, prefix):
            continue
        if route[2] != rank:
            rank = route[2]
            equal.clear()
        equal.append((incoming.key, route))
    return _multipath(speaker, equal)


def _multipath(speaker: _Speaker, equal: list[tuple[Key, Received]]) -> Best | None:
    if not equal:
        return None
    as_path, communities, rank = equal[0][1]
    if not speaker.instance.multipath_relax:
        equal = [each for each in equal if each[1][0] == as_path]
    keys = tuple(key for key, _ in equal[: speaker.instance.maximum_paths])
    return Best((as_path, communities), speaker.equals.setdefault(keys, keys), rank)


def _is_loop(speaker: _Speaker, incoming: _Incoming, prefix: str) -> bool:
    """Is our own AS in the path more often than the neighbour's configuration allows?"""
    return incoming.update.routes[prefix][0].count(speaker.instance.asn) > incoming.allowas_in


def _outbound(speaker: _Speaker, judge: Judge, sends_communities: bool, prefix: str) -> Path | None:
    best = speaker.best.get(prefix)
    verdict = judge.verdict(prefix, best.path[1]) if best is not None else None
    if best is None or verdict is None:
        return None
    sent = verdict.communities if sends_communities else NO_COMMUNITIES
    return (speaker.instance.asn, *verdict.prepend, *best.path[0]), sent


def _received(judge: Judge, prefix: str, path: Path) -> Received | None:
    """What an inbound policy leaves of a route."""
    as_path, communities = path
    verdict = judge.verdict(prefix, communities)
    if verdict is None:
        return None
    taken = (*verdict.prepend, *as_path) if verdict.prepend else as_path
    return taken, verdict.communities, len(taken) - _PREFERENCE_WEIGHT * verdict.local_preference


def _change(accepted: dict[str, Received], judge: Judge, prefix: str, path: Path | None) -> bool:
    """Bring one prefix of what a policy leaves up to date; whether that made a difference."""
    old, new = accepted.get(prefix), None if path is None else _received(judge, prefix, path)
    if new is None:
        accepted.pop(prefix, None)
    elif new != old:
        accepted[prefix] = new
    return new != old
