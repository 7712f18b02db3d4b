"""The order of a push, from the topology: canaries, then spines and cores, then leaves so that hosts keep a path.

No wave contains two leaves of one host, of any fabrics. Leaves of one rail may be pushed together, as every host keeps
its other rails. A leaf that is the only one of some host in its fabric disconnects that host from the fabric during the
change; a wave contains at most the declared share (``policy.wave_share``) of such leaves of each fabric, neighbours in
the layout, because a job mostly runs on neighbours.

A spine serves all rails of its spine group or pod, so a wave contains one spine of each, all in the same position:
with three tiers these are the spines that share their cores, so no second path between pods is lost.
Of the cores a wave contains as many as join the spines of one position, and each joins those of another: so inter-pod
capacity shrinks no more than with one spine of each pod, and no spine loses two of its cores. With one core for each
position a core is pushed alone. A wave starts when the previous one is complete.
Of a fabric in several copies a wave contains switches of one copy alone, so that every NIC keeps its other ports.

Switches of the out-of-band plane come before all others, each in a wave of its own: every push runs over them.

Where it is known which job runs on which hosts, no wave has two rails, pairs or planes of one job, a canary is a leaf
without a job if there is one, and leaves with jobs come last.

Each fabric has a canary and an order of its own, and its positions count its own spines. Fabrics share waves: first
canaries, then what is above the leaves, then leaves; what has a host in common with another fabric's part of a wave
waits, and a later part of its own fabric may go first.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from nornir_tasks.design.capacity.management_paths import distances
from nornir_tasks.design.model.network import Device, Network

CORE = 2
"""The level of cores."""


@dataclass(frozen=True, slots=True)
class Member:
    """The properties of a switch that decide its wave."""

    device: str
    fabric: str
    role: str
    """The role of switches at its level."""
    level: int
    rail: int | None
    index: int
    position: int
    """Of a spine: its position in its spine group or pod, among all switches; of a core: among those that join the
    same spines. Of a leaf: as ``index``."""
    hosts: frozenset[str] = frozenset()
    """The hosts that are cabled to it."""
    is_only_leaf: bool = False
    """Some host has no other switch in this fabric."""
    copy: int | None = None
    """The copy of the fabric that it belongs to; None if there is only one."""
    away: int | None = None
    """Of a switch of the out-of-band plane: links to it from the tool's own access switch. Else None."""
    jobs: frozenset[str] = frozenset()
    """What runs on its hosts; of a switch above leaves what runs on those of its fabric."""
    unit: str = ""
    """Its rail or pair, if it is a leaf: what a job can spare one of at a time."""


@dataclass(frozen=True, slots=True)
class Wave:
    """Switches that are pushed at the same time."""

    name: str
    devices: tuple[str, ...]


@dataclass(slots=True, eq=False)
class _Part:
    """One fabric's part of a wave."""

    name: str
    devices: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)
    only_leaves: int = 0
    jobs: set[str] = field(default_factory=set)
    units: set[str] = field(default_factory=set)

    def takes(self, member: Member, most_only_leaves: int, most_cores: int) -> bool:
        is_full = member.is_only_leaf and self.only_leaves >= most_only_leaves
        is_full = is_full or (member.level == CORE and len(self.devices) >= most_cores)
        spares_jobs = self.units <= {member.unit} or self.jobs.isdisjoint(member.jobs)
        return not is_full and spares_jobs and self.hosts.isdisjoint(member.hosts)

    def add(self, member: Member) -> None:
        self.devices.append(member.device)
        self.hosts |= member.hosts
        self.only_leaves += member.is_only_leaf
        self.jobs |= member.jobs
        self.units.add(member.unit)


def members(network: Network, jobs: Mapping[str, frozenset[str]] = MappingProxyType({})) -> Iterator[Member]:
    """Every switch with the properties that decide its wave. ``jobs``: job -> hosts that it runs on."""
    leaves_of = defaultdict[tuple[str, str], set[str]](set)
    hosts_of = defaultdict[str, set[str]](set)
    for nic in network.nics:
        leaves_of[network.device(nic.leaf).fabric, nic.host].add(nic.leaf)
        hosts_of[nic.leaf].add(nic.host)
    away = distances(network)
    running = defaultdict[str, set[str]](set)
    for job, hosts_of_job in jobs.items():
        for host in hosts_of_job:
            running[host].add(job)
    on_fabric = defaultdict[str, set[str]](set)
    for leaf, cabled in hosts_of.items():
        on_fabric[network.device(leaf).fabric].update(*(running[host] for host in cabled))
    ahead: Counter[tuple[str, int | None, int, int]] = Counter()
    for each in sorted(network.devices, key=lambda device: device.index):
        group = (each.fabric, each.copy, each.level, each.spine_group)
        ahead[group] += 1
        position = ahead[group] if each.level > 0 else each.index
        hosts = frozenset(hosts_of[each.name])
        is_only_leaf = any(len(leaves_of[each.fabric, host]) == 1 for host in hosts)
        place = (each.role, each.level, each.rail, each.index, position)
        known = [running[host] for host in hosts] if each.level == 0 else [on_fabric[each.fabric]]
        there = frozenset[str]().union(*known)
        member = Member(each.name, each.fabric, *place, hosts, is_only_leaf, each.copy, away.get(each.name))
        yield replace(member, jobs=there, unit=_unit(each))


