"""Soak: read every counter twice, some time apart, and judge what grew; or list it (``nornir counters``)."""

import re
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from nornir_tasks.checks.counters import suite as rules
from nornir_tasks.checks.counters.joined import joined
from nornir_tasks.checks.counters.ranking import Row, ranked
from nornir_tasks.checks.counters.rates import rates_of
from nornir_tasks.checks.counters.soaked import Soak
from nornir_tasks.checks.counters.suite import SoakReport
from nornir_tasks.checks.evidence import End
from nornir_tasks.checks.suite import Report
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.errors import GpufabricError, IntentError, Problem
from nornir_tasks.files.host_counters import host_readings
from nornir_tasks.platforms.counted import GAUGES, Reading
from nornir_tasks.platforms.counting import ALL
from nornir_tasks.usecases import validate
from nornir_tasks.usecases.progress import On, Work, ignore
from nornir_tasks.usecases.reach import Access, Reach, worst
from nornir_tasks.usecases.secrets import vault_of
from nornir_tasks.usecases.site import Selection

LEAST_S, MOST_S = 5.0, 24 * 3600.0
"""Shorter, switches may show the same values twice, which they refresh once in seconds (chosen); longer is a day."""
_UNITS_S = {"s": 1, "m": 60, "h": 3600}

_FIRST = ALL - GAUGES
"""What is read the first time: of what is a value of now, the second reading says it."""

Sleep = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Counted:
    """Both readings of the chosen devices."""

    first: Mapping[str, Reading]
    second: Mapping[str, Reading]
    unread: Mapping[str, GpufabricError] = field(default_factory=dict)
    """Switch -> why one of both could not be read."""
    hosts: frozenset[str] = frozenset()


def duration_s(text: str, option: str) -> float:
    """``60s``, ``5m``, ``1h`` or seconds. Raises IntentError for anything else, and outside 5 s to 24 h."""
    found = re.fullmatch(r"(\d{1,6}(?:\.\d{1,3})?)([smh]?)", text.strip())
    seconds = float(found[1]) * _UNITS_S[found[2] or "s"] if found else 0.0
    if not LEAST_S <= seconds <= MOST_S:
        expected = f"a time from {LEAST_S:.0f}s to {MOST_S / 3600:.0f}h, as 60s, 5m or 1h"
        raise IntentError(Problem(option, "no time to count for", expected, text))
    return seconds


def hosts_before(selection: Selection, folders: Collection[Path]) -> dict[str, Reading]:
    """What hosts counted before, from the first of two folders, so that a mistake there costs no soak.

    The second folder may still be written meanwhile: ``hosts_after`` reads it. Raises IntentError.
    """
    if len(folders) not in (0, 2):
        expected = "the option twice: the folder that was written before, and the one written after"
        raise IntentError(Problem("--host-counters", "takes two folders", expected, f"{len(folders)}"))
    return host_readings(next(iter(folders)), tuple(selection.design.network.hosts)) if folders else {}


def hosts_after(
    selection: Selection, folders: Collection[Path], before: Mapping[str, Reading]
) -> tuple[Mapping[str, Reading], dict[str, Reading]]:
    """What hosts counted before and after, of the same hosts. Raises IntentError."""
    after = host_readings([*folders][1], tuple(selection.design.network.hosts)) if folders else {}
    alone = sorted(before.keys() ^ after.keys())
    if alone:
        raise IntentError(
            Problem("--host-counters", "hosts are in one of both folders alone", "in both", ", ".join(alone))
        )
    return before, after


def collect(
    selection: Selection,
    reach: Reach,
    seconds: float,
    on: On = ignore,
    checks: Collection[str] = (),
    sleep: Sleep = time.sleep,
) -> tuple[validate.Readings, Counted]:
    """All that ``validate`` reads and every counter with it, and every counter again so much later."""
    readings = validate.collect(selection, reach, on, checks, _FIRST)
    first = {name: each.counted for name, each in readings.switches.items() if each.counted is not None}
    return readings, _again(selection, reach, first, readings.unreachable, (seconds, on, sleep))


def collect_at_end(
    selection: Selection, reach: Reach, seconds: float, on: On = ignore, sleep: Sleep = time.sleep
) -> tuple[validate.Readings, Counted]:
    """Every counter, and so much later every counter again and all that ``validate`` reads.

    So what has just been changed has had this time to settle before it is judged.
    """
    access = _access(selection, reach, on)
    with access.fleet(selection.design, selection) as switches:
        first = access.read(Work.COUNT, len(selection), partial(switches.count, _FIRST))
    sleep(seconds)
    readings = validate.collect(selection, reach, on, counters=ALL)
    second = {name: each.counted for name, each in readings.switches.items() if each.counted is not None}
    return readings, Counted(first.values, second, {**first.errors, **readings.unreachable})


def count(selection: Selection, reach: Reach, seconds: float, on: On = ignore, sleep: Sleep = time.sleep) -> Counted:
    """Every counter of the chosen switches, twice. A switch that does not answer is noted, and raises nothing."""
    access = _access(selection, reach, on)
    with access.fleet(selection.design, selection) as switches:
        found = access.read(Work.COUNT, len(selection), partial(switches.count, _FIRST))
    return _again(selection, reach, found.values, found.errors, (seconds, on, sleep))


