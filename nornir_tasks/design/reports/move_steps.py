"""The order in which cables are moved and switches replaced, and what capacity stays in each step.

A switch that becomes another model is replaced in a step of its own: no traffic is led over it any more, its cables are
taken out, the new box takes its place and its name, and they are plugged in again, uplinks first. So two boxes never
have one name, and no other cable moves meanwhile. An end that goes to a port which is still in use elsewhere stays
where it was, and moves later.

All other cables are handled in steps of as many as fit: their ports are free, and every switch and host can spare them.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from nornir_tasks.design.reports.plugged import Hole, Leg, Legs, Port, holes, ports

Action = Literal["add", "add_leg", "move", "replug", "remove_leg", "remove"]
"""A leg is one of a split cage's: the cable itself stays, and one of its far ends is plugged in or out. ``replug``:
into the same ports of the switch that replaces another."""


@dataclass(frozen=True, slots=True)
class Move:
    """One cable that is not yet in its final place."""

    cable: str
    action: Action
    before: tuple[tuple[Port, Port], ...]
    """The ports its legs connect now: upper port, lower port; empty for a new cable. For ``*_leg`` only those that
    change."""
    after: tuple[tuple[Port, Port], ...]
    medium: str | None
    """Medium of the cable afterwards."""
    length_m: int | None
    exchanged: bool
    """The medium or length changes: a new assembly replaces the old one."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The least capacity that any switch or host of the old network has during a step."""

    uplinks: Fraction
    """Of the bandwidth that the declared oversubscription needs; 1: every leaf has all it needs."""
    host_links: tuple[int, int]
    """Links of the host that has the fewest left: so many of so many."""


@dataclass(frozen=True, slots=True)
class Step:
    """Cables that may be handled in parallel."""

    moves: tuple[Move, ...]
    below: tuple[str, ...]
    """Switches and hosts that are below their limit during this step."""
    kept: Kept
    replaced: str | None = None
    """The switch that is drained, replaced by another model and put back in this step."""
    cut_off: tuple[str, ...] = ()
    """Hosts that lose their last link in this step: their jobs end before it."""


@dataclass
class Work:
    """One cable: where it is, and where it goes."""

    name: str
    now: Legs
    goal: Legs
    medium: str | None
    length_m: int | None
    exchanged: bool
    """Another medium or length is needed, and not there yet."""
    is_out: bool = False
    """It was taken out to make room, and will be plugged in again."""

    @property
    def done(self) -> bool:
        """Is it in its final place?"""
        return set(ports(self.now)) == set(ports(self.goal)) and not self.exchanged

    def touches(self, devices: Collection[str]) -> bool:
        """Is one of its ends at one of these, now or later?"""
        return any(leg.touches(devices) for leg in (*self.now, *self.goal))

    def leaving(self, to: Legs) -> Legs:
        """The legs that are taken out to bring it there."""
        gone = set(self.move(to).before)
        return tuple(leg for leg in self.now if leg.ports in gone)

    def move(self, to: Legs) -> Move:
        """What is done to bring it there."""
        return self._as_move(*self._change(ports(self.now), ports(to)))

    def replug(self, box: str, to: Legs) -> Move | None:
        """The same for its legs at a switch that is replaced; None where it has none there."""
        before, after = (ports(leg for leg in legs if leg.touches({box})) for legs in (self.now, to))
        if not before and not after:
            return None
        action: Action = "add" if not before else "remove" if not after else "move"
        same = before and set(before) == set(after) and not self.exchanged
        return self._as_move("replug" if same else action, before, after)

    def _as_move(self, action: Action, before: "_Ports", after: "_Ports") -> Move:
        return Move(self.name, action, before, after, self.medium, self.length_m, self.exchanged)

    def _change(self, before: "_Ports", after: "_Ports") -> "tuple[Action, _Ports, _Ports]":
        if not before or not after:
            return "add" if after else "remove", before, after
        if set(before) < set(after) and not self.exchanged:
            return "add_leg", (), tuple(leg for leg in after if leg not in before)
        if set(after) < set(before) and not self.exchanged:
            return "remove_leg", tuple(leg for leg in before if leg not in after), ()
        return "move", before, after


_Ports = tuple[tuple[Port, Port], ...]


@dataclass(frozen=True)
class Limits:
    """What switches and hosts of the old network keep, in links to the tier above; all by name."""

    floor: Mapping[str, int]
    """Always."""
    after_loss: Mapping[str, int]
    """While a switch above it is replaced: what ``capacity_after_loss`` declares. Of a host as always."""
    leaving: Mapping[str, int]
    """Of a leaf that is not in the new network, as long as it has hosts."""
    ready: Mapping[str, int]
    """Of a leaf of the new network, before hosts that are there are cabled to it."""
    needed: Mapping[str, int]
    """What the declared oversubscription needs."""
    hosts: frozenset[str]
    """Those of the old network."""


