"""How many switches and links of each kind: the layout for ``hosts.max``, and the refusal of what does not fit.

A leaf group is the set of leaves that serve the same hosts: one leaf per rail (``rail``), or one leaf for all rails
(``clos``). When a spine cannot take a link from every leaf, spines form groups, and a leaf's spine group is a function
of its rail only: contiguous rails, never the leaf group, so that any two hosts of one rail always have a path.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from nornir_tasks.design.catalogue import SwitchModel
from nornir_tasks.design.choices import Choices
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.findings import Finding
from nornir_tasks.intent.model import ComputeIntent, Intent

MIN_SPINES = 2
"""One spine is no redundancy; the intent may still ask for it by ``count: 1``."""

SERVICE_PORTS = 2
"""So many slow ports beside the cages are for management and taps, not for a fabric."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The numbers of one plane, at ``hosts.max``."""

    rails: int
    leaf_rails: tuple[int | None, ...]
    """The rail of each leaf of a group; ``(None,)`` where one leaf serves all."""
    leaf_groups: int
    hosts_per_group: int
    uplinks: int
    uplink_gbps: int
    spines_per_group: int
    spine_groups: int

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

    def spine_group(self, rail: int | None) -> int:
        """The spine group (from 1) of a leaf of this rail."""
        return 1 if rail is None else rail * self.spine_groups // self.rails + 1

    def leaf_position(self, group: int, rail: int | None) -> int:
        """Which leaf (from 0) of its spines this one is: new groups come after all old ones."""
        per_group = len(self.leaf_rails) // self.spine_groups
        return (group - 1) * per_group + (0 if rail is None else rail % per_group)


def lay_out(intent: Intent, choices: Choices) -> Layout:
    """Size the plane. Raises DesignError with the numbers and the nearest design that can be built."""
    try:
        return _Sizing.of(choices).layout()
    except _CannotBuildError as refusal:
        above = ("planes", "compute")
        raise DesignError(intent.marks.problems(refusal.findings, above)) from None


class _CannotBuildError(Exception):
    def __init__(self, *findings: Finding) -> None:
        super().__init__()
        self.findings = findings


