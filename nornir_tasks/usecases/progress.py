"""What a use case says while it works: events, handed to its callback ``on`` from whichever thread they happen in."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nornir_tasks.deploy.identity import Doubt


class Event:
    """One thing that happened. Each use case's own events stand beside it."""

    __slots__ = ()


On = Callable[[Event], None]
"""Must be quick: a switch's thread waits for it."""


def ignore(event: Event) -> None:
    """For who does not want to follow."""
    del event


class Work(StrEnum):
    """What is done to one switch after the other."""

    RENDER = "rendering"
    ASK = "asking"
    READ = "reading"
    PUSH = "pushing"


@dataclass(frozen=True, slots=True)
class Begun(Event):
    """Work on so many switches begins."""

    work: Work
    total: int


@dataclass(frozen=True, slots=True)
class Through(Event):
    """One of them is through, well or not: a switch, or its file."""

    work: Work
    name: str


@dataclass(frozen=True, slots=True)
class Ended(Event):
    """No more of it comes, for whatever reason."""

    work: Work


@dataclass(frozen=True, slots=True)
class Unidentified(Event):
    """Switches that are taken for themselves by their address alone, as nobody declared a serial number."""

    news: "tuple[Doubt, ...]"
    """Those not said before."""
    known: "tuple[Doubt, ...]"
    """All of this use case so far."""
    total: int
    """So many switches were read."""


@contextmanager
def following(on: On, work: Work, total: int) -> Iterator[Callable[[str], None]]:
    """Say when work begins and ends; call what this yields with the name of each thing that is through."""
    on(Begun(work, total))
    try:
        yield lambda name: on(Through(work, name))
    finally:
        on(Ended(work))
