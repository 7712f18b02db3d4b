"""Three tiers: leaf groups in pods, each with spines of its own; cores join the spines of one position in all pods.

With switches of one kind and 1:1 the cheapest of these is the fat tree of the textbooks.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import ceil

from nornir_tasks.design.demand.choices import Choice
from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.design.layout.port_allocation import Panel
from nornir_tasks.design.layout.port_capacity import Sizes
from nornir_tasks.design.layout.speeds import core_speed
from nornir_tasks.design.model.sizing import Layout, Pods
from nornir_tasks.intent.core.findings import Finding
from nornir_tasks.intent.keys.fabric import CoreIntent

MIN_CORES = 2
MIN_SPINES = 2


@dataclass(frozen=True)
class PodSizing:
    """The limits from the ports of spines and cores."""

    demand: Demand
    intent: CoreIntent
    rails: int
    """Leaves per leaf group."""
    spines: tuple[Panel, ...]
    """Each kind of spine, with ports down and up."""
    core: Panel
    uplink_gbps: int
    core_gbps: int
    _taking: dict[tuple[int, int], bool] = field(default_factory=dict)

    @classmethod
    def of(cls, sizes: Sizes, core: Choice, intent: CoreIntent) -> "PodSizing":
        """Raises CannotBuildError where no link speed joins spines and cores."""
        choices, speed = sizes.choices, core_speed(sizes.choices, core, intent.uplink_speed)
        spines = tuple(Panel.of(choice, sizes.uplink_gbps, speed) for choice in choices.spines)
        rails = len(sizes.leaf_rails)
        return cls(choices.demand, intent, rails, spines, Panel.of(core, speed), sizes.uplink_gbps, speed)

    def layouts(self, flat: Layout, most_spines: float) -> Iterator[Layout]:
        """Every size of pod worth considering, with the fewest cores for it, largest first.

        ``flat`` has the leaves, their uplinks and the spines of a pod. Nothing if there are more than ``most_spines``
        in all.
        """
        links = self.rails * flat.parallel
        for groups in self._pod_sizes(flat.leaf_groups, links):
            pods = ceil(flat.leaf_groups / groups)
            if pods * flat.spines_per_group > most_spines:
                return
            layer = self._cores(groups, groups * links, pods, flat.spines_per_group)
            if layer is not None:
                yield replace(flat, spine_groups=pods, pods=layer)

    def _pod_sizes(self, leaf_groups: int, links: int) -> Iterator[int]:
        """Leaf groups per pod: as declared; else, for each number of pods, the smallest size that results in it."""
        size = self.demand.fabric.spine.pod_leaf_groups
        if size is not None:
            yield size
            return
        most = min(leaf_groups, self._spine_ports // links)
        if most:
            counts = range(ceil(leaf_groups / most), min(leaf_groups, len(self.core.down)) + 1)
            yield from dict.fromkeys(ceil(leaf_groups / pods) for pods in counts)

    def _cores(self, groups: int, down: int, pods: int, spines: int) -> Pods | None:
        """The fewest cores with a port for every spine's links; None if no number has them."""
        needed, ports = self.uplinks_for(down), len(self.core.down)
        if not self.takes(down, needed):
            return None
        least = max(ceil(MIN_CORES / spines), ceil(pods * needed / ports))
        for cores in range(least, max(len(each.up) for each in self.spines) + 1):
            up = cores * ceil(needed / cores)
            if pods * (up // cores) <= ports and self.takes(down, up):
                return Pods(groups, up, self.core_gbps, cores)
        return None

    def switches_for(self, links: float) -> int:
        """The least number of spines and cores that carry so many links from leaves."""
        most = next((n for n in range(self._spine_ports, 0, -1) if self.takes(n, self.uplinks_for(n))), 1)
        up = links * self.uplink_gbps / (self.intent.oversubscription * self.core_gbps)
        return max(MIN_SPINES, int(links / most)) + max(MIN_CORES, int(up / len(self.core.down)))

    @property
    def _spine_ports(self) -> int:
        return min(len(each.down) for each in self.spines)

    def takes(self, down: int, up: int) -> bool:
        """Does every kind of spine have the ports?"""
        if (down, up) not in self._taking:
            self._taking[down, up] = all(panel.takes(down, up) for panel in self.spines)
        return self._taking[down, up]

    def uplinks_for(self, down: int) -> int:
        """The fewest links to the cores that keep the declared oversubscription."""
        return max(1, ceil(down * self.uplink_gbps / (self.intent.oversubscription * self.core_gbps) - 1e-9))

    def refusal(self, flat: Layout) -> Finding:
        """Why no layout was found, with the nearest design that can be built."""
        uplinks, spine, name = (
            flat.uplinks,
            self.demand.fabric.spine,
            min(self.spines, key=lambda each: len(each.down)).model.model,
        )
        ports = min(each.ports() for each in self.spines)
        up = self.uplinks_for(self.rails)
        if not self.takes(self.rails, up):
            expected = f"{self.rails + up}: one for each leaf of a group, {up} to the cores"
            return Finding(
                self.demand.on_fabric("spine", "model"),
                f"{name} has too few ports for one leaf group",
                expected,
                f"{ports} ports",
            )
        if spine.planned is not None and uplinks % spine.planned:
            what = f"a leaf with {uplinks} uplinks does not reach {spine.planned} spines evenly"
            even = ", ".join(str(n) for n in range(MIN_SPINES, uplinks + 1) if uplinks % n == 0)
            return Finding(self.demand.on_fabric("spine", spine.planned_by), what, f"one of {even}", str(spine.planned))
        links = self.rails * (uplinks // (spine.planned or uplinks))
        most = self._most_groups(links)
        if spine.pod_leaf_groups is not None and spine.pod_leaf_groups > most:
            what = f"{name} has too few ports for a pod of {spine.pod_leaf_groups} leaf groups"
            expected = f"at most {most}, with as many links up as the oversubscription wants"
            return Finding(
                self.demand.on_fabric("spine", "pod_leaf_groups"), what, expected, str(spine.pod_leaf_groups)
            )
        groups = spine.pod_leaf_groups or most
        pods, ports_down = ceil(flat.leaf_groups / groups), len(self.core.down)
        return Finding(
            self.demand.on_fabric("core", "model"),
            f"{self.core.model.model} has too few ports",
            f"one at {self.core_gbps}G for each of {pods} pods",
            f"{ports_down} ports",
            f"nearest that can be built: {self.demand.most}: {ports_down * groups * flat.hosts_per_group}",
        )

    def _most_groups(self, links: int) -> int:
        most = self._spine_ports // links
        return next((n for n in range(most, 0, -1) if self.takes(n * links, self.uplinks_for(n * links))), 0)
