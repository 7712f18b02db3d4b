"""A switch that takes what is sent, with a memory of its pushes as a journal has it."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace

from typed_switches import SWITCHES, Switch

from nornir_tasks.deploy.evidence import Done, Evidence
from nornir_tasks.deploy.plan import DevicePlan, candidate, device_plan, sides
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.model.claims import digest
from nornir_tasks.platforms.config_tree import Path, difference
from tests.pushed import of


def brought_up(wanted: Wanted, foreign: str, more: tuple[Wanted, ...] = ()) -> Operated:
    """After day 0, with lines of others; ``more``: further designs whose ports it has. EOS shows every port."""
    ports = [port.name for each in (wanted, *more) for port in each.config.interfaces]
    shown = [f"interface {name}\n" for name in dict.fromkeys(ports) if name.startswith("Ethernet")]
    text = "".join(shown) + foreign if wanted.config.os == "eos" else foreign
    switch = SWITCHES[wanted.config.os].at_day0(wanted.config, text)
    assert switch.refused == []
    return Operated(switch)


@dataclass
class Operated:
    """Pushed to and rolled back as the product does: plan, adopt what is in the way, send, and judge by the gate."""

    switch: Switch
    standing: list[Done] = field(default_factory=list)
    adopted: set[Path] = field(default_factory=set)
    claims: str = ""

    def copy(self) -> Operated:
        """Another one with the same lines and the same memory."""
        return Operated(deepcopy(self.switch), list(self.standing), set(self.adopted), self.claims)

    def running(self) -> str:
        """What it prints."""
        return self.switch.running()

    def plan(self, wanted: Wanted, adopted: tuple[Path, ...] = ()) -> DevicePlan:
        """What a push would do, whatever of the management path it touches."""
        return device_plan(wanted, self.running(), self._evidence(adopted), allow_management=True)

    def push(self, wanted: Wanted) -> DevicePlan:
        """The plan that was carried out, with all adopted that was in its way."""
        in_the_way = (each.adopt for each in self.plan(wanted).others if each.is_in_the_way)
        return self.adopt(wanted, *dict.fromkeys(in_the_way))

    def adopt(self, wanted: Wanted, *adopted: Path) -> DevicePlan:
        """A push that takes these objects of others over."""
        plan = self.plan(wanted, adopted)
        assert not any(each.is_in_the_way for each in plan.others)
        self._carry_out(wanted, plan, adopted)
        self.standing.append(replace(of(wanted, plan), adopted=adopted))
        self.adopted |= set(adopted)
        self.claims = digest(wanted.claims)
        return plan

    def roll_back(self, wanted: Wanted) -> None:
        """Take the last push back."""
        undoing = replace(wanted, undoes=self.standing.pop())
        self._carry_out(undoing, self.plan(undoing), ())

    def _evidence(self, adopted: tuple[Path, ...]) -> Evidence:
        standing = tuple(self.standing)
        return Evidence(lambda: standing, adopted, self.claims)

    def _carry_out(self, wanted: Wanted, plan: DevicePlan, adopted: tuple[Path, ...]) -> None:
        if not plan.changes:
            return
        self.switch.take(candidate(wanted, plan))
        assert self.switch.refused == [], self.switch.refused
        found = sides(wanted, wanted.platform.to_tree(self.running()), self._evidence(adopted))
        rest = list(difference(found.owned, found.after))
        assert rest == [], f"not as planned: {rest}"
        lost = list(difference(plan.foreign_before, found.foreign))
        assert lost == [], f"lines of others changed: {lost}"
