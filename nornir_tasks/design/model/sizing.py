"""The numbers of one fabric at ``hosts.max``: how many switches and links of each kind, and which are neighbours."""

from dataclasses import dataclass
from fractions import Fraction

from nornir_tasks.intent.core.findings import Finding

PAIR = (0, 1)
"""Places of both leaves of a pair; they are called ``a`` and ``b``."""


class CannotBuildError(Exception):
    """The intended fabric cannot be built."""

    def __init__(self, *findings: Finding) -> None:
        super().__init__()
        self.findings = findings


@dataclass(frozen=True, slots=True)
class Pods:
    """The third tier."""

    groups_per_pod: int
    """Leaf groups per pod."""
    spine_uplinks: int
    """Links from each spine to the cores."""
    core_gbps: int
    cores_per_plane: int
    """These cores connect the spines of one position in all pods, and nothing else."""

    @property
    def parallel(self) -> int:
        """Links between one spine and one of its cores."""
        return self.spine_uplinks // self.cores_per_plane


@dataclass(frozen=True, slots=True)
class Beside:
    """The rest of a fabric on which several groups of hosts or planes have leaves: they share its spines."""

    groups_before: int
    """Number of leaf groups before the first of this layout: groups are numbered throughout the fabric."""
    last_group: int
    """Number of the last leaf group of the whole fabric."""
    rails: int
    """Rails of the fabric: those of its widest leaf group."""
    leaves: int
    """Leaves of the other layouts."""
    places_before: int
    """Ports of each spine before those of this layout's leaves."""
    places: int
    """Ports of each spine for the leaves of other layouts."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The numbers of one group of hosts on one plane of a fabric, at ``hosts.max``: its leaves, and the spines.

    Of a fabric in several copies these are the numbers of one copy.
    """

    rails: int
    leaf_rails: tuple[int | None, ...]
    """The rail of each leaf of a group; ``(None,)`` where one leaf serves all; of a pair the places in it."""
    leaf_groups: int
    hosts_per_group: int
    uplinks: int
    uplink_gbps: int
    spines_per_group: int
    """Spines of a group that leaves have ports for; see :attr:`spines_there`."""
    spine_groups: int
    """Groups of spines that share no leaf; with three tiers, the pods."""
    spines_to_come: int = 0
    """Of those of a group, the last so many are not there yet."""
    pods: Pods | None = None
    interleaved_groups: int | None = None
    """Number of leaf groups a spine has ports for; a leaf's links to one spine are that many ports apart. None: they
    are adjacent. See :meth:`spine_place`."""
    beside: Beside | None = None
    """The other layouts that share the spines; None: there are none."""
    copies: int = 1
    """Equal copies of the fabric, without a switch in common; each NIC has a port on each."""
    copies_to_come: int = 0
    """Of these, the last so many are not there yet."""
    peer_links: int = 0
    """Links between the two leaves of each group, which are a pair then; 0: they are none."""

    @property
    def ports_up(self) -> int:
        """Ports of a leaf at the speed of uplinks: these, and those to the other leaf of its pair."""
        return self.uplinks + self.peer_links

    @property
    def groups_before(self) -> int:
        """Number of leaf groups of the fabric before the first of this layout."""
        return self.beside.groups_before if self.beside else 0

    @property
    def last_group(self) -> int:
        """Number of the fabric's last leaf group."""
        return self.beside.last_group if self.beside else self.leaf_groups

    @property
    def fabric_rails(self) -> int:
        """Leaves of the fabric's widest leaf group; the switches' pools have a slice for each rail."""
        return self.beside.rails if self.beside else len(self.leaf_rails)

    @property
    def all_leaves(self) -> int:
        """Leaves of the whole fabric."""
        return self.leaves + (self.beside.leaves if self.beside else 0)

    def has_group(self, group: int) -> bool:
        """Does this layout have the leaf group with this number in the fabric?"""
        return 0 < group - self.groups_before <= self.leaf_groups

    @property
    def nics_per_host(self) -> int:
        """NICs of one host on one leaf, each with one port there."""
        return self.rails // len(self.leaf_rails)

    @property
    def parallel(self) -> int:
        """Links between one leaf and one of its spines."""
        return self.uplinks // self.spines_per_group

    @property
    def spines_there(self) -> int:
        """Spines of a group that are there now."""
        return self.spines_per_group - self.spines_to_come

    @property
    def copies_there(self) -> int:
        """Copies that are there now."""
        return self.copies - self.copies_to_come

    @property
    def uplinks_there(self) -> int:
        """Links of a leaf to the spines that are there now."""
        return self.parallel * self.spines_there

    @property
    def spines(self) -> int:
        """Spines of the plane, laid out."""
        return self.spines_per_group * self.spine_groups

    @property
    def cores(self) -> int:
        """Cores of the plane."""
        return self.pods.cores_per_plane * self.spines_per_group if self.pods else 0

    @property
    def leaves(self) -> int:
        """Leaves of this layout."""
        return self.leaf_groups * len(self.leaf_rails)

    @property
    def leaves_per_spine(self) -> int:
        """Leaves connected to each spine."""
        if self.pods:
            return min(self.pods.groups_per_pod, self.leaf_groups) * len(self.leaf_rails)
        return self.leaves // self.spine_groups

    @property
    def links_down(self) -> int:
        """Links of a spine to the leaves of the whole fabric."""
        return self.leaves_per_spine * self.parallel + (self.beside.places if self.beside else 0)

    def spine_group(self, group: int, rail: int | None) -> int:
        """The spine group (from 1) of a leaf: its pod, or the group of its rail."""
        return self.pod(group) if self.pods else self.rail_group(rail)

    def pod(self, group: int) -> int:
        """The pod (from 1) of a leaf group; everything is one pod without cores."""
        return (group - 1) // self.pods.groups_per_pod + 1 if self.pods else 1  # a fabric with pods has one layout only

    def rail_group(self, rail: int | None) -> int:
        """The group (from 1) of a rail: rails of one group share spines, or cores."""
        return 1 if rail is None or self.pods else rail * self.spine_groups // self.rails + 1

    def leaf_position(self, group: int, rail: int | None) -> int:
        """The place (from 0) of this leaf on its spines: new groups come after all existing ones."""
        if self.pods:
            return (group - 1) % self.pods.groups_per_pod * len(self.leaf_rails) + (rail or 0)
        per_group = len(self.leaf_rails) // self.spine_groups
        return (group - self.groups_before - 1) * per_group + (0 if rail is None else rail % per_group)

    def spine_place(self, group: int, rail: int | None, turn: int) -> int:
        """The port (from 0) of its spine for this link of a leaf; ``turn`` (from 0) counts its links to that spine.

        Interleaved, the leaves of one rail share a block of ports, link by link: when twice the groups need twice the
        spines, each existing leaf gives up every other port to a new one, and its other cables stay in place.
        """
        position, apart = self.leaf_position(group, rail), self.interleaved_groups
        if apart is None:
            return position * self.parallel + turn + (self.beside.places_before if self.beside else 0)
        return (position % self._rails_of_a_spine * self.parallel + turn) * apart + group - 1

    @property
    def spine_places(self) -> int:
        """Ports of a spine that are used by the fabric's leaves or reserved for later leaf groups."""
        if self.interleaved_groups is None:
            return self.leaves_per_spine * self.parallel + (self.beside.places if self.beside else 0)
        return self._rails_of_a_spine * self.parallel * self.interleaved_groups

    @property
    def _rails_of_a_spine(self) -> int:
        return len(self.leaf_rails) // self.spine_groups

    @property
    def core_oversubscription(self) -> Fraction | None:
        """Bandwidth of a full spine to its leaves divided by that to its cores; None without cores."""
        if self.pods is None:
            return None
        down = self.leaves_per_spine * self.parallel * self.uplink_gbps
        return Fraction(down, self.pods.spine_uplinks * self.pods.core_gbps)

    def most_uplinks(self) -> int:
        """The widest ECMP group of any switch."""
        return max(self.uplinks, self.pods.spine_uplinks if self.pods else 0)


@dataclass(frozen=True, slots=True)
class Option:
    """A layout that can be built, and what it costs with all hosts of ``hosts.max``, in all copies."""

    layout: Layout
    switches: int
    links: int
    optics: int
    capacity_after_loss: float
    """Share of the declared uplink bandwidth that a full leaf keeps when one of its spines is lost."""

    @property
    def rank(self) -> tuple[int, ...]:
        """Lower is better. After the costs: rails that share their spines, then few leaf groups and uplinks."""
        layout = self.layout
        return (self.switches, self.links, self.optics, layout.spine_groups, layout.leaf_groups, layout.uplinks)


@dataclass(frozen=True, slots=True)
class Sizing:
    """The chosen layout and the runner-up."""

    chosen: Option
    runner_up: Option | None
    """The runner-up; None if nothing else can be built."""
    warnings: tuple[str, ...] = ()
    """Warnings that the operator should read before buying."""
