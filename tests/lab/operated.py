"""A twin without servers that is pushed to again and again, with what a journal remembers of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from nornir_tasks.deploy.evidence import Done, Evidence
from nornir_tasks.deploy.plan import DevicePlan, device_plan, sides
from nornir_tasks.deploy.problems import in_the_way
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.claims import digest
from nornir_tasks.errors import RefusedError
from nornir_tasks.platforms.config_tree import Path, difference
from nornir_tasks.usecases.push import restored
from tests.lab.pushes import send
from tests.lab.typed_switches import Switch
from tests.pushed import of


@dataclass
class Operated:
    """One switch and the pushes to it that stand, all of them with leave to change the management path."""

    switch: Switch
    standing: list[Done] = field(default_factory=list)
    claims: str = ""

    def paths(self, wanted: Wanted) -> frozenset[Path]:
        return wanted.platform.to_tree(self.switch.running()).paths()

    def evidence(self, *adopted: Path) -> Evidence:
        standing = tuple(self.standing)
        return Evidence(lambda: standing, adopted, self.claims)

    def plan(self, wanted: Wanted, *adopted: Path, allow_management: bool = True) -> DevicePlan:
        evidence = self.evidence(*adopted)
        return device_plan(wanted, self.switch.running(), evidence, allow_management=allow_management)

    def push(self, wanted: Wanted, *adopted: Path) -> DevicePlan:
        """Refused as a push is; the switch takes all of it, its gate lets it through, and then nothing is left."""
        plan = self.plan(wanted, *adopted)
        if met := in_the_way(wanted.device, plan.others):
            raise RefusedError(met)
        self._send(wanted, plan, self.evidence(*adopted))
        self.standing.append(replace(of(wanted, plan), adopted=adopted))
        self.claims = digest(wanted.claims)
        assert self.plan(wanted).changes == ()
        return plan

    def take_over(self, wanted: Wanted, *more: Path, all_of_it: bool = False) -> DevicePlan:
        """Push, with all adopted that is in the way; ``all_of_it``: and with what would stay else."""
        met = (each.adopt for each in self.plan(wanted).others if all_of_it or each.is_in_the_way)
        return self.push(wanted, *dict.fromkeys((*met, *more)))

    def roll_back(self, wanted: Wanted) -> DevicePlan:
        """Take the last push back."""
        undoing = restored(wanted, self.standing.pop())
        plan = self.plan(undoing)
        self._send(undoing, plan, self.evidence())
        return plan

    def _send(self, wanted: Wanted, plan: DevicePlan, evidence: Evidence) -> None:
        send(self.switch, wanted, plan)
        found = sides(wanted, wanted.platform.to_tree(self.switch.running()), evidence)
        left, moved = tuple(difference(found.owned, found.after)), tuple(difference(plan.foreign_before, found.foreign))
        assert (left, moved) == ((), ()), f"left: {[*map(str, left)]}, of others: {[*map(str, moved)]}"

    def takes_back(self, wanted: Wanted, path: Path) -> bool:
        """Somebody types a line: does a push remove it? Else it stays, and the plan names it. Tried on a copy."""
        tried = Operated(self.switch.copy(), list(self.standing), self.claims)
        good = tried.paths(wanted)
        tried.switch.type(path)
        assert tried.paths(wanted) != good, path
        plan = tried.plan(wanted)
        tried.take_over(wanted)
        left = tried.paths(wanted) - good
        assert wanted.tree.paths() <= tried.paths(wanted), path
        assert {each for each in left if not is_named(each, plan)} == set(), path
        return not left


def is_named(path: Path, plan: DevicePlan) -> bool:
    """Is this line, or what it is in, or what is in it, named among lines of others?"""
    named = (each.path for each in plan.others)
    return any(path[: len(each)] == each or each[: len(path)] == path for each in named)
