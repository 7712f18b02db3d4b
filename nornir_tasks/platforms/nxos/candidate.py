"""The candidate: the whole running configuration as text, with our lines replaced and all others byte for byte.

``configure replace`` needs a full running configuration, never a part (Cisco Nexus 9000 NX-OS System Management
Configuration Guide, "Performing Configuration Replace"). So rows are removed and inserted; nothing is printed again.
"""

import re
from collections.abc import Iterable, Iterator

from nornir_tasks.platforms.config_tree import Change, ConfigTree, Path, difference
from nornir_tasks.platforms.nxos.config_text import (
    BREAKOUT,
    DLB,
    INDENT,
    NEVER_EXPIRES,
    SourceTree,
    joined,
    one_row_of,
    to_text,
    to_tree,
    vdc_called,
    vlans_of,
)
from nornir_tasks.platforms.nxos.port_map import sort_key
from nornir_tasks.platforms.platform import Candidate
from nornir_tasks.platforms.vlan_lists import with_whole_lists

_ORDER = tuple(
    re.compile(pattern)
    for pattern in (
        r"version .+",
        r"hostname .+",
        r"vdc .+",
        r"(?:nv overlay|feature) .+",
        r"(?:no password|username|role) .+",
        r"(?s:banner .+)",
        r"ip (?:domain-lookup|domain-name .+|name-server .+)",
        r"clock .+",
        r"errdisable .+",
        r"interface breakout .+",
        r"ip(?:v6)? access-list .+",
        r"priority-flow-control .+",
        r"class-map type .+",
        r"policy-map type .+",
        r"system qos",
        r"copp .+",
        r"(?:bfd|lldp) .+",
        r"(?:snmp-server|rmon|ntp|logging server) .+",
        r"(?:tacacs|radius)-server .+",
        r"aaa .+",
        r"ip load-sharing .+",
        r"ip(?:v6)? route .+",
        r"vlan .+",
        r"spanning-tree vlan .+",
        r"ip(?:v6)? prefix-list .+",
        r"ip as-path access-list .+",
        r"route-map .+",
        r"service dhcp|ip(?:v6)? dhcp relay",
        r"vrf context .+",
        r"nxapi .+",
        r"vpc domain .+",
        r"hardware .+",
        r"interface (?P<port>.+)",
        r"line .+",
        r"boot .+",
        r"router .+",
    )
)
"""The order in which ``show running-config`` prints top-level blocks (published configurations of 9.3 and 10.4(2))."""


def candidate(running: ConfigTree, owned_running: ConfigTree, owned_wanted: ConfigTree) -> Candidate:
    """The running configuration (from ``to_tree``) with its owned part replaced by the wanted one."""
    changes = tuple(difference(owned_running, owned_wanted))
    source = running if isinstance(running, SourceTree) else to_tree(to_text(running))
    have, want = with_whole_lists(source, owned_running, owned_wanted)
    rows = joined(source)
    splice = _Splice(rows)
    for change in changes if want is owned_wanted else difference(have, want):
        if change.op == "-":
            splice.cut(change.path)
    splice.cut_rows_of(_accounts(owned_running) - _accounts(owned_wanted))
    splice.cut_negations(change.path for change in changes if change.op == "+")
    splice.keep_row_mates()
    splice.keep_other_vlans()
    splice.insert_missing(rows, want, ())
    splice.rename_vdc(changes)
    return Candidate(payload=splice.text(), changes=changes)


def _accounts(tree: ConfigTree) -> frozenset[str]:
    return frozenset(line.split()[1] for line in tree.children if line.startswith("username "))


def place(line: str) -> tuple[int, ...] | None:
    """The rank of a top-level line among others; None for lines of unknown rank."""
    for rank, pattern in enumerate(_ORDER):
        if found := pattern.fullmatch(line):
            port = found.groupdict().get("port")
            return (rank, *sort_key(port)) if port is not None else (rank,)
    return None


_DEFINED = ("class-map ", "policy-map ")
"""Objects that refer to each other and are referred to by other lines."""

_USES_POLICIES = "system qos"
_HOSTNAME = "hostname "

_SUB_MODES = tuple(map(re.compile, (r"address-family ", r"template ", r"neighbor ", r"vrf (?!member )", r"hsrp \d+")))


def _rank_in_block(line: str) -> int:
    """A block's own settings first, then its sub-modes: further lines belong to the sub-mode entered last."""
    return next((rank for rank, word in enumerate(_SUB_MODES, start=1) if word.match(line)), 0)


