"""Limits that the search for a layout goes by: ECMP, routes, BFD and ports, whose use depends on the layout."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from nornir_tasks.design.demand.choices import Choice, Choices
from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.design.layout import spare_legs
from nornir_tasks.design.layout.port_allocation import Panel, all_slots
from nornir_tasks.design.model.catalogue import Slot
from nornir_tasks.design.model.sizing import Layout
from nornir_tasks.intent.core.findings import Finding


def holds(choices: Choices, layout: Layout) -> bool:
    """Does every kind of switch have room for this layout in the tables and ports whose use depends on the layout?

    A leg of a cage that has no cable, and no word on it, counts as no room.
    """
    check = TableLimits(choices, layout)
    if spare_legs.undeclared(choices, layout) or any(True for _ in check.logical_ports()):
        return False
    return not any(
        True for each in kinds_of_switches(choices) for _ in (*check.ecmp(each), *check.routes(each), *check.bfd(each))
    )


def leaves_hold(choices: Choices, layout: Layout) -> bool:
    """Does every kind of leaf have room for this layout? Spines may have leaves of other layouts, too."""
    check = TableLimits(choices, layout)
    if spare_legs.undeclared(choices, layout, ("leaf",)) or any(True for _ in check.leaf_ports()):
        return False
    return not any(True for each in kinds_of_switches(choices) for _ in check.ecmp(each))


def kinds_of_switches(choices: Choices) -> Iterator[Choice]:
    """Each kind of switch once."""
    seen = set()
    for choice in choices.all:
        kind = (choice.os, choice.release, choice.model.model)
        if kind not in seen:
            seen.add(kind)
            yield choice


def _in_words(prefixes: int) -> str:
    """The number of prefixes that a leaf announces: its own, and one per plane; usually two."""
    return {2: "two", 3: "three"}.get(prefixes, str(prefixes))


def switch_kind(choice: Choice) -> str:
    """Model and system, as refusals name them."""
    return f"{choice.model.model} with {choice.os} {choice.release}"


def _too_many(choice: Choice, slots: tuple[Slot, ...]) -> Iterator[Finding]:
    limit = choice.model.logical_ports
    if limit is not None and (there := len(all_slots(choice.model, slots))) > limit:
        yield Finding(
            (*choice.path, "breakout"),
            f"{choice.model.model} has {limit} ports at once",
            f"at most {limit}",
            f"{there}, split cages counted by their legs",
            "split fewer ways, or spread the hosts over more leaves",
        )


@dataclass(frozen=True)
class TableLimits:
    """Findings of one fabric with one layout, by limit."""

    choices: Choices
    layout: Layout

    @property
    def demand(self) -> Demand:
        """What is asked of the fabric."""
        return self.choices.demand

    def ecmp(self, choice: Choice) -> Iterator[Finding]:
        wanted = self.layout.most_uplinks()
        limits = (choice.capabilities.max_ecmp_paths, choice.model.max_ecmp_paths)
        most = min(limit for limit in limits if limit is not None)
        if wanted > most:
            demand = self.demand
            down = self.layout.hosts_per_group * self.layout.nics_per_host * demand.nics.speed
            ratio = ceil(100 * down / (most * self.layout.uplink_gbps)) / 100
            yield Finding(
                self.demand.on_fabric("spine"),
                f"{switch_kind(choice)} holds ECMP groups of {most} paths",
                f"at most {most} uplinks a leaf",
                f"{wanted} uplinks",
                f"nearest that can be built: oversubscription: {ratio:g}, or per_group: "
                f"{self.layout.hosts_per_group * most // wanted}",
            )

    def routes(self, choice: Choice) -> Iterator[Finding]:
        leaves, above = self.layout.all_leaves, self.layout.spines + self.layout.cores
        prefixes, limit = 2 + self.demand.sharers, choice.model.ipv4_routes
        routes = prefixes * leaves + above
        if limit is not None and routes > limit:
            yield Finding(
                self.demand.on_hosts("max"),
                f"{choice.model.model} holds {limit} IPv4 routes",
                f"at most {limit}",
                f"{routes}: {_in_words(prefixes)} for each of {leaves} leaves, one for each of {above} spines"
                + (" and cores" if self.layout.cores else ""),
                f"nearest that can be built: {self.demand.most}: {self._most_hosts(limit)}",
            )

    def _most_hosts(self, routes: int) -> int:
        """Hosts whose leaves have this many routes, with the present spines and cores."""
        left = routes - self.layout.spines - self.layout.cores
        each = (2 + self.demand.sharers) * len(self.layout.leaf_rails)
        return max(0, left // each) * self.layout.hosts_per_group

    def bfd(self, choice: Choice) -> Iterator[Finding]:
        limit = choice.model.max_bfd_sessions
        sessions = max(self._sessions(each) for each in self.choices.all if each.model is choice.model)
        if self.demand.fabric.routing.bfd and limit is not None and sessions > limit:
            yield Finding(
                self.demand.on_fabric("routing", "bfd"),
                f"{choice.model.model} holds {limit} BFD sessions",
                f"at most {limit}, or bfd: false",
                f"{sessions}: one for each link to another switch",
            )

    def _sessions(self, choice: Choice) -> int:
        layout = self.layout
        if choice in self.choices.leaves:
            return layout.uplinks
        if choice in self.choices.spines:
            return layout.links_down + (layout.pods.spine_uplinks if layout.pods else 0)
        return layout.pods.parallel * layout.spine_groups if layout.pods else 0

    def logical_ports(self) -> Iterator[Finding]:
        """Number of ports at once, where split cages count as their legs."""
        yield from self.leaf_ports()
        layout = self.layout
        for choice in self.choices.spines:
            panel = Panel.of(choice, layout.uplink_gbps, layout.pods.core_gbps if layout.pods else None)
            up = panel.uplinks(layout.pods.spine_uplinks) if layout.pods else ()
            yield from _too_many(choice, (*panel.downlinks(layout.links_down), *up))

    def leaf_ports(self) -> Iterator[Finding]:
        """The same of leaves alone."""
        layout, speed = self.layout, self.demand.nics.speed
        down = layout.hosts_per_group * layout.nics_per_host
        for choice in self.choices.leaves:
            panel = Panel.of(choice, speed, layout.uplink_gbps)
            yield from _too_many(choice, (*panel.downlinks(down), *panel.uplinks(layout.ports_up)))
