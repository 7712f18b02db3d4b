"""The hard prefix limit of each BGP session: what the neighbour's outbound list lets through, and half as much again.

A leaf announces its loopback and its host blocks. A spine or core announces all that it knows: its own loopback and
what it learned. All at ``hosts.max``, so that growth changes no limit.

Each leaf counts as having at least LEAST_OF_A_LEAF prefixes. A push reaches the spines after the first leaf and before
the last one, so while planes are added or taken off some switch has the old limit and others announce already, or
still, what the new one is for: without this room two planes more than one would end sessions in the middle of a push.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from nornir_tasks.design.model.sizing import Layout

ROOM = Fraction(3, 2)
LEAST_OF_A_LEAF = 4
"""Its loopback and the blocks of three planes: compute or storage, business, and what is at the boundary."""


@dataclass(frozen=True, slots=True)
class LeafPrefixes:
    """The leaves of one section of a fabric."""

    layout: Layout
    planes: int
    """The planes with hosts on these leaves: each leaf announces a block of each."""

    @property
    def of_a_leaf(self) -> int:
        """Prefixes that are counted for each leaf."""
        return max(LEAST_OF_A_LEAF, 1 + self.planes)


def announced(sections: Sequence[LeafPrefixes]) -> tuple[int, ...]:
    """Level -> the most prefixes that one switch of it announces: leaf, spine, and with three tiers core."""
    layout = sections[0].layout
    leaf = max(each.of_a_leaf for each in sections)
    if layout.pods is None:
        return leaf, 1 + sum(each.layout.leaves_per_spine * each.of_a_leaf for each in sections)
    of_leaves = sum(each.layout.leaves * each.of_a_leaf for each in sections)
    spines = layout.spine_groups  # those of its position in all pods
    return leaf, of_leaves + spines + layout.pods.cores_per_plane, of_leaves + spines + 1


def prefix_limit(announced: int) -> int:
    """The limit of a session with a neighbour that announces so many prefixes at most."""
    return ceil(ROOM * announced)
