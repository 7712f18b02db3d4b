"""What has a port on an out-of-band plane, and which: BMCs, DPUs, management ports of switches, power distribution.

The fabric of such a plane is a tree: access switches, each with one VLAN and subnet, below two routers or more. The
ports of each group are spread over the access switches in the order of declared identity, so that the hosts, the
switches and the power distribution of one row of racks are on one access switch. Places are kept for ``max`` of each
group, and so are their addresses. The management port of an access switch is on the next one, as a switch must not be
reached through itself. What the intent gives a port of its own changes places (:mod:`attached_places`).
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from nornir_tasks.design.demand.choices import Choices
from nornir_tasks.design.demand.fabric_demand import Attached, AttachedEnd, Demand, kind_of
from nornir_tasks.design.layout.oob_port_assignment import access_ports, with_places
from nornir_tasks.design.layout.port_capacity import Sizes
from nornir_tasks.design.model.capabilities import OsFacts
from nornir_tasks.design.model.network import ROLES
from nornir_tasks.design.model.sizing import CannotBuildError
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.core.findings import Finding, Marks
from nornir_tasks.intent.keys.host import HostGroupIntent, NicsIntent
from nornir_tasks.intent.keys.plane import PlaneIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.oob_devices import SWITCHES, bmc_group, of_trees
from nornir_tasks.intent.settings import Terms

DEVICES = "devices"
"""Stands for all that is attached where the design speaks of a group of hosts."""
ROUTERS = 2
"""Of a tree, unless the intent says another number: none of its access switches depends on one router."""
MOST_ACCESS_SWITCHES = 1000


@dataclass(frozen=True, slots=True)
class PlannedSwitch:
    """A switch of another fabric, now or later."""

    name: str
    os: str
    is_there: bool


@dataclass(frozen=True)
class Attaching:
    """Makes the demand of an out-of-band plane: its ports, spread over access switches."""

    facts: Mapping[str, OsFacts]
    choose: Callable[[Demand], Choices]
    """Which model, OS and release the switches of a demand are."""
    marks: Marks

    def demands(self, intent: Intent, switches: Mapping[str, Sequence[PlannedSwitch]]) -> tuple[Demand, ...]:
        """One for each out-of-band plane. ``switches``: those of the other fabrics, now and later.

        Raises DesignError where the access switches have no port for everything.
        """
        return tuple(self._demand(intent, name, plane, switches) for name, plane in of_trees(intent).items())

    def _demand(
        self, intent: Intent, name: str, plane: PlaneIntent, switches: Mapping[str, Sequence[PlannedSwitch]]
    ) -> Demand:
        first = _template(intent, name, plane)
        choices = self.choose(first)
        groups = [*_groups(intent, plane), *(self._of_fabric(each) for each in switches.values())]
        most = self._most_ports(choices)
        tree = _Tree(choices, groups, self.facts)
        number = self._access_switches(tree, plane, first, most)
        attached = tree.attached(number)
        if plane.places:
            ports = tuple(access_ports(choices, self.facts, number, most))
            attached = with_places(attached, plane.places, ports, first.on_plane("places"), self.marks)
        width, nics = len(attached.rows[0]), first.nics.model_copy(update={"per_group": len(attached.rows[0])})
        hosts = HostGroupIntent(count=number * width, max=number * width)
        return replace(first, hosts=hosts, nics=nics, attached=attached)

    def _most_ports(self, choices: Choices) -> int:
        """Ports of an access switch for what is attached, beside its uplinks."""
        try:
            return Sizes.of(choices).most_hosts()
        except CannotBuildError as refusal:
            raise DesignError(self.marks.problems(refusal.findings)) from None

    def _of_fabric(self, switches: Sequence[PlannedSwitch]) -> list[AttachedEnd]:
        return [
            AttachedEnd(SWITCHES, each.name, self.facts[each.os].management_port, number, each.is_there)
            for number, each in enumerate(switches, start=1)
        ]

    def _access_switches(self, tree: "_Tree", plane: PlaneIntent, demand: Demand, most: int) -> int:
        """As declared, else the fewest with a port for everything."""
        numbers, declared = range(2, MOST_ACCESS_SWITCHES + 1), plane.access_switches
        least = next((number for number in numbers if tree.width(number) <= most), None)
        ports, leaf = f"{plane.port_speed}G ports", demand.on_fabric("leaf")
        if least is None:
            what, needed = "access switches with too few ports", tree.width(MOST_ACCESS_SWITCHES)
            expected = f"{needed} {ports} or more: one for each group of what is attached"
            raise DesignError(self.marks.problem(Finding((*leaf, "model"), what, expected, f"{most} beside uplinks")))
        if declared is not None and declared < least:
            what, expected = "its access switches have no port for everything", f"{least} or more"
            found = f"{declared}: {tree.width(declared)} {ports} needed on each, {most} there beside uplinks"
            hint = f"ports are kept for {tree.in_words}, as many as they may become (max)"
            path = demand.on_plane("access_switches")
            raise DesignError(self.marks.problem(Finding(path, what, expected, found, hint, also=leaf)))
        return declared or least


def _template(intent: Intent, name: str, plane: PlaneIntent) -> Demand:
    """The demand before it is known how many access switches there are."""
    fabric = intent.fabrics[plane.fabric]
    if fabric.spine.count is None:
        fabric = fabric.model_copy(update={"spine": fabric.spine.model_copy(update={"count": ROUTERS})})
    terms = Terms(intent.policy, plane.fabric, fabric, name, plane)
    nics = NicsIntent.model_validate({"rails": 1, "speed": f"{plane.port_speed}G"})
    hosts, kind = HostGroupIntent(count=1, max=1), kind_of(name, plane)
    return Demand(plane.fabric, fabric, name, plane, kind, DEVICES, hosts, nics, terms, 0)


def _groups(intent: Intent, plane: PlaneIntent) -> Iterator[list[AttachedEnd]]:
    """Everything attached but switches, in the order of the file."""
    for name, each in plane.devices.items():
        yield [
            AttachedEnd(name, f"{name}-{number}", each.port, number, number <= each.count)
            for number in range(1, each.most + 1)
        ]
    for name, hosts in intent.hosts.items():
        for port in hosts.out_of_band or ():
            group = bmc_group(name, port)
            yield [
                AttachedEnd(group, f"{group}-{number}", port, number, number <= hosts.count)
                for number in range(1, hosts.max + 1)
            ]


@dataclass(frozen=True)
class _Tree:
    """The ports of an out-of-band plane on any number of access switches."""

    choices: Choices
    groups: Sequence[Sequence[AttachedEnd]]
    """Each spread over the access switches in order."""
    facts: Mapping[str, OsFacts]

    @property
    def _routers(self) -> int:
        return self.choices.demand.fabric.spine.count or ROUTERS

    def width(self, number: int) -> int:
        """Places on each of so many access switches: one of them for another access switch."""
        return sum(_share(len(each), number) for each in self.groups) + 1 + _share(self._routers, number)

    @property
    def in_words(self) -> str:
        """``4 gpu-bmc, 14 switches``: everything that needs a port, group by group, for messages."""
        counts = Counter(end.group for each in self.groups for end in each)
        return ", ".join(f"{count} {group}" for group, count in counts.items())

    def attached(self, number: int) -> Attached:
        """What has each place. Management ports of the tree's own switches come before those of other fabrics."""
        rows: list[list[AttachedEnd | None]] = [[] for _ in range(number)]
        others = [each for each in self.groups if each and each[0].group == SWITCHES]
        for group in (*(each for each in self.groups if each and each not in others), *self._own(number), *others):
            share = _share(len(group), number)
            for place, row in enumerate(rows):
                there = group[place * share : (place + 1) * share]
                row += [*there, *[None] * (share - len(there))]
        return Attached(tuple(map(tuple, rows)))

    def _own(self, number: int) -> tuple[list[AttachedEnd], list[AttachedEnd]]:
        """Access switches, each on the next one, and routers."""
        leaves = [self._end(0, each, self.choices.leaf_of(each, None).os) for each in range(1, number + 1)]
        spines = [self._end(1, each, self.choices.spine_of(each).os) for each in range(1, self._routers + 1)]
        return [leaves[-1], *leaves[:-1]], spines

    def _end(self, level: int, index: int, os: str) -> AttachedEnd:
        name = f"{ROLES[level]}-{'g' if level == 0 else ''}{index}"
        device = self.choices.demand.fabric.switch_name(name)
        return AttachedEnd(SWITCHES, device, self.facts[os].management_port, index, is_there=True)


def _share(count: int, number: int) -> int:
    return -(-count // number)