def _again(
    selection: Selection,
    reach: Reach,
    first: Mapping[str, Reading],
    unread: Mapping[str, GpufabricError],
    timing: tuple[float, On, Sleep],
) -> Counted:
    """Wait until the last of the first readings is old enough, then read those that answered again."""
    seconds, on, sleep = timing
    if not first:
        return Counted({}, {}, unread)
    left = max(each.read_at_s for each in first.values()) + seconds - time.monotonic()
    if left > 0:
        sleep(left)
    chosen = replace(selection, devices={name: each for name, each in selection.devices.items() if name in first})
    access = _access(chosen, reach, on)
    with access.fleet(chosen.design, chosen) as switches:
        found = access.read(Work.COUNT, len(chosen), partial(switches.count, ALL))
    return Counted(first, found.values, {**unread, **found.errors})


def _access(selection: Selection, reach: Reach, on: On) -> Access:
    return Access(
        replace(reach, allow_management=frozenset(selection)), on, vault_of(selection.design, selection.planes)
    )


def with_hosts(counted: Counted, before: Mapping[str, Reading], after: Mapping[str, Reading]) -> Counted:
    """Hosts' readings beside those of switches."""
    return replace(
        counted,
        first={**counted.first, **before},
        second={**counted.second, **after},
        hosts=frozenset({*before, *after}),
    )


def judge(
    selection: Selection, readings: validate.Readings, counted: Counted, checks: Collection[str] = ()
) -> tuple[Report, SoakReport]:
    """All checks and all rules. The report has both, and what checks found wrong explains what was counted there."""
    found = validate.evidence(selection, readings)
    soaked = rules.judge(_soak(selection, counted, found.wanted), checks)
    return joined(validate.judge(selection, readings, checks), soaked.report, found), soaked


def _soak(selection: Selection, counted: Counted, wanted: Mapping[str, DeviceConfig]) -> Soak:
    return Soak(
        network=selection.design.network,
        wanted=wanted,
        rates=rates_of(counted.first, counted.second),
        unread={name: error.problems[0] for name, error in counted.unread.items()},
        hosts=counted.hosts,
    )


@dataclass(frozen=True, slots=True)
class Listed:
    """Counters by what hurts."""

    rows: tuple[Row, ...]
    hidden: int
    """Rows beyond the top ones."""
    seconds: float
    coverage: tuple[rules.Coverage, ...]
    doubts: tuple[tuple[str, str], ...]
    """(device, what of it cannot be compared or was not read)."""


def listed(selection: Selection, counted: Counted, ends: Collection[End] = (), top: int | None = None) -> Listed:
    """What grew, what hurts most first; of named ports everything."""
    wanted = {name: selection.realised(name).config for name in selection}
    soak = _soak(selection, counted, wanted)
    rows = ranked(soak, _both_ends(selection, ends), everything=bool(ends))
    kept = rows if top is None else rows[:top]
    doubts = [(name, each.what) for name, rates in soak.rates.items() for each in rates.doubts]
    doubts += [(name, each.what) for name, each in soak.unread.items()]
    seconds = min((each.seconds for each in soak.rates.values()), default=0.0)
    return Listed(tuple(kept), len(rows) - len(kept), seconds, tuple(rules.coverage(soak)), tuple(doubts))


def _both_ends(selection: Selection, ends: Collection[End]) -> frozenset[End]:
    far = [other for end in ends if (other := selection.design.network.far_end(*end)) is not None]
    return frozenset((*ends, *((each.device, each.port) for each in far)))


def ends_named(selection: Selection, ports: Collection[str], hosts: Collection[str]) -> tuple[End, ...]:
    """The ports that ``--port SWITCH:PORT`` and ``--host HOST`` name, those of hosts at their switches.

    Raises IntentError for a port or host that the design does not have.
    """
    network = selection.design.network
    ends: list[End] = []
    problems: list[Problem] = []
    for text in ports:
        device, _, port = text.partition(":")
        if network.far_end(device, port) is None:
            names = sorted(each.end(device).port for each in network.links_of(device))
            expected = f"SWITCH:PORT with a cable, as {device}:{names[0]}" if names else "SWITCH:PORT of the design"
            problems.append(Problem("--port", "no cabled port of this site", expected, text))
        else:
            ends.append((device, port))
    for host in hosts:
        links = network.links_of(host) if host in network.hosts else ()
        if not links:
            example = next(iter(network.hosts), "none")
            problems.append(Problem("--host", "no host of this site", f"a host, as {example}", host))
        ends += [(host, ""), *((each.far(host).device, each.far(host).port) for each in links)]
    if problems:
        raise IntentError(problems)
    return tuple(ends)


def narrowed(selection: Selection, ends: Collection[End]) -> Selection:
    """The switches at these ports and at their far ends alone; all where no port is named."""
    named = {device for device, _ in _both_ends(selection, ends)}
    devices = {name: each for name, each in selection.devices.items() if not ends or name in named}
    return replace(selection, devices=devices)


def require_read(counted: Counted) -> None:
    """Raises with every problem of every switch if none could be read twice."""
    if not counted.second and counted.unread:
        raise worst(counted.unread)
