"""Legs of twin-port optics without a planned cable: left where that saves a switch, and said, unless the intent does.

Optics are bought by the cage: one that is not full is a pluggable half used, and nothing worse.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from nornir_tasks.design.demand.choices import Choice, Choices
from nornir_tasks.design.model.media import is_twin
from nornir_tasks.design.model.sizing import Layout


@dataclass(frozen=True, slots=True)
class _Cages:
    """The cages of one kind of switch in one direction."""

    tier: str
    choice: Choice
    legs: int
    """Legs to which the layout for ``hosts.max`` assigns a cable."""
    ways: int
    what: str
    """The far ends of the legs."""


def undeclared(choices: Choices, layout: Layout, tiers: Collection[str] = ("leaf", "spine", "core")) -> list[_Cages]:
    """Cages of these tiers with a leg that has no cable in the layout, now or later, and no word on it."""
    declared = _declared(choices)
    return [
        each
        for each in _twin(choices, layout)
        if each.tier in tiers and each.legs % each.ways and declared[each.tier] is None
    ]


def may_be_left(choices: Choices) -> bool:
    """Has a tier twin-port optics, and no word on legs without a cable?"""
    fabric = choices.demand.fabric
    tiers = [each for each in (fabric.leaf, fabric.spine, fabric.core) if each is not None]
    return any(is_twin(each.medium) and each.spare_legs is None for each in tiers)


def allowed(choices: Choices) -> Choices:
    """The same as if ``spare_legs: shut`` stood at each tier."""
    fabric = choices.demand.fabric
    update = {
        tier: part.model_copy(update={"spare_legs": "shut"})
        for tier, part in (("leaf", fabric.leaf), ("spine", fabric.spine), ("core", fabric.core))
        if part is not None
    }
    return replace(choices, demand=replace(choices.demand, fabric=fabric.model_copy(update=update)))


def warnings(choices: Choices, layout: Layout, instead: int | None) -> tuple[str, ...]:
    """What is said of such legs; ``instead``: the switches of one copy of the cheapest fabric without any."""
    why = "no layout fills all cages"
    if instead is not None:
        why = f"without such legs the fabric has {instead * layout.copies} switches"
    return tuple(
        f"a cage of each {each.choice.model.model} is not full, and its rest is kept shut: {each.legs} {each.what},"
        f" {each.ways} to a cage; {why} ({each.tier}.spare_legs: shut accepts this)"
        for each in undeclared(choices, layout)
    )


def _declared(choices: Choices) -> dict[str, str | None]:
    fabric = choices.demand.fabric
    core = fabric.core.spare_legs if fabric.core is not None else None
    return {"leaf": fabric.leaf.spare_legs, "spine": fabric.spine.spare_legs, "core": core}


def _twin(choices: Choices, layout: Layout) -> Iterator[_Cages]:
    """Every kind of split cage with a twin-port optic."""
    fabric, pods = choices.demand.fabric, layout.pods
    if is_twin(fabric.leaf.medium):
        hosts = layout.hosts_per_group * layout.nics_per_host
        for each in choices.leaves:
            yield _Cages("leaf", each, hosts, each.down_ways, "links to hosts")
    if is_twin(fabric.spine.medium):
        for each in choices.leaves:
            yield _Cages("leaf", each, layout.uplinks, each.up_ways, "uplinks")
        for each in choices.spines:
            legs = layout.links_down
            yield _Cages("spine", each, legs, each.down_ways, "links to leaves")
    if fabric.core is not None and choices.core is not None and pods is not None and is_twin(fabric.core.medium):
        for each in choices.spines:
            yield _Cages("spine", each, pods.spine_uplinks, each.up_ways, "links to cores")
        legs = pods.parallel * layout.spine_groups
        yield _Cages("core", choices.core, legs, choices.core.down_ways, "links to spines")
