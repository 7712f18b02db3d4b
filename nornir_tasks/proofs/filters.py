"""Which packets an interface's access lists let through, and which rule says so."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from nornir_tasks.design.config.access_lists import AccessList, AclBinding, AclRule, Direction, Family
from nornir_tasks.proofs.packets import Packet, Packets, common, holds, of_rule, without_all


class Entry(NamedTuple):
    """A rule of a list, or its end."""

    place: str
    """``rule 20``, ``the end``."""
    permit: bool
    packets: Packets
    """All that it matches."""


Lists = Mapping[tuple[Family, str], Sequence[Entry]]
"""The access lists of one switch, by family and name."""


def lists_of(found: Iterable[AccessList], *, denies_rest: bool) -> Lists:
    """These lists of one switch. ``denies_rest``: is what no rule of a list matches refused (``AclFacts``)?"""
    return {(each.family, each.name): list(_entries(each, denies_rest)) for each in found}


def _entries(found: AccessList, denies_rest: bool) -> Iterator[Entry]:
    for rule in found.rules:
        yield Entry(f"rule {rule.sequence}", rule.permit, of_rule(rule, found.family))
    if not any(rule.is_all for rule in found.rules):
        yield Entry("the end", not denies_rest, of_rule(AclRule(0, permit=not denies_rest), found.family))


@dataclass(frozen=True, slots=True)
class Passed:
    """Packets that a list lets through, and the place that decides."""

    packets: Packets
    by: str
    """``rule 20 of STORAGE-V200-IN``, or ``no access list in``."""


def passed(
    lists: Lists, bindings: tuple[AclBinding, ...], where: tuple[Family, Direction], packets: Packets
) -> Iterator[Passed]:
    """What of these packets passes an interface in one direction.

    Without a list everything does, and with a name that no list has too: what a switch then does is its system's own
    affair, so the worst is taken.
    """
    direction = where[1]
    name = _bound(bindings, where)
    found = None if name is None else lists.get((where[0], name))
    if found is None:
        yield Passed(packets, f"no access list {direction}" if name is None else f"{name}, which does not exist")
        return
    denied: list[Packets] = []
    for entry in found:
        matched = common(packets, entry.packets)
        if matched is None:
            continue
        if not entry.permit:
            denied.append(matched)
            continue
        for part in without_all(matched, denied):
            yield Passed(part, f"{entry.place} of {name}")


def decided(lists: Lists, bindings: tuple[AclBinding, ...], where: tuple[Family, Direction], packet: Packet) -> str:
    """What decides on one packet, in the words of ``passed``: the first rule that matches, or the end of the list."""
    direction = where[1]
    name = _bound(bindings, where)
    found = None if name is None else lists.get((where[0], name))
    if found is None:
        return f"no access list {direction}" if name is None else f"{name}, which does not exist"
    return f"{next(each.place for each in found if holds(each.packets, packet))} of {name}"


def _bound(bindings: tuple[AclBinding, ...], where: tuple[Family, Direction]) -> str | None:
    return next((each.name for each in bindings if (each.family, each.direction) == where), None)
