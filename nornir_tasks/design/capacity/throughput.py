"""What a storage plane carries, compared with what it should: hosts' ports, leaves' uplinks, spines, and failures.

Data are loaded from servers by clients, checkpoints go the other way, each from all of them at once and evenly. Links
carry as much in either direction, so the two are compared apart. All is counted for the hosts of ``hosts.max``.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Literal

from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.model.sizing import Layout
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.core.findings import Finding, Marks
from nornir_tasks.intent.keys.bonded_plane import StorageDemandIntent

GBIT_PER_GIB = 8 * 1024**3 / 10**9

Failure = Literal["", "one port of a host", "one uplink", "one leaf", "one spine"]
"""What is lost; empty: nothing."""


@dataclass(frozen=True, slots=True)
class Load:
    """One part of the fabric: what goes through it, and what it carries."""

    plane: str
    purpose: Literal["loading", "checkpoint"]
    part: str
    """``ports of a host of gpu``, ``uplinks of a leaf of storage``, ``links of a spine to gpu``."""
    lost: Failure
    needed_gbps: float
    has_gbps: float

    @property
    def share(self) -> float:
        """Of what the part carries; above 1 it is too much, and infinite where nothing is left."""
        return self.needed_gbps / self.has_gbps if self.has_gbps else float("inf")


@dataclass(frozen=True, slots=True)
class _Side:
    """The hosts of one group, with its leaves."""

    demand: Demand
    layout: Layout
    hosts: int
    """Of the group, and of others of its side on the same leaves."""
    share: float
    """Part of the side's whole traffic that each host has."""


def loads(network: Network, demands: Iterable[Demand]) -> tuple[Load, ...]:
    """Every part of every plane with a declared demand, in the order of the file."""
    found: list[Load] = []
    by_plane: dict[str, list[Demand]] = {}
    for each in demands:
        by_plane.setdefault(each.plane_name, []).append(each)
    for name, on_it in by_plane.items():
        layouts = {each.group: each.layout for each in network.fabrics[on_it[0].fabric_name].parts_of(name)}
        found += _of_plane(on_it, layouts)
    return tuple(found)


def check(network: Network, demands: Sequence[Demand], marks: Marks) -> None:
    """Raise DesignError for every part that carries less than is declared although nothing is lost."""
    over = [each for each in loads(network, demands) if not each.lost and each.share > 1]
    intents = {each.plane_name: each.plane.demand for each in demands}
    findings = [_finding(each, intent) for each in over if (intent := intents[each.plane]) is not None]
    if findings:
        raise DesignError(marks.problems(findings))


def _finding(load: Load, intent: StorageDemandIntent) -> Finding:
    path = ("planes", load.plane, "demand", "loading_gib_per_s" if load.purpose == "loading" else "checkpoint")
    nearest = f"loading_gib_per_s: {floor((intent.loading_gib_per_s or 0) / load.share * 10) / 10:g}"
    if load.purpose == "checkpoint" and intent.checkpoint is not None:
        nearest = f"within_s: {ceil(intent.checkpoint.within_s * load.share)}"
    return Finding(
        path,
        f"more than the {load.part} carry",
        f"at most {load.has_gbps:.4g} Gbit/s there",
        f"{load.needed_gbps:.4g} Gbit/s",
        f"nearest that they carry: {nearest}; or {load.share:.3g} times as much bandwidth there",
    )


def _of_plane(on_it: Sequence[Demand], layouts: Mapping[str, Layout]) -> Iterator[Load]:
    plane = on_it[0].plane
    if plane.demand is None:
        return
    checkpoint = plane.demand.checkpoint
    rates: dict[Literal["loading", "checkpoint"], float | None] = {
        "loading": plane.demand.loading_gib_per_s,
        "checkpoint": None if checkpoint is None else checkpoint.gib / checkpoint.within_s,
    }
    sides = [*_sides(on_it, layouts, plane.servers, are_servers=False)]
    sides += _sides(on_it, layouts, plane.servers, are_servers=True)
    for purpose, rate in rates.items():
        for side in sides if rate is not None else ():
            for part, lost, needed, has in _parts(side, (rate or 0) * GBIT_PER_GIB):
                yield Load(on_it[0].plane_name, purpose, part, lost, needed, has)


def _sides(
    on_it: Sequence[Demand], layouts: Mapping[str, Layout], servers: Sequence[str], *, are_servers: bool
) -> Iterator[_Side]:
    groups = [each for each in on_it if (each.group in servers) == are_servers]
    total = sum(each.own_max for each in groups)
    for each in groups:
        first = layouts[each.group].groups_before
        there = sum(other.own_max for other in groups if layouts[other.group].groups_before == first)
        yield _Side(each, layouts[each.group], there, 1 / total)


Row = tuple[str, Failure, float, float]


def _parts(side: _Side, total: float) -> Iterator[Row]:
    yield from _host(side, total * side.share)
    yield from _leaf(side, total * side.share)
    yield from _spine(side, total * side.share)


def _host(side: _Side, needed: float) -> Iterator[Row]:
    nics, part = side.demand.nics, f"ports of a host of {side.demand.group}"
    leaves = len(side.layout.leaf_rails)
    yield part, "", needed, nics.rails * nics.speed
    yield part, "one port of a host", needed, (nics.rails - 1) * nics.speed
    yield part, "one leaf", needed, nics.rails * (leaves - 1) // leaves * nics.speed


def _leaf(side: _Side, of_a_host: float) -> Iterator[Row]:
    layout, part = side.layout, f"uplinks of a leaf of {side.demand.group}"
    leaves = len(layout.leaf_rails)
    of_group = of_a_host * min(side.hosts, layout.hosts_per_group)
    needed, gbps = of_group / leaves, layout.uplink_gbps
    yield part, "", needed, layout.uplinks * gbps
    yield part, "one uplink", needed, (layout.uplinks - 1) * gbps
    if leaves > 1:
        yield part, "one leaf", of_group / (leaves - 1), layout.uplinks * gbps
    yield part, "one spine", needed, (layout.uplinks - layout.parallel) * gbps


def _spine(side: _Side, of_a_host: float) -> Iterator[Row]:
    layout, part = side.layout, f"links of a spine to leaves of {side.demand.group}"
    total, has = of_a_host * side.hosts, layout.leaves * layout.parallel * layout.uplink_gbps
    yield part, "", total / layout.spines, has
    if layout.spines > 1:
        yield part, "one spine", total / (layout.spines - 1), has
