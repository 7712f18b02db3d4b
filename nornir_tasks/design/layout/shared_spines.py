"""The cheapest layouts of several sections together: leaves of all sections share the cages of the spines.

A spine's cage may have legs of two sections, so its pluggables are counted over the whole switch. How many legs the
last cage lacks decides whether a layout can be built at all: so for each such number the cheapest layouts are kept.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import lcm

from nornir_tasks.design.demand.choices import Choices
from nornir_tasks.design.layout.cheapest import spine_optics
from nornir_tasks.design.model.sizing import Sizing


@dataclass(frozen=True, slots=True)
class Together:
    """One sizing of each section, all with the same spines, and the costs of this fabric."""

    sized: tuple[Sizing, ...]
    switches: int
    links: int
    optics: int

    @property
    def links_down(self) -> int:
        """Links of each spine to the leaves of all sections."""
        return sum(each.chosen.layout.spine_places for each in self.sized)

    @property
    def rank(self) -> tuple[int, ...]:
        """Lower is better: as for a fabric of one section, with the number of spines before that of leaf groups."""
        layouts = [each.chosen.layout for each in self.sized]
        groups, uplinks = sum(each.leaf_groups for each in layouts), sum(each.uplinks for each in layouts)
        return (self.switches, self.links, self.optics, layouts[0].spines, groups, uplinks)


def together(choices: Choices, spines: int, sizings: Sequence[Sequence[Sizing]]) -> Iterable[Together]:
    """The cheapest fabric for each number of legs that the last cage of a spine may lack.

    ``choices``: of any section, as the spines are the same; ``sizings``: of each section, all with so many spines.
    """
    optics_of = cache(lambda links_down: spine_optics(choices, spines, links_down))
    ways = lcm(*(each.down_ways for each in choices.spines))
    best = {0: Together((), spines, 0, 0)}
    for section in sizings:
        found: dict[int, Together] = {}
        for fabric in best.values():
            for sizing in section:
                one = _with(fabric, sizing, optics_of)
                other = found.setdefault(one.links_down % ways, one)
                if one.rank < other.rank:
                    found[one.links_down % ways] = one
        best = found
    return best.values()


def _with(fabric: Together, sizing: Sizing, spine_optics_of: Callable[[int], int]) -> Together:
    """The fabric with the leaves of one more section."""
    option, before = sizing.chosen, fabric.links_down
    places = option.layout.spine_places
    shared = spine_optics_of(before + places) - spine_optics_of(before) - spine_optics_of(places)
    return Together(
        (*fabric.sized, sizing),
        fabric.switches + option.layout.leaves,
        fabric.links + option.links,
        fabric.optics + option.optics + shared,
    )
