"""Pushes and rollbacks of two planes in any order, some cut off in between: the switch ends where they lead.

On the wire: real use cases, real transactions, a real journal, and a switch of each system in brownfield. What is
expected stands in a dictionary beside it: what each owner has there, and which pushes there were. Meanwhile somebody
types lines, some of which look like ours: they stay through all of it until a push adopts them, and come back with its
rollback.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import pytest
from described_lab import LabDescription, RunningLab
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from lone_switches import Ending, LoneSwitch, Switches
from two_planes import CHOICES, FIRST, LEAVES, PLANES, Version, shall_hold, toy_planes_found
from typed_lines import LISTS, SESSION, tree_of, type_at, without

from nornir_tasks.deploy.ledger import Step
from nornir_tasks.errors import RefusedError
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.ownership import join, split
from nornir_tasks.usecases.pushes import State

Parts = dict[str | None, ConfigTree]
"""Owner (None: nobody) -> what it has on the switch."""
SHARED = frozenset({"switch", "fabric compute"})
CHOSEN = st.sampled_from([("compute",), ("storage",), PLANES])
VERSIONS = st.builds(Version, **{name: st.integers(0, count - 1) for name, count in CHOICES.items()})
NOT_NOTED = {("killed", Step.READ), ("killed", Step.STAGE), ("interrupted", Step.READ)}
"""Cut off before the journal knows of the switch."""
LEFT_TO_TIMER = {
    ("killed", Step.GATE),
    ("killed", Step.CONFIRM),
    ("interrupted", Step.COMMIT),
    ("interrupted", Step.GATE),
}
"""Committed, and nobody confirms it."""
THROUGH = {("interrupted", Step.CONFIRM)}
"""A confirmation that was begun is not held back."""
CUTS = st.tuples(
    st.sampled_from(["killed", "interrupted"]),
    st.sampled_from([Step.READ, Step.STAGE, Step.COMMIT, Step.GATE, Step.CONFIRM]),
)


@dataclass
class Noted:
    """A push or rollback that the journal knows."""

    verb: str
    owners: frozenset[str]
    before: Parts
    after: Parts
    undoes: int = 0
    is_undone: bool = False
    adopted: frozenset[Path] = frozenset()
    """Lines of others that it took away, or of a rollback: that it brought back."""
    adopted_of: frozenset[str | None] = frozenset()
    """The owners as whose they were looked at."""

    @property
    def is_taken_back(self) -> bool:
        """Cut off, and nothing of it is left."""
        return self.before == self.after and not self.adopted

    def changed(self, among: frozenset[str]) -> bool:
        return bool(self.adopted_of & among) or any(self.before[owner] != self.after[owner] for owner in among)


class Orders(RuleBasedStateMachine):
    """One switch, and beside it what it should hold."""

    system: ClassVar[str]
    switches: ClassVar[Switches]
    count: ClassVar[dict[str, int]]

    @initialize()
    def begin(self) -> None:
        self.switch: LoneSwitch = self.switches.fresh(self.system)
        self.ours = shall_hold(self.switch.device, FIRST)
        self.os = self.ours.platform
        self.typed: frozenset[Path] = frozenset()
        self.ever_typed: set[str] = set()
        self.day0 = self.switch.running()
        self.holds = self.parts(self.os.to_tree(self.day0))
        self.noted: dict[int, Noted] = {}
        self.number = 0
        self.texts: dict[frozenset[tuple[str, ...]], str] = {}

    def parts(self, tree: ConfigTree) -> Parts:
        """Owner -> what it has, apart from what somebody typed meanwhile."""
        return split(without(tree, self.typed), self.os.ownership, self.ours.claims)

    def runs(self) -> ConfigTree:
        return self.os.to_tree(self.switch.running())

    def led_to(self, version: Version, planes: tuple[str, ...]) -> Noted:
        """What a push of these planes makes of the switch."""
        owners = SHARED | frozenset(planes)
        wanted = self.parts(shall_hold(self.switch.device, version).tree)
        return Noted("push", owners, self.holds, {**self.holds, **{owner: wanted[owner] for owner in owners}})

    def note(self, noted: Noted) -> None:
        self.number += 1
        self.noted[self.number] = noted

    def seen(self, what: str) -> None:
        self.count[what] = self.count.get(what, 0) + 1

    # -- what is done ----------------------------------------------------------------------------------------------

    @rule(version=VERSIONS, planes=CHOSEN)
    def push(self, version: Version, planes: tuple[str, ...]) -> None:
        made = self.led_to(version, planes)
        report = self.switch.push(version, planes)
        assert bool(report.changed) == made.changed(made.owners)
        self.seen("pushes")
        if report.changed:
            self.note(made)
            self.holds = made.after
        elif report.plan.work:
            self.number += 1  # it saved, or cleared away

    @rule(version=VERSIONS, planes=CHOSEN, cut=CUTS)
    def push_cut_off(self, version: Version, planes: tuple[str, ...], cut: tuple[Ending, Step]) -> None:
        made = self.led_to(version, planes)
        if not made.changed(made.owners):
            return
        self.switch.push_cut_off(version, planes, cut[1], cut[0])
        self.seen("pushes cut off")
        if cut in LEFT_TO_TIMER:
            assert self.parts(self.runs()) == made.after, "for now it runs"
            with pytest.raises(RefusedError, match="a commit is not confirmed"):
                self.switch.push(FIRST, ())
            self.switch.all_timers_fire()
        if cut in NOT_NOTED:
            self.number += 1
            return
        if cut in THROUGH:
            self.holds = made.after
        else:
            made.after = made.before
        self.note(made)

    @rule(what=st.sampled_from([*LISTS, SESSION]))
    def somebody_types(self, what: str) -> None:
        """Each once at most."""
        if what in self.ever_typed or (what, self.system) == (SESSION, "nvue"):  # which has no process at day 0
            return
        before = self.runs().paths()
        type_at(self.switch, what, self.runs())
        new = self.runs().paths() - before
        assert new
        self.typed |= new
        self.ever_typed.add(what)
        self.seen("lines typed")

    @rule(name=st.sampled_from(LISTS[1:]), version=VERSIONS)
    def push_that_adopts(self, name: str, version: Version) -> None:
        theirs = frozenset(path for path in self.typed if name in " ".join(path))
        if not theirs:
            return
        made = self.led_to(version, PLANES)
        made.adopted = theirs
        found = split(tree_of(theirs), self.os.ownership, self.ours.claims)
        made.adopted_of = frozenset(owner for owner, part in found.items() if part.paths() & theirs)
        thing = min((path for path in theirs if name in path[-1]), key=len)
        report = self.switch.push(version, PLANES, thing)
        assert report.changed
        self.seen("pushes that adopt")
        self.note(made)
        self.holds = made.after
        self.typed -= theirs

    @rule(which=st.integers(1, 10), version=VERSIONS)
    def roll_back(self, which: int, version: Version) -> None:
        """Any push, whatever is designed by now; numbers that are none as well."""
        number = 1 + which % (self.number + 1)
        if (what := self.stands_against(number)) is not None:
            with pytest.raises(RefusedError, match=what):
                self.switch.roll_back(version, number)
            self.seen("rollbacks refused")
            return
        self.go_back(number, version)

    def stands_against(self, number: int) -> str | None:
        """What refuses to roll this push back, as a pattern; None if nothing does."""
        push = self.noted.get(number)
        if push is None or push.verb != "push" or push.is_undone:
            return f"push {number}: the journal has no push of this number"
        if push.is_taken_back:
            return f"push {number}: its switches are as they were before it"
        if not (obstacles := self.obstacles(number)):
            return None
        newest = obstacles[0]
        if self.noted[newest].verb == "rollback":
            return re.escape(f"push {number}: rollback {newest} has changed lines")
        why = "changed lines" if self.overwrites(newest, number) else "brought plane"
        return rf"(?s)push {number}: push {newest} has {why}.*first: nornir rollback --push {newest}\b"

    def obstacles(self, number: int) -> list[int]:
        """All that must be rolled back before this push, the last one first."""
        later = [each for each in sorted(self.noted, reverse=True) if each > number and not self.noted[each].is_undone]
        return [each for each in later if self.overwrites(each, number) or self.stands_on(each, number)]

    def overwrites(self, later: int, number: int) -> bool:
        """Did a later one change what would be brought back: of the switch, the fabric, or a plane of both?"""
        push, other = self.noted[number], self.noted[later]
        if other.verb == "rollback" and other.undoes > number:
            return False
        return other.changed((push.owners & other.owners) | SHARED)

    def stands_on(self, later: int, number: int) -> bool:
        """Did a later push bring another plane onto what this one did to the switch or the fabric?"""
        push, other = self.noted[number], self.noted[later]
        return other.verb == "push" and other.changed(other.owners - push.owners) and push.changed(SHARED)

    def go_back(self, number: int, version: Version) -> None:
        push = self.noted[number]
        after = {**self.holds, **{owner: push.before[owner] for owner in push.owners}}
        made = Noted("rollback", push.owners, self.holds, after, number, False, push.adopted, push.adopted_of)
        report = self.switch.roll_back(version, number)
        assert bool(report.changed) == made.changed(made.owners)
        self.seen("rollbacks")
        push.is_undone = True
        self.typed |= push.adopted
        if report.changed:
            self.note(made)
            self.holds = after
        elif report.plan.work:
            self.number += 1

    # -- what is so ------------------------------------------------------------------------------------------------

    @invariant()
    def switch_holds_what_everybody_has_there(self) -> None:
        text = self.switch.running()
        tree = self.os.to_tree(text)
        assert self.typed - tree.paths() == frozenset(), "what somebody typed stays"
        found = self.parts(tree)
        for owner, part in self.holds.items():
            assert found[owner] == part, owner
        if self.ever_typed:  # in whatever order a switch prints what was typed when
            return
        assert self.os.to_text(found[None]) == self.os.to_text(self.holds[None])
        same = self.texts.setdefault(join(self.holds.values()).paths(), text)
        assert text == same, "byte for byte what it was when everybody had the same there"

    @invariant()
    def list_of_pushes_says_what_can_be_rolled_back(self) -> None:
        listed = self.switch.listed(FIRST)
        assert [each.number for each in listed] == list(range(self.number, 0, -1))
        for each in listed:
            noted = self.noted.get(each.number)
            if noted is None or each.verb == "rollback" or each.state is State.FAILED:
                assert not each.can_be_rolled_back
            elif not each.unsettled and "committed" not in each.switches.values():
                assert each.can_be_rolled_back == (self.stands_against(each.number) is None)
            if noted is not None and each.state is State.CONFIRMED and noted.verb == "push" and not each.unsettled:
                assert list(each.obstacles) == self.obstacles(each.number)
            if noted is not None and noted.is_undone:
                assert each.state is State.UNDONE

    def teardown(self) -> None:
        """All that can be is rolled back, the last one first; where that is everything, day 0 is what is left."""
        for number in sorted(self.noted, reverse=True):
            if self.stands_against(number) is None:
                self.go_back(number, FIRST)
                self.switch_holds_what_everybody_has_there()
        if all(each.is_undone or each.is_taken_back for each in self.noted.values() if each.verb == "push"):
            assert self.parts(self.runs()) == self.parts(self.os.to_tree(self.day0))
            assert self.ever_typed or self.switch.running() == self.day0


@pytest.fixture(scope="module")
def switches(
    start_module_lab: Callable[[LabDescription], RunningLab], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Switches]:
    where = tmp_path_factory.mktemp("orders")
    with pytest.MonkeyPatch.context() as patch, toy_planes_found():
        patch.setenv("GPUFABRIC_STATE", str(where / "state"))
        yield Switches(start_module_lab, where)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("system", LEAVES)
def test_a_push_that_was_taken_back_is_in_no_rollbacks_way_though_no_push_of_its_planes_came_after_it(
    system: str, switches: Switches
) -> None:
    switch = switches.fresh(system)
    day0 = switch.running()
    switch.push(FIRST, ("compute",))
    switch.push_cut_off(Version(shared=1), ("storage",), Step.GATE, "killed")
    with pytest.raises(RefusedError):
        switch.roll_back(FIRST, 1)
    switch.all_timers_fire()
    assert switch.roll_back(FIRST, 1).changed == [switch.device]
    assert switch.running() == day0


@pytest.mark.sampled(1)
@pytest.mark.parametrize("system", LEAVES)
def test_a_push_that_died_before_its_commit_is_not_taken_for_confirmed_by_one_that_had_nothing_to_change(
    system: str, switches: Switches
) -> None:
    switch = switches.fresh(system)
    switch.push(FIRST, ("storage",))
    switch.push_cut_off(Version(shared=1), ("storage",), Step.COMMIT, "killed")
    assert switch.push(FIRST, ("storage",)).changed == []
    assert [each.state for each in switch.listed(FIRST) if each.switches] == [State.FAILED, State.CONFIRMED]


@pytest.mark.parametrize("system", LEAVES)
def test_the_push_that_brought_the_fabric_is_not_rolled_back_from_under_another_plane(
    system: str, switches: Switches
) -> None:
    switch = switches.fresh(system)
    day0 = switch.running()
    switch.push(FIRST, ("compute",))
    switch.push(FIRST, ("storage",))
    both = switch.running()
    with pytest.raises(RefusedError, match=r"(?s)brought plane storage since.*first: nornir rollback --push 2\b"):
        switch.roll_back(FIRST, 1)
    assert switch.running() == both
    switch.roll_back(FIRST, 2)
    switch.roll_back(FIRST, 1)
    assert switch.running() == day0


@pytest.mark.sampled(1)
@pytest.mark.parametrize("system", LEAVES)
def test_what_a_push_adopts_comes_back_with_its_rollback_and_with_that_of_no_other(
    system: str, switches: Switches
) -> None:
    switch = switches.fresh(system)
    ours = shall_hold(switch.device, FIRST)
    before = ours.platform.to_tree(switch.running())
    type_at(switch, "COMPUTE-OLD", before)
    typed = ours.platform.to_tree(switch.running()).paths() - before.paths()
    switch.push(FIRST, PLANES)
    (planned,) = switch.plan(FIRST, PLANES).plans.values()
    (met,) = [each for each, _ in planned.others if "COMPUTE-OLD" in " ".join(each.path)]
    assert not met.is_in_the_way
    switch.push(FIRST, PLANES, met.adopt)
    adopting = switch.running()
    assert "COMPUTE-OLD" not in adopting
    switch.push(Version(storage=1), PLANES)
    switch.roll_back(FIRST, 3)
    assert switch.running() == adopting
    switch.roll_back(FIRST, 2)
    assert typed <= ours.platform.to_tree(switch.running()).paths()
    switch.roll_back(FIRST, 1)
    assert typed <= ours.platform.to_tree(switch.running()).paths()
    assert without(ours.platform.to_tree(switch.running()), frozenset(typed)) == before


def run(system: str, switches: Switches, figure: Callable[[str], None], examples: int, steps: int) -> None:
    count: dict[str, int] = {}
    machine = type(f"{system}Orders", (Orders,), {"system": system, "switches": switches, "count": count})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    figure(f"{system}: {', '.join(f'{number} {what}' for what, number in sorted(count.items()))}")
    assert set(count) >= {"pushes", "pushes cut off", "rollbacks", "lines typed"}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("system", LEAVES)
def test_pushes_and_rollbacks_in_any_order_lead_where_they_should(
    system: str, switches: Switches, figure: Callable[[str], None]
) -> None:
    run(system, switches, figure, examples=6, steps=8)


@pytest.mark.long
@pytest.mark.parametrize("system", LEAVES)
def test_pushes_and_rollbacks_in_very_many_orders_lead_where_they_should(
    system: str, switches: Switches, figure: Callable[[str], None]
) -> None:
    run(system, switches, figure, examples=30, steps=12)
