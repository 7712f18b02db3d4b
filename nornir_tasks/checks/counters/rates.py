"""Two readings of one device make rates. What cannot be compared is a doubt with its evidence, and never a zero. Pure.

A doubt about the device as a whole (it started again, its clock went another way, the later answer is the older one)
leaves nothing to judge of it; one about a single counter leaves the rest.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from operator import sub
from statistics import median

from nornir_tasks.platforms.counted import GAUGES, Counter, Counts, Place, Reading

SHORTEST_S = 1.0
"""Two readings nearer than this make no rate: chosen, as switches refresh what they show once in seconds."""
CLOCK_STEP_S = 5.0
"""By so much a device's clock may go otherwise than ours between two readings, beside ``CLOCK_SHARE``: chosen, more
than an answer takes, less than the shortest soak."""
CLOCK_SHARE = 0.1
"""The same as a share of the time between: chosen."""
CLOCK_APART_S = 5.0
"""A clock further than this from that of most devices: chosen. Events of several devices cannot be laid beside one
another then."""
WRAP = 2**64
"""Where a counter of 64 bits begins again: which it does at 800 Gb/s after 5 years of bytes."""
ZERO_WHERE_ABSENT = frozenset({Counter.WATCHDOG})
"""Shown from the first event on alone (tests/corpus/counters/counters.tsv): a place that is new began at zero."""
NAMED = 3
"""Places that one doubt names; of more it says how many."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something of one device that cannot be told."""

    what: str
    """For people, with the evidence."""
    counter: Counter | None = None
    """None: of the device as a whole, or of an answer that was not understood."""
    places: tuple[Place, ...] = ()
    expected: str = ""
    found: str = ""


@dataclass(frozen=True, slots=True)
class Rates:
    """How much everything grew at one device between two readings."""

    device: str
    seconds: float
    """Between both, by our clock."""
    grown: Mapping[Counter, Counts]
    """What can be compared; gauges have the later value."""
    totals: Mapping[Counter, Mapping[Place, float]]
    """As the later reading has them."""
    uptime_s: float | None
    not_read: Mapping[Counter, str]
    doubts: tuple[Doubt, ...] = ()
    is_whole: bool = True
    """Is there anything to judge? Not: a doubt about the device as a whole."""
    doubtful: frozenset[Counter] = frozenset()
    """Counters of which a part of an answer was not understood: what there is of them is not all."""

    def of(self, counter: Counter) -> Mapping[Place, float]:
        """How much one counter grew, place by place; empty where it was not read or cannot be compared."""
        return self.grown.get(counter, {}) if self.is_whole else {}

    def at(self, counter: Counter, port: str) -> float:
        """The sum over all priorities, queues or lanes of one port."""
        if not self.reads(counter):
            return 0
        counts = self.grown[counter]
        return sum(counts.numbers[number] for _, number in counts.layout.of_port.get(port, ()))

    def reads(self, counter: Counter) -> bool:
        """Was it read, though perhaps not everywhere?"""
        return self.is_whole and counter in self.grown


def rates_of(first: Mapping[str, Reading], second: Mapping[str, Reading]) -> dict[str, Rates]:
    """Device -> its rates, of all that were read both times; clocks are compared over all of them."""
    found = {name: rates(first[name], later) for name, later in second.items() if name in first}
    for name, doubt in _apart(second):
        if name in found:
            found[name] = replace(found[name], doubts=(*found[name].doubts, doubt))
    return found


def rates(first: Reading, second: Reading) -> Rates:
    """The difference of two readings of one device."""
    seconds = second.read_at_s - first.read_at_s
    garbled = tuple(Doubt(each) for each in dict.fromkeys((*first.problems, *second.problems)))
    whole = _doubt_of_device(first, second, seconds)
    if whole is not None:
        return Rates(
            second.device,
            seconds,
            {},
            second.values,
            second.uptime_s,
            second.not_read,
            (whole, *garbled),
            is_whole=False,
        )
    doubts: list[Doubt] = [*garbled]
    grown: dict[Counter, Counts] = {}
    found: Iterable[Doubt]
    for counter in dict.fromkeys((*first.values, *second.values)):
        before, after = first.values.get(counter), second.values.get(counter)
        if counter in GAUGES and after is not None:
            before = after  # of now: nothing of before is asked
        if before is None or after is None:
            when = "first" if after is None else "second"
            doubts.append(Doubt(f"{counter} is in the {when} answer alone", counter, (), "both answers", when))
            continue
        simply = _difference(before, after)
        grown[counter], found = (simply, ()) if simply is not None else _grown(counter, before, after)
        doubts += found
    return Rates(
        second.device,
        seconds,
        grown,
        second.values,
        second.uptime_s,
        second.not_read,
        tuple(doubts),
        doubtful=first.doubtful | second.doubtful,
    )


