"""The number of switches and links of each kind: the layout for ``hosts.max``, and the refusal of what does not fit.

A leaf group is the set of leaves that serve the same hosts: one leaf per rail (``rail``, ``clos3``), or one leaf for
all rails (``clos``). When a spine cannot take a link from every leaf, spines form groups, and a leaf's spine group is a
function of its rail only: contiguous rails, never the leaf group, so that any two hosts of one rail always have a path.
With three tiers, leaf groups form pods, each with its own spines, and the cores connect the pods (:mod:`.pods`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import ceil

from nornir_tasks.design.demand.choices import Choices
from nornir_tasks.design.demand.findings_by_group import named
from nornir_tasks.design.layout import spare_legs, spines_to_come, suggest_two_tier
from nornir_tasks.design.layout.cheapest import Builds, Cheapest, in_all_copies, in_words, priced
from nornir_tasks.design.layout.pods import PodSizing
from nornir_tasks.design.layout.port_capacity import Sizes
from nornir_tasks.design.layout.table_limits import holds, leaves_hold
from nornir_tasks.design.model.sizing import CannotBuildError, Layout, Option, Sizing
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.core.findings import Finding, Marks
from nornir_tasks.intent.core.unknown import UnknownValueError

__all__ = ["Sizing", "every_sizing", "lay_out"]

MIN_SPINES = 2
"""A single spine is no redundancy; it results from ``count`` only, or from leaves without a port for a second
uplink."""


_NEARBY = 8
"""So many other numbers of spines are tried beside a declared one."""


def lay_out(choices: Choices, marks: Marks, *, is_one_of_several: bool = False) -> Sizing:
    """Size the fabric. Raises DesignError with the numbers and the nearest design that can be built.

    ``is_one_of_several``: other groups of hosts or planes are on the fabric, so a refusal names these.
    """
    try:
        found = _with_few_legs_left(choices)
    except CannotBuildError as refusal:
        findings = (named(each, choices.demand) if is_one_of_several else each for each in refusal.findings)
        raise DesignError(marks.problems(findings)) from None
    two = _two_tiers(choices) if choices.core is not None else None
    chosen, other = in_all_copies(choices, found.chosen), found.runner_up
    found = replace(found, chosen=chosen, runner_up=other and in_all_copies(choices, other))
    layout = found.chosen.layout
    more = (*_more_leaves(choices, layout), *spines_to_come.idle(choices, layout))
    more += tuple(spines_to_come.warnings(choices, layout))
    found = replace(found, warnings=(*found.warnings, *more))
    if two is None or two.switches >= found.chosen.switches:
        return found
    instead = f"two tiers would do (design: rail, no core): {in_words(two)}"
    return replace(found, warnings=(*found.warnings, f"{instead}, and {found.chosen.switches} with three"))


def _with_few_legs_left(choices: Choices) -> Sizing:
    """The cheapest that fills all split cages, unless one that does not has fewer switches."""
    full = _Sizer.of(choices, partial(holds, choices)).sizing()
    loose = spare_legs.allowed(choices)
    if not spare_legs.may_be_left(choices):
        return full
    found, is_full = _Sizer.of(loose, partial(holds, loose)).sizing(), holds(choices, full.chosen.layout)
    if is_full and full.chosen.switches <= found.chosen.switches:
        return full
    warned = spare_legs.warnings(choices, found.chosen.layout, full.chosen.switches if is_full else None)
    return replace(found, warnings=(*found.warnings, *warned))


def every_sizing(choices: Choices) -> tuple[Sizing, ...]:
    """Every layout with the declared number of spines, whatever else these carry; none if no ports allow one.

    If the tables or ports of the leaves have room for none of them, all are given: their refusal shows the numbers.
    """
    try:
        found = tuple(_Sizer.of(choices, partial(leaves_hold, choices)).every())
    except CannotBuildError:
        return ()
    return tuple(each for each in found if leaves_hold(choices, each.chosen.layout)) or found


def _more_leaves(choices: Choices, chosen: Layout) -> Iterator[str]:
    """The warning about a declared number of spines that takes more leaves than another one nearby."""
    fabric = choices.demand.fabric
    count, groups = fabric.spine.planned, ceil(choices.demand.hosts.max / (Sizes.of(choices).most_hosts() or 1))
    if count is None or choices.core is not None or choices.demand.nics.per_group or chosen.leaf_groups <= groups:
        return
    least = MIN_SPINES if fabric.spine.max is None else max(MIN_SPINES, fabric.spine.count or 0)
    for other in sorted(range(least, 2 * count), key=lambda each: (abs(each - count), each))[:_NEARBY]:
        spine = fabric.spine.with_planned(other)
        each = replace(choices, demand=replace(choices.demand, fabric=fabric.model_copy(update={"spine": spine})))
        try:
            found = _with_few_legs_left(each).chosen.layout
        except CannotBuildError:
            continue
        if found.leaf_groups < chosen.leaf_groups and holds(spare_legs.allowed(each), found):
            key = f"spine.{fabric.spine.planned_by}"
            yield f"{key}: {count} takes {chosen.leaves} leaves; {found.leaves} do with {key}: {other}"
            return


def _two_tiers(choices: Choices) -> Option | None:
    """The cheapest layout without cores in which all rails share their spines; None if there is none."""
    demand = choices.demand
    spine = demand.fabric.spine.model_copy(update={"count": None, "max": None, "pod_leaf_groups": None})
    fabric = demand.fabric.model_copy(update={"design": "rail", "core": None, "spine": spine})
    plane = demand.plane.model_copy(update={"cross_rail": "fabric"})
    without = replace(choices, demand=replace(demand, fabric=fabric, plane=plane), core=None)
    try:
        found = _Sizer.of(without, partial(holds, without)).sizing().chosen
    except CannotBuildError:
        return None
    fits = holds(without, found.layout) and found.layout.spines_per_group >= MIN_SPINES
    return in_all_copies(choices, found) if fits else None


@dataclass(frozen=True)
class _Sizer:
    """The search: considers every layout that the ports allow, and keeps the cheapest."""

    sizes: Sizes
    pods: PodSizing | None
    builds: Builds
    hosts_per_group: int
    """Hosts per leaf group: the most that a leaf takes, or as declared."""

    @classmethod
    def of(cls, choices: Choices, builds: Builds) -> "_Sizer":
        sizes, demand = Sizes.of(choices), choices.demand
        most, intended = sizes.most_hosts(), demand.nics.per_group
        if intended is None and most == 0:
            raise CannotBuildError(suggest_two_tier.no_host_fits(sizes))
        if intended is not None and intended > most:
            raise CannotBuildError(suggest_two_tier.too_few_leaf_ports(sizes, intended, most))
        pods = PodSizing.of(sizes, choices.core, demand.fabric.core) if choices.core and demand.fabric.core else None
        return cls(sizes, pods, builds, intended or most)

    def sizing(self) -> Sizing:
        """The cheapest with two spines or more; with one, if declared or if the leaves have no room for a second."""
        spine = self.sizes.choices.demand.fabric.spine
        intended, is_declared = spine.capacity_after_loss, "capacity_after_loss" in spine.model_fields_set
        found = self._search(intended)
        if found.chosen is None and not is_declared:
            found = self._search(intended, single=True)
        if found.chosen is None:
            raise CannotBuildError(self._refusal(intended))
        single = found.chosen.layout.spines_per_group == 1
        if single and is_declared and intended > 0:
            raise CannotBuildError(suggest_two_tier.loses_too_much(self.sizes.choices.demand, intended, None))
        warnings = (_single_point(found.chosen.layout, is_declared=spine.count is not None),) if single else ()
        return Sizing(self._with_places(found.chosen), found.runner_up, warnings)

    def every(self) -> Iterator[Sizing]:
        """Every layout with the declared number of spines that keeps the declared capacity, with its costs alone."""
        spine, nothing = self.sizes.choices.demand.fabric.spine, Cheapest(self.sizes.choices, self.builds)
        is_declared = spine.capacity_after_loss > 0 and "capacity_after_loss" in spine.model_fields_set
        for hosts, groups in self.sizes.groupings(self.hosts_per_group):
            for layout in self._layouts(hosts, groups, spine.capacity_after_loss, nothing, single=False):
                single = layout.spines_per_group == 1
                if not (single and is_declared):
                    warnings = (_single_point(layout, is_declared=True),) if single else ()
                    yield Sizing(priced(self.sizes.choices, layout), None, warnings)

    def _search(self, capacity_after_loss: float, *, single: bool = False) -> Cheapest:
        found = Cheapest(self.sizes.choices, self.builds)
        for hosts, groups in self.sizes.groupings(self.hosts_per_group):
            if self._least_switches(hosts, groups) <= found.most_switches:
                for layout in self._layouts(hosts, groups, capacity_after_loss, found, single=single):
                    found.offer(layout)
        return found

    def _least_switches(self, hosts: int, groups: int) -> int:
        """A lower limit of the switches of any layout with these leaf groups."""
        leaves = groups * len(self.sizes.leaf_rails)
        links = leaves * self.sizes.needed(hosts)
        return leaves + (self.pods.switches_for(links) if self.pods else int(links / self.sizes.spine_ports))

    def _layouts(
        self, hosts: int, groups: int, capacity_after_loss: float, found: Cheapest, *, single: bool
    ) -> Iterator[Layout]:
        leaves = groups * len(self.sizes.leaf_rails)
        for spine_groups in self._splits():
            if self.pods is None and leaves // spine_groups > self.sizes.spine_ports:
                continue  # too few ports for a link from each leaf, whatever the number of spines
            for spines in self._spine_counts(spine_groups, single=single):
                uplinks = self.sizes.uplinks_over(hosts, spines, capacity_after_loss)
                if not self.sizes.fits(hosts, uplinks):
                    continue
                flat = self._flat(hosts, groups, uplinks, spines, spine_groups)
                if self.pods is not None:
                    yield from self.pods.layouts(flat, found.most_switches - flat.leaves)
                elif flat.leaves_per_spine * flat.parallel <= self.sizes.spine_ports:
                    yield flat

    def _flat(self, hosts: int, groups: int, uplinks: int, spines: int, spine_groups: int) -> Layout:
        copies = self.sizes.choices.demand.nics.ports
        return Layout(
            rails=self.sizes.choices.demand.nics.rails,
            leaf_rails=self.sizes.leaf_rails,
            leaf_groups=groups,
            hosts_per_group=hosts,
            uplinks=uplinks,
            uplink_gbps=self.sizes.uplink_gbps,
            spines_per_group=spines,
            spine_groups=spine_groups,
            spines_to_come=self._spines_to_come(spines, spine_groups),
            copies=copies,
            copies_to_come=copies - min(copies, self.sizes.choices.demand.fabric.copies_there or copies),
            peer_links=self.sizes.peer_links,
        )

    def _spines_to_come(self, spines: int, spine_groups: int) -> int:
        """Of so many spines of a group, those that are not there yet."""
        spine = self.sizes.choices.demand.fabric.spine
        return 0 if spine.max is None or spine.count is None else max(0, spines - spine.count // spine_groups)

    def _splits(self) -> Iterable[int]:
        """Numbers of spine groups: as declared; else one, and more only if NVLink connects the rails."""
        demand = self.sizes.choices.demand
        if self.pods is not None:
            return (1,)
        groups = demand.fabric.spine.groups
        if groups is not None:
            if groups > 1 and (demand.fabric.design != "rail" or demand.nics.rails % groups):
                raise UnknownValueError  # never in an intent without mistakes
            return (groups,)
        rails = demand.nics.rails if demand.plane.cross_rail == "nvlink" and demand.fabric.design == "rail" else 1
        return (parts for parts in range(1, rails + 1) if rails % parts == 0)

    def _spine_counts(self, spine_groups: int, *, single: bool) -> Iterable[int]:
        """Numbers of spines of a group, or of a pod."""
        spine = self.sizes.choices.demand.fabric.spine
        count = spine.planned
        if count == 0:
            raise UnknownValueError  # never in an intent without mistakes
        if count is not None:
            is_even = count % spine_groups == 0 and (spine.count or 0) % spine_groups == 0
            return (count // spine_groups,) if is_even else ()
        return (1,) if single else range(MIN_SPINES, self.sizes.most_uplinks + 1)

    def _with_places(self, chosen: Option) -> Option:
        """The same layout with the places of leaves on spines; the legs of a split cage stay with one leaf.

        With ``spine.max`` no leaf ever gives up a port to another, so a leaf's ports are beside one another.
        """
        layout, split = chosen.layout, any(each.down_ways > 1 for each in self.sizes.choices.spines)
        if layout.pods or split or layout.parallel == 1 or self.sizes.choices.demand.fabric.spine.max is not None:
            return chosen
        room = self.sizes.spine_ports // (layout.leaves_per_spine // layout.leaf_groups * layout.parallel)
        return replace(chosen, layout=replace(layout, interleaved_groups=room))

    def _refusal(self, capacity_after_loss: float) -> Finding:
        """Refuse: too few ports; or enough for a lower capacity with one spine lost."""
        best = self._search(0).chosen
        low, high = 0, ceil(100 * capacity_after_loss)
        while best is not None and high - low > 1:  # in hundredths: the largest share that can be kept
            middle = (low + high) // 2
            found = self._search(middle / 100).chosen
            best, low, high = (best, low, middle) if found is None else (found, middle, high)
        if best is not None:
            return suggest_two_tier.loses_too_much(self.sizes.choices.demand, capacity_after_loss, best)
        hosts, groups = next(self.sizes.groupings(self.hosts_per_group))
        if self.pods is not None:
            return self.pods.refusal(self._flat(hosts, groups, self.sizes.uplinks_for(hosts), 1, 1))
        count = self.sizes.choices.demand.fabric.spine.planned
        if count is not None:
            return suggest_two_tier.not_so_many_spines(self.sizes, hosts, groups, count)
        return suggest_two_tier.too_few_spine_ports(self.sizes, groups)


def _single_point(layout: Layout, *, is_declared: bool) -> str:
    """The warning about a single spine."""
    whose = "each spine group has one spine" if layout.spine_groups > 1 else "one spine joins all leaves"
    why = "as spine.count declares" if is_declared else "as the leaves have no port for an uplink to a second"
    return f"single point of failure: {whose}, {why}; with it lost, none of its leaves reaches another"
