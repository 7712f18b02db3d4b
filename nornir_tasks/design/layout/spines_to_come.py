"""Spines that leaves keep ports for, and that are not there yet: what a leaf lacks until they are."""

from collections.abc import Iterator
from math import ceil

from nornir_tasks.design.demand.choices import Choices
from nornir_tasks.design.model.sizing import Layout
from nornir_tasks.intent.core.findings import Finding


def share_there(choices: Choices, layout: Layout, *, lost: int = 0) -> float:
    """Share of the declared bandwidth that the uplinks of a full leaf carry now, with so many spines lost."""
    demand = choices.demand
    down = layout.hosts_per_group * layout.nics_per_host * demand.nics.speed
    up = layout.parallel * max(0, layout.spines_there - lost) * layout.uplink_gbps
    return up * demand.fabric.spine.oversubscription / down


def warnings(choices: Choices, layout: Layout) -> Iterator[str]:
    """At most one: the spines that are there carry less than ``oversubscription`` and ``capacity_after_loss`` say."""
    if not (layout.spines_to_come and layout.spines_there):
        return
    now, with_one_lost = share_there(choices, layout), share_there(choices, layout, lost=1)
    if now < 1 or with_one_lost < choices.demand.fabric.spine.capacity_after_loss:
        there = f"{layout.spines_there} of {layout.spines_per_group} spines are there"
        of_each = " in each group" if layout.spine_groups > 1 else ""
        yield (
            f"{there}{of_each}: until the others come, a full leaf has {min(1.0, now):.0%} of its declared uplink "
            f"bandwidth, and {min(1.0, with_one_lost):.0%} with one spine lost"
        )


def idle(choices: Choices, layout: Layout) -> Iterator[str]:
    """At most one: the spines of a fabric with leaves of one layout alone join nothing. Routers of a tree route."""
    if (
        choices.demand.fabric.design != "tree"
        and layout.leaves == layout.spine_groups
        and layout.spines_there
        and not layout.pods
    ):
        alone = "each spine group has one leaf" if layout.spine_groups > 1 else "one leaf has all hosts"
        most = f"spine.count: 0 with max: {layout.spines}"
        yield f"{alone}, so the spines join nothing: {most} leaves them out until a second leaf comes"


def refusals(choices: Choices, layout: Layout) -> Iterator[Finding]:
    """Leaves that no spine joins yet: one alone needs none."""
    demand, groups = choices.demand, ceil(choices.demand.hosts.count / layout.hosts_per_group)
    leaves = groups * len(layout.leaf_rails) + (layout.beside.leaves if layout.beside else 0)
    if not layout.spines_there and leaves > (1 if layout.pods else layout.spine_groups):
        what, expected = "no spine joins the leaves that hosts are cabled to", "1 or more; 0 where all are on one leaf"
        yield Finding(demand.on_fabric("spine", "count"), what, expected, f"{leaves} leaves, count: 0")
