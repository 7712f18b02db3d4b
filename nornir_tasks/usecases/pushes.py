"""The pushes and rollbacks of a site that its journal knows, and whether each can be rolled back now."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from nornir_tasks.deploy.journal import COUNTED, JOURNAL, Journal, Listed
from nornir_tasks.deploy.undo import Obstacles, OwnedSwitches
from nornir_tasks.design.model.claims import SWITCH
from nornir_tasks.files.push_lock import push_under_way
from nornir_tasks.usecases.site import SiteDesign


class State(StrEnum):
    """How a push or rollback stands or ended, over all its switches."""

    UNDER_WAY = "under way"
    """A process of this machine carries it out now."""
    CONFIRMED = "confirmed"
    FAILED = "failed"
    """On every switch: each is as it was."""
    PARTLY = "partly confirmed"
    PARTLY_UNDONE = "partly rolled back"
    """Of what it changed, some switches went back; a rollback takes the others."""
    INTERRUPTED = "interrupted"
    """Killed or stopped before it came to all switches, or the end on one is not known yet: the next push asks it."""
    UNDONE = "rolled back"
    NOTHING = "changed nothing"


@dataclass(frozen=True, slots=True)
class PastPush:
    """One push or rollback."""

    number: int
    verb: str
    """``push`` or ``rollback``."""
    undoes: int | None
    """Of a rollback: the push that it reverted."""
    started: str
    """UTC, as ISO 8601 writes it."""
    planes: tuple[str, ...]
    switches: Mapping[str, str]
    """Switch -> ``done``, ``failed``, ``started``, ``committed`` or ``undone``, as the journal has it; without those
    that it did not come to."""
    planned: tuple[str, ...]
    """The switches that it had to change; with a journal of an earlier version those of ``switches``."""
    state: State
    obstacles: tuple[int, ...] = ()
    """Later ones to be rolled back first, the last one first: they changed lines that both are about, or brought a
    plane that needs what this one did to its fabric."""
    unsettled: tuple[int, ...] = ()
    """Those among them that were cut off. A rollback asks the switches whether they run what these had changed."""

    @property
    def changed(self) -> int:
        """The switches that it changed for good, rolled back since or not."""
        return sum(state in {"done", "undone"} for state in self.switches.values())

    @property
    def rolled_back(self) -> int:
        """The switches among those that went back since."""
        return sum(state == "undone" for state in self.switches.values())

    @property
    def is_under_way(self) -> bool:
        """Does it run now?"""
        return self.state is State.UNDER_WAY

    @property
    def may_be_there(self) -> bool:
        """Is it a push that is over, and of which something may run that could be rolled back?"""
        return self.verb == "push" and not self.is_under_way and not COUNTED.isdisjoint(self.switches.values())

    @property
    def can_be_rolled_back(self) -> bool:
        """Now, as far as the journal knows."""
        return self.may_be_there and not self.obstacles


def journal_file(design: SiteDesign) -> Path:
    """Where the site's pushes are noted; with the first one the file is made."""
    return design.site.record_directory / JOURNAL


def last_began(design: SiteDesign) -> datetime | None:
    """When the last push or rollback began that had something to change, UTC. None: there was none."""
    if not journal_file(design).exists():
        return None
    history = Journal(journal_file(design)).history()
    return next((datetime.fromisoformat(each.noted.started) for each in history if each.planned), None)


def pushes(design: SiteDesign, last: int | None = None) -> tuple[PastPush, ...]:
    """The last pushes and rollbacks (None: all), the last one first. No switch is asked.

    Raises LocalError for a journal that cannot be read.
    """
    if not journal_file(design).exists():
        return ()
    folder, journal = design.site.record_directory, Journal(journal_file(design))
    running = {push_under_way(folder)}
    listed = journal.history()[:last]
    running.add(push_under_way(folder))  # one may have ended, and another one begun, while the journal was read
    obstacles = Obstacles(journal, OwnedSwitches(design.network))
    return tuple(_past(each, _state(each, running), obstacles, listed) for each in listed)


def _past(listed: Listed, state: State, obstacles: Obstacles, all_listed: Sequence[Listed]) -> PastPush:
    noted = listed.noted
    past = PastPush(
        number=noted.number,
        verb=noted.verb,
        undoes=listed.undoes,
        started=noted.started,
        planes=tuple(sorted(noted.owners - {SWITCH})),
        switches=listed.states,
        planned=tuple(sorted(listed.planned)),
        state=state,
    )
    if not past.may_be_there:
        return past
    later = tuple(each.later for each in obstacles.against(listed, all_listed))
    return replace(
        past,
        obstacles=tuple(each.noted.number for each in later),
        unsettled=tuple(each.noted.number for each in later if "committed" in each.states.values()),
    )


def _state(listed: Listed, running: Collection[int | None]) -> State:
    ends = frozenset(listed.states.values())
    is_through = listed.is_ended or listed.planned == listed.states.keys()
    if not listed.is_ended and listed.noted.number in running:
        return State.UNDER_WAY
    if "committed" in ends:
        return State.INTERRUPTED
    if "undone" in ends:
        return State.PARTLY_UNDONE if "done" in ends else State.UNDONE
    if "started" in ends or not is_through:
        return State.INTERRUPTED
    return _ended(listed)


def _ended(listed: Listed) -> State:
    """The state of one that came to its end, and that was not rolled back."""
    if not listed.planned:
        return State.NOTHING
    done = sum(state == "done" for state in listed.states.values())
    return State.FAILED if not done else State.CONFIRMED if done == len(listed.planned) else State.PARTLY
