"""What a test seeds in a switch of the lab: counters and states that no configuration and no cable there can cause.

Each twin says what can be seeded (``seedable``); a control request (control.py, ``seed``) is checked against that, so a
name that no answer reads is refused. What is not seeded is 0, or "".
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from .errors import Problem, TwinError

ERRDISABLED = "errdisabled"
"""Of a port: the cause for which it was shut by the switch itself. The port is down then."""

Value = float | str


@dataclass(frozen=True, slots=True)
class Seedable:
    """``on``: of what there is one; ``kind``: a counter (whole, not negative), a reading (any number), or a word."""

    on: Literal["port", "peer", "switch"]
    kind: Literal["counter", "reading", "word"] = "counter"


@runtime_checkable
class SeedableTwin(Protocol):
    """A twin in which something can be seeded."""

    def seedable(self) -> dict[str, Seedable]:
        """By name."""

    def seeded_on(self, on: str) -> Collection[str]:
        """The ports or peers that the switch has now."""


class Seeds:
    """By switch, name and port or peer ("" of the switch as a whole)."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, str, str], Value] = {}

    def put(self, twin: object, device: str, what: str, on: str, value: Value | None) -> None:
        """Seed one value; None takes it back. Raises TwinError for what this switch has not."""
        if not isinstance(twin, SeedableTwin):
            raise TwinError(Problem(device, "nothing can be seeded in a switch of this system"))
        _check(twin, device, what, on, value)
        if value is None:
            self._values.pop((device, what, on), None)
        else:
            self._values[device, what, on] = value

    def number(self, device: str, what: str, on: str = "", default: float = 0) -> float:
        """A reading; ``default`` where nothing was seeded."""
        found = self._values.get((device, what, on), default)
        return found if not isinstance(found, str) else default

    def count(self, device: str, what: str, on: str = "") -> int:
        """A counter."""
        return int(self.number(device, what, on))

    def word(self, device: str, what: str, on: str = "") -> str:
        """A word; "" where nothing was seeded."""
        return str(self._values.get((device, what, on), ""))

    def where(self, device: str, what: str) -> dict[str, str]:
        """The ports or peers of a switch on which something of this name was seeded, with the word."""
        return {on: str(value) for (name, key, on), value in self._values.items() if (name, key) == (device, what)}


def _check(twin: SeedableTwin, device: str, what: str, on: str, value: Value | None) -> None:
    known = twin.seedable()
    if what not in known:
        raise TwinError(Problem(device, f"nothing of this switch reads {what!r}", ", ".join(sorted(known))))
    wanted = known[what]
    there = [""] if wanted.on == "switch" else sorted(twin.seeded_on(wanted.on))
    if on not in there:
        raise TwinError(Problem(device, f"{what} is of a {wanted.on}, and there is no {on!r}", ", ".join(there)))
    if value is not None and not _is_of_kind(wanted.kind, value):
        raise TwinError(Problem(device, f"{what} is a {wanted.kind}, not {value!r}"))


def _is_of_kind(kind: str, value: Value) -> bool:
    if isinstance(value, str):
        return kind == "word" and bool(value)
    return kind == "reading" or (kind == "counter" and value >= 0 and value == int(value))
