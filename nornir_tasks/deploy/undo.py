"""May a push be rolled back after later pushes? One rule, for ``rollback`` and for the list of pushes.

A rollback restores sections as a whole. A later push that still stands is an obstacle in two cases:

- It changed lines of owners that both are about, on a switch of both: those of the switch, of its fabric, or of a
  plane that both pushed. They would be lost. The same is true of a later rollback of an earlier push.
- It brought another plane to a fabric of which the rollback would change lines of the fabric or its switches. That
  plane's hosts need them (sessions, prefix lists, queues) on all switches, whichever of them each push was about.

A later push of only another plane's own lines is no obstacle where the earlier one changed nothing of the fabric.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

from nornir_tasks.deploy.journal import COUNTED, Entry, Journal, Listed, Noted
from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.contribute.owners import claims_on
from nornir_tasks.design.model.claims import BASE, SWITCH, Claims
from nornir_tasks.design.model.network import Network
from nornir_tasks.errors import Problem, RefusedError
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.config_tree import difference
from nornir_tasks.platforms.ownership import split
from nornir_tasks.platforms.platform import Platform

MOST_NAMES = 4
"""The number of switches or pushes that a message names."""


class Owned(Protocol):
    """What tells whose the lines of one switch are; a Wanted is one."""

    @property
    def platform(self) -> Platform:
        """The switch's OS."""

    @property
    def claims(self) -> Claims:
        """What each owner has on it."""


@dataclass(frozen=True, slots=True)
class OwnedSwitch:
    """Whose the lines of one switch are, without what it should hold."""

    platform: Platform
    claims: Claims


@dataclass(frozen=True, eq=False)
class OwnedSwitches(Mapping[str, OwnedSwitch]):
    """Every switch of a site; each is made once, when it is asked for."""

    network: Network
    _made: dict[str, OwnedSwitch] = field(default_factory=dict, init=False)

    def __getitem__(self, name: str) -> OwnedSwitch:
        if name not in self._made:
            device = self.network.device(name)
            self._made[name] = OwnedSwitch(platform(device.os), claims_on(self.network, device, kinds()))
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        try:
            return bool(self.network.device(str(name)))
        except KeyError:
            return False

    def __iter__(self) -> Iterator[str]:
        return (each.name for each in self.network.devices)

    def __len__(self) -> int:
        return len(self.network.devices)


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A later push or rollback that stands against rolling one back."""

    later: Listed
    devices: tuple[str, ...]
    """Some of its switches: where it changed the same lines, or brought a plane."""
    planes: frozenset[str] = frozenset()
    """The planes that it brought to ``fabrics``; empty: it changed the same lines."""
    fabrics: frozenset[str] = frozenset()
    """Keys of the fabrics of which the rollback would change lines."""


@dataclass(frozen=True, slots=True)
class _Change:
    """Whose lines a push changed on one switch."""

    fabric: str
    """The key of the switch's fabric."""
    is_shared: bool
    """Those of the switch or its fabric, among others."""
    planes: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Rollback:
    """A push that might be rolled back."""

    push: Listed
    names: frozenset[str]
    """The switches whose sections it would restore."""
    fabrics: dict[str, bool] = field(default_factory=dict)
    """Key of a fabric -> would lines change that all of its planes need? As far as it was asked for."""


