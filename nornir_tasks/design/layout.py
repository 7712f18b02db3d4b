"""The numbers of one fabric at ``hosts.max``: how many of everything, and who is whose neighbour."""

from dataclasses import dataclass
from fractions import Fraction

from nornir_tasks.intent.findings import Finding


class CannotBuildError(Exception):
    """What is asked cannot be built."""

    def __init__(self, *findings: Finding) -> None:
        super().__init__()
        self.findings = findings


@dataclass(frozen=True, slots=True)
class Pods:
    """What a third tier adds."""

    groups_per_pod: int
    """Leaf groups of a pod."""
    spine_uplinks: int
    """Links from each spine to the cores."""
    core_gbps: int
    cores_per_plane: int
    """The spines of one position in all pods and these cores are joined to one another, and to nobody else."""

    @property
    def parallel(self) -> int:
        """Links between one spine and one of its cores."""
        return self.spine_uplinks // self.cores_per_plane


@dataclass(frozen=True, slots=True)
class Beside:
    """What else there is on a fabric that several groups of hosts or planes have leaves on: they share its spines."""

    groups_before: int
    """Leaf groups are numbered through; this one's begin after so many."""
    last_group: int
    """Of the whole fabric."""
    rails: int
    """Rails of the fabric: as many as any group of its leaves has."""
    leaves: int
    """Of the others."""
    places_before: int
    """Ports of each spine that come before this one's leaves."""
    places: int
    """Ports of each spine that go to the others' leaves."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The numbers of one group of hosts on one plane of a fabric, at ``hosts.max``: its leaves, and the spines."""

    rails: int
    leaf_rails: tuple[int | None, ...]
    """The rail of each leaf of a group; ``(None,)`` where one leaf serves all."""
    leaf_groups: int
    hosts_per_group: int
    uplinks: int
    uplink_gbps: int
    spines_per_group: int
    spine_groups: int
    """Groups of spines that share no leaf; with three tiers, the pods."""
    pods: Pods | None = None
    interleaved_groups: int | None = None
    """Leaf groups that a spine has ports for, where a leaf's links to one spine lie that many ports apart; None: they
    lie side by side. See :meth:`spine_place`."""
    beside: Beside | None = None
    """What it shares the spines with; None: nothing."""

    @property
    def groups_before(self) -> int:
        """Leaf groups of the fabric that are numbered before this one's first."""
        return self.beside.groups_before if self.beside else 0

    @property
    def last_group(self) -> int:
        """Number of the fabric's last leaf group."""
        return self.beside.last_group if self.beside else self.leaf_groups

    @property
    def fabric_rails(self) -> int:
        """Leaves of the widest leaf group of the fabric; each rail has a slice of the pools of the switches."""
        return self.beside.rails if self.beside else len(self.leaf_rails)

    @property
    def all_leaves(self) -> int:
        """Leaves of the whole fabric."""
        return self.leaves + (self.beside.leaves if self.beside else 0)

    def has_group(self, group: int) -> bool:
        """Is this leaf group, by its number in the fabric, one of these?"""
        return 0 < group - self.groups_before <= self.leaf_groups

    @property
    def nics_per_host(self) -> int:
        """NIC ports of one host on one leaf."""
        return self.rails // len(self.leaf_rails)

    @property
    def parallel(self) -> int:
        """Links between one leaf and one of its spines."""
        return self.uplinks // self.spines_per_group

    @property
    def spines(self) -> int:
        """Spines of the plane."""
        return self.spines_per_group * self.spine_groups

    @property
    def cores(self) -> int:
        """Cores of the plane."""
        return self.pods.cores_per_plane * self.spines_per_group if self.pods else 0

    @property
    def leaves(self) -> int:
        """Leaves of these hosts."""
        return self.leaf_groups * len(self.leaf_rails)

    @property
    def leaves_per_spine(self) -> int:
        """Leaves that each spine is joined to."""
        if self.pods:
            return min(self.pods.groups_per_pod, self.leaf_groups) * len(self.leaf_rails)
        return self.leaves // self.spine_groups

    @property
    def links_down(self) -> int:
        """Links of a spine to the leaves of the whole fabric."""
        return self.leaves_per_spine * self.parallel + (self.beside.places if self.beside else 0)

    def spine_group(self, group: int, rail: int | None) -> int:
        """The spine group (from 1) of a leaf: its pod, or what its rail says."""
        return self.pod(group) if self.pods else self.rail_group(rail)

    def pod(self, group: int) -> int:
        """The pod (from 1) of a leaf group; everything is one pod without cores."""
        return (group - 1) // self.pods.groups_per_pod + 1 if self.pods else 1  # nothing is beside pods

    def rail_group(self, rail: int | None) -> int:
        """Rails of one group share spines, or cores."""
        return 1 if rail is None or self.pods else rail * self.spine_groups // self.rails + 1

    def leaf_position(self, group: int, rail: int | None) -> int:
        """Which leaf (from 0) of its spines this one is: new groups come after all old ones."""
        if self.pods:
            return (group - 1) % self.pods.groups_per_pod * len(self.leaf_rails) + (rail or 0)
        per_group = len(self.leaf_rails) // self.spine_groups
        return (group - self.groups_before - 1) * per_group + (0 if rail is None else rail % per_group)

    def spine_place(self, group: int, rail: int | None, turn: int) -> int:
        """Which port (from 0) of its spine takes this link of a leaf; ``turn`` (from 0) counts its links to that spine.

        Interleaved, the leaves of one rail share a block of ports, link by link: when twice the groups need twice the
        spines, each old leaf gives up every other port to a new one, and the rest of its cables stay where they are.
        """
        position, apart = self.leaf_position(group, rail), self.interleaved_groups
        if apart is None:
            return position * self.parallel + turn + (self.beside.places_before if self.beside else 0)
        return (position % self._rails_of_a_spine * self.parallel + turn) * apart + group - 1

    @property
    def spine_places(self) -> int:
        """Ports of a spine that the fabric gives a leaf, or keeps for leaf groups to come."""
        if self.interleaved_groups is None:
            return self.leaves_per_spine * self.parallel + (self.beside.places if self.beside else 0)
        return self._rails_of_a_spine * self.parallel * self.interleaved_groups

    @property
    def _rails_of_a_spine(self) -> int:
        return len(self.leaf_rails) // self.spine_groups

    @property
    def core_oversubscription(self) -> Fraction | None:
        """Bandwidth of a full spine to its leaves over that to its cores; None without cores."""
        if self.pods is None:
            return None
        down = self.leaves_per_spine * self.parallel * self.uplink_gbps
        return Fraction(down, self.pods.spine_uplinks * self.pods.core_gbps)

    def most_uplinks(self) -> int:
        """The widest ECMP group of any switch."""
        return max(self.uplinks, self.pods.spine_uplinks if self.pods else 0)


@dataclass(frozen=True, slots=True)
class Option:
    """A layout that can be built, and what it costs with all hosts of ``hosts.max``."""

    layout: Layout
    switches: int
    links: int
    optics: int
    capacity_after_loss: float
    """Share of the declared uplink bandwidth that a full leaf keeps when one of its spines is lost."""

    @property
    def rank(self) -> tuple[int, ...]:
        """The lower, the better. After the costs: rails that share their spines, then few leaf groups and uplinks."""
        layout = self.layout
        return (self.switches, self.links, self.optics, layout.spine_groups, layout.leaf_groups, layout.uplinks)


@dataclass(frozen=True, slots=True)
class Sizing:
    """What was chosen, and against what."""

    chosen: Option
    runner_up: Option | None
    """The next in rank; None where nothing else can be built."""
    warnings: tuple[str, ...] = ()
    """What the operator should know of the choice before buying it."""
