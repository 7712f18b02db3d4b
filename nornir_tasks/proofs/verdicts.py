"""What a proof of cables finds: frozen, with the lines of both ends that decide."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from nornir_tasks.platforms.lossless import Setting


class Place(NamedTuple):
    """One end of a cable, as a report names it."""

    device: str
    port: str

    def __str__(self) -> str:
        return f"{self.device} {self.port}"


@dataclass(frozen=True, slots=True)
class Statement:
    """One setting of one end: what it comes to, and where it stands."""

    at: Place
    found: str
    """In words: ``no pause``, ``MTU 9214``."""
    setting: Setting | None = None
    """Of a switch: the setting, of which the lines are looked up when they are printed."""
    variable: str = ""
    """Of a host: the variable, ``roce_qos_traffic_class = 106``."""
    line: tuple[str, ...] = ()
    """Of a switch: the path of the line itself, where it is known."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that does not hold at one cable, switch or host."""

    where: str
    what: str
    ends: tuple[Statement, ...]
    """Both ends, or the one that contradicts itself."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one proof found of a site."""

    name: str
    unit: str
    """What it counts: ``cables``, ``switches``."""
    passed: int
    broken: tuple[Broken, ...]
    undecided: Mapping[str, int]
    """Reason -> how many. A line that is not known, or a switch that did not answer."""
    not_shown: Mapping[str, int]
    """Reason -> how many could not be told as no line of their systems says it. A push cannot change that."""
    skipped: Mapping[str, int]
    """Reason -> how many there was nothing to judge of."""
    by_symmetry: int = 0
    """Of those judged, how many have the same parsed settings at both ends as one that was judged before."""
    notes: tuple[str, ...] = ()
    """What follows, and is no fault: other traffic in a queue."""

    @property
    def judged(self) -> int:
        """All that was looked at and has a verdict."""
        return self.passed + len(self.broken) + sum(self.undecided.values()) + sum(self.not_shown.values())

    @property
    def verdict(self) -> str:
        """The worst of all; skipped where nothing could be judged."""
        if self.broken:
            return "fail"
        if self.undecided or self.not_shown:
            return "could not tell"
        return "pass" if self.passed else "skipped"


@dataclass(slots=True)
class Tally:
    """Counts while a proof runs."""

    passed: int = 0
    broken: list[Broken] = field(default_factory=list)
    undecided: Counter[str] = field(default_factory=Counter)
    not_shown: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    by_symmetry: int = 0

    def count(self, broken: Iterable[Broken], doubts: Iterable[str] = (), not_shown: Iterable[str] = ()) -> None:
        """One cable. What known lines break fails, whatever else is not known; a doubt is never a pass."""
        found = list(broken)
        self.broken += found
        if found:
            return
        if reason := next(iter(doubts), None):
            self.undecided[reason] += 1
        elif reason := next(iter(not_shown), None):
            self.not_shown[reason] += 1
        else:
            self.passed += 1

    def outcome(self, name: str, unit: str, notes: Iterable[str] = ()) -> Outcome:
        """All of it, frozen."""
        return Outcome(
            name,
            unit,
            self.passed,
            tuple(self.broken),
            dict(self.undecided),
            dict(self.not_shown),
            dict(self.skipped),
            self.by_symmetry,
            tuple(notes),
        )