@dataclass(slots=True)
class Obstacles:
    """Which later pushes stand against rolling one back. Asks the journal alone, no switch.

    The two texts of a switch in a push are read and split once, and only until the answer is known.
    """

    journal: Journal
    owned: Mapping[str, Owned]
    _changes: dict[tuple[int, str], _Change] = field(default_factory=dict, init=False)

    def against(
        self,
        push: Listed,
        listed: Iterable[Listed],
        *,
        chosen: Collection[str] | None = None,
        unsettled: bool = True,
        most_names: int = 1,
    ) -> Iterator[Obstacle]:
        """Those of ``listed`` that are obstacles, each with at most so many switches.

        ``chosen``: the switches that would be rolled back; None: all. A push that failed or was rolled back does not
        count; with ``unsettled``, one whose end is not known does.
        """
        counted = COUNTED if unsettled else frozenset({"done"})
        names = (name for name, state in push.states.items() if state in COUNTED and name in self.owned)
        rollback = _Rollback(push, frozenset(name for name in names if chosen is None or name in chosen))
        for later in listed:
            if not _is_later(later, push):
                continue
            changed = [name for name, state in later.states.items() if state in counted and name in self.owned]
            if lost := tuple(islice(self._lost(rollback, later, changed), most_names)):
                yield Obstacle(later, lost)
            elif brought := dict(islice(self._brought(rollback, later, changed, counted), most_names)):
                planes = frozenset().union(*(each.planes for each in brought.values())) - push.noted.owners
                yield Obstacle(later, tuple(brought), planes, frozenset(each.fabric for each in brought.values()))

    def _lost(self, rollback: _Rollback, later: Listed, changed: Iterable[str]) -> Iterator[str]:
        """The switches on which a later push changed lines of owners that both are about."""
        common = rollback.push.noted.owners & later.noted.owners
        for name in changed:
            if name in rollback.names:
                change = self._change(later, name)
                if (change.is_shared and SWITCH in common) or common & change.planes:
                    yield name

    def _brought(
        self, rollback: _Rollback, later: Listed, changed: Iterable[str], counted: Collection[str]
    ) -> Iterator[tuple[str, _Change]]:
        """Where a later push brought another plane to a fabric of which the rollback would change lines."""
        others = later.noted.owners - rollback.push.noted.owners - {SWITCH, BASE}
        if not others or later.noted.verb != "push":
            return
        for name in changed:
            change = self._change(later, name)
            if change.planes & others and self._moves(rollback, change.fabric, counted):
                yield name, change

    def _moves(self, rollback: _Rollback, fabric: str, counted: Collection[str]) -> bool:
        """Would a rollback change lines of this fabric or its switches?"""
        if fabric not in rollback.fabrics:
            push = rollback.push
            changes = (self._change(push, name) for name in rollback.names if push.states[name] in counted)
            rollback.fabrics[fabric] = any(each.is_shared and each.fabric == fabric for each in changes)
        return rollback.fabrics[fabric]

    def _change(self, push: Listed, name: str) -> _Change:
        key = (push.noted.number, name)
        if key not in self._changes:
            owned, entry = self.owned[name], Entry(push.noted.number, name, push.states[name])
            owners = _changed(self.journal.before(entry), self.journal.after(entry), owned)
            is_shared, planes = bool(owners & owned.claims.shared), owners & owned.claims.planes
            self._changes[key] = _Change(owned.claims.fabric, is_shared, planes)
        return self._changes[key]


def _is_later(later: Listed, push: Listed) -> bool:
    """Is this a later push, or a later rollback of an earlier one?

    A rollback of a later push brings back what this one left. So does one that does not say what it undoes: it was
    made when nothing but the last push could be undone.
    """
    if later.noted.number <= push.noted.number:
        return False
    return later.noted.verb == "push" or (later.undoes is not None and later.undoes < push.noted.number)


def _changed(before: str, after: str, owned: Owned) -> frozenset[str]:
    """The owners whose lines differ between two texts of owned sections."""
    one, other = (
        split(owned.platform.to_tree(text), owned.platform.ownership, owned.claims) for text in (before, after)
    )
    return frozenset(owner for owner in one if owner is not None and any(difference(one[owner], other[owner])))


def require_push(journal: Journal, push: int) -> Noted:
    """The journal's entry of a push that was not rolled back. Raises RefusedError if there is none."""
    known = {noted.number: noted for noted in journal.pushes()}
    if push not in known:
        what = "the journal has no push of this number that could be rolled back"
        if journal.is_without_effect(push):
            what = "its switches are as they were before it: nothing of it can be rolled back"
        found = "; ".join(map(_text, list(known.values())[:MOST_NAMES])) or "none that was not rolled back"
        raise RefusedError(Problem(f"push {push}", what, "one of the journal's", found))
    return known[push]


def refuse_overtaken(obstacles: Obstacles, push: int, chosen: Collection[str], *, unsettled: bool = True) -> None:
    """Raises RefusedError naming each later push that stands against rolling this one back on these switches.

    ``unsettled``: see Obstacles.against.
    """
    noted = require_push(obstacles.journal, push)
    listed = obstacles.journal.history()
    own = next(each for each in listed if each.noted.number == push)
    found = obstacles.against(own, listed, chosen=chosen, unsettled=unsettled, most_names=MOST_NAMES + 1)
    if problems := [_overtaken(noted, each) for each in found]:
        raise RefusedError(problems)


def _overtaken(push: Noted, obstacle: Obstacle) -> Problem:
    later = obstacle.later.noted
    what = f"{later.verb} {later.number} has changed lines since that both are about; they would be lost"
    if obstacle.planes:
        planes, fabrics = (" and ".join(sorted(each)) for each in (obstacle.planes, obstacle.fabrics))
        brought = f"{later.verb} {later.number} has brought plane{'s'[: len(obstacle.planes) != 1]} {planes} since"
        what = f"{brought}, whose hosts need what push {push.number} has set up on {fabrics}"
    others = " and others" if len(obstacle.devices) > MOST_NAMES else ""
    return Problem(
        where=f"push {push.number}",
        what=what,
        found=f"{_text(later)}, on {', '.join(obstacle.devices[:MOST_NAMES])}{others}",
        hint=f"roll that one back first: nornir rollback --push {later.number}"
        if later.verb == "push"
        else "a rollback is not rolled back; bring the switches to what the intent says: nornir push",
    )


def _text(noted: Noted) -> str:
    planes = sorted(noted.owners - {SWITCH})
    return f"{noted.verb} {noted.number} of {noted.started}, plane{'s'[: len(planes) != 1]} {', '.join(planes)}"
