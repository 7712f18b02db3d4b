"""The difference in cabling between two networks: which cables to move, add and remove, in which order.

Growth inside ``hosts.max`` moves nothing. Beyond it the layout changes: spines are added, and uplinks are spread anew.
The order consists of steps; the cables of one step may be handled in parallel. A cable is plugged in only where the
cage is free by then. No switch loses more uplinks than the declared oversubscription can spare, or one cable where it
can spare none; no host loses more than one rail. Where cables wait for one another's cages, one of them is taken out
first, and a step may go one cable below that limit: the step says so.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Literal, get_args

from nornir_tasks.design.cables import Cable
from nornir_tasks.design.links import Endpoint, Link
from nornir_tasks.design.media import CONNECTORS
from nornir_tasks.design.network import Network
from nornir_tasks.design.plugs import plug_at

Port = tuple[str, str]
"""Device and interface."""
Legs = tuple[tuple[Port, Port], ...]
"""The ports that the legs of one cable connect: upper port, lower port."""
Action = Literal["add", "add_leg", "move", "remove_leg", "remove"]
"""A leg is one of a split cage's: the cable itself stays, and one of its far ends is plugged in or out."""


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
class Step:
    """Cables that may be handled in parallel."""

    moves: tuple[Move, ...]
    below: tuple[str, ...]
    """Switches and hosts that are below their limit during this step."""


@dataclass(frozen=True, slots=True)
class Moves:
    """All manual work, step by step."""

    steps: tuple[Step, ...]
    readdressed: tuple[str, ...]
    """Links of which an end changes its address."""
    replaced: tuple[str, ...]
    """Switches that keep their name and become another model."""

    counts: Mapping[str, int]
    """Number of cables per action; one taken out to make room and plugged in later counts as moved."""


def moves(old: Network, new: Network) -> Moves:
    """The work that turns the cabling of ``old`` into that of ``new``, in an order that keeps the capacity."""
    before, after = _legs(old), _legs(new)
    was = {cable.name: cable for cable in old.cables}
    becomes = {cable.name: cable for cable in new.cables}
    todo = []
    for name in dict.fromkeys((*after, *before)):
        there, wanted = before.get(name, ()), after.get(name, ())
        exchanged = bool(there and wanted) and _kind(was[name]) != _kind(becomes[name])
        legs = tuple(map(_ports, there)), tuple(map(_ports, wanted))
        if set(legs[0]) == set(legs[1]) and not exchanged:
            continue
        cable = becomes.get(name) or was[name]
        todo.append(Move(name, *_action(*legs, exchanged=exchanged), cable.medium, cable.length_m, exchanged))
    now = {link.name: link for link in new.links}
    kept = [(link, now[link.name]) for link in old.links if link.name in now]
    readdressed = tuple(link.name for link, then in kept if _addresses(old, link) != _addresses(new, then))
    changed = (each for each in old.devices if each.name in new and new.device(each.name).model != each.model)
    schedule = _Schedule(todo, before, (_holes(was, before), _holes(becomes, after)), floors(old, new))
    found = Counter(move.action for move in todo)
    counts = {action: found[action] for action in get_args(Action)}
    return Moves(tuple(schedule.steps()), readdressed, tuple(each.name for each in changed), counts)


def _action(before: Legs, after: Legs, *, exchanged: bool) -> tuple[Action, Legs, Legs]:
    """The action on a cable, and the legs it concerns."""
    if not before or not after:
        return "add" if after else "remove", before, after
    if set(before) < set(after) and not exchanged:
        return "add_leg", (), tuple(leg for leg in after if leg not in before)
    if set(after) < set(before) and not exchanged:
        return "remove_leg", tuple(leg for leg in before if leg not in after), ()
    return "move", before, after


def floors(old: Network, new: Network) -> dict[str, int]:
    """Switch or host -> number of uplinks that it always keeps; one cable with all its legs can always go."""
    here, there = _uplinks(old), _uplinks(new)
    found = {}
    for name, links in here.items():
        after = there.get(name, [])
        legs = max(max(Counter(link.cable for link in part).values(), default=0) for part in (links, after))
        found[name] = max(0, min(_needed(old, name, links), len(links) - legs, len(after) - legs))
    return found


def _uplinks(network: Network) -> dict[str, list[Link]]:
    found: dict[str, list[Link]] = defaultdict(list)
    for link in network.links:
        found[link.lower.device].append(link)
    return found


def _needed(network: Network, name: str, links: list[Link]) -> int:
    """Uplinks that the declared oversubscription needs; all NICs of a host."""
    if name not in network:
        return len(links)
    device = network.device(name)
    declared = network.fabric_of(device).declared_oversubscription
    ratio = Fraction(declared[device.level] if device.level < len(declared) else 1).limit_denominator(1000)
    down = sum(link.speed_gbps for link in network.links_of(name) if link.upper.device == name)
    return ceil(Fraction(down) / ratio / links[0].speed_gbps)


def _legs(network: Network) -> dict[str, tuple[Link, ...]]:
    links = {link.name: link for link in network.links}
    return {cable.name: tuple(links[name] for name in cable.links) for cable in network.cables}


def _ports(link: Link) -> tuple[Port, Port]:
    return (link.upper.device, link.upper.port), (link.lower.device, link.lower.port)


