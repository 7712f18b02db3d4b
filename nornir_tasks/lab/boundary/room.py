"""A machine that forwards, in network namespaces of this host: rules and routes for its kernel, packets through it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.demand.flows import FAMILIES
from nornir_tasks.errors import LabError, Problem
from nornir_tasks.files import programs
from nornir_tasks.proofs.rules.flows import Flow

PROGRAM = Path(__file__).with_name("stations.py")
FORWARDING = (
    ("sysctl", "-q", "-w", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1", "net.ipv4.conf.all.rp_filter=0"),
)
NEEDED = {"nft": "nftables", "ip": "iproute2", "unshare": "util-linux", "nsenter": "util-linux", "sysctl": "procps"}


class Outcome(NamedTuple):
    """What became of one flow."""

    arrived: tuple[tuple[str, str, str], ...] = ()
    """Port behind which it came out, with the source and the destination that it had there."""
    answered: bool = False
    """Did an answer come back to where it was sent from?"""


@dataclass(slots=True)
class Room:
    """A machine with its ports; ``there``: addresses of neighbours behind each. Ends with the ``with``."""

    there: Mapping[str, Sequence[str]]
    commands: Sequence[Sequence[str]] = ()
    """What gives it addresses and routes."""
    _process: subprocess.Popen[str] = field(init=False)
    _round: int = 0

    def __enter__(self) -> Self:
        missing = sorted({package for program, package in NEEDED.items() if programs.find(program) is None})
        if missing:
            raise LabError(Problem("packets", "programs are missing here", hint=f"apt-get install {' '.join(missing)}"))
        own = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        command = ["unshare", *own, "--net", "--", sys.executable, "-I", str(PROGRAM)]
        self._process = subprocess.Popen(  # noqa: S603 - a list of words
            command, stdin=-1, stdout=-1, stderr=-1, text=True, env=programs.environment()
        )
        ports = {name: {"there": list(addresses)} for name, addresses in self.there.items()}
        commands = [list(each) for each in (*FORWARDING, *self.commands)]
        try:
            self._ask({"build": {"ports": ports, "commands": commands}})
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def run(self, *command: str, text: str = "") -> str:
        """A command in the machine. Raises LabError if it fails."""
        done = self._ask({"run": list(command), "input": text})
        if done["code"]:
            raise LabError(Problem(" ".join(command), "failed", found=(done["err"] or done["out"]).strip()))
        return str(done["out"])

    def state(self) -> tuple[dict[str, Any], dict[Family, list[dict[str, Any]]]]:
        """What its kernel lists: the ruleset, and the routes of each family."""
        routes = {
            family: json.loads(self.run("ip", "-j", f"-{family[-1]}", "route", "show", "table", "all"))
            for family in FAMILIES
        }
        return json.loads(self.run("nft", "-j", "list", "ruleset")), routes

    def send(
        self, flows: Sequence[Flow], arrive: Iterable[Flow] = (), answered: Iterable[Flow] = (), within_s: float = 10.0
    ) -> dict[Flow, Outcome]:
        """Each flow once, from a source port that no round before had. It waits for what should arrive and be answered.

        What should not has a fifth of a second after all else in which to come.
        """
        self._round += 1
        numbers = {flow: place for place, flow in enumerate(flows, 1)}
        # Those of each port have another source port: a packet of a connection that another opened is not new.
        from_ports = {port: 1024 + self._round * len(self.there) + place for place, port in enumerate(self.there)}
        lines = [
            [
                *(number, each.port, int(each.family[-1]), each.protocol, each.source, each.destination),
                *(from_ports[each.port], each.number),
            ]
            for each, number in numbers.items()
        ]
        found = self._ask(
            {
                "send": {
                    "flows": lines,
                    "arrive": [numbers[each] for each in arrive],
                    "answered": [numbers[each] for each in answered],
                    "within_s": within_s,
                    "quiet_s": 0.2,
                }
            }
        )
        back = set(found["answered"])
        return {
            flow: Outcome(tuple(sorted({(*each,) for each in found["arrived"].get(str(number), ())})), number in back)
            for flow, number in numbers.items()
        }

    def _ask(self, line: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        if stdin is None or stdout is None or stderr is None:
            raise AssertionError("pipes were asked for")
        try:
            stdin.write(json.dumps(line) + "\n")
            stdin.flush()
            answer = stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            last_lines = stderr.read().strip().splitlines()
            hint = "as root, or where users may have namespaces (kernel.apparmor_restrict_unprivileged_userns)"
            raise LabError(
                Problem("packets", "no machine in namespaces", found=last_lines[-1] if last_lines else "", hint=hint)
            )
        return json.loads(answer)

    def _end(self) -> None:
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None and stream is self._process.stdin:
                stream.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
