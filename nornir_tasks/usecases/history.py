"""The record of pushes and rollbacks: who, why, with which version, how long, and what of which switch."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from nornir_tasks.deploy import record
from nornir_tasks.deploy.journal import Entry, Journal
from nornir_tasks.deploy.record import Stated, Times
from nornir_tasks.errors import Problem, RefusedError
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.config_tree import difference
from nornir_tasks.usecases.pushes import PastPush, journal_file, pushes
from nornir_tasks.usecases.site import SiteDesign


@dataclass(frozen=True, slots=True)
class Recorded:
    """One push or rollback, with what was stated of it."""

    past: PastPush
    stated: Stated
    times: Times
    lines: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Switch -> the lines that it took or lost, in the order of the configuration; of one push alone."""

    @property
    def added(self) -> dict[str, int]:
        """Switch -> how many lines it took."""
        return {name: sum(each.startswith("+") for each in lines) for name, lines in self.lines.items()}

    @property
    def removed(self) -> dict[str, int]:
        """Switch -> how many lines it lost."""
        return {name: len(lines) - self.added[name] for name, lines in self.lines.items()}


def history(design: SiteDesign, last: int | None = None) -> tuple[Recorded, ...]:
    """The last pushes and rollbacks (None: all), the last one first. No switch is asked.

    Raises LocalError for a journal that cannot be read.
    """
    found = pushes(design, last)
    if not found:
        return ()
    with Journal(journal_file(design)).opened() as db:
        stated = record.stated(db)
        return tuple(
            Recorded(each, stated.get(each.number, record.NOTHING), record.times(db, each.number)) for each in found
        )


def recorded(design: SiteDesign, number: int) -> Recorded:
    """One of them, with its lines. Raises RefusedError for a number that the journal does not have."""
    everything = history(design)
    found = next((each for each in everything if each.past.number == number), None)
    if found is None:
        known = f"1 to {everything[0].past.number}" if everything else "nothing was pushed yet"
        raise RefusedError(Problem(f"history {number}", "the journal has no push or rollback of this number", known))
    journal = Journal(journal_file(design))
    lines = {name: tuple(_lines(design, journal, number, name, state)) for name, state in found.past.switches.items()}
    return Recorded(found.past, found.stated, found.times, lines)


def _lines(design: SiteDesign, journal: Journal, number: int, name: str, state: str) -> Iterator[str]:
    """What it was to change on one switch. A switch that the site does not have any more has no system, so no lines."""
    systems = {each.name: each.os for each in design.network.devices}
    if name not in systems:
        return
    os, entry = platform(systems[name]), Entry(number, name, state)
    before, after = os.to_tree(journal.before(entry)), os.to_tree(journal.after(entry))
    yield from map(str, difference(before, after))
