"""Converts a difference into the lines of a configuration session, and EOS's diff back into a difference.

hier_config computes the lines. Its own EOS rules cover other sections, so the rules here are our own; each names lines
that replace one another (no ``no`` for the old value) or lines whose ``no`` form differs.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from nornir_tasks.platforms.config_tree import Change, ConfigTree, Path, difference
from nornir_tasks.platforms.eos.parse import BLOCKS
from nornir_tasks.platforms.eos.tree import DSCP_DEFAULT, to_tree
from nornir_tasks.platforms.lines import negations, removal, replaced
from nornir_tasks.platforms.platform import Candidate
from nornir_tasks.platforms.vlan_lists import with_whole_lists

if TYPE_CHECKING:
    from hier_config import HConfig, HConfigChild
    from hier_config.platforms.driver_base import HConfigDriverBase

REPLACED = replaced(BLOCKS)
"""Lines with one value: a path whose last part matches, with equal groups, replaces the other."""
_NEGATIONS = negations(BLOCKS)

_SETTINGS = tuple(tuple(map(re.compile, path)) for path in REPLACED)
_ONE_OF_A_LIST = re.compile(r"switchport trunk allowed vlan \d+")
"""A tree has a line for each VLAN of a list."""
_SERVER = re.compile(r"ntp server(?: vrf \S+)? \S+|logging(?: vrf \S+)? host \S+")
"""A server has one line, whatever else that says of it; another is typed after the ``no`` of the earlier one."""


def setting(path: Path) -> str:
    """The last line of a path without its value, where EOS holds one value of it, and without ``no``."""
    line = path[-1].removeprefix("no ").removeprefix("default ")
    if _ONE_OF_A_LIST.fullmatch(line):
        return line
    if len(path) == 1 and (server := _SERVER.match(line)):
        return server[0]
    for *above, last in _SETTINGS:
        is_there = len(above) == len(path) - 1 and all(map(re.Pattern.search, above, path))
        if is_there and (found := last.search(line)):
            return " ".join(each or "" for each in found.groups())
    return line


_ENCODINGS = {"error-correction encoding fire-code", "error-correction encoding reed-solomon"}
_MAP_LINE = re.compile(r"qos map (dscp|traffic-class) (\d+) (to (?:traffic-class|tx-queue)) \d+")
_OBJECT = re.compile(
    r"neighbor \S+ peer group$|address-family |vrf |ssl profile |(?:uc-|mc-)?tx-queue |seq |\d+ "
    r"|(?:network|aggregate-address|redistribute) "
    # arista.eos (ansible 12.3.0) config/l3_interfaces: "no ip address A secondary", "no ip address virtual A"
    r"|ip address (?:virtual \S+|\S+ secondary)$"
)
_WHOLE = re.compile(r"no neighbor (\S+)")
_SINGLE = re.compile(r"default neighbor (\S+) ")
_ADDRESS = re.compile(r"ip(?:v6)? (?:virtual-router )?address ")
_FIRST = re.compile(r"no ip address \S+ secondary|no vrf \S+")
_LAST_OF_ALL = re.compile(
    r"no (?:vrf instance|ip(?:v6)? access-list|aaa group server|tacacs-server|radius-server) |no hardware access-list "
)
_UPDATES = "hardware access-list update default-result permit"
_LAST = re.compile(r"no neighbor \S+ peer group")


def candidate(running: ConfigTree, owned: ConfigTree, wanted: ConfigTree) -> Candidate:
    """The lines that turn ``owned`` into ``wanted``; nothing else on the switch (``running``) is mentioned."""
    from hier_config import WorkflowRemediation  # noqa: PLC0415 - only a device that differs pays for it

    have, want = with_whole_lists(running, owned, wanted)  # apart from these, EOS gets only the differences
    new = _new_blocks(have, want)
    before, after = (_hconfig(each) for each in _to_compare(_to_type_again(have, want), want, new))
    remediation = WorkflowRemediation(before, after).remediation_config
    lines = tuple(
        row
        for child in _in_turn(remediation.children)
        for line in (_typed(new[child.text]) if child.text in new else _lines(child))
        for row in line.split("\n")  # a banner is a line with its text
    )
    for each in (before, after, remediation):
        _take_apart(each)
    _replaced().forget()
    return Candidate(payload=lines, changes=tuple(difference(owned, wanted)))


def _new_blocks(owned: ConfigTree, wanted: ConfigTree) -> dict[str, ConfigTree]:
    """Blocks that do not exist yet, or are empty: they are typed as wanted, without a computation."""
    return {text: node for text, node in wanted.children.items() if node and not owned.get(text)}


def _to_compare(owned: ConfigTree, wanted: ConfigTree, new: dict[str, ConfigTree]) -> tuple[ConfigTree, ConfigTree]:
    """Both sides without what need not be compared: equal blocks, and all but the first line of new ones.

    A first push of a switch consists of new blocks.
    """
    before, after = ConfigTree(), ConfigTree()
    for text, node in owned.children.items():
        if text not in new and (not node or node != wanted.children.get(text)):
            before.children[text] = node
    for text, node in wanted.children.items():
        if text in new:
            after.add(text)
        elif not node or node != owned.children.get(text):
            after.children[text] = node
    return before, after


def _typed(block: ConfigTree, depth: int = 0) -> list[str]:
    """A whole block as commands; each nested block ends with ``exit``."""
    below = [line for node in block.children.values() for line in _typed(node, depth + 1)]
    return [" " * 3 * depth + block.text, *below, *([" " * 3 * (depth + 1) + "exit"] if below else [])]


def _to_type_again(owned: ConfigTree, wanted: ConfigTree) -> ConfigTree:
    """The running lines without those that are typed again because other changes remove them.

    The wanted encoding of ports that have both, which may occur together (pyavd eos__ethernet_interfaces): ``default``
    removes both. The addresses of a port that changes its VRF: it loses them.
    """
    counted = owned
    for name, port in owned.children.items():
        again = _taken_away(port, wanted.get(name) or ConfigTree())
        if again:
            counted = owned.copy() if counted is owned else counted
            for line in again:
                del counted.children[name].children[line]
    return counted


def _taken_away(port: ConfigTree, wanted: ConfigTree) -> set[str]:
    """Lines that a port has and keeps, but that its other changes remove temporarily."""
    again = set(_ENCODINGS & wanted.children.keys()) if port.children.keys() >= _ENCODINGS else set()
    if _vrf_of(port) != _vrf_of(wanted):
        addresses = {line for line in port.children if _ADDRESS.match(line)}
        again |= addresses & wanted.children.keys()
    return again


def _vrf_of(port: ConfigTree) -> str | None:
    return next((line for line in port.children if line.startswith("vrf ")), None)


def session_changes(before: str, after: str) -> frozenset[Change]:
    """The changes of a session: the switch's running configuration compared with that session's configuration."""
    return frozenset(difference(to_tree(before), to_tree(after)))


def server_changes(diff: str) -> frozenset[Change]:
    """EOS's own diff of a session, as changes.

    It must hold whole blocks: EOS prints three lines of context, which need not reach up to the line that opens the
    block, so a session is judged by :func:`session_changes` and this reads diffs of sessions that touch short blocks.
    Both sides are rebuilt and compared, so that a map line of several code points counts only for those that change.
    """
    before, after = [], []
    for row in diff.splitlines():
        if row.startswith(("---", "+++", "@@")):
            continue
        mark, line = row[:1], row[1:]
        if mark != "+":
            before.append(line)
        if mark != "-":
            after.append(line)
    return session_changes("\n".join(before), "\n".join(after))


def _in_turn(children: "Iterable[HConfigChild]") -> "list[HConfigChild]":
    """A VRF or an access list is created before its users, and removed after them.

    What an access list does while it is changed is said before.
    """
    return sorted(
        children, key=lambda child: 2 if _LAST_OF_ALL.match(child.text) else 0 if child.text == _UPDATES else 1
    )


def _gone(block: "HConfigChild") -> frozenset[str]:
    """Neighbours of one block that are removed as a whole: their single lines need no removal."""
    return frozenset(found[1] for line in block.children if (found := _WHOLE.fullmatch(line.text)))


def _lines(child: "HConfigChild", depth: int = 0, above: frozenset[str] = frozenset()) -> list[str]:
    """One command and the commands below it, ended by ``exit`` if a block was entered."""
    gone = _gone(child) if child.text.startswith("vrf ") else above | _gone(child)  # a VRF has neighbours of its own
    below = [
        line
        for each in sorted(child.children, key=_place)
        if not ((found := _SINGLE.match(each.text)) and found[1] in gone)
        for line in _lines(each, depth + 1, gone)
    ]
    if child.children and not below:
        return []
    return [" " * 3 * depth + child.text, *below, *([" " * 3 * (depth + 1) + "exit"] if below else [])]


def _place(child: "HConfigChild") -> int:
    """A second address is removed before the first; a group last, when nothing refers to it any more.

    A port changes its VRF before it gets addresses.
    """
    return 0 if _FIRST.fullmatch(child.text) else 2 if _LAST.fullmatch(child.text) else 1


def _hconfig(tree: ConfigTree) -> "HConfig":
    from hier_config import HConfig  # noqa: PLC0415

    root = HConfig(_driver())
    _fill(root, tree)
    return root


def _fill(node: "HConfig | HConfigChild", tree: ConfigTree) -> None:
    for below in tree.children.values():
        _fill(node.add_child(below.text, check_if_present=False), below)


def _take_apart(node: "HConfig | HConfigChild") -> None:
    """Remove the references to parents: otherwise the lines would stay in memory until Python looks for cycles."""
    for below in node.children:
        _take_apart(below)
    node.children.clear()


class _Replaced:
    """Finds the replaced line of a block in a dictionary: hier_config itself compares each line with each other."""

    def __init__(self) -> None:
        self._rules = tuple(tuple(map(re.compile, path)) for path in REPLACED)
        self._block: Iterable[HConfigChild] = ()
        self._patterns: tuple[re.Pattern[str], ...] = ()
        self._by_setting: dict[tuple[re.Pattern[str], tuple[str, ...]], HConfigChild] = {}

    def by(self, line: "HConfigChild", block: "Iterable[HConfigChild]") -> "HConfigChild | None":
        """The line of a block with the same setting as ``line`` of the other side's block; None if there is none."""
        if block is not self._block:  # one block's lines are asked about one after the other
            self._learn(line, block)
        return next((found for key in self._settings(line) if (found := self._by_setting.get(key))), None)

    def forget(self) -> None:
        """Let go of the last block: it would stay in memory, with all that is above it, until the next comparison."""
        self._block, self._by_setting = (), {}

    def _learn(self, line: "HConfigChild", block: "Iterable[HConfigChild]") -> None:
        above = tuple(line.path())[:-1]
        self._patterns = tuple(
            rule[-1]
            for rule in self._rules
            if len(rule) == len(above) + 1 and all(map(re.Pattern.search, rule[:-1], above))
        )
        self._by_setting = {}
        for each in block:
            for key in self._settings(each):
                self._by_setting.setdefault(key, each)
        self._block = block

    def _settings(self, line: "HConfigChild") -> "Iterator[tuple[re.Pattern[str], tuple[str, ...]]]":
        found = ((pattern, pattern.search(line.text)) for pattern in self._patterns)
        return ((pattern, match.groups()) for pattern, match in found if match)


