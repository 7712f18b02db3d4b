"""The order of a push, from the topology: a canary, then spines and cores, then leaves so that hosts keep a path.

No wave takes two leaves of one host. Leaves of one rail may go together, for every host has its other rails meanwhile.
A leaf that is the only one of some host cuts that host off while it changes; of such leaves a wave takes at most the
declared share (``policy.wave_share``), neighbours in the layout, for a job mostly runs on neighbours.

A spine serves all rails of its spine group or pod, so of each of these one goes at a time, and of all the one in the
same position: with three tiers these are the spines that share their cores, and no second path between pods is lost.
Cores go alone. A wave starts only when all of the one before is done.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from nornir_tasks.design.network import Network


@dataclass(frozen=True, slots=True)
class Member:
    """What the order depends on."""

    device: str
    role: str
    """What switches of its level are called."""
    level: int
    rail: int | None
    index: int
    position: int
    """Of a spine: its place in its spine group or pod, whoever else is pushed. Of all others: as ``index``."""
    hosts: frozenset[str] = frozenset()
    """Of a leaf: the hosts that are cabled to it."""
    is_only_leaf: bool = False
    """Of a leaf: some host has no other."""


@dataclass(frozen=True, slots=True)
class Wave:
    """Switches that are pushed at the same time."""

    name: str
    devices: tuple[str, ...]


@dataclass(slots=True)
class _Leaves:
    """The leaves of one wave while it fills up."""

    most_only_leaves: int
    devices: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)
    only_leaves: int = 0

    def takes(self, leaf: Member) -> bool:
        is_full = leaf.is_only_leaf and self.only_leaves >= self.most_only_leaves
        return not is_full and self.hosts.isdisjoint(leaf.hosts)

    def add(self, leaf: Member) -> None:
        self.devices.append(leaf.device)
        self.hosts |= leaf.hosts
        self.only_leaves += leaf.is_only_leaf


def members(network: Network) -> Iterator[Member]:
    """Every switch with its place in the order of a push."""
    leaves_of = defaultdict[str, set[str]](set)
    hosts_of = defaultdict[str, set[str]](set)
    for nic in network.nics:
        leaves_of[nic.host].add(nic.leaf)
        hosts_of[nic.leaf].add(nic.host)
    ahead: Counter[int] = Counter()
    for each in sorted(network.devices, key=lambda device: device.index):
        ahead[each.spine_group] += each.level == 1
        position = ahead[each.spine_group] if each.level == 1 else each.index
        hosts = frozenset(hosts_of[each.name])
        is_only_leaf = any(len(leaves_of[host]) == 1 for host in hosts)
        yield Member(each.name, each.role, each.level, each.rail, each.index, position, hosts, is_only_leaf)


def most_only_leaves(members: Iterable[Member], share: float) -> int:
    """How many leaves that are the only one of some host a wave may take: this share of them, and at least one."""
    return max(1, int(share * sum(member.is_only_leaf for member in members)))


def waves(members: Iterable[Member], most_only_leaves: int) -> tuple[Wave, ...]:
    """Every device in exactly one wave, of which none holds more leaves without alternative than this."""
    left = sorted(members, key=lambda member: (member.level > 0, member.rail or 0, member.index))
    if not left:
        return ()
    canary, *left = left
    together: dict[str, list[str]] = {}
    for member in left:
        if member.level > 0:
            together.setdefault(f"{member.role} {member.position}", []).append(member.device)
    return (
        Wave("canary", (canary.device,)),
        *(Wave(name, tuple(devices)) for name, devices in together.items()),
        *_leaf_waves([member for member in left if member.level == 0], most_only_leaves),
    )


def _leaf_waves(leaves: Iterable[Member], most_only_leaves: int) -> Iterator[Wave]:
    """Rail by rail; a rail whose leaves may not all go together takes several waves."""
    by_rail = defaultdict[int | None, list[_Leaves]](list)
    for leaf in leaves:
        begun = by_rail[leaf.rail]
        wave = next((each for each in begun if each.takes(leaf)), None)
        if wave is None:
            wave = _Leaves(most_only_leaves)
            begun.append(wave)
        wave.add(leaf)
    for rail, parts in by_rail.items():
        name = "leaves" if rail is None else f"rail {rail}"
        for number, part in enumerate(parts, start=1):
            yield Wave(name if len(parts) == 1 else f"{name}, part {number} of {len(parts)}", tuple(part.devices))
