"""May a push be rolled back after later pushes? Its sections are restored as a whole, so not over later changes.

Two pushes share owners: always the switch and its fabric, and the planes that both pushed. A later
push that changed only another plane's own lines is no obstacle.
"""

from collections.abc import Mapping

from nornir_tasks.deploy.journal import Journal, Noted, SwitchChange
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.claims import SWITCH
from nornir_tasks.errors import Problem, RefusedError
from nornir_tasks.platforms.config_tree import ConfigTree, difference
from nornir_tasks.platforms.ownership import join, split

MOST_NAMES = 4
"""The number of switches or pushes that a message names; the others are counted."""


def require_push(journal: Journal, push: int) -> Noted:
    """The journal's entry of a push that was not rolled back. Raises RefusedError if there is none."""
    known = {noted.number: noted for noted in journal.pushes()}
    if push not in known:
        what = "the journal has no push of this number that could be rolled back"
        found = "; ".join(map(_text, list(known.values())[:MOST_NAMES])) or "none that was not rolled back"
        raise RefusedError(Problem(f"push {push}", what, "one of the journal's", found))
    return known[push]


def refuse_overtaken(journal: Journal, push: Noted, wanted: Mapping[str, Wanted], *, unsettled: bool = True) -> None:
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


def _is_shared(change: SwitchChange, owners: frozenset[str], wanted: Wanted) -> bool:
    """Did a later push change lines of these owners of an earlier one?"""
    both = (owners & change.push.owners) | wanted.claims.shared
    before, after = (_part_of(both, text, wanted) for text in (change.before, change.after))
    return any(difference(before, after))


def _part_of(owners: frozenset[str], text: str, wanted: Wanted) -> ConfigTree:
    parts = split(wanted.platform.to_tree(text), wanted.platform.ownership, wanted.claims)
    return join(part for owner, part in parts.items() if owner in owners)


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
