"""Somebody at a terminal with one site and its lab: the console script, its output, and what it leaves on disk."""

import json
import os
import pty
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from by_hand import Hand, hands

from switch_twins.client import ControlClient
from tests.intent_parts import of_two_rails
from tests.preloaded_client import NORNIR, nornir
from tests.published import published

ROOT = Path(__file__).parents[2]


@dataclass
class Operator:
    """Runs verbs on one site."""

    site: Path
    state: Path
    day0: dict[str, str] = field(default_factory=dict)
    """What every switch ran before anything was pushed."""
    timeout_s: float = 300.0
    """Of one verb; a lab in an emulated machine needs more."""

    def start(self) -> None:
        self.run("lab", "up")
        self.day0 = self.running()

    def running(self) -> dict[str, str]:
        """What every switch runs."""
        return {name: hand.running() for name, hand in self.hands().items()}

    def begin(self, *words: str, state: Path | None = None) -> subprocess.Popen[str]:
        """Start a verb and do not wait for it."""
        return subprocess.Popen(
            [str(NORNIR), *words, "--site", str(self.site)],
            env={**os.environ, "GPUFABRIC_STATE": str(state or self.state)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str, code: int = 0) -> str:
        """A verb's whole output; its exit code must be ``code``."""
        environ = {**os.environ, "GPUFABRIC_STATE": str(self.state)}
        done = nornir(*words, "--site", str(self.site), environ=environ, timeout_s=self.timeout_s)
        assert done.returncode == code, f"{words}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr

    def json(self, *words: str, code: int = 0) -> Any:
        """Its document, which is as published; of ``validate`` with the findings that passed."""
        more = ["--all"] if words[0] == "validate" and "--all" not in words else []
        text = self.run(*words, *more, "--json", code=code)
        return published(json.JSONDecoder().raw_decode(text)[0])

    @property
    def lab(self) -> Path:
        (found,) = self.state.glob("*/lab")
        return found

    @property
    def records(self) -> Path:
        """Where it is kept what was pushed to the lab."""
        return self.lab.parent / "lab-records"

    @property
    def control(self) -> ControlClient:
        return ControlClient(Path(json.loads((self.lab / "ready.json").read_text())["control"]))

    def hands(self) -> dict[str, Hand]:
        return hands(self.lab)


@contextmanager
def at_its_question(operator: Operator, *words: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A verb that has printed its question, and the keyboard of its terminal."""
    keyboard, terminal = pty.openpty()
    verb = subprocess.Popen(
        [str(NORNIR), *words, "--site", str(operator.site)],
        env={**os.environ, "GPUFABRIC_STATE": str(operator.state)},
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert verb.stderr is not None
    shown = b""
    while b"[y/N]" not in shown and (more := verb.stderr.read(1)):
        shown += more
    try:
        yield verb, keyboard
    finally:
        os.close(keyboard)
        os.close(terminal)


def lab_site(where: Path) -> Operator:
    """A copy of the lab site with a state of its own."""
    shutil.copytree(ROOT / "inventory/lab-rails", where / "lab")
    return Operator(where / "lab", where / "state")


def small_site(where: Path) -> Operator:
    """The lab site cut down to two rails: one leaf of EOS, one of NX-OS, and both spines of Cumulus Linux."""
    made = lab_site(where)
    file = made.site / "fabric.yml"
    file.write_text(of_two_rails(file.read_text()))
    return made


@contextmanager
def lab_of_its_own(where: Path, site: Callable[[Path], Operator] = lab_site) -> Iterator[Operator]:
    """A site whose lab is up, its switches as day 0 leaves them."""
    made = site(where)
    made.start()
    try:
        yield made
    finally:
        made.run("lab", "down")
