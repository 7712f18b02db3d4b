"""What proofs of lossless paths need of an OS beside its parser: where each setting stands, and what else decides.

The parser says what a switch holds. A report quotes the lines that say so, and a line that no parser knows may say
otherwise: ``Known`` are those of which the effect is certain, ``may_matter`` those of which it is not.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal[
    "code point", "queue", "pause", "marks", "strict", "trust", "profile", "watchdog",
    "mtu", "class mtu", "speed", "fec", "negotiation", "state", "headroom", "spread",
]  # fmt: skip
"""What a setting is about; spread: how packets are spread over equal-cost paths."""

Effect = Literal[
    "trust", "classes", "no queues", "rewrite", "global pause", "no pause", "always pause", "no watchdog", "class mtu",
    "no headroom", "pause point",
]  # fmt: skip
"""trust: DSCP does not decide the class; classes: packets are not sorted into all classes; no queues:
these are not set up; rewrite: DSCP is changed;
global pause: the port stops all classes at once; no pause, always pause: otherwise than its profile; class mtu: a class
takes no jumbo packets; no headroom: a line of it has no effect; pause point: it says how deep queues may grow."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of a switch."""

    kind: Kind
    port: str = ""
    """Empty: it is one of a profile, or of the whole switch."""
    profile: str = ""
    number: int = 0
    """The code point; of marks and strict the queue; else 0."""
    priority: int = 0
    """Of a code point, a queue and a pause: the priority."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line that says a setting. ``<port>``, ``<profile>``, ``<number>``, ``<priority>`` stand for the setting's."""

    absent: str
    """How the line would begin; quoted where there is none."""
    patterns: tuple[str, ...]
    """Regular expressions over the path; the first one that matches any line is it."""


def line(absent: str, *patterns: str) -> Line:
    """A Line."""
    return Line(absent, patterns)


@dataclass(frozen=True, slots=True)
class Known:
    """A line beside the model, there or missing, of which the effect on packets is certain."""

    pattern: str
    """Over the path. Groups ``port`` and ``profile`` say where it has its effect; without them on the whole switch."""
    effect: Effect
    is_missing: bool = False
    """The effect of a line that the others need and that is not there; parsers write ``no`` before it."""


def _no_words(_: Setting) -> Mapping[str, str]:
    """No placeholders besides the usual ones."""
    return {}


@dataclass(frozen=True, slots=True)
class PausePoint:
    """Lines of how deep a queue of a lossless class may grow before its port pauses; each with a group ``value``."""

    alpha: str
    """Of a dynamic threshold: the part of what is free in the pool (``1/8``, ``alpha_1_8``)."""
    pool_percent: str = r"(?!)(?P<value>)"
    """The pool of lossless classes: its part of the packet buffer. Without such a line the pool is not known."""
    fixed_bytes: str = r"(?!)(?P<value>)"
    """A threshold that does not move."""
    with_headroom: bool = False
    """They stand in a profile that is applied where headroom is configured, and not otherwise."""


@dataclass(frozen=True, slots=True)
class LosslessLines:
    """All of it, of one OS."""

    lines: Mapping[Kind, tuple[Line, ...]] = field(default_factory=dict)
    """Kind of setting -> the lines that say it together."""
    known: tuple[Known, ...] = ()
    may_matter: tuple[str, ...] = (".*",)
    """Over the path of a line that is not in the model; group ``port``: it is about that port alone."""
    profile: str = ""
    """The profile of a port that names none; empty: such a port has none."""
    pause_point: PausePoint | None = None
    """None: the system has no such line."""
    words: Callable[[Setting], Mapping[str, str]] = _no_words
    """Further placeholders of lines, with what they stand for."""

    def lines_of(self, setting: Setting) -> tuple[Line, ...]:
        """The lines that say this setting, with its names and numbers."""
        own = {each: str(getattr(setting, each)) for each in ("port", "profile", "number", "priority")}
        words = {**own, **self.words(setting)}
        return tuple(
            Line(_filled(each.absent, words).strip(), tuple(_filled(pattern, words) for pattern in each.patterns))
            for each in self.lines.get(setting.kind, ())
        )


def _filled(text: str, words: Mapping[str, str]) -> str:
    for name, word in words.items():
        text = text.replace(f"<{name}>", word)
    return text


NOTHING_KNOWN = LosslessLines()
