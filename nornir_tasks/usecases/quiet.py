"""Is the traffic gone from a switch? Its counters say so: read again and again until they do, or the time is over."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from nornir_tasks.checks.counters.rates import rates
from nornir_tasks.design.model.network import Network
from nornir_tasks.errors import Problem, UndecidedError, ValidationFailed
from nornir_tasks.platforms.counted import Counter, Reading
from nornir_tasks.usecases.progress import On, Work, ignore
from nornir_tasks.usecases.reach import Access, Reach, require_all
from nornir_tasks.usecases.secrets import vault_of
from nornir_tasks.usecases.site import SiteDesign, select

QUIET_BYTES_PER_S = 125_000
"""Of a port, either way: 1 Mbit/s (chosen). BFD at 300 ms, BGP and LLDP are a hundredth of it."""
BETWEEN_S = 10.0
"""Between two readings: switches refresh what they show once in seconds."""
_BYTES = (Counter.BYTES_IN, Counter.BYTES_OUT)
MOST_NAMED = 4

Sleep = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Traffic:
    """What still crossed a switch between the last two readings."""

    device: str
    seconds: float
    """From the first reading to the last one."""
    busy: Mapping[str, float]
    """Port -> bytes a second, of those that are not quiet."""
    ports: int
    """Ports with a cable that were judged."""
    unread: str = ""
    """Why nothing can be told; empty: it can."""

    @property
    def is_gone(self) -> bool:
        """Is every port quiet, as far as it was read?"""
        return not self.unread and not self.busy

    def require_gone(self) -> None:
        """Raises ValidationFailed where traffic is left, UndecidedError where it cannot be told."""
        hint = f"the drain stands; look on with nornir counters --limit {self.device}"
        if self.unread:
            what = f"whether the traffic is gone cannot be told: {self.unread}"
            raise UndecidedError(Problem(self.device, what, hint=hint))
        if self.busy:
            what = f"the switch is drained, and traffic still crosses it after {self.seconds:.0f} s"
            expected = f"less than {QUIET_BYTES_PER_S * 8 / 1e6:g} Mbit/s on each of {self.ports} ports"
            raise ValidationFailed(Problem(self.device, what, expected, _words(self.busy), hint))


def until_quiet(
    design: SiteDesign, name: str, reach: Reach, within_s: float, on: On = ignore, sleep: Sleep = time.sleep
) -> Traffic:
    """Count at a switch until no port with a cable carries traffic, or so long. Reads alone are sent."""
    selection = select(design, (), [name])
    access = Access(replace(reach, allow_management=frozenset(selection)), on, vault_of(design, ()))
    with access.fleet(design, selection) as switches:

        def count() -> Reading:
            return require_all(access.read(Work.COUNT, 1, partial(switches.count, _BYTES)))[name]

        first = before = count()
        while True:
            sleep(min(BETWEEN_S, within_s))
            now = count()
            found = traffic(design.network, before, now)
            seconds = now.read_at_s - first.read_at_s
            if found.is_gone or seconds >= within_s:
                return replace(found, seconds=seconds)
            before = now


def traffic(network: Network, first: Reading, second: Reading) -> Traffic:
    """What crossed the switch between two readings. Management ports are left out: they are never drained."""
    grown = rates(first, second)
    cabled = {each.end(second.device).port for each in network.links_of(second.device) if each.kind != "peer"}
    if not grown.is_whole or not all(map(grown.reads, _BYTES)):
        why = next((each.what for each in grown.doubts), "it does not show how many bytes its ports carry")
        return Traffic(second.device, grown.seconds, {}, 0, why)
    busy: dict[str, float] = {}
    judged = set()
    for counter in _BYTES:
        for place, value in grown.of(counter).items():
            if place.port in cabled:
                judged.add(place.port)
                busy[place.port] = max(busy.get(place.port, 0.0), value / grown.seconds)
    if not judged:
        return Traffic(second.device, grown.seconds, {}, 0, "it shows no counter of a port with a cable")
    loud = {port: rate for port, rate in sorted(busy.items()) if rate >= QUIET_BYTES_PER_S}
    return Traffic(second.device, grown.seconds, loud, len(judged))


def _words(busy: Mapping[str, float]) -> str:
    most = sorted(busy.items(), key=lambda each: -each[1])
    more = f" and {len(most) - MOST_NAMED} more" if len(most) > MOST_NAMED else ""
    return ", ".join(f"{port}: {rate * 8 / 1e6:.1f} Mbit/s" for port, rate in most[:MOST_NAMED]) + more
