"""Spines that leaves keep ports for, and that are not there yet: what a leaf lacks until they are."""

from collections.abc import Iterator

from nornir_tasks.design.choices import Choices
from nornir_tasks.design.layout import Layout


def share_there(choices: Choices, layout: Layout, *, lost: int = 0) -> float:
    """Share of the declared bandwidth that the uplinks of a full leaf carry now, with so many spines lost."""
    demand = choices.demand
    down = layout.hosts_per_group * layout.nics_per_host * demand.nics.speed
    up = layout.parallel * max(0, layout.spines_there - lost) * layout.uplink_gbps
    return up * demand.fabric.spine.oversubscription / down


def warnings(choices: Choices, layout: Layout) -> Iterator[str]:
    """At most one: the spines that are there carry less than ``oversubscription`` and ``capacity_after_loss`` say."""
    if not layout.spines_to_come:
        return
    now, with_one_lost = share_there(choices, layout), share_there(choices, layout, lost=1)
    if now < 1 or with_one_lost < choices.demand.fabric.spine.capacity_after_loss:
        there = f"{layout.spines_there} of {layout.spines_per_group} spines are there"
        of_each = " in each group" if layout.spine_groups > 1 else ""
        yield (
            f"{there}{of_each}: until the others come, a full leaf has {min(1.0, now):.0%} of its declared uplink "
            f"bandwidth, and {min(1.0, with_one_lost):.0%} with one spine lost"
        )
