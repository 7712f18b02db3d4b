"""How the counters of one OS are read: which answer has which counters, and one strict way to take numbers out of them.

An answer that is half, garbled or of another release does not stop the rest: what was not understood is a problem with
its place, and everything beside it is read. Absence is never zero, but where an OS's table says so.
"""

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple

from nornir_tasks.platforms.counted import GAUGES, Counter, Counts, Place, Reading
from nornir_tasks.platforms.observed import Answers, Request

MAX_COUNT = 2**64 - 1
MAX_PROBLEMS = 8
"""Of one request: a garbled answer of 64 ports is one fault, not hundreds."""
_SHOWN_CHARS = 60
NO_LIGHT_DBM = -30.0
"""What a power of nothing is, which some print as "-inf dBm": the value that EOS shows for it (ANTA 1.10.0,
anta/tests/interfaces.py, NO_LIGHT_DBM)."""

ALL = frozenset(Counter)
NUMBERS = {str(number): number for number in range(8)}
"""Priorities and queues, as tables name them."""
placed = lru_cache(maxsize=60_000)(Place)
"""A place by port and index, made once for all switches that have it."""
_UNKNOWN = "no published source says where this system shows it"


class Tally:
    """Collects values, and what of the answers was not understood."""

    def __init__(self) -> None:
        self.values: dict[Counter, dict[Place, float]] = defaultdict(dict)
        self._problems: dict[str, dict[str, None]] = defaultdict(dict)
        self.doubtful: set[Counter] = set()
        """Counters in whose answers something was not understood."""
        self.reading: frozenset[Counter] = frozenset()
        """Those that are being read."""
        self.request = ""
        """What is being read: problems begin with it."""

    def take(self, counter: Counter, place: Place, value: object, where: str) -> None:
        """One value, as a number or as digits. ``where``: its place in the answer, for people."""
        if type(value) is int and 0 <= value <= MAX_COUNT and counter not in GAUGES:
            self.values[counter][place] = value
            return
        number = _gauge(value) if counter in GAUGES else _count(value)
        if number is None:
            self.unlike(where, "a number" if counter in GAUGES else f"a count from 0 to {MAX_COUNT}", value)
        else:
            self.values[counter][place] = number

    def row(self, place: Place, row: Mapping[str, Any], keys: Mapping[Counter, str], where: str) -> None:
        """Counts of one row by their keys; what is a plain number costs no call. ``where``: of the row, up to a key."""
        for counter, key in keys.items():
            value = row.get(key)
            if type(value) is int and 0 <= value <= MAX_COUNT:
                self.values[counter][place] = value
            else:
                self.take(counter, place, value, where + key)

    def table(self, port: str, rows: object, keys: Mapping[Counter, str], where: tuple[str, str]) -> None:
        """Counts of a port's table by priority or queue. ``where``: its place in the answer, and what follows that."""
        if not isinstance(rows, dict):
            self.unlike(where[0], "a table by number", rows)
            return
        taken = [(counter, key, self.values[counter]) for counter, key in keys.items()]
        for name, row in rows.items():
            number = NUMBERS.get(name)
            if number is None or not isinstance(row, dict):
                self.unlike(where[1].join((where[0], name)), "a row of a number from 0 to 7", row)
                continue
            place = placed(port, number)
            for counter, key, values in taken:
                value = row.get(key)
                if type(value) is int and 0 <= value <= MAX_COUNT:
                    values[place] = value
                else:
                    self.take(counter, place, value, where[1].join((where[0], name, key)))

    def total(self, counter: Counter, place: Place, row: Mapping[str, Any], keys: tuple[str, ...], where: str) -> None:
        """The sum of several keys of one row, all of which must be there."""
        whole, total = True, 0
        for key in keys:
            value = row.get(key)
            number = value if type(value) is int and 0 <= value <= MAX_COUNT else _count(value)
            if number is None:
                self.unlike(f"{where}.{key}", "a count", value)
                whole = False
            else:
                total += number
        if whole:
            self.values[counter][place] = total

    def unlike(self, where: str, expected: str, found: object) -> None:
        """Record what is not as it was published."""
        shown = "nothing" if found is None else repr(found)
        shown = shown if len(shown) <= _SHOWN_CHARS else f"{shown[:_SHOWN_CHARS]}..."
        self._problems[self.request][f"{self.request}: {where}: expected {expected}, found {shown}"] = None
        self.doubtful |= self.reading

    def below(self, answer: object, *path: str) -> dict[str, Any]:
        """The mapping at a path of an answer; empty, and a problem, where there is none."""
        node: Any = answer
        for count, key in enumerate(path, start=1):
            if not isinstance(node, dict) or not isinstance(node.get(key), dict):
                self.unlike(".".join(path[:count]), "a table", node.get(key) if isinstance(node, dict) else node)
                return {}
            node = node[key]
        if not isinstance(node, dict):
            self.unlike("the answer", "a table", node)
            return {}
        return node

    @property
    def understood(self) -> bool:
        """Nothing of the request that is being read was unlike what was published."""
        return not self._problems.get(self.request)

    @property
    def problems(self) -> tuple[str, ...]:
        """All of them, of each request the first ones."""
        return tuple(itertools.chain.from_iterable(_shortened([*each]) for each in self._problems.values()))


