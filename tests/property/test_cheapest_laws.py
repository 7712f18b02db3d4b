"""No layout is cheaper than the chosen one: on small switches all of them are written down and priced, by other means.

The boxes here are ports of one speed and nothing else, so what fits is a sum: ports down and ports up.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import ceil
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from nornir_tasks.design.demand.choices import choose
from nornir_tasks.design.layout.topology import lay_out
from nornir_tasks.design.model.catalogue import Catalogue, Mode, PortGroup, SwitchModel
from nornir_tasks.design.model.sizing import Sizing
from nornir_tasks.design.pipeline import design
from nornir_tasks.design.reports.counts import design_counts
from nornir_tasks.errors import DesignError
from tests.intent_parts import demand
from tests.plain_facts import plain_facts
from tests.strategies import intent_of
from tests.unit.design.test_nearest import site

some = settings(max_examples=60, deadline=None)
Rank = tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """What the laws need to know of a site; hosts run at 200G, everything else at 400G."""

    leaf_ports: int
    spine_ports: int
    core_ports: int
    split: bool
    """Two hosts to a cage of a leaf."""
    rails: int
    clos: bool
    most: int
    per_group: int | None
    ratio: float
    core_ratio: float
    capacity: float | None
    nvlink: bool

    @property
    def leaves_per_group(self) -> int:
        return 1 if self.clos else self.rails

    def data(self, *, three: bool) -> dict[str, Any]:
        kind = {"platform": "nvue", "release": "5.14"}
        nics = {"rails": self.rails, "speed": "200G"}
        spine = {**kind, "model": "spine", "oversubscription": self.ratio}
        changes: dict[str, Any] = {
            "design": "clos3" if three else "clos" if self.clos else "rail",
            "hosts": {"count": self.most, "max": self.most},
            "nics": nics | ({"per_group": self.per_group} if self.per_group else {}),
            "leaf": {**kind, "model": "leaf"} | ({"breakout": "2x200G"} if self.split else {}),
            "spine": spine | ({} if self.capacity is None else {"capacity_after_loss": self.capacity}),
        }
        if three:
            changes["core"] = {**kind, "model": "core", "oversubscription": self.core_ratio}
        return site(**changes, cross_rail="nvlink" if self.nvlink else "fabric")

    def catalogue(self) -> Catalogue:
        whole = (Mode(1, 400, 8), Mode(1, 200, 4), Mode(2, 200, 4))
        sizes = {"leaf": self.leaf_ports, "spine": self.spine_ports, "core": self.core_ports}
        boxes = {
            name: SwitchModel("any", name, ("nvue",), "spectrum4", (PortGroup(1, count, "OSFP", 8, whole),))
            for name, count in sizes.items()
        }
        return Catalogue(boxes, {})

    def sizing(self, *, three: bool = False) -> Sizing | None:
        intent = intent_of(self.data(three=three))
        try:
            choices = choose(demand(intent), self.catalogue(), plain_facts(), intent.marks)
            return lay_out(choices, intent.marks)
        except DesignError:
            return None

    def groupings(self) -> Iterator[tuple[int, int]]:
        """Hosts of a leaf group, and groups: as declared, or evenly."""
        for hosts in [self.per_group] if self.per_group else range(1, self.most + 1):
            groups = ceil(self.most / hosts)
            if self.per_group or hosts == ceil(self.most / groups):
                yield hosts, groups

    def uplinks(self, hosts: int, spines: int) -> Iterator[int]:
        """Every number that spreads evenly, fits on a leaf beside its hosts, and keeps what is declared."""
        down = hosts * self.rails // self.leaves_per_group
        for up in range(spines, self.leaf_ports + 1, spines):
            left = (up - up // spines) * 400 * self.ratio
            fits = ceil(down / (2 if self.split else 1)) + up <= self.leaf_ports
            keeps = spines == 1 or left >= (0.5 if self.capacity is None else self.capacity) * down * 200 - 1e-6
            if fits and keeps and down * 200 <= self.ratio * up * 400 + 1e-6:
                yield up

    def host_optics(self, hosts: int, groups: int) -> int:
        ports = [hosts] * (groups - 1) + [self.most - (groups - 1) * hosts]
        ports = [each * self.rails // self.leaves_per_group for each in ports]
        cages = sum(ceil(each / (2 if self.split else 1)) for each in ports)
        return self.most * self.rails + cages * self.leaves_per_group

    def two_tiers(self, least_spines: int) -> dict[tuple[int, ...], Rank]:
        """(leaf groups, spine groups, spines of each) -> the rank of the leanest such layout."""
        found = {}
        parts = [n for n in range(1, self.rails + 1) if self.rails % n == 0 and (n == 1 or not self.clos)]
        for (hosts, groups), split in product(self.groupings(), parts if self.nvlink else [1]):
            leaves = groups * self.leaves_per_group
            for spines in range(least_spines, self.leaf_ports + 1):
                fitting = [
                    up for up in self.uplinks(hosts, spines) if leaves // split * up // spines <= self.spine_ports
                ]
                if fitting:
                    links, up = leaves * fitting[0], fitting[0]
                    optics = self.host_optics(hosts, groups) + 2 * links
                    cost = (leaves + spines * split, self.most * self.rails + links, optics)
                    found[groups, split, spines] = (*cost, split, groups, up)
        return found

    def three_tiers(self) -> Iterator[Rank]:
        """Every layout with cores there is."""
        for hosts, groups in self.groupings():
            leaves = groups * self.leaves_per_group
            for spines in range(2, self.leaf_ports + 1):
                for up, size in product(self.uplinks(hosts, spines), range(1, groups + 1)):
                    pods, down = ceil(groups / size), size * self.leaves_per_group * up // spines
                    for above, cores in self.core_links(down, pods, spines):
                        links = leaves * up + pods * spines * above
                        switches = leaves + pods * spines + cores * spines
                        optics = self.host_optics(hosts, groups) + 2 * links
                        yield switches, self.most * self.rails + links, optics, pods, groups, up

    def core_links(self, down: int, pods: int, spines: int) -> Iterator[tuple[int, int]]:
        """Links from a spine to the cores, and the cores that it is joined to."""
        for above in range(1, self.spine_ports - down + 1):
            for cores in range(1, above + 1):
                fits = above % cores == 0 and pods * above // cores <= self.core_ports
                if fits and cores * spines >= 2 and down <= self.core_ratio * above + 1e-6:
                    yield above, cores


@st.composite
def cases(draw: st.DrawFn, most: int = 40) -> Case:
    rails = draw(st.sampled_from((1, 2, 4, 6)))
    return Case(
        leaf_ports=draw(st.integers(4, 14)),
        spine_ports=draw(st.integers(4, 16)),
        core_ports=draw(st.integers(4, 12)),
        split=draw(st.booleans()),
        rails=rails,
        clos=draw(st.booleans()),
        most=draw(st.integers(1, most)),
        per_group=draw(st.none() | st.integers(1, 8)),
        ratio=draw(st.sampled_from((0.5, 1, 1.5, 2, 3))),
        core_ratio=draw(st.sampled_from((0.5, 1, 2, 4))),
        capacity=draw(st.sampled_from((None, None, 0, 0.5, 0.75, 0.9, 1))),
        nvlink=draw(st.booleans()),
    )


@some
@given(cases())
def test_no_two_tiers_that_keep_what_is_declared_are_cheaper_than_the_chosen_ones(case: Case) -> None:
    sizing, layouts = case.sizing(), case.two_tiers(2)
    if not layouts:
        single = case.two_tiers(1) if case.capacity is None else {}
        assert (sizing is None) is not bool(single)
        if sizing is not None:
            assert sizing.chosen.rank == min(single.values())
            assert "single point of failure" in sizing.warnings[0]
        return
    assert sizing is not None
    layout = sizing.chosen.layout
    assert ["join nothing" in each for each in sizing.warnings] == [True] * (layout.leaves == layout.spine_groups)
    ranks = sorted(layouts.values())
    assert sizing.chosen.rank == ranks[0]
    assert (sizing.runner_up is None) is (len(ranks) == 1)
    if sizing.runner_up is not None:
        assert sizing.runner_up.rank == ranks[1]


@some
@given(cases(most=16))
def test_no_three_tiers_that_keep_what_is_declared_are_cheaper_than_the_chosen_ones(case: Case) -> None:
    case = replace(case, clos=False, nvlink=False)
    sizing, least = case.sizing(three=True), min(case.three_tiers(), default=None)
    if least is None:
        assert sizing is None or sizing.chosen.layout.spines_per_group == 1
        return
    assert sizing is not None
    assert sizing.chosen.rank == least


@some
@given(cases(most=20), st.booleans())
def test_what_a_layout_is_said_to_cost_is_what_is_built_of_it(case: Case, three: bool) -> None:
    sizing = case.sizing(three=three and not case.clos)
    if sizing is None:
        return
    data = case.data(three=three and not case.clos)
    totals = design_counts(design(intent_of(data), case.catalogue(), plain_facts()))["totals"]
    chosen = sizing.chosen
    assert (totals["switches"], totals["links"], totals["optics"]) == (chosen.switches, chosen.links, chosen.optics)