MOST_CONNECTORS = 4
"""Connectors of one cage: a jumper for each leg has one of its own."""

Hole = tuple[str, str, int]
"""Device, cage or host's port, connector: the socket of a plug."""


def _holes(cables: Mapping[str, Cable], legs: Mapping[str, Iterable[Link]]) -> dict[str, frozenset[Hole]]:
    """Cable -> the sockets of its plugs."""
    return {
        name: frozenset(
            hole for link in each for end in (link.upper, link.lower) for hole in _holes_of(end, cables[name])
        )
        for name, each in legs.items()
    }


def _holes_of(end: Endpoint, cable: Cable) -> Iterator[Hole]:
    """An assembly occupies the whole cage, however it is split; a jumper or splitter one connector of its optic."""
    device, cage = plug_at(end)
    slot, made = end.slot, cable.make.kind
    if slot is None or slot.ways == 1 or made == "assembly":
        yield from ((device, str(cage), connector) for connector in range(MOST_CONNECTORS))
    else:
        yield device, str(cage), slot.leg // (max(1, slot.ways // CONNECTORS) if made == "splitter" else 1)


def _kind(cable: Cable) -> tuple[str | None, int | None]:
    return cable.medium, cable.length_m


def _addresses(network: Network, link: Link) -> list[tuple[str, str, str, int]]:
    """The owner and the addresses of each circuit of the link."""
    circuits = network.circuits_on(link)
    return [(each.owner, each.upper_address, each.lower_address, each.use.prefix_length) for each in circuits]


class _Schedule:
    """Greedy steps: each takes every cable whose cages are free and whose switches and hosts can spare it."""

    def __init__(
        self,
        todo: list[Move],
        before: Mapping[str, tuple[Link, ...]],
        holes: tuple[Mapping[str, frozenset[Hole]], Mapping[str, frozenset[Hole]]],
        floor: Mapping[str, int],
    ) -> None:
        empty: frozenset[Hole] = frozenset()
        self.left = {move.cable: move for move in todo}
        self.floor = floor
        self.plugs = {name: (holes[0].get(name, empty), holes[1].get(name, empty)) for name in self.left}
        self.taken = {hole: name for name, each in holes[0].items() for hole in each}
        self.parked: dict[str, Counter[str]] = {}
        self.up = Counter(link.lower.device for legs in before.values() for link in legs)

    def steps(self) -> Iterator[Step]:
        while self.left:
            chosen = self._side_by_side() or self._park()
            lost = Counter(device for move in chosen for device in _lowers(move.before))
            below = (name for name, least in self.floor.items() if self.up[name] - lost[name] < least)
            yield Step(tuple(chosen), tuple(sorted(below)))
            for move in chosen:
                self._do(move)

    def _side_by_side(self) -> list[Move]:
        chosen: list[Move] = []
        lost: Counter[str] = Counter()
        claimed: set[Hole] = set()
        for move in self.left.values():
            plugs = self.plugs[move.cable][1]
            free = all(self.taken.get(plug, move.cable) == move.cable for plug in plugs) and not plugs & claimed
            if free and self._spared(move, lost):
                claimed |= plugs
                lost.update(_lowers(move.before))
                chosen.append(move)
        return chosen

    def _spared(self, move: Move, lost: Counter[str]) -> bool:
        going = Counter(_lowers(move.before))
        return all(self.up[name] - lost[name] - count >= self._floor(name) for name, count in going.items())

    def _floor(self, name: str) -> int:
        """Its present limit: lower while one of its cables is out to make room."""
        return self.floor.get(name, 0) - sum(lowers[name] for lowers in self.parked.values())

    def _park(self) -> list[Move]:
        """Cables that wait for one another's cages: one per switch concerned is taken out, and plugged in later."""
        chosen: list[Move] = []
        touched: set[str] = set()
        wanted = {
            self.taken.get(plug) for name in self.left for plug in self.plugs[name][1] if self.taken.get(plug) != name
        }
        for move in list(self.left.values()):
            lowers = Counter(_lowers(move.before))
            if move.cable not in wanted or not move.before or touched & set(lowers) or set(lowers) & self.parked_at():
                continue
            touched |= set(lowers)
            chosen.append(replace(move, action="remove", after=()))
        if not chosen:  # every switch has one out already and still nothing fits: ignore the limits
            chosen = list(self.left.values())
        return chosen

    def parked_at(self) -> set[str]:
        """Switches and hosts with a cable taken out."""
        return {name for lowers in self.parked.values() for name in lowers}

    def _do(self, move: Move) -> None:
        whole = self.left.pop(move.cable)
        before, after = self.plugs[move.cable]
        for plug in before:
            if self.taken.get(plug) == move.cable:
                del self.taken[plug]
        self.up.subtract(_lowers(move.before))
        if whole.after and not move.after:
            self.left[move.cable] = replace(whole, action="add", before=())
            self.parked[move.cable] = Counter(_lowers(move.before))
            return
        self.taken.update(dict.fromkeys(after, move.cable))
        self.up.update(_lowers(move.after))
        self.parked.pop(move.cable, None)


def _lowers(legs: Iterable[tuple[Port, Port]]) -> Iterator[str]:
    return (lower[0] for _, lower in legs)
