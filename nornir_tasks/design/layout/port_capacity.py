"""The limits from the ports of leaves and spines: hosts of a leaf group, uplinks of a leaf, links to a spine."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil

from nornir_tasks.design.demand.choices import Choices
from nornir_tasks.design.layout.port_allocation import Panel
from nornir_tasks.design.layout.speeds import check_host_speed, uplink_speed
from nornir_tasks.design.model.sizing import PAIR
from nornir_tasks.intent.core.unknown import UnknownValueError

_ROUNDING = 1e-9
"""Tolerance of floating-point ratios: a ratio this much above a whole number counts as that number."""


@dataclass(frozen=True)
class Sizes:
    """The two lower tiers of one fabric."""

    choices: Choices
    leaves: tuple[Panel, ...]
    """Each kind of leaf."""
    leaf_rails: tuple[int | None, ...]
    """The rail of each leaf of a group; ``(None,)`` where one leaf serves all; of a pair the places in it."""
    uplink_gbps: int
    _fitting: dict[tuple[int, int], bool] = field(default_factory=dict)

    @classmethod
    def of(cls, choices: Choices) -> "Sizes":
        """Raises CannotBuildError where no ports of the models fit the hosts or one another."""
        demand = choices.demand
        check_host_speed(choices)
        speed = uplink_speed(choices)
        leaves = tuple(Panel.of(choice, demand.nics.speed, speed) for choice in choices.leaves)
        has_rails = demand.fabric.design not in ("clos", "tree")
        rails: tuple[int | None, ...] = tuple(range(demand.nics.rails)) if has_rails else (None,)
        if demand.fabric.leaf.pairs is not None:
            rails = PAIR
        if demand.nics.rails % len(rails):
            raise UnknownValueError  # never in an intent without mistakes
        return cls(choices, leaves, rails, speed)

    @property
    def nics(self) -> int:
        """NIC ports of one host on one leaf."""
        return self.choices.demand.nics.rails // len(self.leaf_rails)

    @cached_property
    def spines(self) -> tuple[Panel, ...]:
        """Each kind of spine, with all its ports for leaves."""
        return tuple(Panel.of(choice, self.uplink_gbps) for choice in self.choices.spines)

    @cached_property
    def spine_ports(self) -> int:
        """Number of links to leaves for which every kind of spine has ports."""
        return min(len(panel.down) for panel in self.spines)

    @property
    def peer_links(self) -> int:
        """Links between both leaves of a pair; 0: there are no pairs."""
        pairs = self.choices.demand.fabric.leaf.pairs
        return 0 if pairs is None else pairs.links

    @cached_property
    def most_uplinks(self) -> int:
        """Uplinks of a leaf without hosts."""
        return max(0, min(len(panel.up) for panel in self.leaves) - self.peer_links)

    def needed(self, hosts: int) -> float:
        """Uplinks that carry the declared bandwidth of a full leaf; a fraction."""
        down = hosts * self.nics * self.choices.demand.nics.speed
        return down / (self.choices.demand.fabric.spine.oversubscription * self.uplink_gbps)

    def uplinks_for(self, hosts: int) -> int:
        """The fewest uplinks that keep the declared oversubscription."""
        return max(1, ceil(self.needed(hosts) - _ROUNDING))

    def uplinks_over(self, hosts: int, spines: int, capacity_after_loss: float) -> int:
        """The fewest that also spread evenly over so many spines and keep this share of bandwidth with one spine lost.

        A single spine keeps nothing, whatever the share.
        """
        least = self.needed(hosts)
        if spines > 1:
            least = max(least, capacity_after_loss * least * spines / (spines - 1))
        return spines * max(1, ceil(least / spines - _ROUNDING))

    def fits(self, hosts: int, uplinks: int) -> bool:
        """Does every kind of leaf have the ports?"""
        key = (hosts, uplinks)
        if key not in self._fitting:
            up = uplinks + self.peer_links
            self._fitting[key] = all(panel.takes(hosts * self.nics, up) for panel in self.leaves)
        return self._fitting[key]

    def most_hosts(self) -> int:
        """The most hosts a leaf group takes at the declared oversubscription; 0: none."""
        limit = min(len(panel.down) for panel in self.leaves) // self.nics
        return next((hosts for hosts in range(limit, 0, -1) if self.fits(hosts, self.uplinks_for(hosts))), 0)

    def groupings(self, most: int) -> Iterator[tuple[int, int]]:
        """(hosts of a leaf group, leaf groups) to try, fewest groups first, the hosts spread evenly over them."""
        hosts_intent, per_group = self.choices.demand.hosts, self.choices.demand.nics.per_group
        if per_group is not None:
            yield per_group, ceil(hosts_intent.max / per_group)
            return
        counts = dict.fromkeys(ceil(hosts_intent.max / hosts) for hosts in range(most, 0, -1))
        for groups in counts:
            yield ceil(hosts_intent.max / groups), groups
