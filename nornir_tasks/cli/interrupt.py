"""Ctrl-C during a push: report the state at once, and leave the rest to the switches' own timers."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from nornir_tasks.cli.progress import Display
from nornir_tasks.errors import Interrupted
from nornir_tasks.usecases.all_or_nothing import TakingBack
from nornir_tasks.usecases.interrupted_push import Drained, PushInterrupted, Stopped
from nornir_tasks.usecases.progress import Begun, Ended, Event, Work

if TYPE_CHECKING:
    from nornir_tasks.usecases.interrupted_push import Standing


@contextmanager
def interruptible() -> Iterator[Callable[[Event], None]]:
    """Yields the callback of a push that may be interrupted; ends this process where its threads still wait."""
    display, words, terminable = Display(), _Words(), ExitStack()

    def on(event: Event) -> None:
        match event:
            case Begun(work=Work.PUSH):
                terminable.enter_context(_term_as_ctrl_c())
            case Stopped() | Ended(work=Work.PUSH):
                terminable.close()
        words(event)
        display(event)

    try:
        yield on
    except PushInterrupted as interrupted:
        if interrupted.standing.under_way:
            _end_at_once()
        raise Interrupted(interrupted.problems) from None


@contextmanager
def _term_as_ctrl_c() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C: a push ended by its supervisor reports its state, too."""

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        del number, frame
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class _Words:
    """Print what was committed, what is not confirmed and when the switches revert it: each line once."""

    def __init__(self) -> None:
        self._shown: tuple[str, ...] = ()

    def __call__(self, event: Event) -> None:
        from nornir_tasks.cli.console import err

        match event:
            case Stopped():
                now = event.standing
                err.print(f"interrupted: {now.total - now.begun} of {now.total} switches were not started")
                self._tell(now, "")
            case Drained():
                self._tell(event.standing, "now ")
            case TakingBack():
                names = ", ".join(event.switches)
                err.print(f"push {event.push} failed: it is taken back on {names}, waiting {event.most_s} s at most")

    def _tell(self, standing: "Standing", before: str) -> None:
        from nornir_tasks.cli.console import err

        for line in standing.lines:
            if line not in self._shown:
                err.print(before + line)
        self._shown = standing.lines


def _end_at_once() -> NoReturn:
    """End the process although threads wait for switches that do not answer: Python would wait for them."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(Interrupted.exit_code)
