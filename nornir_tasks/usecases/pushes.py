"""The pushes and rollbacks of a site that its journal knows, and whether each can be rolled back now."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from nornir_tasks.deploy.journal import Journal, Listed
from nornir_tasks.deploy.undo import Obstacles
from nornir_tasks.design.claims import SWITCH, Claims
from nornir_tasks.design.kinds import kinds
from nornir_tasks.design.network import Device, Network
from nornir_tasks.design.owners import claims_on
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.platform import Platform
from nornir_tasks.usecases.push import JOURNAL
from nornir_tasks.usecases.site import SiteDesign


class State(StrEnum):
    """How a push or rollback ended, over all its switches."""

    CONFIRMED = "confirmed"
    FAILED = "failed"
    """On every switch: each is as it was."""
    PARTLY = "partly confirmed"
    PARTLY_UNDONE = "partly rolled back"
    INTERRUPTED = "interrupted"
    """On some switch nobody knows the end yet: the next push asks it."""
    UNDONE = "rolled back"
    NOTHING = "changed nothing"


_NOTHING_LEFT = frozenset({State.FAILED, State.UNDONE, State.NOTHING})
"""Nothing that it changed is there to be rolled back."""


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
    """Switch -> ``done``, ``failed``, ``started``, ``committed`` or ``undone``, as the journal has it."""
    state: State
    obstacles: tuple[int, ...]
    """Later ones that changed lines which both are about: roll these back first, the last one first."""
    unsettled: tuple[int, ...]
    """Those among them that were cut off. A rollback asks the switches whether they run what these had changed."""

    @property
    def changed(self) -> int:
        """The switches that it changed for good, rolled back since or not."""
        return sum(state in {"done", "undone"} for state in self.switches.values())

    @property
    def can_be_rolled_back(self) -> bool:
        """Now, as far as the journal knows."""
        return self.verb == "push" and self.state not in _NOTHING_LEFT and not self.obstacles


@dataclass(frozen=True, eq=False)
class _OwnedSwitch:
    platform: Platform
    claims: Claims


@dataclass(frozen=True, eq=False)
class _Switches(Mapping[str, _OwnedSwitch]):
    """Whose the lines of each switch are; made when a switch is asked for."""

    network: Network
    devices: Mapping[str, Device]

    def __getitem__(self, name: str) -> _OwnedSwitch:
        device = self.devices[name]
        return _OwnedSwitch(platform(device.os), claims_on(self.network, device, kinds()))

    def __iter__(self) -> Iterator[str]:
        return iter(self.devices)

    def __len__(self) -> int:
        return len(self.devices)


def pushes(design: SiteDesign, last: int | None = None) -> tuple[PastPush, ...]:
    """The last pushes and rollbacks (None: all), the last one first. No switch is asked."""
    journal = Journal(design.site.state_directory / JOURNAL)
    listed = journal.history()[:last]
    switches = _Switches(design.network, {each.name: each for each in design.network.devices})
    obstacles = Obstacles(journal, switches)
    return tuple(_past(each, obstacles.against(each, listed) if _is_open(each) else ()) for each in listed)


def _is_open(listed: Listed) -> bool:
    """May it be asked of this one whether it can be rolled back?"""
    return listed.noted.verb == "push" and _state(listed) not in _NOTHING_LEFT


def _past(listed: Listed, obstacles: tuple[Listed, ...]) -> PastPush:
    noted = listed.noted
    return PastPush(
        number=noted.number,
        verb=noted.verb,
        undoes=listed.undoes,
        started=noted.started,
        planes=tuple(sorted(noted.owners - {SWITCH})),
        switches=listed.states,
        state=_state(listed),
        obstacles=tuple(each.noted.number for each in obstacles),
        unsettled=tuple(each.noted.number for each in obstacles if _state(each) is State.INTERRUPTED),
    )


def _state(listed: Listed) -> State:
    states = Counter(listed.states.values())
    if not states:
        return State.NOTHING
    if states["started"] or states["committed"]:
        return State.INTERRUPTED
    if len(states) == 1:
        (only,) = states
        return {"done": State.CONFIRMED, "undone": State.UNDONE}.get(only, State.FAILED)
    return State.PARTLY_UNDONE if states["undone"] else State.PARTLY