def _unit(device: Device) -> str:
    if device.level > 0 or device.pair is not None:
        return device.pair or ""
    return device.name if device.rail is None else str(device.rail)


def most_only_leaves(members: Iterable[Member], share: float) -> dict[str, int]:
    """Fabric -> how many leaves that are the only one of some host a wave may take: this share, and at least one."""
    found: Counter[str] = Counter()
    for member in members:
        found[member.fabric] += member.is_only_leaf
    return {fabric: max(1, int(share * count)) for fabric, count in found.items()}


def waves(members: Iterable[Member], most_only_leaves: Mapping[str, int]) -> tuple[Wave, ...]:
    """Every device in exactly one wave; ``most_only_leaves``: leaves without alternative, per fabric and wave."""
    fabrics, alone = defaultdict[str, list[Member]](list), []
    for member in members:
        if member.away is not None:
            alone.append(member)
        else:
            fabrics[member.fabric].append(member)
    for all_of_it in fabrics.values():
        all_of_it.sort(key=lambda each: (each.level > 0, _is_busy(each), each.copy or 0, each.rail or 0, each.index))
    canaries = _canaries(fabrics.values())
    left = [[each for each in fabric if each not in canaries] for fabric in fabrics.values()]
    steps = (
        ([[canary] for canary in canaries], lambda _: "canary"),
        ([[each for each in fabric if each.level > 0] for fabric in left], _position),
        *(
            ([[each for each in fabric if each.level == 0 and _is_busy(each) is busy] for fabric in left], _rail)
            for busy in (False, True)
        ),
    )
    return tuple(_one_by_one(alone)) + tuple(
        wave
        for together, name in steps
        for wave in _together(_parts(each, most_only_leaves, name) for each in together)
    )


def waves_of(
    network: Network, names: Collection[str], share: float, jobs: Mapping[str, frozenset[str]] = MappingProxyType({})
) -> tuple[Wave, ...]:
    """These switches of a network in the order of a push. ``share``: ``policy.wave_share``; ``jobs``: see members."""
    everyone, chosen = tuple(members(network, jobs)), frozenset(names)
    return waves((each for each in everyone if each.device in chosen), most_only_leaves(everyone, share))


def backwards(waves: Iterable[Wave], out_of_band: frozenset[str]) -> tuple[Wave, ...]:
    """The last wave first, to take back what a push did; switches of the out-of-band plane last, in their order."""
    made = tuple(waves)
    of_way = [each for each in made if not out_of_band.isdisjoint(each.devices)]
    return (*(each for each in reversed(made) if each not in of_way), *of_way)


def _is_busy(member: Member) -> bool:
    return bool(member.jobs)


def _one_by_one(members: Iterable[Member]) -> Iterator[Wave]:
    """The farthest from the tool first, its own access switch last: a bad one leaves the way to all nearer ones."""
    order = sorted(members, key=lambda each: (-(each.away or 0), each.index))
    for number, each in enumerate(order, start=1):
        yield Wave(f"out-of-band {number} of {len(order)}", (each.device,))


def _canaries(fabrics: Iterable[Sequence[Member]]) -> list[Member]:
    """The first switch of each fabric, or another of its level that shares no host with the other canaries."""
    found: list[Member] = []
    first_wave: list[Member] = []
    for fabric in fabrics:
        alike = (each for each in fabric if each.level == fabric[0].level)
        apart = next((each for each in alike if _is_apart(each, first_wave)), None)
        found.append(apart or fabric[0])
        first_wave += [apart] if apart else []
    return found


def _is_apart(one: "Member | _Part", others: Iterable["Member | _Part"]) -> bool:
    return all(one.hosts.isdisjoint(other.hosts) and one.jobs.isdisjoint(other.jobs) for other in others)


def _position(member: Member) -> str:
    return f"{member.role} {member.position}{_of_copy(member)}"


def _rail(leaf: Member) -> str:
    return f"{'leaves' if leaf.rail is None else f'rail {leaf.rail}'}{_of_copy(leaf)}"


def _of_copy(member: Member) -> str:
    return "" if member.copy is None else f" of copy {member.copy}"


def _parts(
    members: Iterable[Member], most_only_leaves: Mapping[str, int], name: Callable[[Member], str]
) -> list[_Part]:
    """Switches with the same name of part are pushed together, in several parts if necessary."""
    by_name, there = defaultdict[str, list[_Part]](list), list(members)
    most_cores = max((each.position for each in there if each.level == CORE), default=1)
    for member in there:
        begun, most = by_name[name(member)], most_only_leaves[member.fabric]
        part = next((each for each in begun if each.takes(member, most, most_cores)), None)
        if part is None:
            part = _Part(name(member))
            begun.append(part)
        part.add(member)
    for parts in by_name.values():
        for number, part in enumerate(parts, start=1):
            part.name += f", part {number} of {len(parts)}" if len(parts) > 1 else ""
    return [part for parts in by_name.values() for part in parts]


def _together(fabrics: Iterable[list[_Part]]) -> Iterator[Wave]:
    """Waves of one part per fabric: the first part that shares no host with the others of the wave."""
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
