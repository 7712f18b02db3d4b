"""May a push be rolled back after later pushes? Its sections are restored as a whole, so not over later changes.

Two pushes share owners: always the switch and its fabric, and the planes that both pushed. A later
push that changed only another plane's own lines is no obstacle.
"""

from collections.abc import Iterable, Mapping
from typing import Protocol

from nornir_tasks.deploy.journal import COUNTED, Entry, Journal, Listed, Noted, SwitchChange
from nornir_tasks.design.claims import SWITCH, Claims
from nornir_tasks.errors import Problem, RefusedError
from nornir_tasks.platforms.config_tree import difference
from nornir_tasks.platforms.ownership import split
from nornir_tasks.platforms.platform import Platform

MOST_NAMES = 4
"""The number of switches or pushes that a message names; the others are counted."""


class Owned(Protocol):
    """What tells whose the lines of one switch are; a Wanted is one."""

    @property
    def platform(self) -> Platform:
        """The switch's OS."""

    @property
    def claims(self) -> Claims:
        """What each owner has on it."""


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


def refuse_overtaken(journal: Journal, push: Noted, wanted: Mapping[str, Owned], *, unsettled: bool = True) -> None:
    """Raises RefusedError naming each later push that changed lines of shared owners on one of these switches.

    A later push that failed or was rolled back does not count; with ``unsettled``, one whose end is not known does.
    """
    later: dict[int, Noted] = {}
    devices: dict[int, list[str]] = {}
    for change in journal.changes_since(push.number, unsettled=unsettled):
        if change.device in wanted and _is_shared(change, push.owners, wanted[change.device]):
            later[change.push.number] = change.push
            devices.setdefault(change.push.number, []).append(change.device)
    if later:
        newest_first = sorted(later, reverse=True)
        raise RefusedError(_overtaken(push, later[number], devices[number]) for number in newest_first)


def _is_shared(change: SwitchChange, owners: frozenset[str], owned: Owned) -> bool:
    """Did a later push change lines of these owners of an earlier one?"""
    both = (owners & change.push.owners) | owned.claims.shared
    return bool(both & _changed(change.before, change.after, owned))


def _changed(before: str, after: str, owned: Owned) -> frozenset[str]:
    """The owners whose lines differ between two texts of owned sections."""
    one, other = (
        split(owned.platform.to_tree(text), owned.platform.ownership, owned.claims) for text in (before, after)
    )
    return frozenset(owner for owner in one if owner is not None and any(difference(one[owner], other[owner])))


class Obstacles:
    """For a list of pushes: which later ones stand against rolling one back. Asks the journal alone, no switch.

    Texts of a switch are read and split once, and only until one switch of two pushes answers for both.
    """

    def __init__(self, journal: Journal, owned: Mapping[str, Owned]) -> None:
        self._journal, self._owned = journal, owned
        self._changed: dict[Entry, frozenset[str]] = {}

    def against(self, push: Listed, listed: Iterable[Listed]) -> tuple[Listed, ...]:
        """Those of ``listed`` that changed lines of shared owners, by the same rule as refuse_overtaken."""
        return tuple(each for each in listed if each.noted.number > push.noted.number and self._is_one(each, push))

    def _is_one(self, later: Listed, push: Listed) -> bool:
        if later.noted.verb != "push" and (later.undoes is None or later.undoes >= push.noted.number):
            return False
        common = push.noted.owners & later.noted.owners
        return any(
            (common | self._owned[name].claims.shared) & self._changed_by(later, name)
            for name, state in later.states.items()
            if state in COUNTED and name in self._owned and push.states.get(name) in COUNTED
        )

    def _changed_by(self, later: Listed, name: str) -> frozenset[str]:
        entry = Entry(later.noted.number, name, later.states[name])
        if entry not in self._changed:
            before, after = self._journal.before(entry), self._journal.after(entry)
            self._changed[entry] = _changed(before, after, self._owned[name])
        return self._changed[entry]


def _overtaken(push: Noted, later: Noted, devices: list[str]) -> Problem:
    names = ", ".join(sorted(devices)[:MOST_NAMES])
    others = f" and {len(devices) - MOST_NAMES} more" if len(devices) > MOST_NAMES else ""
    return Problem(
        where=f"push {push.number}",
        what=f"{later.verb} {later.number} has changed lines since that both are about; they would be lost",
        found=f"{_text(later)}, on {names}{others}",
        hint=f"roll that one back first: nornir rollback --push {later.number}"
        if later.verb == "push"
        else "a rollback is not rolled back; bring the switches to what the intent says: nornir push",
    )


def _text(noted: Noted) -> str:
    planes = sorted(noted.owners - {SWITCH})
    return f"{noted.verb} {noted.number} of {noted.started}, plane{'s'[: len(planes) != 1]} {', '.join(planes)}"
