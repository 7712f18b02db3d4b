"""What both switches of a pair compare of their configurations, and what they do by themselves about a conflict.

The rows that each system compares, with the action of each and its source, are those of its ``extract_pair.py``:

- ``secondary``: the secondary holds its groups over both down, of a row of one group that one (NVUE: protodown; NX-OS,
  vPC type 1 with the graceful check, which is the default: suspended);
- ``own``: the switch that has the conflict does;
- ``vlans``: VLANs that both have not in common are suspended on groups over both, of a row of one group on that one;
- none: it is shown, and nothing is done (NX-OS type 2; EOS).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from .state import Compared, InterfaceState, PairState, SwitchState


@dataclass(frozen=True, slots=True)
class Difference:
    """One conflict: this switch's own value, and the other's, "" if that has none."""

    own: Compared
    peer_value: str


class Agreement(Protocol):
    """What became of the groups over both switches (groups.py)."""

    def blocking_row(self, device: str, group: InterfaceState) -> str:
        """Why a switch holds a group down, "" if it does not."""

    def suspended(self, device: str, group: InterfaceState) -> frozenset[int]:
        """The VLANs that it does not forward on a group."""


def conflicts(mine: PairState, its: PairState) -> Iterator[Difference]:
    """What both have otherwise, and what is a conflict by itself.

    What only one has (a group of one switch alone) is not compared.
    """
    theirs = {(each.name, each.number): each.value for each in its.compared}
    for each in mine.compared:
        value = theirs.get((each.name, each.number))
        if each.is_conflict or (each.action != "own" and value is not None and value != each.value):
            yield Difference(each, value or "")


def why_down(found: tuple[Difference, ...], number: str, *, is_secondary: bool) -> str:
    """The row by which a switch holds its group of this number down, "" if there is none."""
    rows = (each.own for each in found if each.own.number in ("", number))
    return next((row.name for row in rows if row.action == "own" or (row.action == "secondary" and is_secondary)), "")


def uncommon_vlans(found: tuple[Difference, ...], number: str) -> frozenset[int]:
    """The VLANs that both have not in common, of the peer link and of the group of this number."""
    rows = (each for each in found if each.own.action == "vlans" and each.own.number in ("", number))
    return frozenset(vlan for each in rows for vlan in _numbers(each.own.value) ^ _numbers(each.peer_value))


def as_agreed(state: SwitchState, agreement: Agreement) -> SwitchState:
    """A switch as it works: groups that it holds down are down with their members, and without suspended VLANs."""
    groups = [each for each in state.interfaces if each.over_both]
    blocked = {each.name for each in groups if agreement.blocking_row(state.name, each)}
    off = {each.name: agreement.suspended(state.name, each) for each in groups}
    if not blocked and not any(off.values()):
        return state
    ports = (
        replace(
            each,
            is_admin_up=each.is_admin_up and not blocked & {each.name, each.group},
            vlans=each.vlans - off.get(each.name, frozenset()),
        )
        for each in state.interfaces
    )
    return replace(state, interfaces=tuple(ports))


def _numbers(listed: str) -> frozenset[int]:
    """``1, 10,20-22`` as numbers."""
    found: set[int] = set()
    for part in listed.replace(" ", "").split(","):
        first, _, last = part.partition("-")
        if first.isdecimal():
            found.update(range(int(first), int(last or first) + 1))
    return frozenset(found)
