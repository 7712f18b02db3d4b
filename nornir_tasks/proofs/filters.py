"""Which packets an interface's access lists let through, and which rule says so."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from nornir_tasks.design.config.access_lists import AccessList, AclBinding, AclRule, Direction, Family
from nornir_tasks.proofs.packets import Packet, Packets, common, holds, of_rule, without_all

Lists = Mapping[tuple[Family, str], Sequence[tuple[AclRule, Packets]]]
"""The access lists of one switch, by family and name: each rule with all packets that it matches."""


def lists_of(found: Iterable[AccessList]) -> Lists:
    """These lists of one switch."""
    return {(e.family, e.name): [(rule, of_rule(rule, e.family)) for rule in e.rules] for e in found}


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
    affair, so the worst is taken. A list ends with a denial of all, whether or not it is written down.
    """
    direction = where[1]
    name = _bound(bindings, where)
    found = None if name is None else lists.get((where[0], name))
    if found is None:
        yield Passed(packets, f"no access list {direction}" if name is None else f"{name}, which does not exist")
        return
    denied: list[Packets] = []
    for rule, matching in found:
        matched = common(packets, matching)
        if matched is None:
            continue
        if not rule.permit:
            denied.append(matched)
            continue
        for part in without_all(matched, denied):
            yield Passed(part, f"rule {rule.sequence} of {name}")


def decided(lists: Lists, bindings: tuple[AclBinding, ...], where: tuple[Family, Direction], packet: Packet) -> str:
    """What decides on one packet, in the words of ``passed``: the first rule that matches, or the end of the list."""
    direction = where[1]
    name = _bound(bindings, where)
    found = None if name is None else lists.get((where[0], name))
    if found is None:
        return f"no access list {direction}" if name is None else f"{name}, which does not exist"
    rule = next((each for each, matching in found if holds(matching, packet)), None)
    return f"the end of {name}" if rule is None else f"rule {rule.sequence} of {name}"


def _bound(bindings: tuple[AclBinding, ...], where: tuple[Family, Direction]) -> str | None:
    return next((each.name for each in bindings if (each.family, each.direction) == where), None)
