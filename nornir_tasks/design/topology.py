"""How many switches and links of each kind: the layout for ``hosts.max``, and the refusal of what does not fit.

A leaf group is the set of leaves that serve the same hosts: one leaf per rail (``rail``, ``clos3``), or one leaf for
all rails (``clos``). When a spine cannot take a link from every leaf, spines form groups, and a leaf's spine group is a
function of its rail only: contiguous rails, never the leaf group, so that any two hosts of one rail always have a path.
With three tiers leaf groups form pods, each with spines of its own, and the cores join the pods (:mod:`.pods`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil

from nornir_tasks.design.choices import Choices
from nornir_tasks.design.layout import CannotBuildError, Layout
from nornir_tasks.design.panel import Panel
from nornir_tasks.design.pods import lay_out_pods
from nornir_tasks.design.speeds import check_host_speed, uplink_speed
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.findings import Finding
from nornir_tasks.intent.model import ComputeIntent, Intent

__all__ = ["Layout", "lay_out"]

MIN_SPINES = 2
"""One spine is no redundancy; the intent may still ask for it by ``count: 1``."""


def lay_out(intent: Intent, choices: Choices) -> Layout:
    """Size the plane. Raises DesignError with the numbers and the nearest design that can be built."""
    try:
        return _Sizing.of(choices).layout()
    except CannotBuildError as refusal:
        above = ("planes", "compute")
        raise DesignError(intent.marks.problems(refusal.findings, above)) from None


@dataclass(frozen=True)
class _Sizing:
    choices: Choices
    plane: ComputeIntent
    leaves: tuple[Panel, ...]
    leaf_rails: tuple[int | None, ...]
    uplink_gbps: int

    @classmethod
    def of(cls, choices: Choices) -> "_Sizing":
        plane = choices.plane
        if plane.design == "tree":
            raise CannotBuildError(Finding(("design",), "tree is not offered yet", "rail, clos or clos3"))
        check_host_speed(choices)
        speed = uplink_speed(choices)
        leaves = tuple(Panel.of(choice, plane.hosts.speed, speed) for choice in choices.leaves)
        rails: tuple[int | None, ...] = (None,) if plane.design == "clos" else tuple(range(plane.hosts.rails))
        return cls(choices, plane, leaves, rails, speed)

    @property
    def nics(self) -> int:
        return self.plane.hosts.rails // len(self.leaf_rails)

    @cached_property
    def spines(self) -> tuple[Panel, ...]:
        return tuple(Panel.of(choice, self.uplink_gbps) for choice in self.choices.spines)

    @cached_property
    def spine_ports(self) -> int:
        return min(len(panel.down) for panel in self.spines)

    def layout(self) -> Layout:
        hosts = self._hosts_per_group()
        groups = ceil(self.plane.hosts.max / hosts)
        if self.plane.hosts.per_group is None:
            hosts = ceil(self.plane.hosts.max / groups)
        flat = Layout(
            rails=self.plane.hosts.rails,
            leaf_rails=self.leaf_rails,
            leaf_groups=groups,
            hosts_per_group=hosts,
            uplinks=self.uplinks_for(hosts),
            uplink_gbps=self.uplink_gbps,
            spines_per_group=1,
            spine_groups=1,
        )
        if self.choices.core is not None:
            return lay_out_pods(self.choices, self.choices.core, flat, lambda uplinks: self.fits(hosts, uplinks))
        spine_groups, spines, uplinks = self._spines(hosts, groups)
        return replace(flat, uplinks=uplinks, spines_per_group=spines, spine_groups=spine_groups)

    def uplinks_for(self, hosts: int) -> int:
        """The fewest uplinks that keep the declared oversubscription."""
        down = hosts * self.nics * self.plane.hosts.speed
        return max(1, ceil(down / (self.plane.spine.oversubscription * self.uplink_gbps) - 1e-9))

    def fits(self, hosts: int, uplinks: int) -> bool:
        """Does every kind of leaf have the ports?"""
        return all(panel.takes(hosts * self.nics, uplinks) for panel in self.leaves)

    def _most_hosts(self) -> int:
        """The most hosts a leaf group takes at the declared oversubscription."""
        limit = min(len(panel.down) for panel in self.leaves) // self.nics
        return next((hosts for hosts in range(limit, 0, -1) if self.fits(hosts, self.uplinks_for(hosts))), 0)

    def _hosts_per_group(self) -> int:
        most, asked = self._most_hosts(), self.plane.hosts.per_group
        if asked is None:
            if most == 0:
                raise CannotBuildError(self._no_host_fits())
            return most
        if asked > most:
            raise CannotBuildError(self._too_few_ports(asked, most))
        return asked

    def _no_host_fits(self) -> Finding:
        down, up = self.nics, self.uplinks_for(1)
        panel = min(self.leaves, key=lambda each: len(each.down))
        return Finding(
            ("leaf", "model"),
            f"{panel.model.model} has too few ports for one host",
            f"{down} host ports at {self.plane.hosts.speed}G and {up} uplinks at {self.uplink_gbps}G",
            f"{len(panel.down)} ports",
            "design: rail puts each rail on a leaf of its own" if self.plane.design == "clos" else "",
        )

    def _too_few_ports(self, asked: int, most: int) -> Finding:
        down, up = asked * self.nics, self.uplinks_for(asked)
        panel = next(each for each in self.leaves if not each.takes(down, up))
        ratio = f"{self.plane.spine.oversubscription:g}:1"
        hint = f"nearest that can be built: per_group: {most} ({most * self.nics} host ports and "
        hint += f"{self.uplinks_for(most)} uplinks)" if most else ""
        return Finding(
            ("hosts", "per_group"),
            f"{panel.model.model} has too few ports for {asked} hosts at {ratio}",
            f"{down + up}: {down} host ports at {self.plane.hosts.speed}G and {up} uplinks at {self.uplink_gbps}G",
            f"{panel.ports()} cages",
            hint + self._split_instead(panel, down, up) if most else "no number fits; choose a model with more ports",
        )

    def _split_instead(self, panel: Panel, down: int, up: int) -> str:
        speed = self.plane.hosts.speed
        for mode in panel.model.splits:
            ways, _, leg = mode.partition("x")
            split = replace(panel, down=panel.model.slots_at(speed, int(ways)))
            if leg == f"{speed}G" and int(ways) > 1 and split.takes(down, up):
                return f"; or leaf.breakout: {mode}"
        return ""

    def _spines(self, hosts: int, groups: int) -> tuple[int, int, int]:
        """(spine groups, spines of each, uplinks of each leaf): fewest groups, then fewest uplinks, then spines."""
        for spine_groups in self._splits():
            leaves = groups * len(self.leaf_rails) // spine_groups
            for spines, uplinks in self._candidates(hosts, spine_groups):
                if leaves * (uplinks // spines) <= self.spine_ports:
                    return spine_groups, spines, uplinks
        raise CannotBuildError(self._too_few_spine_ports(hosts, groups))

    def _splits(self) -> Iterator[int]:
        if self.plane.spine.groups is not None:
            yield self.plane.spine.groups
            return
        yield 1
        if self.plane.cross_rail == "nvlink" and self.plane.design == "rail":
            rails = self.plane.hosts.rails
            yield from (parts for parts in range(2, rails + 1) if rails % parts == 0)

    def _candidates(self, hosts: int, spine_groups: int) -> Iterator[tuple[int, int]]:
        least, count = self.uplinks_for(hosts), self.plane.spine.count
        uplinks = least
        while self.fits(hosts, uplinks):
            for spines in range(1, uplinks + 1):
                wanted = spines >= MIN_SPINES if count is None else spines * spine_groups == count
                if wanted and uplinks % spines == 0:
                    yield spines, uplinks
            uplinks += 1

    def _too_few_spine_ports(self, hosts: int, groups: int) -> Finding:
        least, rails = self.uplinks_for(hosts), len(self.leaf_rails)
        leaves, count = groups * rails, self.plane.spine.count
        ways: list[str] = []
        if count is not None and not self.fits(hosts, ceil(least / count) * count):
            what = f"a leaf with {least} uplinks does not reach {count} spines evenly"
            ways += self._nearest_count(hosts, groups, count)
            expected = f"{ceil(least / count) * count} uplinks, and ports for them beside those of {hosts} hosts"
            found = f"{least} uplinks at {self.plane.spine.oversubscription:g}:1"
            return Finding(("spine", "count"), what, expected, found, "; or ".join(ways))
        if self.spine_ports >= rails:
            ways.append(f"nearest that can be built: hosts.max: {self.spine_ports // rails * self._hosts_per_group()}")
        ways += self._nearest_split(groups)
        return Finding(
            ("spine", "count") if count is not None else ("spine", "model"),
            f"{min(self.spines, key=lambda each: len(each.down)).model.model} has too few ports",
            f"one at {self.uplink_gbps}G for each link from {leaves} leaves"
            + (f" with {least} uplinks each, over {count} spines: {ceil(leaves * least / count)}" if count else ""),
            f"{self.spine_ports} ports",
            "; or ".join(ways),
        )

    def _nearest_count(self, hosts: int, groups: int, asked: int) -> Iterator[str]:
        leaves, least = groups * len(self.leaf_rails), self.uplinks_for(hosts)
        counts = {
            spines
            for uplinks in range(least, 2 * least + 1)
            for spines in range(MIN_SPINES, uplinks + 1)
            if self.fits(hosts, uplinks) and uplinks % spines == 0 and leaves * uplinks // spines <= self.spine_ports
        }
        if counts:
            yield f"nearest that can be built: count: {min(counts, key=lambda each: (abs(each - asked), each))}"

    def _nearest_split(self, groups: int) -> Iterator[str]:
        if self.plane.cross_rail == "nvlink" or self.plane.design != "rail":
            return
        rails = self.plane.hosts.rails
        for parts in range(2, rails + 1):
            if rails % parts == 0 and groups * rails // parts <= self.spine_ports:
                yield f"cross_rail: nvlink, with {parts} spine groups that only NVLink joins"
                return
