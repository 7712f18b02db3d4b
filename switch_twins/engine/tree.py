"""A device's configuration as a tree of accepted lines: lookup, defaults, order and printing.

A Tree is changed only by ConfigSession (and by the hooks of a grammar). ``copy`` makes a candidate; ``text`` prints
it as the operating system does and keeps the result until the next change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from .dialect import Dialect
from .grammar import Grammar, Mode, Rule
from .lines import Lines

_DIGITS = re.compile(r"(\d+)")


@dataclass(slots=True, eq=False)
class Node:
    """One configured line: its rule, canonical text without ``no``, parameters, and the lines of the mode it enters."""

    rule: Rule | None
    words: str
    params: dict[str, str] = field(default_factory=dict)
    identity: tuple[str, ...] = ()
    negated: bool = False
    body: tuple[str, ...] = ()
    entered: int = 0
    parent: Node | None = None
    children: Lines[Node] = field(default_factory=Lines)
    is_oneline: bool = False
    """Printed as one line per line below it, as it was first typed."""

    @property
    def line(self) -> str:
        """The line as printed, without indentation and body."""
        return f"no {self.words}" if self.negated else self.words

    @property
    def name(self) -> str:
        """The name of the rule that accepted this line."""
        return self.rule.name if self.rule else ""

    @property
    def mode(self) -> Mode:
        """The rules of this line's mode."""
        mode = self.rule.mode if self.rule else None
        return mode if mode is not None else _NO_MODE

    def find(self, leading: str) -> list[Node]:
        """The lines directly below that begin with these words (``no`` counts as one), in printing order."""
        if not self.children:  # most ports of a switch: nothing set
            return []
        return list(self.children.beginning_in_order(leading, _order))

    def first(self, leading: str) -> Node | None:
        """The first line directly below that begins with these words, or None."""
        found = self.children.beginning_in_order(leading, _order) if self.children else ()
        return found[0] if found else None

    def value(self, leading: str, param: str) -> str | None:
        """A parameter of the first line below that begins with these words, or None."""
        node = self.first(leading)
        return node.params.get(param) if node else None

    def ordered(self) -> list[Node]:
        """The lines directly below, in the order the operating system prints them."""
        return sorted(self.children.values(), key=_order)

    def walk(self) -> Iterator[Node]:
        """Every line below, depth first."""
        for node in self.ordered():
            yield node
            yield from node.walk()

    def copy(self, parent: Node | None = None) -> Node:
        """A deep copy under another parent."""
        twin = Node(self.rule, self.words, self.params, self.identity, self.negated, self.body, self.entered, parent)
        twin.is_oneline = self.is_oneline
        if self.children:
            twin.children = Lines({key: child.copy(twin) for key, child in self.children.items()})
        return twin


_NO_MODE = Mode()


def _order(node: Node) -> tuple[object, ...]:
    rule = node.rule
    if rule is None:
        return (0,)
    if rule.sort == "entered":
        return (rule.cluster_position, (), rule.position, ((node.entered,),))
    cluster = tuple(natural_key(node.params.get(param, ""), rule.names_first) for param in rule.cluster)
    names_first = rule.sort == "names-first"
    return (
        rule.cluster_position,
        cluster,
        rule.position,
        tuple(natural_key(value, names_first) for value in node.identity),
    )


@lru_cache(maxsize=8192)
def natural_key(text: str, names_first: bool = False) -> tuple[tuple[int, int | str], ...]:
    """Sort key by which Ethernet2 comes before Ethernet10; with names_first, words before numbers and addresses."""
    number_rank = 1 if names_first else 0
    return tuple(
        (number_rank, int(part)) if part.isdigit() else (1 - number_rank, part) for part in _DIGITS.split(text) if part
    )