@dataclass(frozen=True)
class _Sizing:
    plane: ComputeIntent
    leaves: tuple[SwitchModel, ...]
    spines: tuple[SwitchModel, ...]
    leaf_rails: tuple[int | None, ...]
    uplink_gbps: int

    @classmethod
    def of(cls, choices: Choices) -> "_Sizing":
        plane = choices.plane
        if plane.design not in ("rail", "clos"):
            raise _CannotBuildError(Finding(("design",), f"{plane.design} is not offered yet", "rail or clos"))
        leaves = tuple(choice.model for choice in choices.leaves)
        spines = tuple(choice.model for choice in choices.spines)
        _check_host_speed(plane, leaves)
        rails: tuple[int | None, ...] = tuple(range(plane.hosts.rails)) if plane.design == "rail" else (None,)
        return cls(plane, leaves, spines, rails, _uplink_speed(plane, (*leaves, *spines)))

    @property
    def nics(self) -> int:
        return self.plane.hosts.rails // len(self.leaf_rails)

    @property
    def spine_ports(self) -> int:
        return min(len(model.ports_at(self.uplink_gbps)) for model in self.spines)

    def layout(self) -> Layout:
        hosts = self._hosts_per_group()
        groups = ceil(self.plane.hosts.max / hosts)
        if self.plane.hosts.per_group is None:
            hosts = ceil(self.plane.hosts.max / groups)
        spine_groups, spines, uplinks = self._spines(hosts, groups)
        return Layout(
            rails=self.plane.hosts.rails,
            leaf_rails=self.leaf_rails,
            leaf_groups=groups,
            hosts_per_group=hosts,
            uplinks=uplinks,
            uplink_gbps=self.uplink_gbps,
            spines_per_group=spines,
            spine_groups=spine_groups,
        )

    def uplinks_for(self, hosts: int) -> int:
        """The fewest uplinks that keep the declared oversubscription."""
        down = hosts * self.nics * self.plane.hosts.speed
        return max(1, ceil(down / (self.plane.spine.oversubscription * self.uplink_gbps) - 1e-9))

    def fits(self, hosts: int, uplinks: int) -> bool:
        """Does every kind of leaf have the ports?"""
        return all(self._fits(model, hosts * self.nics, uplinks) for model in self.leaves)

    def _fits(self, model: SwitchModel, host_ports: int, uplinks: int) -> bool:
        down, up = model.ports_at(self.plane.hosts.speed), model.ports_at(self.uplink_gbps)
        if host_ports > len(down) or uplinks > len(up):
            return False
        return not set(down[:host_ports]) & set(up[-uplinks:])

    def _most_hosts(self) -> int:
        """The most hosts a leaf group takes at the declared oversubscription."""
        limit = min(len(model.ports_at(self.plane.hosts.speed)) for model in self.leaves) // self.nics
        return next((hosts for hosts in range(limit, 0, -1) if self.fits(hosts, self.uplinks_for(hosts))), 0)

    def _hosts_per_group(self) -> int:
        most, asked = self._most_hosts(), self.plane.hosts.per_group
        if asked is None:
            if most == 0:
                raise _CannotBuildError(self._no_host_fits())
            return most
        if asked > most:
            raise _CannotBuildError(self._too_few_ports(asked, most))
        return asked

    def _no_host_fits(self) -> Finding:
        down, up = self.nics, self.uplinks_for(1)
        model = min(self.leaves, key=lambda each: len(each.ports_at(self.plane.hosts.speed)))
        return Finding(
            ("leaf", "model"),
            f"{model.model} has too few ports for one host",
            f"{down} host ports at {self.plane.hosts.speed}G and {up} uplinks at {self.uplink_gbps}G",
            f"{len(model.ports_at(self.plane.hosts.speed))} ports",
            "design: rail puts each rail on a leaf of its own" if self.plane.design == "clos" else "",
        )

    def _too_few_ports(self, asked: int, most: int) -> Finding:
        down, up = asked * self.nics, self.uplinks_for(asked)
        model = next(each for each in self.leaves if not self._fits(each, down, up))
        ratio = f"{self.plane.spine.oversubscription:g}:1"
        hint = f"nearest that can be built: per_group: {most} ({most * self.nics} host ports and "
        hint += f"{self.uplinks_for(most)} uplinks)" if most else ""
        return Finding(
            ("hosts", "per_group"),
            f"{model.model} has too few ports for {asked} hosts at {ratio}",
            f"{down + up}: {down} host ports at {self.plane.hosts.speed}G and {up} uplinks at {self.uplink_gbps}G",
            f"{len(set(model.ports_at(self.plane.hosts.speed)) | set(model.ports_at(self.uplink_gbps)))} ports",
            hint if most else "no number of hosts fits; choose a model with more ports",
        )

    def _spines(self, hosts: int, groups: int) -> tuple[int, int, int]:
        """(spine groups, spines of each, uplinks of each leaf): fewest groups, then fewest uplinks, then spines."""
        for spine_groups in self._splits():
            leaves = groups * len(self.leaf_rails) // spine_groups
            for spines, uplinks in self._candidates(hosts, spine_groups):
                if leaves * (uplinks // spines) <= self.spine_ports:
                    return spine_groups, spines, uplinks
        raise _CannotBuildError(self._too_few_spine_ports(hosts, groups))

    def _splits(self) -> Iterator[int]:
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
            f"{min(self.spines, key=lambda each: len(each.ports_at(self.uplink_gbps))).model} has too few ports",
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


def _check_host_speed(plane: ComputeIntent, leaves: tuple[SwitchModel, ...]) -> None:
    for model in leaves:
        if not model.ports_at(plane.hosts.speed):
            speeds = ", ".join(f"{speed}G" for speed in sorted(model.speeds_gbps))
            raise _CannotBuildError(
                Finding(("hosts", "speed"), f"{model.model} has no such port", speeds, f"{plane.hosts.speed}G")
            )


def _fabric_speeds(model: SwitchModel) -> frozenset[int]:
    """Speeds of the model's ports, those for service (a pair of SFP+) left out."""
    return frozenset(speed for speed in model.speeds_gbps if len(model.ports_at(speed)) > SERVICE_PORTS)


def _uplink_speed(plane: ComputeIntent, models: tuple[SwitchModel, ...]) -> int:
    common = frozenset.intersection(*(_fabric_speeds(model) for model in models))
    names = ", ".join(sorted({model.model for model in models}))
    asked = plane.spine.uplink_speed
    if asked is None and common:
        return max(common)
    if asked is not None and asked in common:
        return asked
    speeds = ", ".join(f"{speed}G" for speed in sorted(common)) or "a speed they share (they share none)"
    raise _CannotBuildError(
        Finding(
            ("spine", "uplink_speed") if asked else ("spine", "model"),
            f"no link between {names} at that speed" if asked else f"no link speed joins {names}",
            speeds,
            f"{asked}G" if asked else "",
        )
    )
