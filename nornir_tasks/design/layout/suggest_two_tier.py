"""Refusals of two tiers that cannot be built: the numbers, and the nearest design that can."""

from collections.abc import Iterator
from dataclasses import replace
from math import ceil, floor

from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.design.layout.port_allocation import Panel
from nornir_tasks.design.layout.port_capacity import Sizes
from nornir_tasks.design.model.sizing import Option
from nornir_tasks.intent.core.findings import Finding


def no_host_fits(sizes: Sizes) -> Finding:
    """A leaf has too few ports even for one host."""
    demand, down, up = sizes.choices.demand, sizes.nics, sizes.uplinks_for(1)
    panel = min(sizes.leaves, key=lambda each: len(each.down))
    return Finding(
        demand.on_fabric("leaf", "model"),
        f"{panel.model.model} has too few ports for one host",
        f"{down} host ports at {demand.nics.speed}G and {up} uplinks{_peers(sizes)} at {sizes.uplink_gbps}G",
        f"{len(panel.down)} ports" + (f", {len(panel.up)} at {sizes.uplink_gbps}G" if sizes.peer_links else ""),
        "design: rail puts each rail on a leaf of its own" if sizes.leaf_rails == (None,) else "",
    )


def _peers(sizes: Sizes) -> str:
    """The ports that a leaf has for the other one of its pair, if it is in one."""
    return f" and {sizes.peer_links} to the other leaf of the pair" if sizes.peer_links else ""


def too_few_leaf_ports(sizes: Sizes, intended: int, most: int) -> Finding:
    """A leaf group of ``intended`` hosts, on a leaf that takes ``most``."""
    demand, down, up = sizes.choices.demand, intended * sizes.nics, sizes.uplinks_for(intended)
    panel = next(each for each in sizes.leaves if not each.takes(down, up + sizes.peer_links))
    ratio = f"{demand.fabric.spine.oversubscription:g}:1"
    hint = f"nearest that can be built: per_group: {most} ({most * sizes.nics} host ports and "
    hint += f"{sizes.uplinks_for(most)} uplinks)" if most else ""
    return Finding(
        demand.on_nics("per_group"),
        f"{panel.model.model} has too few ports for {intended} hosts at {ratio}",
        f"{down + up + sizes.peer_links}: {down} host ports at {demand.nics.speed}G and {up} uplinks{_peers(sizes)} "
        f"at {sizes.uplink_gbps}G",
        f"{panel.ports()} cages",
        hint + _split_instead(sizes, panel, down, up) if most else "no number fits; choose a model with more ports",
    )


def _split_instead(sizes: Sizes, panel: Panel, down: int, up: int) -> str:
    speed = sizes.choices.demand.nics.speed
    for mode in panel.model.splits:
        ways, _, leg = mode.partition("x")
        split = replace(panel, down=panel.model.slots_at(speed, int(ways)))
        if leg == f"{speed}G" and int(ways) > 1 and split.takes(down, up + sizes.peer_links):
            return f"; or leaf.breakout: {mode}"
    return ""


def too_few_spine_ports(sizes: Sizes, groups: int) -> Finding:
    """No number of spines has ports for a link from every leaf."""
    leaves = groups * len(sizes.leaf_rails)
    ways: list[str] = []
    if sizes.spine_ports >= len(sizes.leaf_rails):
        most = sizes.choices.demand.nics.per_group or sizes.most_hosts()
        hosts = sizes.spine_ports // len(sizes.leaf_rails) * most
        ways.append(f"nearest that can be built: {sizes.choices.demand.most}: {hosts}")
    ways += _nearest_split(sizes, groups)
    if sizes.choices.demand.fabric.design in ("rail", "clos") and not sizes.peer_links:
        ways.append("design: clos3, whose core joins pods of leaves")
    return Finding(
        sizes.choices.demand.on_fabric("spine", "model"),
        f"{_narrowest(sizes)} has too few ports",
        f"one at {sizes.uplink_gbps}G for each link from {leaves} leaves",
        f"{sizes.spine_ports} ports",
        "; or ".join(ways),
    )


