"""Takes nodes out of a scheduler before a step that disturbs jobs, and gives back its own afterwards.

Standard library only (Python 3.9). What is ours is known by the reason that the scheduler keeps: it begins with the
site's name. A node that another person or tool took out is worked on as it is, and stays out. A failure concerns one
node, and the others go on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TypeVar

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.job_schedulers import (
        Node,
        Scheduler,
        SchedulerError,
        every,
    )
except ImportError:  # in a test
    from job_schedulers import Node, Scheduler, SchedulerError, every

POLL_S = 2.0
SETTLE_S = 5.0
"""So long after nodes were given back the scheduler is watched for what it hears of their boot late."""
Result = TypeVar("Result")


@dataclass
class Outcome:
    """What became of one node."""

    problem: str = ""
    """Why it is not to be worked on, or not given back."""
    is_ours: bool = False
    """It is out, and by us: this run, or an earlier one of this site."""
    is_out: bool = False
    changed: bool = False
    reason: str = ""


@dataclass(frozen=True)
class Bounds:
    """How far a call may go."""

    limit: int
    """How many nodes of the site may be out by us at once."""
    wait_s: int
    """For jobs to end."""
    answer_s: int
    """For a scheduler that is away to come back."""
    poll_s: float = POLL_S


class Drain:
    """One call: ``own`` begins the reason of every node that this site took out."""

    def __init__(self, scheduler: Scheduler, own: str, bounds: Bounds) -> None:
        self.scheduler, self.own, self.bounds = scheduler, own, bounds

    def is_ours(self, node: Node) -> bool:
        return node.is_out and node.reason.startswith(self.own)

    def patiently(self, do: Callable[[], Result]) -> Result:
        """Try until the scheduler answers, or ``answer_s`` have passed: its controller may be restarting."""
        end = time.monotonic() + self.bounds.answer_s
        for left_s in every(self.bounds.poll_s, end):
            try:
                return do()
            except SchedulerError as error:
                if not left_s or not error.is_away:
                    raise
        raise AssertionError

    def read(self, nodes: Sequence[str]) -> dict[str, Outcome]:
        """How each node stands; changes nothing."""
        if not nodes:
            return {}
        try:
            found = self.patiently(lambda: self.scheduler.read(nodes))
        except SchedulerError as error:
            return {node: Outcome(problem=str(error)) for node in nodes}
        lacking = "the scheduler knows no such node; gpufabric_node_name says what it is called there"
        known = {node: Outcome("", self.is_ours(each), each.is_out, reason=each.reason) for node, each in found.items()}
        return {node: known.get(node) or Outcome(problem=lacking) for node in nodes}

    def drain(self, nodes: Sequence[str], among: Sequence[str], reason: str) -> dict[str, Outcome]:
        """Take each node out, no more than ``limit`` of ``among`` at once, and wait until nothing runs on them."""
        outcomes = self.read([*nodes, *(each for each in among if each not in nodes)])
        out = [node for node, each in outcomes.items() if each.is_ours]
        found = {node: outcomes[node] for node in nodes}
        before = {node for node in nodes if found[node].is_out}
        for node in (each for each in nodes if not found[each].problem):
            try:
                self._take(node, found[node], out, reason)
            except SchedulerError as error:
                found[node].problem = f"could not be drained: {error}"
                self._back(node, found[node])
        self._wait([node for node in nodes if not found[node].problem], found, before)
        return found

    def _take(self, node: str, outcome: Outcome, out: list[str], reason: str) -> None:
        if not outcome.is_out:
            if len(out) >= self.bounds.limit:
                outcome.problem = (
                    f"{len(out)} of at most {self.bounds.limit} nodes are out already ({', '.join(sorted(out)[:10])}); "
                    "bring them back first, or raise gpufabric_disrupt_max"
                )
                return
            out.append(node)
            self.patiently(lambda: self.scheduler.take(node, reason))
            outcome.is_ours = outcome.is_out = outcome.changed = True
            outcome.reason = reason
        self.scheduler.begin(node, outcome.reason, self.bounds.wait_s)

    def _wait(self, nodes: list[str], found: dict[str, Outcome], before: set[str]) -> None:
        """Until each is free; one that is not free in time, or whose drain failed, goes back if this run took it."""
        end, busy = time.monotonic() + self.bounds.wait_s, dict.fromkeys(nodes, "its jobs")
        for _ in every(self.bounds.poll_s, end):
            busy = self._still_busy(busy, found)
            if not busy:
                return
        for node, why in busy.items():
            last = ": ".join(filter(None, [why, self.scheduler.printed(node)]))
            found[node].problem = f"not free within gpufabric_drain_wait_s ({self.bounds.wait_s} s): {last}"
            self._back(node, found[node], stays=node in before and not found[node].is_ours)

    def _still_busy(self, busy: dict[str, str], found: dict[str, Outcome]) -> dict[str, str]:
        try:
            read = self.scheduler.read(list(busy))
        except SchedulerError as error:
            return dict.fromkeys(busy, str(error))
        left = {}
        for node in busy:
            now = read.get(node)
            try:
                has_left = self.scheduler.left(node)
                if found[node].is_ours and now is not None and not now.is_out:
                    # A controller that is killed forgets what it did since it last saved its state.
                    self.scheduler.take(node, found[node].reason)
            except SchedulerError as error:
                if error.is_away:
                    left[node] = str(error)
                    continue
                found[node].problem = f"could not be drained: {error}"
                self._back(node, found[node])
                continue
            if now is None or now.busy or not has_left or not now.is_out:
                ends = "it is not out" if has_left else "the drain has not ended"
                left[node] = (now.busy if now else "") or ends
        return left

    def _back(self, node: str, outcome: Outcome, *, stays: bool = False) -> None:
        """Nothing was changed on it: jobs may use it again."""
        self.scheduler.stop(node)
        if stays:
            return
        back = self.resume([node])[node]
        outcome.is_out, outcome.is_ours = back.is_out, back.is_ours
        if back.problem:
            outcome.problem += f"; and it stays out: {back.problem}"

    def resume(self, nodes: Sequence[str], *, rebooted: bool = False) -> dict[str, Outcome]:
        """Give back what is ours; what is out for another's reason stays so.

        ``rebooted``: only after the scheduler has heard of it. Slurm takes a node out again that it gave back before.
        """
        found = self.read(nodes)
        for node in (each for each in nodes if found[each].is_ours):
            try:
                if rebooted and not self._has_booted(node):
                    found[node].problem = "the scheduler has not heard of its reboot: does its slurmd run?"
                    continue
                self.patiently(partial(self.scheduler.give_back, node))
                now = self.patiently(partial(self.scheduler.read, [node]))[node]
            except SchedulerError as error:
                found[node].problem = f"could not be given back: {error}"
                continue
            found[node] = Outcome(changed=True, is_out=now.is_out, reason=now.reason)
            if self.is_ours(now):
                found[node] = Outcome("is still out after it was given back", True, True, reason=now.reason)
        back = [node for node in nodes if found[node].changed and not found[node].problem]
        if rebooted and back and self.scheduler.LATE:
            self._give_back_late(back, found)
        return found

    def _give_back_late(self, nodes: Sequence[str], found: dict[str, Outcome]) -> None:
        """Slurm may hear of a boot once more after the node is back, take that for another one, and take it out."""
        for _ in every(self.bounds.poll_s, time.monotonic() + SETTLE_S):
            try:
                for node, now in self.patiently(partial(self.scheduler.read, nodes)).items():
                    if now.is_out and now.reason == self.scheduler.LATE:
                        self.patiently(partial(self.scheduler.give_back, node))
            except SchedulerError as error:
                for node in nodes:
                    found[node].problem = f"was given back, and is not known to have stayed: {error}"
                return

    def _has_booted(self, node: str) -> bool:
        end = time.monotonic() + self.bounds.answer_s
        return any(
            self.patiently(partial(self.scheduler.read, [node]))[node].has_booted
            for _ in every(self.bounds.poll_s, end)
        )


def as_data(outcomes: dict[str, Outcome]) -> dict[str, dict[str, object]]:
    """Node -> fields, for Ansible."""
    return {node: asdict(outcome) for node, outcome in outcomes.items()}