def _doubt_of_device(first: Reading, second: Reading, seconds: float) -> Doubt | None:
    if seconds < SHORTEST_S:
        what = f"the second reading is no later than the first: {seconds:.1f} s between them"
        return Doubt(what, expected=f"at least {SHORTEST_S:.0f} s", found=f"{seconds:.1f} s")
    if first.uptime_s is not None and second.uptime_s is not None and second.uptime_s < first.uptime_s:
        what = f"it started again between the readings: up {first.uptime_s:.0f} s, then {second.uptime_s:.0f} s"
        return Doubt(what, expected=f"up {first.uptime_s + seconds:.0f} s", found=f"up {second.uptime_s:.0f} s")
    if first.clock_s is None or second.clock_s is None:
        return None
    passed = second.clock_s - first.clock_s
    if passed < 0:
        what = f"by its own clock the second answer is {-passed:.1f} s older than the first"
        return Doubt(what, expected=f"{seconds:.1f} s later", found=f"{-passed:.1f} s earlier")
    if abs(passed - seconds) > CLOCK_STEP_S + CLOCK_SHARE * seconds + _open_s(first) + _open_s(second):
        what = f"its clock went {passed:.1f} s while ours went {seconds:.1f} s: how long it counted cannot be told"
        return Doubt(what, expected=f"{seconds:.1f} s", found=f"{passed:.1f} s")
    return None


def _difference(before: Mapping[Place, float], after: Mapping[Place, float]) -> Counts | None:
    """Where all is as usual: the same places, and whole numbers that grew; else None, and each place is looked at."""
    if not isinstance(before, Counts) or not isinstance(after, Counts) or before.layout is not after.layout:
        return None
    if before is after or "d" in (before.numbers.typecode, after.numbers.typecode):
        return None
    found = [*map(sub, after.numbers, before.numbers)]
    return Counts(after.layout, array("Q", found)) if min(found, default=0) >= 0 else None


def _grown(counter: Counter, before: Mapping[Place, float], after: Mapping[Place, float]) -> tuple[Counts, list[Doubt]]:
    """The difference at each place, and what is doubtful of others."""
    grown: dict[Place, float] = {}
    back: dict[Place, tuple[float, float]] = {}
    bad: dict[Place, float] = {}
    gone = [place for place in before if place not in after]
    is_gauge, from_zero = counter in GAUGES, counter in ZERO_WHERE_ABSENT
    for place, value in after.items():
        was = before.get(place, 0.0 if from_zero else None)
        if not isfinite(value) or (value < 0 and not is_gauge):
            bad[place] = value
        elif is_gauge:
            grown[place] = value
        elif was is None:
            gone.append(place)
        elif not isfinite(was) or was < 0:
            bad[place] = was
        elif value < was:
            back[place] = (was, value)
        else:
            grown[place] = value - was
    return Counts.of(grown), [*_doubts(counter, back, bad, gone)]


def _doubts(
    counter: Counter, back: Mapping[Place, tuple[float, float]], bad: Mapping[Place, float], gone: list[Place]
) -> Iterator[Doubt]:
    if back:
        was, value = next(iter(back.values()))
        why = "it began again at 64 bits, or was cleared" if was > WRAP / 2 else "it was cleared, or is another one"
        what = f"{counter} of {_places(back)} went back from {was:.0f} to {value:.0f}: {why}"
        yield Doubt(what, counter, tuple(back), f"at least {was:.0f}", f"{value:.0f}")
    if bad:
        value = next(iter(bad.values()))
        what = f"{counter} of {_places(bad)} is {value}, which nothing counts to"
        yield Doubt(what, counter, tuple(bad), "a number from 0 on", str(value))
    if gone:
        yield Doubt(f"{counter} of {_places(gone)} is in one of both answers alone", counter, tuple(gone), "in both")


def _places(places: Iterable[Place]) -> str:
    every = list(places)
    named = ", ".join(spelled(each) for each in every[:NAMED])
    return named + (f" and {len(every) - NAMED} more" if len(every) > NAMED else "")


def spelled(place: Place) -> str:
    """``Ethernet1/1`` or ``Ethernet1/1 3``: port, and priority, queue or lane."""
    return place.port if place.index is None else f"{place.port} {place.index}"


def _open_s(reading: Reading) -> float:
    """How long a device took to tell its clock, which is of any moment meanwhile: a busy one answers late."""
    return 0.0 if reading.sent_s is None else reading.read_at_s - reading.sent_s


def _apart(readings: Mapping[str, Reading]) -> Iterator[tuple[str, Doubt]]:
    """Devices whose clock is surely not that of most, which is the one in the middle."""
    least = {name: each.clock_s - each.read_at_s for name, each in readings.items() if each.clock_s is not None}
    if len(least) < 3:  # of two it is open which one is wrong
        return
    most = {name: each + _open_s(readings[name]) for name, each in least.items()}
    ahead_of, behind = median(most.values()), median(least.values())
    for name, each in least.items():
        apart = max(0.0, each - ahead_of) - max(0.0, behind - most[name])
        if abs(apart) > CLOCK_APART_S:
            what = f"its clock is {abs(apart):.0f} s {'ahead of' if apart > 0 else 'behind'} that of most"
            yield name, Doubt(what, expected=f"within {CLOCK_APART_S:.0f} s", found=f"{apart:+.0f} s")
