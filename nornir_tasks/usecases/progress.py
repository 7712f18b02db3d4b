"""Progress of a use case: events, passed to its callback ``on`` from the thread in which they happen."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nornir_tasks.deploy.identity import Doubt


class Event:
    """One thing that happened. Events of a use case are defined in its module."""

    __slots__ = ()


On = Callable[[Event], None]
"""Must be quick: a switch's thread waits for it."""


def ignore(event: Event) -> None:
    """The callback that ignores all events."""
    del event


class Work(StrEnum):
    """Work that is done switch by switch."""

    RENDER = "rendering"
    ASK = "asking"
    READ = "reading"
    COUNT = "reading counters of"
    PUSH = "pushing"


@dataclass(frozen=True, slots=True)
class Begun(Event):
    """Work on this number of switches starts."""

    work: Work
    total: int


@dataclass(frozen=True, slots=True)
class Through(Event):
    """One of them is complete, successful or not: a switch, or its file."""

    work: Work
    name: str


@dataclass(frozen=True, slots=True)
class Ended(Event):
    """The work has ended, for any reason."""

    work: Work


@dataclass(frozen=True, slots=True)
class Unidentified(Event):
    """Switches that only their address identifies, without a declared serial number."""

    news: "tuple[Doubt, ...]"
    """Those not reported before."""
    known: "tuple[Doubt, ...]"
    """All of this use case so far."""
    total: int
    """The number of switches that were read."""


@contextmanager
def following(on: On, work: Work, total: int) -> Iterator[Callable[[str], None]]:
    """Report start and end of the work; call the yielded function with the name of each completed item."""
    on(Begun(work, total))
    try:
        yield lambda name: on(Through(work, name))
    finally:
        on(Ended(work))
