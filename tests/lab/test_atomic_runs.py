"""A hundred pushes of 24 switches that are to be all or nothing, most with a fault: all new, all old, or named."""

import random
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from at_terminal import ROOT, Operator
from test_all_or_nothing import Time, changed_by_hand
from test_faults import LONGER_THAN_ANY_TIMER_S

from nornir_tasks.errors import GpufabricError
from nornir_tasks.usecases.all_or_nothing import push_all_or_nothing
from nornir_tasks.usecases.progress import Event, Through, Work
from nornir_tasks.usecases.push import PushReport
from nornir_tasks.usecases.reach import Reach
from nornir_tasks.usecases.site import load, select

pytestmark = pytest.mark.long
RUNS = 100
FAULTS = ("none", "by hand", "killed", "hangs for a while", "killed after its change", "by hand and killed")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    where = tmp_path_factory.mktemp("atomic-runs")
    shutil.copytree(ROOT / "inventory/lab", where / "lab")
    made = Operator(where / "lab", where / "state")
    made.run("lab", "up")
    try:
        made.run("push", "--yes")
        file = made.lab / "devices.yml"
        file.write_text("timeout_s: 5\n" + file.read_text())
        yield made
    finally:
        made.run("lab", "down")


def with_weights(operator: Operator, number: int) -> None:
    """The intent changes the queues of every switch that has any."""
    file = operator.site / "fabric.yml"
    roce = 50 + number % 2
    text = re.sub(r"(priority: 3, .*weight: )\d+", rf"\g<1>{roce}", file.read_text(), count=1)
    file.write_text(re.sub(r"(bulk: .*weight: )\d+", rf"\g<1>{100 - roce}", text, count=1))


class Fault:
    """What happens in one run, and when."""

    def __init__(self, operator: Operator, kind: str, chance: random.Random, order: list[str]) -> None:
        """``order``: in which the switches were through in the run before; none in the first."""
        self.operator, self.kind = operator, kind
        self.early, self.middle, self.late = self.names = (
            [order[each] for each in sorted(chance.sample(range(len(order)), 3))] if order else ["", "", ""]
        )
        self.through: list[str] = []
        self.by_hand: set[str] = set()
        self.dead: set[str] = set()
        self._is_over = not order

    def after(self, name: str) -> None:
        """A switch is through, or the plan was shown (``plan``)."""
        if name == "plan":
            if self.kind.startswith("by hand") and not self._is_over:
                self._type(self.late)
            return
        self.through.append(name)
        if self._is_over or name not in (self.early, self.middle):
            return
        match self.kind, name == self.early:
            case ("killed", True):
                self._once(self.late, "kill")
            case ("hangs for a while", True):
                self._once(self.late, "freeze")
            case ("by hand and killed", True):
                self._once(self.middle, "kill")
            case ("killed after its change", False):
                self._once(self.early, "kill")
                self._type(self.late)

    def _type(self, name: str) -> None:
        self.by_hand.add(name)
        changed_by_hand(self.operator, name)

    def _once(self, name: str, verb: str) -> None:
        self._is_over = True
        self.operator.run("lab", verb, name)
        if verb == "kill":
            self.dead.add(name)

    def passes(self) -> None:
        """The client waits, and time passes for the switches as well."""
        if self.kind.startswith("hangs"):
            self.operator.run("lab", "mend")
        self.operator.control.ask("advance-clock", seconds=LONGER_THAN_ANY_TIMER_S)


def pushed(operator: Operator, fault: Fault) -> PushReport:
    def on(event: Event) -> None:
        if isinstance(event, Through) and event.work is Work.PUSH:
            fault.after(event.name)

    def approve(_: object) -> bool:
        fault.after("plan")
        return True

    time = Time(operator, fault.passes)
    return push_all_or_nothing(select(load(operator.site)), Reach(), approve, on, clock=time.clock)


def differing(before: dict[str, str], operator: Operator) -> set[str]:
    return {name for name, text in operator.running().items() if text != before[name]}


def test_each_of_a_hundred_runs_leaves_all_switches_old_or_new_or_named(
    lab: Operator, monkeypatch: pytest.MonkeyPatch, figure: Callable[[str], None]
) -> None:
    monkeypatch.setenv("GPUFABRIC_STATE", str(lab.state))
    counts, order = Counter[str](), list[str]()
    for number in range(RUNS):
        chance = random.Random(number)
        kind = FAULTS[number % len(FAULTS)]
        with_weights(lab, number)
        before = lab.running()
        fault = Fault(lab, kind, chance, order)
        try:
            report = pushed(lab, fault)
        except GpufabricError as error:
            raise AssertionError(f"run {number}, {kind}, {fault.names}: {error}") from error
        if not report.errors:
            outcome, order = "all new", [each for each in fault.through if each in report.changed]
            assert report.changed == sorted(report.plan.work) and len(report.changed) > 9, f"run {number}, {kind}"
        else:
            assert report.taken_back is not None
            outcome = "all old" if not report.taken_back.left else "all old but the named"
            assert set(report.taken_back.left) <= fault.dead, f"run {number}, {kind}: {report.taken_back.left}"
            lab.run("lab", "mend")
            if report.taken_back.left:
                lab.run("rollback", "--push", str(report.number), "--yes")
            assert differing(before, lab) <= fault.by_hand, f"run {number}, {kind}, {fault.names}"
        counts[f"{kind}: {outcome}"] += 1
        print(f"run {number}, {kind}: {outcome}", flush=True)
        lab.run("lab", "mend")
        lab.run("push", "--yes")
        assert "0 of 24 changed" in lab.run("push", "--yes")
    figure(f"{RUNS} pushes of 24 switches that are all or nothing: {dict(sorted(counts.items()))}")