def not_so_many_spines(sizes: Sizes, hosts: int, groups: int, count: int) -> Finding:
    """So many spines, as the intent has ports for, cannot take every leaf's links, or leaves have too few ports."""
    spine = sizes.choices.demand.fabric.spine
    parts, path = spine.groups or 1, sizes.choices.demand.on_fabric("spine", spine.planned_by)
    ways = "; or ".join(_nearest_count(sizes, hosts, groups, count))
    if count % parts:
        return Finding(
            path, f"not as many spines in each of {parts} groups", f"a multiple of {parts}", str(count), ways
        )
    least, leaves, spines = sizes.uplinks_for(hosts), groups * len(sizes.leaf_rails) // parts, count // parts
    uplinks, ratio = ceil(least / spines) * spines, f"{sizes.choices.demand.fabric.spine.oversubscription:g}:1"
    if not sizes.fits(hosts, uplinks):
        what = f"a leaf with {least} uplinks does not reach {spines} spines evenly"
        expected = f"{uplinks} uplinks, and ports for them beside those of {hosts} hosts"
        return Finding(path, what, expected, f"{least} uplinks at {ratio}", ways)
    expected = f"one at {sizes.uplink_gbps}G for each link from {leaves} leaves, {uplinks} uplinks each over {spines}: "
    expected += str(leaves * uplinks // spines)
    return Finding(path, f"{_narrowest(sizes)} has too few ports", expected, f"{sizes.spine_ports} ports", ways)


def _narrowest(sizes: Sizes) -> str:
    return min(sizes.spines, key=lambda each: len(each.down)).model.model


def _nearest_count(sizes: Sizes, hosts: int, groups: int, intended: int) -> Iterator[str]:
    parts = sizes.choices.demand.fabric.spine.groups or 1
    leaves, share = groups * len(sizes.leaf_rails) // parts, sizes.choices.demand.fabric.spine.capacity_after_loss
    counts = []
    for spines in range(2, sizes.most_uplinks + 1):
        uplinks = sizes.uplinks_over(hosts, spines, share)
        if sizes.fits(hosts, uplinks) and leaves * uplinks // spines <= sizes.spine_ports:
            counts.append(spines * parts)
    if counts:
        key = sizes.choices.demand.fabric.spine.planned_by
        yield f"nearest that can be built: {key}: {min(counts, key=lambda each: (abs(each - intended), each))}"


def _nearest_split(sizes: Sizes, groups: int) -> Iterator[str]:
    demand = sizes.choices.demand
    if demand.plane.cross_rail == "nvlink" or demand.fabric.design != "rail":
        return
    rails = demand.nics.rails
    for parts in range(2, rails + 1):
        if rails % parts == 0 and groups * rails // parts <= sizes.spine_ports:
            yield f"cross_rail: nvlink, with {parts} spine groups that only NVLink joins"
            return


def loses_too_much(demand: Demand, intended: float, best: Option | None) -> Finding:
    """No layout keeps the declared share with one spine lost; ``best`` keeps the most; None: all have one spine."""
    path, what = (
        demand.on_fabric("spine", "capacity_after_loss"),
        "no layout keeps so much of a leaf's bandwidth with one spine lost",
    )
    if best is None:
        hint = "with one spine nothing is left: another spine.count, or no capacity_after_loss"
        return Finding(path, what, "0, or at least two spines", f"{intended:g}", hint)
    layout, most = best.layout, floor(100 * best.capacity_after_loss) / 100
    how = f"{layout.spines_per_group} spines and {layout.uplinks} uplinks a leaf"
    where = " of each pod" if layout.pods else " of each group" if layout.spine_groups > 1 else ""
    hint = (
        f"nearest that can be built: capacity_after_loss: {most:g}; or a smaller per_group leaves a leaf more uplinks"
    )
    return Finding(path, what, f"at most {most:g}: {how}{where}", f"{intended:g}", hint)
