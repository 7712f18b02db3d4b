"""Schedulers that give out a site's nodes: which nodes are out and why, taking one out, giving it back.

Standard library only (it runs on a host with the scheduler's client, Python 3.9). One class for each; ``job_drain.py``
decides what is done with them. Sources: scontrol(1) and sinfo(1) of Slurm 22.05 (node states, RESUME); Kubernetes,
"Safely Drain a Node" (kubectl drain waits for PodDisruptionBudgets, and ends with an error after --timeout).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

ANSWER_S = 60
"""How long one command of the scheduler may take, in seconds; a drain has a limit of its own."""


class SchedulerError(Exception):
    """A command failed; the text is what it printed."""

    AWAY = re.compile(
        r"unable to contact|connect failure|refused|timed out|timeout|no answer within|EOF", re.IGNORECASE
    )

    @property
    def is_away(self) -> bool:
        """Did the scheduler not answer, so that it may be worth another try?"""
        return bool(self.AWAY.search(str(self)))


@dataclass(frozen=True)
class Node:
    """What a scheduler says of one of its nodes."""

    is_out: bool
    """New jobs do not start on it."""
    reason: str
    busy: str = ""
    """What still runs on it; empty if nothing does, or only ``Scheduler.leaving`` can tell."""
    has_booted: bool = True
    """Does the scheduler know of a boot since it was taken out? True where it does not care."""


class Scheduler(ABC):
    """Runs the scheduler's own program, ``command`` (with its options), for what subclasses ask."""

    LATE = ""
    """The reason with which it takes a node out that was given back while it heard of its boot; empty: it does not."""

    def __init__(self, command: Sequence[str]) -> None:
        self.command = list(command)
        self.leaving: dict[str, tuple[subprocess.Popen[bytes], Any]] = {}
        """Nodes whose jobs a program is sending away, as ``begin`` started it, and the file with its output."""

    def ask(self, *words: str, may_fail: bool = False) -> tuple[int, str, str]:
        """Exit code, output, errors. Raises SchedulerError."""
        argv = [*self.command, *words]
        try:
            done = subprocess.run(  # noqa: S603 - an argument list, no shell
                argv,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=ANSWER_S,
                check=False,
                env=_environment(),
            )
        except subprocess.TimeoutExpired as error:
            message = f"{' '.join(argv)}: no answer within {ANSWER_S} s"
            raise SchedulerError(message) from error
        except OSError as error:
            message = f"{argv[0]}: {error.strerror}"
            raise SchedulerError(message) from error
        if done.returncode and not may_fail:
            raise SchedulerError(_words(argv, done.returncode, done.stderr + done.stdout))
        return done.returncode, done.stdout, done.stderr

    def start(self, node: str, argv: Sequence[str]) -> None:
        """Begin a program that ends once the node's jobs have gone."""
        output = tempfile.TemporaryFile()  # noqa: SIM115 - it is read when the program has ended
        try:
            process = subprocess.Popen(  # noqa: S603
                list(argv), stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=_environment()
            )
        except OSError as error:
            message = f"{argv[0]}: {error.strerror}"
            raise SchedulerError(message) from error
        self.leaving[node] = (process, output)

    def left(self, node: str) -> bool:
        """Has the program ended that sends its jobs away? Raises SchedulerError if it failed."""
        if node not in self.leaving:
            return True
        process = self.leaving[node][0]
        code = process.poll()
        if code:
            raise SchedulerError(_words(process.args, code, self.printed(node)))
        return code == 0

    def printed(self, node: str) -> str:
        """The end of what that program has printed so far, in one line."""
        if node not in self.leaving:
            return ""
        output = self.leaving[node][1]
        return _line(os.pread(output.fileno(), 1 << 20, 0).decode(errors="replace"))

    def stop(self, node: str) -> None:
        """End the program that sends the node's jobs away."""
        process, _ = self.leaving.pop(node, (None, None))
        if process is not None and process.poll() is None:
            process.terminate()
            process.wait(ANSWER_S)

    @abstractmethod
    def read(self, nodes: Sequence[str]) -> dict[str, Node]:
        """Each node that the scheduler knows. Raises SchedulerError if it does not answer."""

    @abstractmethod
    def take(self, node: str, reason: str) -> None:
        """Let no new job start on the node, for a reason that names us."""

    def begin(self, node: str, reason: str, wait_s: int) -> None:  # noqa: B027 - not every scheduler does
        """Send away what runs on the node, where the scheduler does so; ends by itself after ``wait_s``."""

    @abstractmethod
    def give_back(self, node: str) -> None:
        """Let jobs start on the node again."""


