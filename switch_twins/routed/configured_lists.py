"""Access lists of a configuration in lines, as EOS and NX-OS have them: which are used where, and what they say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..engine import Node
from .form import Unplayed
from .lists import AccessList, Bound, Direction, Family, UnknownRule, rule

NO_COUNTERPART = "it decides what is forwarded, and has no counterpart here"
USED = "ip access-group"


@dataclass(frozen=True, slots=True)
class ConfiguredLists:
    """The lists that interfaces use, where they do, and rules with a word that has no counterpart."""

    lists: tuple[AccessList, ...]
    bound: tuple[Bound, ...]
    unreadable: tuple[Unplayed, ...]


def configured_lists(
    interfaces: Iterable[Node],
    lists: Mapping[str, Node],
    port_names: Mapping[str, int],
    family: Family = "ip",
    used_by: str = USED,
    control: str | None = None,
) -> ConfiguredLists:
    """Read the lists of a family that interfaces use, by lines that begin so. One that is not there filters nothing.

    ``control``: the list of what comes to the switch itself in the default VRF.
    """
    bound = tuple(each for node in interfaces for each in _bound(node, used_by, family) if each.name in lists)
    if control is not None and control in lists:
        bound = (*bound, Bound("", "control", control, family))
    used = {each.name for each in bound}
    read, unreadable = [], list[Unplayed]()
    for name, node in lists.items():
        if name in used:
            rules, wrong = _rules(node, port_names, family)
            read.append(AccessList(name, tuple(rules), family))
            unreadable += wrong
    return ConfiguredLists(tuple(read), bound, tuple(unreadable))


def _bound(interface: Node, used_by: str, family: Family) -> Iterator[Bound]:
    for line in interface.find(used_by):
        if not line.negated:
            direction: Direction = "in" if line.words.endswith(" in") else "out"
            yield Bound(interface.params["name"], direction, line.params["acl"], family)


def _rules(node: Node, port_names: Mapping[str, int], family: Family) -> tuple[list[str], list[Unplayed]]:
    """Rules as nftables has them, and those that it has not."""
    rules, wrong = [], []
    for line in node.ordered():
        number, _, words = line.words.partition(" ")
        if not number.isdigit() or words.startswith("remark"):
            continue
        try:
            rules.append(rule(words, port_names, family))
        except UnknownRule as error:
            wrong.append(Unplayed(words, f"{NO_COUNTERPART} ({str(error) or 'words are missing'})", node.words))
    return rules, wrong