@cache
def _replaced() -> _Replaced:
    return _Replaced()


@cache
def _driver() -> "HConfigDriverBase":
    from hier_config.models import IdempotentCommandsRule, MatchRule  # noqa: PLC0415
    from hier_config.platforms.driver_base import HConfigDriverBase, HConfigDriverRules  # noqa: PLC0415

    def match(path: tuple[str, ...]) -> tuple[MatchRule, ...]:
        return tuple(MatchRule(re_search=part) for part in path)

    class Driver(HConfigDriverBase):
        """EOS, for the owned sections."""

        def idempotent_for(
            self, config: "HConfigChild", other_children: "Iterable[HConfigChild]"
        ) -> "HConfigChild | None":
            """The result of the rules below, in time proportional to the number of lines, not to its square."""
            return _replaced().by(config, other_children)

        def swap_negation(self, child: "HConfigChild") -> "HConfigChild":
            """A line goes as its row says.

            Else a value is reset to its default, an object is removed, a negated line of the top level is inverted.
            """
            if (typed := removal(tuple(child.path()), _NEGATIONS)) is not None:
                child.text = typed
            elif found := _MAP_LINE.fullmatch(child.text):
                # what follows "no qos map" the manuals tell differently, so the default is said in full
                kind, number = found[1], int(found[2])
                default = DSCP_DEFAULT[number] if kind == "dscp" else number
                child.text = f"qos map {kind} {number} {found[3]} {default}"
            elif child.depth() > 1 and not _OBJECT.match(child.text):
                # "no" of a line that can be negated for good would stay in the configuration
                child.text = f"default {child.text_without_negation}"
            else:
                return super().swap_negation(child)
            return child

        @staticmethod
        def _instantiate_rules() -> HConfigDriverRules:
            return HConfigDriverRules(
                indentation=3,
                idempotent_commands=[IdempotentCommandsRule(match_rules=match(path)) for path in REPLACED],
            )

    return Driver()
