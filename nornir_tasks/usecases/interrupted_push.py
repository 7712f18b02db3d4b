"""A push that is interrupted: how it stands, and what became of the answers on their way."""

from dataclasses import dataclass

from nornir_tasks.deploy.ledger import Ledger
from nornir_tasks.errors import Interrupted, Problem
from nornir_tasks.usecases.progress import Event, On

DRAIN_S = 5.0
"""How long an interrupted push waits for outstanding answers."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of an interrupted push."""

    total: int
    begun: int
    under_way: tuple[str, ...]
    """Switches with an outstanding answer. Threads wait for it."""
    lines: tuple[str, ...]
    """Every started switch: confirmed, unchanged, or when it reverts the change."""


@dataclass(frozen=True, slots=True)
class Stopped(Event):
    """A push was interrupted: its present state. Nothing more is started, committed or confirmed."""

    standing: Standing


@dataclass(frozen=True, slots=True)
class Drained(Event):
    """The outstanding answers have arrived, or the time for them is over."""

    standing: Standing


class PushInterrupted(Interrupted):
    """Ctrl-C during a push, raised after its state was reported."""

    def __init__(self, standing: Standing) -> None:
        super().__init__(Problem("push", "interrupted"))
        self.standing = standing


def settled(ledger: Ledger, total: int, on: On) -> Standing:
    """Say how an interrupted push stands, wait for the answers on their way, and say it again.

    Interrupted a second time it ends at once.
    """
    try:
        first = _standing(ledger, total)
        on(Stopped(first))
        if first.under_way:
            ledger.wait(DRAIN_S)
            on(Drained(_standing(ledger, total)))
    except KeyboardInterrupt:
        pass
    return _standing(ledger, total)


def _standing(ledger: Ledger, total: int) -> Standing:
    return Standing(total, ledger.begun, ledger.under_way, ledger.lines())