def _shortened(problems: list[str]) -> Iterator[str]:
    yield from problems[:MAX_PROBLEMS]
    if (more := len(problems) - MAX_PROBLEMS) > 0:
        yield f"{problems[0].partition(': ')[0]}: {more} more of this answer"


def _count(value: object) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        value = int(value)
    if isinstance(value, float) and value.is_integer():  # JSON writers that know one kind of number
        value = int(value)
    return value if type(value) is int and 0 <= value <= MAX_COUNT else None


def _gauge(value: object) -> float | None:
    try:
        number = None if isinstance(value, bool) else float(value)  # type: ignore[arg-type] # that is what is tried
    except (TypeError, ValueError):
        return None
    if number == -math.inf:
        return NO_LIGHT_DBM
    return number if number is not None and math.isfinite(number) else None


def seconds(value: object) -> float | None:
    """A moment or a time in seconds; None: not shown as a number."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def entries(node: object) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of a table by name, without what is no row."""
    if isinstance(node, dict):
        yield from ((str(name), row) for name, row in node.items() if isinstance(row, dict))


class Source(NamedTuple):
    """One answer, the counters in it, and their reader."""

    request: Request
    counters: frozenset[Counter]
    take: Callable[[Tally, Any], None]


Moment = tuple[float | None, float | None]
"""The device's clock in seconds since 1970, and how long it has run in seconds; None where it does not say."""


def _no_moment(_: Answers) -> Moment:
    return None, None


@dataclass(frozen=True, slots=True)
class Counting:
    """How counters are read on one OS: the table ``tests/corpus/counters/counters.tsv`` says from which source."""

    sources: tuple[Source, ...] = ()
    not_read: Mapping[Counter, str] = field(default_factory=lambda: dict.fromkeys(Counter, _UNKNOWN))
    """Counters that the OS does not show, each with the reason."""
    clock: tuple[Request, ...] = ()
    moment: Callable[[Answers], Moment] = _no_moment
    zero_beside: Mapping[Counter, Counter] = field(default_factory=dict)
    """A counter that is left out where it is zero -> the one whose places are all that it can have."""

    def requests_for(self, wanted: Collection[Counter] = ALL) -> tuple[Request, ...]:
        """The requests that hold these counters, and the clock; each command and each collection once."""
        found: dict[str, Request] = {}
        for request in (*self.clock, *(each.request for each in self._sources_of(wanted))):
            known = found.get(request.what, request)
            parts = dict.fromkeys((*known.parts, *request.parts)) if known.parts and request.parts else ()
            found[request.what] = replace(known, parts=tuple(parts))
        return tuple(found.values())

    def read(
        self,
        device: str,
        answers: Answers,
        read_at_s: float,
        wanted: Collection[Counter] = ALL,
        sent_s: float | None = None,
    ) -> Reading:
        """What the answers say. Counters that are not wanted are neither values nor unread ones."""
        tally = Tally()
        for source in self._sources_of(wanted):
            tally.request, tally.reading = source.request.what, source.counters
            if source.request.what in answers:
                source.take(tally, answers[source.request.what])
                self._fill(tally, source)
            else:
                tally.unlike("the answer", "one", None)
        clock_s, uptime_s = self.moment(answers)
        return Reading(
            device=device,
            read_at_s=read_at_s,
            clock_s=clock_s,
            uptime_s=uptime_s,
            values={each: Counts.of(places) for each, places in tally.values.items() if places and each in wanted},
            not_read={counter: why for counter, why in self.not_read.items() if counter in wanted},
            problems=tally.problems,
            sent_s=sent_s,
            doubtful=frozenset(tally.doubtful & set(wanted)),
        )

    def _sources_of(self, wanted: Collection[Counter]) -> tuple[Source, ...]:
        needed = {*wanted, *(beside for counter, beside in self.zero_beside.items() if counter in wanted)}
        return tuple(each for each in self.sources if not each.counters.isdisjoint(needed))

    def _fill(self, tally: Tally, source: Source) -> None:
        """Zeros for what a source leaves out; none where a part of its answer was not understood."""
        for counter, beside in self.zero_beside.items():
            if counter in source.counters and tally.understood:
                tally.values[counter] = dict.fromkeys(tally.values[beside], 0) | tally.values[counter]


HOSTS_ALONE = dict.fromkeys(
    (
        Counter.CNP_SENT,
        Counter.CNP_HANDLED,
        Counter.CNP_IGNORED,
        Counter.ECN_RECEIVED,
        Counter.OUT_OF_SEQUENCE,
        Counter.SEQUENCE_ERRORS,
        Counter.RETRANSMITS,
        Counter.OUT_OF_BUFFER,
        Counter.XID,
        Counter.NVLINK_ERRORS,
    ),
    "of hosts alone",
)
"""What no switch counts."""
NOT_COUNTED = Counting()
"""Of an OS whose counters are not written down."""
