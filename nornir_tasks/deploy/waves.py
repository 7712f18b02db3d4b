"""The order of a push, from the topology: canaries, then spines and cores, then leaves so that hosts keep a path.

No wave takes two leaves of one host, whatever fabrics they are of. Leaves of one rail may go together, for every host
has its other rails meanwhile. A leaf that is the only one of some host in its fabric cuts that host off from the fabric
while it changes; of such leaves a wave takes at most the declared share (``policy.wave_share``) of each fabric's,
neighbours in the layout, for a job mostly runs on neighbours.

A spine serves all rails of its spine group or pod, so of each of these one goes at a time, and of all the one in the
same position: with three tiers these are the spines that share their cores, and no second path between pods is lost.
Cores go alone. A wave starts only when all of the one before is done.

Each fabric has a canary and an order of its own, and its positions count its own spines. Fabrics share waves: first
canaries, then what is above the leaves, then leaves; what has a host in common with another fabric's part of a wave
waits, and a later part of its own fabric may go first.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from nornir_tasks.design.network import Network


@dataclass(frozen=True, slots=True)
class Member:
    """What the order depends on."""

    device: str
    fabric: str
    role: str
    """What switches of its level are called."""
    level: int
    rail: int | None
    index: int
    position: int
    """Of a spine: its place in its spine group or pod, whoever else is pushed. Of all others: as ``index``."""
    hosts: frozenset[str] = frozenset()
    """The hosts that are cabled to it."""
    is_only_leaf: bool = False
    """Some host has no other switch in this fabric."""


@dataclass(frozen=True, slots=True)
class Wave:
    """Switches that are pushed at the same time."""

    name: str
    devices: tuple[str, ...]


@dataclass(slots=True, eq=False)
class _Part:
    """One fabric's part of a wave, while it fills up and afterwards."""

    name: str
    devices: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)
    only_leaves: int = 0

    def takes(self, member: Member, most_only_leaves: int) -> bool:
        is_full = member.is_only_leaf and self.only_leaves >= most_only_leaves
        return not is_full and self.hosts.isdisjoint(member.hosts)

    def add(self, member: Member) -> None:
        self.devices.append(member.device)
        self.hosts |= member.hosts
        self.only_leaves += member.is_only_leaf


def members(network: Network) -> Iterator[Member]:
    """Every switch with its place in the order of a push."""
    leaves_of = defaultdict[tuple[str, str], set[str]](set)
    hosts_of = defaultdict[str, set[str]](set)
    for nic in network.nics:
        leaves_of[network.device(nic.leaf).fabric, nic.host].add(nic.leaf)
        hosts_of[nic.leaf].add(nic.host)
    ahead: Counter[tuple[str, int]] = Counter()
    for each in sorted(network.devices, key=lambda device: device.index):
        group = (each.fabric, each.spine_group)
        ahead[group] += each.level == 1
        position = ahead[group] if each.level == 1 else each.index
        hosts = frozenset(hosts_of[each.name])
        is_only_leaf = any(len(leaves_of[each.fabric, host]) == 1 for host in hosts)
        place = (each.role, each.level, each.rail, each.index, position)
        yield Member(each.name, each.fabric, *place, hosts, is_only_leaf)


def most_only_leaves(members: Iterable[Member], share: float) -> dict[str, int]:
    """Fabric -> how many leaves that are the only one of some host a wave may take: this share, and at least one."""
    found: Counter[str] = Counter()
    for member in members:
        found[member.fabric] += member.is_only_leaf
    return {fabric: max(1, int(share * count)) for fabric, count in found.items()}


def waves(members: Iterable[Member], most_only_leaves: Mapping[str, int]) -> tuple[Wave, ...]:
    """Every device in exactly one wave, of which none holds more leaves without alternative than this of a fabric."""
    fabrics = defaultdict[str, list[Member]](list)
    for member in members:
        fabrics[member.fabric].append(member)
    for all_of_it in fabrics.values():
        all_of_it.sort(key=lambda member: (member.level > 0, member.rail or 0, member.index))
    canaries = _canaries(fabrics.values())
    left = [[each for each in fabric if each not in canaries] for fabric in fabrics.values()]
    steps = (
        ([[canary] for canary in canaries], lambda _: "canary"),
        ([[each for each in fabric if each.level > 0] for fabric in left], lambda each: f"{each.role} {each.position}"),
        ([[each for each in fabric if each.level == 0] for fabric in left], _rail),
    )
    return tuple(
        wave
        for together, name in steps
        for wave in _together(_parts(each, most_only_leaves, name) for each in together)
    )


def _canaries(fabrics: Iterable[Sequence[Member]]) -> list[Member]:
    """The first of each fabric, or of those at its level one without hosts in common with the canaries it goes with."""
    found: list[Member] = []
    first_wave: list[Member] = []
    for fabric in fabrics:
        alike = (each for each in fabric if each.level == fabric[0].level)
        apart = next((each for each in alike if _is_apart(each, first_wave)), None)
        found.append(apart or fabric[0])
        first_wave += [apart] if apart else []
    return found


def _is_apart(one: "Member | _Part", others: Iterable["Member | _Part"]) -> bool:
    return all(one.hosts.isdisjoint(other.hosts) for other in others)


def _rail(leaf: Member) -> str:
    return "leaves" if leaf.rail is None else f"rail {leaf.rail}"


def _parts(
    members: Iterable[Member], most_only_leaves: Mapping[str, int], name: Callable[[Member], str]
) -> list[_Part]:
    """What goes by one name goes together; where that may not be, in as many parts as it takes."""
    by_name = defaultdict[str, list[_Part]](list)
    for member in members:
        begun = by_name[name(member)]
        part = next((each for each in begun if each.takes(member, most_only_leaves[member.fabric])), None)
        if part is None:
            part = _Part(name(member))
            begun.append(part)
        part.add(member)
    for parts in by_name.values():
        for number, part in enumerate(parts, start=1):
            part.name += f", part {number} of {len(parts)}" if len(parts) > 1 else ""
    return [part for parts in by_name.values() for part in parts]


def _together(fabrics: Iterable[list[_Part]]) -> Iterator[Wave]:
    """One part of every fabric a wave, the first that has no host in common with the others' of this wave."""
    left = [list(parts) for parts in fabrics]
    while any(left):
        chosen: list[_Part] = []
        for parts in left:
            part = next((each for each in parts if _is_apart(each, chosen)), None)
            if part is not None:
                parts.remove(part)
                chosen.append(part)
        name = " and ".join(dict.fromkeys(part.name for part in chosen))
        yield Wave(name, tuple(device for part in chosen for device in part.devices))