class Schedule:
    """Greedy steps: each takes every cable whose ports are free and whose switches and hosts can spare it."""

    def __init__(self, works: Sequence[Work], boxes: Sequence[str], limits: Limits) -> None:
        """``works``: all cables; ``boxes``: the switches that are replaced, in this order."""
        self._boxes, self._limits = dict.fromkeys(boxes), limits
        self._taken: dict[Hole, str] = {}
        self._up, self._down = Counter[str](), Counter[str]()
        """Lower device -> its links up; leaf -> its links to hosts that were there from the beginning."""
        for work in works:
            self._count(work, 1)
        self._had = dict(self._up)
        self._most = max((self._had[name] for name in limits.hosts), default=0)
        self._short: set[str] = set()
        """Those that have fewer links now than in the old network."""
        self._at: dict[str, list[Work]] = {box: [] for box in boxes}
        """Switch to be replaced -> its cables; no other step touches them before."""
        self._left: dict[str, Work] = {}
        for work in works:
            at = self._boxes_of(work)
            for box in at:
                self._at[box].append(work)
            if not at and not work.done:
                self._left[work.name] = work

    def steps(self) -> Iterator[Step]:
        """The switches to be replaced one by one, each followed by what can be put in place then; then all the rest."""
        for box in tuple(self._boxes):
            yield self._replace(box)
            while chosen := self._side_by_side():
                yield self._step(chosen)
        while self._left:
            yield self._step(self._side_by_side() or self._take_out() or self._side_by_side(early=True) or self._all())

    def _replace(self, box: str) -> Step:
        """One switch for another."""
        here = self._at.pop(box)
        before = {work.name: replace(work) for work in here}
        lost = self._lost(leg for work in here for leg in work.now if leg.touches({box}))
        below, kept = self._below(lost, box), self._kept(lost, box)
        cut_off = tuple(sorted(name for name in lost if name in self._limits.hosts and self._up[name] == lost[name]))
        del self._boxes[box]
        for work in here:
            self._plug(work, tuple(leg for leg in work.now if not leg.touches({box})))
        for work in sorted(here, key=lambda each: self._brings_hosts(each.goal)):  # uplinks first
            self._plug(work, self._as_far_as_free(box, before[work.name].now, work))
        moves = [each for work in here if (each := before[work.name].replug(box, work.now))]
        for work in here:
            work.exchanged = work.exchanged and not work.now
            work.is_out = bool(work.goal) and len(work.now) < len(before[work.name].now)
            if not work.done and not self._boxes_of(work):
                self._left[work.name] = work
        return Step(tuple(moves), below, kept, box, cut_off)

    def _boxes_of(self, work: Work) -> list[str]:
        """The switches still to be replaced that it ends at, now or later."""
        ends = (end.device for leg in (*work.now, *work.goal) for end in (leg.upper, leg.lower))
        return [name for name in dict.fromkeys(ends) if name in self._boxes]

    def _as_far_as_free(self, box: str, before: Legs, work: Work) -> Legs:
        """The final ports; where one is not free, or is one of a switch still to be replaced, the far end stays."""
        stay, goal = work.now, work.goal
        if not self._has_uplinks(goal):
            return stay
        is_final = not any(leg.touches(self._boxes) for leg in goal) and set(ports(stay)) <= set(ports(goal))
        if is_final and self._is_free(goal, work.name):
            return goal
        were = {leg.link: leg for leg in before}
        if {leg.link: leg.speed_gbps for leg in goal} != {leg.link: leg.speed_gbps for leg in before}:
            return stay
        mixed = tuple(_at_box(box, were[leg.link], leg) if leg.touches({box}) else were[leg.link] for leg in goal)
        return mixed if self._is_free(mixed, work.name) else stay

    def _is_free(self, legs: Legs, cable: str) -> bool:
        return all(self._taken.get(hole, cable) == cable for hole in holes(legs))

    def _brings_hosts(self, legs: Legs) -> bool:
        return any(leg.lower.device in self._limits.hosts for leg in legs)

    def _has_uplinks(self, legs: Legs) -> bool:
        """May hosts that are there be cabled so: has their leaf the uplinks for them?"""
        leaves = {leg.upper.device for leg in legs if leg.lower.device in self._limits.hosts}
        return all(self._up[leaf] >= self._limits.ready.get(leaf, 0) for leaf in leaves)

    def _step(self, chosen: "_Chosen") -> Step:
        moves = [work.move(to) for work, to in chosen]
        lost = self._lost(leg for work, to in chosen for leg in work.leaving(to))
        below, kept = self._below(lost), self._kept(lost)
        for work, to in chosen:
            self._plug(work, to)
            work.is_out = bool(work.goal) and not to
            if not work.is_out:
                del self._left[work.name]
        return Step(tuple(moves), below, kept)

    def _side_by_side(self, *, early: bool = False) -> "_Chosen":
        """``early``: leaves need not have uplinks for hosts, as those wait for the hosts."""
        chosen: _Chosen = []
        lost: Counter[str] = Counter()
        claimed: set[Hole] = set()
        out = self._out()
        for work in self._left.values():
            wanted, going = holes(work.goal), self._lost(work.leaving(work.goal))
            free = all(self._taken.get(hole, work.name) == work.name for hole in wanted) and not wanted & claimed
            spared = all(self._up[name] - lost[name] - many >= self._floor(name, out) for name, many in going.items())
            if free and spared and (early or self._has_uplinks(work.goal)):
                claimed |= wanted
                lost.update(going)
                chosen.append((work, work.goal))
        return chosen

    def _is_up(self, leg: Leg) -> bool:
        """Does it lead to a tier above? Not between the leaves of a pair, nor to who manages a switch."""
        return leg.kind == "fabric" or leg.lower.device in self._limits.hosts

    def _lost(self, legs: Iterable[Leg]) -> Counter[str]:
        """Lower device -> how many of these it loses."""
        return Counter(leg.lower.device for leg in legs if self._is_up(leg))

    def _floor(self, name: str, out: Mapping[str, int]) -> int:
        """Its present limit: lower while cables of it are out to make room."""
        leaving = self._limits.leaving.get(name, 0) if self._down[name] else 0
        return max(leaving, self._limits.floor.get(name, 0)) - out.get(name, 0)

    def _out(self) -> Counter[str]:
        """Switch or host -> its links that were taken out to make room."""
        return self._lost(leg for work in self._left.values() if work.is_out for leg in work.goal)

    def _take_out(self) -> "_Chosen":
        """Cables that wait for one another's ports: one per switch concerned is taken out, and plugged in later."""
        chosen: _Chosen = []
        touched = {*self._out()}
        wanted = {self._taken.get(hole) for work in self._left.values() for hole in holes(work.goal) - holes(work.now)}
        for work in self._left.values():
            lowers = {leg.lower.device for leg in work.now}
            if work.name in wanted and lowers and not lowers & touched:
                touched |= lowers
                chosen.append((work, ()))
        return chosen

    def _all(self) -> "_Chosen":
        """Every switch has a cable out already, and still nothing fits: ignore the limits."""
        return [(work, work.goal) for work in self._left.values()]

    def _plug(self, work: Work, to: Legs) -> None:
        self._count(work, -1)
        for hole in holes(work.now):
            if self._taken.get(hole) == work.name:
                del self._taken[hole]
        names = {leg.lower.device for leg in (*work.now, *to)}
        work.now = to
        self._count(work, 1)
        for name in names:
            if self._up[name] < self._had.get(name, 0):
                self._short.add(name)
            else:
                self._short.discard(name)

    def _count(self, work: Work, each: int) -> None:
        for leg in work.now:
            if self._is_up(leg):
                self._up[leg.lower.device] += each
            if leg.lower.device in self._limits.hosts:
                self._down[leg.upper.device] += each
        if each > 0:
            self._taken.update(dict.fromkeys(holes(work.now), work.name))

    def _below(self, lost: Mapping[str, int], box: str | None = None) -> tuple[str, ...]:
        limits = self._limits.floor if box is None else self._limits.after_loss
        found = []
        for name in {*lost, *self._short} - {box}:
            least = max(limits.get(name, 0), 1 if self._down[name] else 0)  # a leaf with hosts is cut off without any
            if self._up[name] - lost.get(name, 0) < least:
                found.append(name)
        return tuple(sorted(found))

    def _kept(self, lost: Mapping[str, int], box: str | None = None) -> Kept:
        uplinks, links = Fraction(1), (self._most, self._most)
        for name in {*lost, *self._short}:
            left, needed = self._up[name] - lost.get(name, 0), self._limits.needed.get(name, 0)
            if name in self._limits.hosts:
                links = min(links, (left, self._had[name]), key=lambda each: Fraction(*each))
            elif name != box and self._down[name] and needed:
                uplinks = min(uplinks, Fraction(left, needed))
        return Kept(uplinks, links)


_Chosen = list[tuple[Work, Legs]]


def _at_box(box: str, before: Leg, goal: Leg) -> Leg:
    """The leg with its end at the box where it goes, and the other end where it was."""
    return replace(goal, lower=before.lower) if goal.upper.device == box else replace(goal, upper=before.upper)
