"""Three tiers: leaf groups in pods, each with spines of its own; cores join the spines of one position in all pods.

Pods are made as large as the spines take, so that traffic stays below the cores where it can; then as few cores as hold
the declared oversubscription. With switches of one kind and 1:1 this is the fat tree of the textbooks.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import ceil

from nornir_tasks.design.choices import Choice, Choices
from nornir_tasks.design.layout import CannotBuildError, Layout, Pods
from nornir_tasks.design.panel import Panel
from nornir_tasks.design.speeds import core_speed
from nornir_tasks.intent.findings import Finding
from nornir_tasks.intent.model import CoreIntent

MIN_CORES = 2
MIN_SPINES = 2


def lay_out_pods(choices: Choices, core: Choice, flat: Layout, fits: Callable[[int], bool]) -> Layout:
    """Pods, spines and cores for the leaf groups of ``flat``. ``fits`` says whether a leaf takes so many uplinks.

    Raises CannotBuildError with the numbers and the nearest design that can be built.
    """
    asked = choices.plane.core or CoreIntent(platform="nvue", release="", model="")
    speed = core_speed(choices, core, asked.uplink_speed)
    spines = tuple(Panel.of(choice, flat.uplink_gbps, speed) for choice in choices.spines)
    work = _Pods(choices, asked, flat, spines, Panel.of(core, speed), speed)
    uplinks = flat.uplinks
    while fits(uplinks):
        for count in work.spine_counts(uplinks):
            found = work.pods(uplinks, count)
            if found is not None:
                return found
        uplinks += 1
    raise CannotBuildError(work.refusal(flat.uplinks))


@dataclass(frozen=True)
class _Pods:
    choices: Choices
    asked: CoreIntent
    flat: Layout
    spines: tuple[Panel, ...]
    core: Panel
    core_gbps: int

    @property
    def rails(self) -> int:
        return len(self.flat.leaf_rails)

    def spine_counts(self, uplinks: int) -> Iterator[int]:
        """Spines of a pod to try: as asked; else many, for large pods; or few, where the pod's size is given."""
        spine = self.choices.plane.spine
        fitting = [count for count in range(MIN_SPINES, uplinks + 1) if uplinks % count == 0]
        if spine.count is not None:
            yield from (spine.count,) if uplinks % spine.count == 0 else ()
        else:
            yield from fitting if spine.pod_leaf_groups else reversed(fitting)

    def pods(self, uplinks: int, count: int) -> Layout | None:
        """The layout with so many uplinks from each leaf to so many spines, if there is one."""
        links = self.rails * (uplinks // count)
        groups = self.groups_per_pod(links)
        if groups == 0:
            return None
        pods = ceil(self.flat.leaf_groups / groups)
        for up in range(self.uplinks_for(groups * links), max(len(each.up) for each in self.spines) + 1):
            if not self.takes(groups * links, up):
                break
            cores = self.cores_per_plane(up, pods, count)
            if cores is not None:
                layer = Pods(groups, up, self.core_gbps, cores)
                return replace(self.flat, uplinks=uplinks, spines_per_group=count, spine_groups=pods, pods=layer)
        return None

    def groups_per_pod(self, links: int) -> int:
        """Leaf groups of a pod: as asked, else the most whose links and their share upwards a spine takes; 0: none."""
        asked = self.choices.plane.spine.pod_leaf_groups
        if asked is not None:
            return asked if self.takes(asked * links, self.uplinks_for(asked * links)) else 0
        most = min(self.flat.leaf_groups, min(len(each.down) for each in self.spines) // links)
        return next((n for n in range(most, 0, -1) if self.takes(n * links, self.uplinks_for(n * links))), 0)

    def takes(self, down: int, up: int) -> bool:
        return all(panel.takes(down, up) for panel in self.spines)

    def uplinks_for(self, down: int) -> int:
        """The fewest links to the cores that keep the declared oversubscription."""
        return max(1, ceil(down * self.flat.uplink_gbps / (self.asked.oversubscription * self.core_gbps) - 1e-9))

    def cores_per_plane(self, up: int, pods: int, spines: int) -> int | None:
        """The fewest cores for the spines of one position that have a port for every link."""
        least = ceil(MIN_CORES / spines)
        counts = (count for count in range(least, up + 1) if up % count == 0)
        return next((count for count in counts if pods * (up // count) <= len(self.core.down)), None)

    def refusal(self, uplinks: int) -> Finding:
        """Why nothing was found, with the nearest design that can be built."""
        spine, name = self.choices.plane.spine, min(self.spines, key=lambda each: len(each.down)).model.model
        ports = min(each.ports() for each in self.spines)
        up = self.uplinks_for(self.rails)
        if not self.takes(self.rails, up):
            expected = f"{self.rails + up}: one for each leaf of a group, {up} to the cores"
            return Finding(
                ("spine", "model"), f"{name} has too few ports for one leaf group", expected, f"{ports} ports"
            )
        if spine.count is not None and uplinks % spine.count:
            what = f"a leaf with {uplinks} uplinks does not reach {spine.count} spines evenly"
            even = ", ".join(str(n) for n in range(MIN_SPINES, uplinks + 1) if uplinks % n == 0)
            return Finding(("spine", "count"), what, f"one of {even}", str(spine.count))
        links = self.rails * (uplinks // (spine.count or uplinks))
        most = self._most_groups(links)
        if spine.pod_leaf_groups is not None and spine.pod_leaf_groups > most:
            what = f"{name} has too few ports for a pod of {spine.pod_leaf_groups} leaf groups"
            expected = f"at most {most}, with as many links up as the oversubscription wants"
            return Finding(("spine", "pod_leaf_groups"), what, expected, str(spine.pod_leaf_groups))
        groups = spine.pod_leaf_groups or most
        pods, held = ceil(self.flat.leaf_groups / groups), len(self.core.down)
        return Finding(
            ("core", "model"),
            f"{self.core.model.model} has too few ports",
            f"one at {self.core_gbps}G for each of {pods} pods",
            f"{held} ports",
            f"nearest that can be built: hosts.max: {held * groups * self.flat.hosts_per_group}",
        )

    def _most_groups(self, links: int) -> int:
        most = min(len(each.down) for each in self.spines) // links
        return next((n for n in range(most, 0, -1) if self.takes(n * links, self.uplinks_for(n * links))), 0)
