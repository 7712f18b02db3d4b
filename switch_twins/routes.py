"""Propagation of routes by BGP over the sessions that are up, until nothing changes any more.

Switches with the same outbound policy towards several neighbours keep one update for all of them (an update group, as
real implementations do). A receiver has no copy: it looks up its routes in the sender's update, which stores them once
for each inbound policy among its receivers. A change is computed prefix by prefix from its origin, so that a commit on
one of 1,280 switches costs what it changes and no more.

Rounds are synchronous and every step is in a fixed order, so the same commits always give the same tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from .bgp_paths import BgpPath, paths
from .errors import Problem, TwinError
from .policy import Policies, address_number, neighbor_number
from .sessions import BgpSession, Key, table_of_key
from .speaker import (
    Best,
    Group,
    Incoming,
    Instance,
    Path,
    Speaker,
    Update,
    choose,
    count,
    group_of,
    is_from_inside,
    is_loop,
    outbound,
    revise,
)
from .state import BgpInstance

_MAX_ROUNDS = 100


class Propagation:
    """Propagates routes over established sessions; ``sessions`` is the fabric's own table, as it changes."""

    def __init__(self, sessions: Mapping[Key, BgpSession]) -> None:
        self._sessions = sessions
        self._speakers: dict[Instance, Speaker] = {}
        self._pending: dict[Instance, dict[str, Key | None]] = {}
        """Prefixes to decide again, with the one session over which they changed (None: there may be several)."""
        self._originated: Counter[str] = Counter()

    # -- what changes ----------------------------------------------------------------------------------------------

    def add(self, device: str, instance: BgpInstance, policies: Policies, own: Mapping[str, frozenset[str]]) -> None:
        """Add a BGP instance with the prefixes it originates and their communities; no session is connected yet."""
        routes: dict[str, Path] = {prefix: ((), communities) for prefix, communities in own.items()}
        self._speakers[device, instance.table] = Speaker(instance, policies, routes)
        self._originated.update(routes.keys())
        self._note((device, instance.table), routes)

    def remove(self, instance: Instance) -> None:
        """Remove a BGP instance and all its sessions."""
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
        """An instance originates other prefixes than before."""
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
        """From now on this end receives what the peer announces. Both ends are established."""
        assert session.peer_key is not None  # noqa: S101  (the caller connects established sessions only)
        peer = self._sessions[session.peer_key]
        receiver, sender = self._speakers[session.table], self._speakers[peer.table]
        update = self._update_for(sender, group_of(peer.neighbor, is_internal=peer.is_internal))
        neighbor = session.neighbor
        judge = receiver.policies.judge_of(neighbor.prefix_list_in, neighbor.route_map_in)
        accepted = update.listen(session.key, session.table, judge)
        rank = (address_number(session.peer_router_id), neighbor_number(neighbor.address))
        incoming = Incoming(session.key, update, accepted, neighbor.allowas_in, rank, session.is_internal)
        receiver.incoming[session.key] = incoming
        receiver.reorder()
        best = receiver.best
        better = {prefix for prefix, route in accepted.items() if prefix not in best or route[2] <= best[prefix].rank}
        self._note(session.table, better, session.key)

    def disconnect(self, key: Key) -> None:
        """Nothing arrives over this session any more. Harmless for one that was not connected."""
        speaker = self._speakers.get(table_of_key(key))
        incoming = speaker.incoming.pop(key, None) if speaker is not None else None
        if speaker is None or incoming is None:
            return
        speaker.reorder()
        incoming.update.ignore(key)
        used = {p for p in incoming.accepted if p in speaker.best and key in speaker.best[p].sessions}
        self._note(table_of_key(key), used, key)

    def _note(self, instance: Instance, prefixes: Iterable[str], key: Key | None = None) -> None:
        pending = self._pending.get(instance)
        if pending is None:
            self._pending[instance] = dict.fromkeys(prefixes, key)
            return
        for prefix in prefixes:
            pending[prefix] = key if pending.get(prefix, key) == key else None

    # -- until nothing changes -------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Propagate all changes. Raises TwinError if routes do not settle (policies that oscillate)."""
        for _ in range(_MAX_ROUNDS):
            batch, self._pending = self._pending, {}
            changed = [(name, self._decide(self._speakers[name], batch[name])) for name in sorted(batch)]
            for name, prefixes in changed:
                if prefixes:
                    self._announce(self._speakers[name], prefixes)
            if not self._pending:
                return
        raise TwinError(
            Problem("fabric", f"BGP routes do not settle within {_MAX_ROUNDS} rounds: {sorted(self._pending)[:4]}")
        )

    def _decide(self, speaker: Speaker, prefixes: Mapping[str, Key | None]) -> list[str]:
        """Choose best routes again; returns the prefixes whose announcement may change."""
        changed, best = [], speaker.best
        for prefix in sorted(prefixes):
            old, key = best.get(prefix), prefixes[prefix]
            new = choose(speaker, prefix) if key is None or old is None else revise(speaker, prefix, old, key)
            if new is old:
                continue
            if new is None:
                best.pop(prefix, None)
            elif new != old:
                best[prefix] = new
            is_other = (old and old.path) != (new and new.path)
            if is_other or is_from_inside(speaker, old) != is_from_inside(speaker, new):
                changed.append(prefix)
        return changed

    def _announce(self, speaker: Speaker, prefixes: list[str]) -> None:
        for group, update in speaker.updates.items():
            judge = speaker.policies.judge_of(group[0], group[1])
            now = {prefix: outbound(speaker, judge, group, prefix) for prefix in prefixes}
            different = {prefix: path for prefix, path in now.items() if update.routes.get(prefix) != path}
            changed = update.change(different) if different else {}
            for key, (instance, inbound) in update.listeners.items() if any(changed.values()) else ():
                if changed[inbound]:
                    self._note(instance, changed[inbound], key)

    def _update_for(self, speaker: Speaker, group: Group) -> Update:
        if group not in speaker.updates:
            judge = speaker.policies.judge_of(group[0], group[1])
            judged = ((prefix, outbound(speaker, judge, group, prefix)) for prefix in speaker.best)
            speaker.updates[group] = Update({prefix: path for prefix, path in judged if path is not None})
        return speaker.updates[group]

    # -- questions -------------------------------------------------------------------------------------------------

    def best(self, instance: Instance) -> Mapping[str, Best]:
        """The best routes of an instance; empty if it does not exist."""
        speaker = self._speakers.get(instance)
        return speaker.best if speaker is not None else {}

    def paths(self, instance: Instance) -> Iterator[BgpPath]:
        """All paths of an instance that its policies accept, best or not."""
        speaker = self._speakers.get(instance)
        return paths(speaker, self._sessions.__getitem__) if speaker is not None else iter(())

    def originated(self) -> int:
        """Number of prefixes that the whole fabric originates: no switch can accept more."""
        return len(self._originated)

    def at_most(self, session: BgpSession) -> int:
        """No more prefixes than these are accepted from the peer: loops among them still count."""
        incoming = self._speakers[session.table].incoming.get(session.key)
        return len(incoming.accepted) if incoming is not None else 0

    def looped(self, session: BgpSession) -> int:
        """How many prefixes the peer announces that have the own AS in their paths."""
        speaker = self._speakers[session.table]
        incoming = speaker.incoming.get(session.key)
        return sum(is_loop(speaker, incoming, prefix) for prefix in incoming.update.routes) if incoming else 0

    def announced(self, session: BgpSession) -> list[str]:
        """The prefixes that this end announces."""
        group = group_of(session.neighbor, is_internal=session.is_internal)
        sent = self._speakers[session.table].updates.get(group)
        return list(sent.routes) if sent is not None else []

    def count(self, session: BgpSession) -> tuple[int, int, int]:
        """(received, accepted, sent) prefixes of one established session."""
        speaker, group = self._speakers[session.table], group_of(session.neighbor, is_internal=session.is_internal)
        incoming, sent = speaker.incoming.get(session.key), speaker.updates.get(group)
        received = len(incoming.update.routes) if incoming is not None else 0
        return received, count(speaker, incoming), len(sent.routes) if sent is not None else 0