class Tree:
    """One configuration (running, candidate, checkpoint ...) of one grammar."""

    def __init__(self, grammar: Grammar, dialect: Dialect) -> None:
        self.grammar, self.dialect = grammar, dialect
        self.root = Node(Rule("top", "", "", "V", 0, (), frozenset(), mode=grammar.top), "")
        self._printed: dict[bool, str] = {}
        self._is_dotted: bool | None = None
        self.entered = 0

    def copy(self) -> Tree:
        """An independent copy, to start a candidate."""
        twin = Tree(self.grammar, self.dialect)
        twin.root = self.root.copy()
        twin._printed, twin.entered = dict(self._printed), self.entered
        return twin

    def touched(self) -> None:
        """Drop the printed text; required after any direct change of nodes (by a hook)."""
        self._printed, self._is_dotted = {}, None

    def next_entered(self) -> int:
        """A number that grows with every stored line, for rules printed in the order of entry."""
        self.entered += 1
        return self.entered

    def find(self, leading: str) -> list[Node]:
        """The top-level lines that begin with these words."""
        return self.root.find(leading)

    def first(self, leading: str) -> Node | None:
        """The first top-level line that begins with these words, or None."""
        return self.root.first(leading)

    @property
    def has_dotted_asns(self) -> bool:
        """Are AS numbers printed with a dot? Cached, for blocks that are printed one by one."""
        if self._is_dotted is None:
            node: Node | None = self.root
            for leading in self.dialect.dotted_asns:
                node = node.first(leading) if node is not None else None
            self._is_dotted = bool(self.dialect.dotted_asns) and node is not None
        return self._is_dotted

    def text(self, all_lines: bool = False) -> str:
        """The configuration as the operating system prints it, header and ``end`` excluded; ends with a newline.

        ``all_lines`` also shows defaults (show running-config all).
        """
        if all_lines not in self._printed:
            lines = _Printer(self, all_lines).lines()
            self._printed[all_lines] = "\n".join(lines) + "\n" if lines else ""
        return self._printed[all_lines]

    def block_text(self, node: Node, all_lines: bool = False) -> str:
        """One block as ``text`` prints it (show running-config interface X)."""
        return "\n".join(_Printer(self, all_lines).block(node, 0)) + "\n"

    def default_line(self, rule: Rule, parent: Node) -> str:
        """The default of a rule under a parent, "" if it has none."""
        for condition, line in rule.defaults:
            if not condition or self.holds(condition, parent):
                return line
        return ""

    def effective(self, parent: Node, line: str) -> bool:
        """True if this line (leading words are enough) is in effect under parent, configured or by default."""
        words = line.split()
        negated = words[:1] == ["no"]
        positive = words[1:] if negated else words
        rules = parent.mode.candidates(positive[0]) if positive else ()
        line_itself = " ".join(positive)  # its own rule decides, before those of shorter and longer lines
        for rule in sorted(rules, key=lambda each: each.keywords != line_itself):
            keywords = rule.keywords.split()
            if keywords[: len(positive)] != positive and positive[: len(keywords)] != keywords:
                continue
            configured = parent.children.of_rule(rule)
            if any(node.line.split()[: len(words)] == words for node in configured):
                return True
            if configured and rule.keywords == line_itself:
                return False
            default = self.default_line(rule, parent)
            if not configured and default:
                return default.split()[: len(words)] == words
        return negated and not any(not node.negated for node in parent.children.beginning(" ".join(positive)))

    def holds(self, condition: str, parent: Node) -> bool:
        """Whether a grammar condition holds for the mode of ``parent``."""
        return all(self._term(term.strip(), parent) for term in condition.split(","))

    def _term(self, term: str, parent: Node) -> bool:
        if term.startswith("not "):
            return not self._term(term[4:].strip(), parent)
        if term.startswith("^"):
            return re.match(term, parent.line) is not None
        if term.startswith("/"):
            *blocks, line = term[1:].split(" > ")
            return self._below_top(blocks, line)
        return self.effective(parent, term)

    def _below_top(self, blocks: list[str], line: str) -> bool:
        """Is a line in effect at the top, or below the blocks that begin with these words one below the other?"""
        node: Node | None = self.root
        for words in blocks:
            node = node.first(words) if node is not None else None
        return node is not None and self.effective(node, line)


class _Printer:
    """Prints one tree."""

    def __init__(self, tree: Tree, all_lines: bool) -> None:
        self._tree, self._all = tree, all_lines
        self._dialect = tree.dialect
        self._is_dotted = tree.has_dotted_asns

    def lines(self) -> list[str]:
        lines: list[str] = []
        before: Node | None = None
        for node in self._shown(self._tree.root):
            block = self.block(node, 0)
            if before is not None and self._is_apart(before, node):
                lines.append(self._dialect.separator)
            lines += block
            before = node
        return lines

    def _spelt(self, node: Node) -> str:
        """The line, with its AS numbers in the configured notation."""
        return with_dotted_asns(node) if self._is_dotted else node.line

    def _is_apart(self, before: Node, node: Node) -> bool:
        if before.rule is None or node.rule is None:
            return False
        if before.rule.section != node.rule.section:
            return True
        either_is_block = any(each.rule and each.rule.mode and not each.is_oneline for each in (before, node))
        return either_is_block and not (before.rule.join and node.rule.join)

    def _shown(self, parent: Node) -> list[Node]:
        nodes = [node for node in parent.children.values() if not self._is_hidden(node, parent)]
        if self._all:
            nodes += self._defaults(parent)
        return sorted(nodes, key=_order)

    def _is_hidden(self, node: Node, parent: Node) -> bool:
        rule = node.rule
        if rule is None or self._all:
            return False
        if rule.shown:
            return False
        if rule.hide_empty and not self._shown(node):
            return True
        return bool(rule.defaults) and self._tree.default_line(rule, parent) == node.line

    def _defaults(self, parent: Node) -> list[Node]:
        taken = {key[0] for key in parent.children}
        shown = []
        for rule in parent.mode.rules:
            line = self._tree.default_line(rule, parent) if rule.defaults else ""
            if line and rule.key(())[0] not in taken:
                negated = line.startswith("no ")
                shown.append(Node(rule, line.removeprefix("no ") if negated else line, negated=negated, parent=parent))
        return shown

    def block(self, node: Node, depth: int) -> list[str]:
        rule, pad = node.rule, " " * (self._dialect.indent * depth)
        if rule is None:
            return []
        if node.is_oneline and node.children:
            return [f"{pad}{self._spelt(node)} {self._spelt(child)}" for child in self._shown(node)]
        lines = [pad + self._spelt(node), *node.body]
        inner_pad = pad + " " * self._dialect.indent
        for child in self._shown(node):
            if _is_apart_inside(child) and self._dialect.nested_separator:
                lines.append(inner_pad + self._dialect.separator)
            lines += self.block(child, depth + 1)
        if rule.close:
            lines.append(inner_pad + rule.close)
        return lines


def with_dotted_asns(node: Node) -> str:
    """The line with AS numbers of more than 16 bits as two numbers of 16 bits with a dot (RFC 5396, asdot)."""
    if node.rule is None or not node.rule.asns:
        return node.line
    numbers = {value for name in node.rule.asns for value in node.params.get(name, "").split()}
    return " ".join(_dotted(word) if word in numbers else word for word in node.line.split(" "))


def _dotted(word: str) -> str:
    high, low = divmod(int(word), 65536) if word.isdigit() else (0, 0)
    return f"{high}.{low}" if high else word


def _is_apart_inside(node: Node) -> bool:
    """Whether a nested line is a block that EOS puts its separator before."""
    rule = node.rule
    return rule is not None and rule.mode is not None and not rule.no_separator and not node.negated
