"""Ctrl-C amid a push: say at once what is so, and leave the rest to the switches' own timers."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from nornir_tasks.deploy.ledger import Ledger

DRAIN_S = 5.0
"""How long an interrupted push waits for the answers that are on their way."""


@contextmanager
def interruptible() -> Iterator[None]:
    """SIGTERM means Ctrl-C here: a push that is ended by its supervisor says what is so, too."""

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        del number, frame
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def leave(ledger: "Ledger | None", total: int) -> NoReturn:
    """Say what was committed, what is not confirmed and when the switches take that back; end with exit code 130."""
    from nornir_tasks.errors import Interrupted, Problem

    try:
        if ledger is None:
            raise Interrupted(Problem("push", "interrupted; nothing was changed"))
        _tell(ledger, total)
        if not ledger.under_way:
            raise Interrupted(Problem("push", "interrupted"))
    except KeyboardInterrupt:  # a second one: at once, then
        pass
    # Threads still wait for switches that do not answer. Python would wait for them; the operator shall not.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(Interrupted.exit_code)


def _tell(ledger: "Ledger", total: int) -> None:
    from nornir_tasks.cli.console import err

    shown = ledger.lines()
    err.print(f"interrupted: {total - ledger.begun} of {total} switches were not begun", markup=False)
    for line in shown:
        err.print(line, markup=False)
    if ledger.under_way:
        ledger.wait(DRAIN_S)
        for line in ledger.lines():
            if line not in shown:
                err.print(f"now {line}", markup=False)
