"""The difference in cabling between two networks: which cables to move, add and remove, in which order.

Growth inside ``hosts.max`` and ``spine.max`` moves nothing. Beyond them the layout changes: spines are added, and
uplinks are spread again. The order consists of steps (:mod:`.move_steps`); the cables of one step may be handled in
parallel. A cable is plugged in only where the cage is free by then. No switch loses more uplinks than the declared
oversubscription can spare, or one cable where it can spare none; no host loses more than one rail; hosts come to a leaf
when it has the uplinks for them. Where cables wait for one another's cages, one of them is taken out first, and a step
may go one cable below that limit: the step says so.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import get_args

from nornir_tasks.design.model.links import Cable, Link
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.reports.move_steps import Action, Limits, Schedule, Step, Work
from nornir_tasks.design.reports.plugged import plugged


@dataclass(frozen=True, slots=True)
class Moves:
    """All manual work, step by step."""

    steps: tuple[Step, ...]
    readdressed: tuple[str, ...]
    """Links of which an end changes its address."""
    replaced: Mapping[str, tuple[str, str]]
    """Switch -> model before, model afterwards: it keeps its name."""
    counts: Mapping[str, int]
    """Number of cables per action; one taken out to make room and plugged in later counts as moved."""


def moves(old: Network, new: Network) -> Moves:
    """The work that turns the cabling of ``old`` into that of ``new``, in an order that keeps the capacity."""
    works = _works(old, new)
    now = {link.name: link for link in new.links}
    kept = [(link, now[link.name]) for link in old.links if link.name in now]
    readdressed = tuple(link.name for link, then in kept if _addresses(old, link) != _addresses(new, then))
    there = [(each, new.device(each.name)) for each in old.devices if each.name in new]
    boxes = sorted((one for one, then in there if one.model != then.model), key=lambda each: -each.level)
    replaced = {each.name: (each.model, new.device(each.name).model) for each in boxes}
    found = Counter(
        work.move(work.goal).action if not work.done else "replug"
        for work in works
        if not work.done or work.touches(replaced)
    )
    counts = {action: found[action] for action in get_args(Action)}
    schedule = Schedule(works, tuple(replaced), _limits(old, new))
    return Moves(tuple(schedule.steps()), readdressed, replaced, counts)


def _works(old: Network, new: Network) -> list[Work]:
    """All cables: those of the new network in its order, then those that go."""
    before, after = plugged(old), plugged(new)
    was = {cable.name: cable for cable in old.cables}
    becomes = {cable.name: cable for cable in new.cables}
    works = []
    for name in dict.fromkeys((*after, *before)):
        exchanged = name in was and name in becomes and _kind(was[name]) != _kind(becomes[name])
        cable = becomes.get(name) or was[name]
        legs = before.get(name, ()), after.get(name, ())
        works.append(Work(name, *legs, cable.medium, cable.length_m, exchanged))
    return works


def _limits(old: Network, new: Network) -> Limits:
    here, there = _uplinks(old), _uplinks(new)
    hosts = frozenset(name for name in here if name not in old)
    floor, needed = floors(old, new), {name: needed_uplinks(old, name, links) for name, links in here.items()}
    return Limits(
        floor=floor,
        after_loss={
            name: least if name in hosts else min(least, after_loss(old, name, needed[name]))
            for name, least in floor.items()
        },
        leaving={
            name: max(0, min(needed[name], len(links) - _most_legs(links)))
            for name, links in here.items()
            if name in old and name not in new
        },
        ready={
            name: min(len(links), after_loss(new, name, needed_uplinks(new, name, links)))
            for name, links in there.items()
            if name in new
        },
        needed=needed,
        hosts=hosts,
    )


def after_loss(network: Network, name: str, needed: int) -> int:
    """Uplinks that a switch keeps with one switch above it lost, of those that it needs."""
    device = network.device(name)
    return ceil(Fraction(network.fabric_of(device).capacity_after_loss).limit_denominator(1000) * needed)


def floors(old: Network, new: Network) -> dict[str, int]:
    """Switch or host -> number of uplinks that it always keeps; one cable with all its legs can always go."""
    here, there = _uplinks(old), _uplinks(new)
    found = {}
    for name, links in here.items():
        after = there.get(name, [])
        legs = max(_most_legs(links), _most_legs(after))
        found[name] = max(0, min(needed_uplinks(old, name, links), len(links) - legs, len(after) - legs))
    return found


def _most_legs(links: list[Link]) -> int:
    """Legs of the cable that has the most."""
    return max(Counter(link.cable for link in links).values(), default=0)


def _uplinks(network: Network) -> dict[str, list[Link]]:
    """Switch or host -> its links to the tier above, without those between leaves of a pair or to who manages it."""
    found: dict[str, list[Link]] = defaultdict(list)
    for link in network.links:
        if link.kind == "fabric" or link.lower.device not in network:
            found[link.lower.device].append(link)
    return found


def needed_uplinks(network: Network, name: str, links: list[Link]) -> int:
    """Uplinks that the declared oversubscription needs; all NICs of a host."""
    if name not in network:
        return len(links)
    device = network.device(name)
    declared = network.fabric_of(device).declared_oversubscription
    ratio = Fraction(declared[device.level] if device.level < len(declared) else 1).limit_denominator(1000)
    down = sum(link.speed_gbps for link in network.links_of(name) if link.upper.device == name and link.kind != "peer")
    return ceil(Fraction(down) / ratio / links[0].speed_gbps)


def _kind(cable: Cable) -> tuple[str | None, int | None]:
    return cable.medium, cable.length_m


def _addresses(network: Network, link: Link) -> list[tuple[str, str, str, int]]:
    """The owner and the addresses of each circuit of the link."""
    circuits = network.circuits_on(link)
    return [(each.owner, each.upper_address, each.lower_address, each.use.prefix_length) for each in circuits]
