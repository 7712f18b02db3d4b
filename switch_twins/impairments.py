"""What was impaired in a lab: ports, optics, queues and NICs that work worse than they should.

Each has a kind and a place, and an amount in the kind's unit. How it shows is up to who counts (traffic/) and who
prints (the twins). Time makes errors of it: those of a kind with a rate grow while it lasts, and stay when it is gone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .errors import Problem, TwinError
from .spec import End

Where = Literal["switch", "host", "switch port", "host port"]


@dataclass(frozen=True, slots=True)
class Kind:
    """One way to work badly. ``amount``: where none is given; ``is_rate``: it adds so many to a counter each second."""

    where: Where
    amount: float = 1.0
    least: float = 0.0
    most: float = float("inf")
    is_rate: bool = False


KINDS: dict[str, Kind] = {
    "pause-storm": Kind("host port", 1),
    "ignores-cnps": Kind("host", 1),
    "wrong-class": Kind("host", 0, 0, 63),
    "no-marks": Kind("switch", 1),
    "no-pause": Kind("switch", 1),
    "drops": Kind("switch port", 1, 0.001, 100),
    "dead-member": Kind("switch port", 1),
    "flaps": Kind("switch port", 0.5, 0.001, 1000, is_rate=True),
    "fec-corrected": Kind("switch port", 20_000, 1, is_rate=True),
    "fec-uncorrected": Kind("switch port", 2, 0.001, is_rate=True),
    "symbol-errors": Kind("switch port", 5, 0.001, is_rate=True),
    "crc-errors": Kind("switch port", 5, 0.001, is_rate=True),
    "hot-optic": Kind("switch port", 82, -40, 150),
    "low-light": Kind("switch port", -13.5, -40, 10),
}
"""Amounts: a storm, no marks and the like are there or not (1); ``wrong-class``: the DSCP; ``drops``: percent of the
packets of paused priorities; ``flaps`` and errors: so many a second; degrees Celsius; dBm."""


@dataclass(slots=True)
class Impairments:
    """What is impaired now: (kind, device, port or "") -> amount; and what those with a rate have added up to."""

    _now: dict[tuple[str, str, str], float]
    _added: dict[tuple[str, str, str], float]
    _since_s: dict[tuple[str, str, str], float]

    def __init__(self) -> None:
        self._now, self._added, self._since_s = {}, {}, {}

    def put(self, kind: str, device: str, port: str, amount: float | None, now_s: float) -> None:
        """Impair something, or change by how much. Raises TwinError for what cannot be; places are checked before."""
        known = KINDS.get(kind)
        if known is None:
            raise TwinError(Problem(kind, "there is no such impairment", ", ".join(KINDS)))
        value = known.amount if amount is None else amount
        if not known.least <= value <= known.most:
            raise TwinError(Problem(kind, "no such amount", f"from {known.least:g} to {known.most:g}", f"{value:g}"))
        self._settle((kind, device, port), now_s)
        self._now[kind, device, port] = value

    def take_back(self, kind: str, device: str, port: str, now_s: float) -> None:
        """Mend it; harmless where it is not impaired. What was counted meanwhile stays."""
        self._settle((kind, device, port), now_s)
        self._now.pop((kind, device, port), None)

    def amount(self, kind: str, device: str, port: str = "") -> float | None:
        """By how much; None: not impaired."""
        return self._now.get((kind, device, port))

    def has(self, kind: str, device: str, port: str = "") -> bool:
        """Is it impaired in this way?"""
        return (kind, device, port) in self._now

    def of_kind(self, kind: str) -> list[End]:
        """The places of one kind."""
        return [End(device, port) for name, device, port in self._now if name == kind]

    def amounts(self, kind: str) -> dict[End, float]:
        """The places of one kind, each with its amount."""
        return {End(device, port): amount for (name, device, port), amount in self._now.items() if name == kind}

    def added(self, kind: str, device: str, port: str, now_s: float) -> int:
        """What a kind with a rate has added to its counter."""
        key = (kind, device, port)
        running = self._now.get(key, 0.0) * (now_s - self._since_s[key]) if key in self._now else 0.0
        return int(self._added.get(key, 0.0) + running + 1e-9)

    def all(self) -> list[tuple[str, str, str, float]]:
        """Everything that is impaired: kind, device, port or "", amount."""
        return [(*key, amount) for key, amount in self._now.items()]

    def __bool__(self) -> bool:
        return bool(self._now)

    def _settle(self, key: tuple[str, str, str], now_s: float) -> None:
        if key in self._now and KINDS[key[0]].is_rate:
            self._added[key] = self._added.get(key, 0.0) + self._now[key] * (now_s - self._since_s[key])
        self._since_s[key] = now_s
