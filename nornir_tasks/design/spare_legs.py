"""Legs of twin-port optics without a planned cable: refused, unless the intent says what they are for."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from nornir_tasks.design.choices import Choice, Choices
from nornir_tasks.design.layout import Layout
from nornir_tasks.design.media import is_twin
from nornir_tasks.intent.findings import Finding


@dataclass(frozen=True, slots=True)
class _Cages:
    """The cages of one kind of switch in one direction."""

    tier: str
    key: str
    choice: Choice
    legs: int
    """Legs to which the layout for ``hosts.max`` assigns a cable."""
    ways: int
    what: str
    """The far ends of the legs."""


def refusals(choices: Choices, layout: Layout, tiers: Collection[str] = ("leaf", "spine", "core")) -> Iterator[Finding]:
    """Kinds of switch of these tiers with a cage of which one leg has no cable in the layout, now or later."""
    fabric = choices.demand.fabric
    declared = {"leaf": fabric.leaf.spare_legs, "spine": fabric.spine.spare_legs}
    declared["core"] = fabric.core.spare_legs if fabric.core is not None else None
    for cages in _twin(choices, layout):
        spare = -cages.legs % cages.ways
        if spare and declared[cages.tier] is None and cages.tier in tiers:
            demand, model = choices.demand, cages.choice.model.model
            yield Finding(
                demand.on_fabric(cages.tier, cages.key),
                f"half a cage of each {model} is left over: {spare} of {cages.ways} legs has no cable",
                f"a multiple of {cages.ways} {cages.what}, or a word on the rest",
                f"{cages.legs} {cages.what}",
                f"nearest that can be built: {cages.tier}.spare_legs: shut, which keeps the rest shut"
                + _filled(choices, layout, cages),
            )


def _twin(choices: Choices, layout: Layout) -> Iterator[_Cages]:
    """Every kind of split cage with a twin-port optic."""
    fabric, pods = choices.demand.fabric, layout.pods
    if is_twin(fabric.leaf.medium):
        hosts = layout.hosts_per_group * layout.nics_per_host
        for each in choices.leaves:
            yield _Cages("leaf", "breakout", each, hosts, each.down_ways, "links to hosts")
    if is_twin(fabric.spine.medium):
        for each in choices.leaves:
            yield _Cages("leaf", "uplink_breakout", each, layout.uplinks, each.up_ways, "uplinks")
        for each in choices.spines:
            legs = layout.links_down
            yield _Cages("spine", "breakout", each, legs, each.down_ways, "links to leaves")
    if fabric.core is not None and choices.core is not None and pods is not None and is_twin(fabric.core.medium):
        for each in choices.spines:
            yield _Cages("spine", "uplink_breakout", each, pods.spine_uplinks, each.up_ways, "links to cores")
        legs = pods.parallel * layout.spine_groups
        yield _Cages("core", "breakout", choices.core, legs, choices.core.down_ways, "links to spines")


def _filled(choices: Choices, layout: Layout, cages: _Cages) -> str:
    """What would fill the cages instead, if one figure of the intent can."""
    full = cages.legs + -cages.legs % cages.ways
    if (cages.tier, cages.key) == ("leaf", "uplink_breakout") and full % layout.spines_per_group == 0:
        down = layout.hosts_per_group * layout.nics_per_host * choices.demand.nics.speed
        return f"; or {full} uplinks, which spine.oversubscription: {down / (full * layout.uplink_gbps):g} makes"
    if (cages.tier, cages.key) == ("leaf", "breakout") and full % layout.nics_per_host == 0:
        return f"; or per_group: {full // layout.nics_per_host}"
    return ""
