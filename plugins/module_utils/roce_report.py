"""The changes and failures of one run of the RoCE policy on a host. Standard library only, Python 3.9."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from typing import Any

_DCB_QUERY = re.compile(r"dcb -j \w+ show dev \S+")


@dataclass(frozen=True)
class Change:
    """One knob that was set, or would be set (check mode)."""

    rail: str
    knob: str
    found: str
    wanted: str
    by: str

    def __str__(self) -> str:
        return f"{self.rail} {self.knob}: {self.found} -> {self.wanted} ({self.by})"


@dataclass(frozen=True)
class Absence:
    """One knob that this rail does not have."""

    rail: str
    knob: str
    wanted: str
    reason: str

    def __str__(self) -> str:
        return f"{self.rail} {self.knob}: absent ({self.reason}); wanted {self.wanted}; shown on: hardware only"


@dataclass(frozen=True)
class Failure:
    """One knob that differs from the policy, and why."""

    rail: str
    knob: str
    found: str
    wanted: str
    why: str

    def __str__(self) -> str:
        return f"{self.rail} {self.knob}: wanted {self.wanted}, found {self.found}: {self.why}"


@dataclass
class Report:
    """The changes and failures of one run."""

    changes: list[Change] = field(default_factory=list)
    absent: list[Absence] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    not_tried: list[str] = field(default_factory=list)
    """What differs and was left alone after a set that did not take (rail and knob)."""
    not_queried: list[str] = field(default_factory=list)
    """What only the firmware shows, which the service does not query (rail, knob and why)."""

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "absent_words": self.absent_words()}

    def failure_words(self) -> str:
        """The failures; below them what was set before, and what was not tried."""
        words = [str(each) for each in self.failures]
        if self.not_tried:
            done = ", ".join(f"{each.rail} {each.knob}" for each in self.changes) or "nothing"
            words += [f"Set before that: {done}.", f"Not tried after that: {', '.join(self.not_tried)}."]
        return "\n".join(words)

    def absent_words(self) -> list[str]:
        """One line for each reason, with its knobs and rails."""
        knobs: dict[str, tuple[set[str], dict[str, None]]] = {}
        for each in self.absent:
            reason = _DCB_QUERY.sub("dcb", each.reason).replace(each.rail, "RAIL")
            rails, names = knobs.setdefault(reason, (set(), {}))
            rails.add(each.rail)
            names[each.knob] = None
        return [
            f"{', '.join(sorted(rails))} without {', '.join(names)} ({reason}); shown on: hardware only"
            for reason, (rails, names) in knobs.items()
        ]