class _Splice:
    """Rows of text with cuts and insertions, numbered from 0 by the original rows."""

    def __init__(self, source: SourceTree) -> None:
        self._source = source
        self._cut: set[int] = set()
        self._inserted: dict[int, list[str]] = {}
        self._gone: set[Path] = set()
        self._gone_whole: set[str] = set()
        self._hostname = ""

    def cut(self, path: Path) -> None:
        """Remove one line (its own rows only; lines below it are removed by their own changes)."""
        node = self._source.get(*path)
        if node is not None:
            self._cut.update(_own_rows(node))
            self._gone.add(path)
            if len(path) == 1:
                self._gone_whole.add(path[0])

    def cut_rows_of(self, accounts: frozenset[str]) -> None:
        """Remove the rows that a switch has by itself of accounts that go."""
        for number, row in enumerate(self._source.rows if accounts else ()):
            found = NEVER_EXPIRES.fullmatch(row.strip())
            if found and found["name"] in accounts:
                self._cut.add(number)

    def cut_negations(self, coming: Iterable[Path]) -> None:
        """Remove the rows that say the opposite of lines that come."""
        negated = self._source.negated
        self._cut.update(negated[path] - 1 for path in coming if path in negated)

    def keep_row_mates(self) -> None:
        """A row may list several ports: those that remain get rows of their own instead."""
        for path, node in self._shared_rows():
            if path not in self._gone and node.line - 1 in self._cut:
                self._inserted.setdefault(node.line - 1, []).append(INDENT * (len(path) - 1) + node.text)

    def _shared_rows(self) -> Iterator[tuple[Path, ConfigTree]]:
        """Lines of which the switch may print several in one row: cages broken out, ports balanced dynamically."""
        top = self._source.children
        yield from (((text,), node) for text, node in top.items() if text.startswith(BREAKOUT))
        yield from (((DLB, text), node) for text, node in (top[DLB].children if DLB in top else {}).items())

    def keep_other_vlans(self) -> None:
        """One row lists all VLANs: a removed one leaves the row, the others remain in it."""
        for number, row in enumerate(self._source.rows):
            named = vlans_of(row)
            if len(named) > 1 and self._gone_whole & set(named):
                self._cut.add(number)
                kept = [each for each in named if each not in self._gone_whole]
                self._inserted.setdefault(number, []).extend([one_row_of(kept)] if kept else [])

    def rename_vdc(self, changes: Iterable[Change]) -> None:
        """The default VDC is called as the switch: a new name of the switch is its, too."""
        for change in changes:
            if change.op == "+" and change.path[0].startswith(_HOSTNAME):
                self._hostname = change.path[0].removeprefix(_HOSTNAME)

    def insert_missing(self, running: ConfigTree, wanted: ConfigTree, above: Path) -> None:
        """Insert every wanted line that ``running`` lacks, in rendered order."""
        for child in sorted(wanted.children.values(), key=lambda node: node.line):
            there = running.children.get(child.text)
            if not above and child.text in self._source.listed:
                there = there if there is None or not child.children else None
            if there is not None:
                self.insert_missing(there, child, (*above, child.text))
                continue
            row = self._row_at_top(wanted, child) if not above else self._row_below(running, wanted, child)
            block = ConfigTree()
            block.add(child.text).merge(child)
            self._inserted.setdefault(row, []).extend(INDENT * len(above) + line for line in block.lines(INDENT))

    def _row_at_top(self, wanted: ConfigTree, child: ConfigTree) -> int:
        own = place(child.text)
        if child.text.startswith(_DEFINED) and (beside := self._row_beside(wanted, child, own)) is not None:
            return beside
        if child.text == _USES_POLICIES and (after := self._row_after_policies()):
            return after
        if own is not None:
            for each in self._source.children.values():
                other = place(each.text)
                if other is not None and other > own:
                    return each.line - 1
        return len(self._source.rows)

    def _row_after_policies(self) -> int:
        """After the last policy map, wherever it is on this switch; 0: there is none."""
        policies = (each for text, each in self._source.children.items() if text.startswith("policy-map "))
        return max((_last_row(each) + 1 for each in policies), default=0)

    def _row_beside(self, wanted: ConfigTree, child: ConfigTree, own: tuple[int, ...] | None) -> int | None:
        """Among existing lines of its kind: before the next one, or after the last; None: there are none.

        A policy refers to classes, so it comes after them, wherever they are on this switch.
        """
        source = self._source.children
        beside = [each for each in wanted.children.values() if place(each.text) == own and each.text in source]
        later = [source[each.text].line for each in beside if each.line > child.line]
        if later:
            return min(later) - 1
        return max(_last_row(source[each.text]) for each in beside) + 1 if beside else None

    @staticmethod
    def _row_below(running: ConfigTree, wanted: ConfigTree, child: ConfigTree) -> int:
        """Before the next line in rendered order; settings come before sub-modes."""
        later = [
            running.children[sibling.text].line
            for sibling in wanted.children.values()
            if sibling.line > child.line and sibling.text in running.children
        ]
        rank = _rank_in_block(child.text)
        later += [other.line for other in running.children.values() if _rank_in_block(other.text) > rank]
        return min(later) - 1 if later else _last_row(running) + 1

    def text(self) -> str:
        """The new configuration."""
        return "".join(f"{row}\n" for row in self._rows())

    def _rows(self) -> Iterator[str]:
        for number, row in enumerate(self._source.rows):
            yield from self._inserted.get(number, ())
            if number not in self._cut:
                yield vdc_called(self._hostname, row) if self._hostname else row
        yield from self._inserted.get(len(self._source.rows), ())


def _own_rows(node: ConfigTree) -> tuple[int, ...]:
    """Every row with just this line, from 0; a text of several rows counts with all of them."""
    extent = node.text.count("\n") + 1
    return tuple(row for first in (node.line, *node.repeats) for row in range(first - 1, first - 1 + extent))


def _last_row(node: ConfigTree) -> int:
    last = node
    while last.children:
        last = list(last.children.values())[-1]
    return max(_own_rows(last))
