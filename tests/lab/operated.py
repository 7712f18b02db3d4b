"""A twin without servers that is pushed to again and again, with leave to change the management path."""

from __future__ import annotations

from dataclasses import dataclass

from nornir_tasks.deploy.plan import DevicePlan
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.platforms.config_tree import Path
from tests.lab import pushes
from tests.lab.typed_switches import Switch


@dataclass
class Operated:
    """One switch; its pushes are remembered, as a journal does."""

    switch: Switch

    def copy(self) -> Operated:
        """Another one that runs the same and was pushed the same."""
        return Operated(pushes.twin_of(self.switch))

    def paths(self, wanted: Wanted) -> frozenset[Path]:
        return wanted.platform.to_tree(self.switch.running()).paths()

    def plan(self, wanted: Wanted, *adopted: Path, allow_management: bool = True) -> DevicePlan:
        return pushes.plan(self.switch, wanted, *adopted, allow_management=allow_management)

    def push(self, wanted: Wanted, *adopted: Path) -> DevicePlan:
        """What it did. RefusedError, as of a push, where lines of others are in the way and are not ``adopted``."""
        made = self.plan(wanted, *adopted)
        pushes.push(self.switch, wanted, *adopted, allow_management=True)
        return made

    def take_over(self, wanted: Wanted, *more: Path, all_of_it: bool = False) -> DevicePlan:
        """Push, with all adopted that is in the way; ``all_of_it``: and with what would stay else."""
        met = (each.adopt for each in self.plan(wanted).others if all_of_it or each.is_in_the_way)
        return self.push(wanted, *dict.fromkeys((*met, *more)))

    def roll_back(self, wanted: Wanted) -> None:
        """Take the last push back."""
        pushes.roll_back(self.switch, wanted)

    def takes_back(self, wanted: Wanted, path: Path) -> bool:
        """Somebody types a line: does a push remove it? Else it stays, and the plan names it. Tried on a copy."""
        tried = self.copy()
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