class Slurm(Scheduler):
    """``command`` is scontrol. Running jobs are left to end: nothing sends them away."""

    LATE = "Node unexpectedly rebooted"
    OUT = frozenset({"DRAIN", "FAIL", "DOWN", "ERROR", "MAINT", "POWERED_DOWN", "POWERING_DOWN", "REBOOT_ISSUED"})
    BUSY = frozenset({"ALLOCATED", "MIXED", "COMPLETING", "UNKNOWN"})
    """UNKNOWN: a controller that has restarted has not heard of the node yet, nor of its jobs."""
    REASON = re.compile(r" Reason=(.*?)(?: \[[^\]\s]+@([^\]\s]+)\])?(?: Comment=.*)?$")
    """The reason, and when it was given."""

    def read(self, nodes: Sequence[str]) -> dict[str, Node]:
        code, shown, errors = self.ask("-o", "show", "node", ",".join(nodes), may_fail=True)
        found = dict(self._node(line) for line in shown.splitlines() if line.startswith("NodeName="))
        if code and not found and "not found" not in errors + shown:
            raise SchedulerError(_words([*self.command, "show", "node"], code, errors + shown))
        return {name: each for name, each in found.items() if name in nodes}

    def _node(self, line: str) -> tuple[str, Node]:
        words = dict(word.split("=", 1) for word in line.split() if "=" in word)
        flags = {flag.rstrip("*$~#!%@^-") for flag in words.get("State", "").split("+")}
        reason = self.REASON.search(line.strip())
        busy = f"jobs may run on it ({words['State']}; squeue -w {words['NodeName']})" if flags & self.BUSY else ""
        # Both by slurmctld's clock: a node's time of boot is what it says of its uptime, taken from now.
        has_booted = not reason or words.get("BootTime", "") >= (reason[2] or "")
        return words["NodeName"], Node(bool(flags & self.OUT), reason[1] if reason else "", busy, has_booted)

    def take(self, node: str, reason: str) -> None:
        self.ask("update", f"nodename={node}", "state=DRAIN", f"reason={reason}")

    def give_back(self, node: str) -> None:
        self.ask("update", f"nodename={node}", "state=RESUME")


class Kubernetes(Scheduler):
    """``command`` is kubectl. Pods are evicted, so that PodDisruptionBudgets hold; none is ever deleted instead."""

    MARK = "gpufabric.io/drain"
    CHANGED = re.compile(r"Conflict|has been modified")

    def __init__(self, command: Sequence[str], *, empty_dirs: bool = False) -> None:
        super().__init__(command)
        self.empty_dirs = empty_dirs
        self.versions: dict[str, str] = {}

    def read(self, nodes: Sequence[str]) -> dict[str, Node]:
        _, shown, _ = self.ask("get", "nodes", *nodes, "--ignore-not-found", "-o", "json")
        given = json.loads(shown) if shown.strip() else {"items": []}
        return dict(map(self._node, given.get("items", [given])))

    def _node(self, given: dict[str, Any]) -> tuple[str, Node]:
        metadata, is_out = given["metadata"], bool(given.get("spec", {}).get("unschedulable"))
        reason = metadata.get("annotations", {}).get(self.MARK) or ("cordoned by others" if is_out else "")
        self.versions[metadata["name"]] = metadata.get("resourceVersion", "")
        return metadata["name"], Node(is_out, reason if is_out else "")

    def _patch(self, node: str, unschedulable: bool | None, mark: str | None) -> None:
        """Cordon and mark at once; the server refuses it if the node has changed since it was read."""
        metadata = {"annotations": {self.MARK: mark}, "resourceVersion": self.versions[node]}
        change = json.dumps({"metadata": metadata, "spec": {"unschedulable": unschedulable}})
        self.ask("patch", "node", node, "--type=merge", "-p", change)

    def _again(self, node: str, unschedulable: bool | None, mark: str | None) -> None:
        """A node's status changes all the time: read and try a few times, but not over another's cordon."""
        for last in (False, False, False, False, True):
            was = self.read([node])[node]
            try:
                self._patch(node, unschedulable, mark)
            except SchedulerError as error:
                if last or not self.CHANGED.search(str(error)):
                    raise
                if self.read([node])[node] != was:
                    message = f"node {node} was cordoned or uncordoned by another person or tool at the same time"
                    raise SchedulerError(message) from error
            else:
                return

    def take(self, node: str, reason: str) -> None:
        self._again(node, True, reason)

    def begin(self, node: str, reason: str, wait_s: int) -> None:
        words = ["drain", node, "--ignore-daemonsets", f"--timeout={wait_s}s"]
        self.start(node, [*self.command, *words, *(["--delete-emptydir-data"] if self.empty_dirs else [])])

    def give_back(self, node: str) -> None:
        self._again(node, None, None)


class Command(Scheduler):
    """The site's own program.

    ``show NODE`` prints why the node is out, or nothing while it is in use; ``drain NODE REASON`` ends well once no job
    runs there and none will start; ``undrain NODE`` lets jobs start again.
    """

    def read(self, nodes: Sequence[str]) -> dict[str, Node]:
        shown = {node: self.ask("show", node)[1].strip() for node in nodes}
        return {node: Node(bool(reason), reason) for node, reason in shown.items()}

    def take(self, node: str, reason: str) -> None:
        """``drain`` does both."""

    def begin(self, node: str, reason: str, wait_s: int) -> None:
        self.start(node, [*self.command, "drain", node, reason])

    def give_back(self, node: str) -> None:
        self.ask("undrain", node)


def scheduler(kind: str, command: Sequence[str], *, empty_dirs: bool = False) -> Scheduler:
    """The class for ``gpufabric_drain``."""
    if kind == "kubernetes":
        return Kubernetes(command or ["kubectl"], empty_dirs=empty_dirs)
    return Slurm(command or ["scontrol"]) if kind == "slurm" else Command(command)


def every(seconds: float, end: float) -> Iterator[float]:
    """Seconds left, once every so many, until ``end`` (time.monotonic); once at least."""
    while True:
        left = end - time.monotonic()
        yield max(0.0, left)
        if left <= 0:
            return
        time.sleep(min(seconds, left))


def _words(argv: object, code: int, output: str) -> str:
    """A failed command and the end of what it printed, in one line."""
    name = " ".join(argv) if isinstance(argv, (list, tuple)) else str(argv)
    return f"{name}: exit code {code}: {_line(output) or 'no word why'}"


def _line(output: str) -> str:
    return " ".join(output.split())[-400:]


def _environment() -> dict[str, str]:
    return dict(os.environ, LC_ALL="C", PATH=os.environ.get("PATH", "") + ":/usr/local/bin:/usr/bin:/bin:/usr/sbin")
