"""The text of a YAML file as a tree of bounded size, each node with its line.

A file may be hostile or broken: nine aliases of nine aliases stand for more nodes than there are atoms, and brackets
within brackets for more calls than a stack holds. So the parser's events are taken one by one, without recursion, and
whatever an alias stands for is counted before it is used. What was read before a mistake is kept: it can be judged.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import yaml

from nornir_tasks.intent.core.findings import as_shown

MOST_BYTES = 8 << 20
"""Of a file. The device list of 10,000 switches has a quarter of that."""
MOST_NODES = 100_000
"""Keys and values, aliases written out. The device list of 10,000 switches has six tenths of that."""
MOST_DEPTH = 24
"""Of values within values; the deepest of an intent has 8."""

STR_TAG = "tag:yaml.org,2002:str"
_DEFAULT_TAGS = {None, "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}

_REFUSED_CHARACTER = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
"""Control characters but tab, line ends and NEL, and surrogates (YAML 1.2.2, section 5.1)."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's parser where PyYAML has it: ten times faster."""


@dataclass(slots=True)
class Node:
    """A key or value of the file. An alias is the node it stands for."""

    kind: Literal["scalar", "list", "map"]
    line: int
    """From 1."""
    text: str = ""
    """Of a scalar, as it stands there, without quotes."""
    tag: str | None = None
    """Written in front of it; None: none, or the one that it has anyway."""
    is_plain: bool = False
    """A scalar without quotes, whose text may mean a number or the like."""
    items: list["Node"] = field(default_factory=list)
    """Of a list its items; of a mapping key, value, key, value, ..."""
    size: int = 1
    """Nodes that this one stands for, itself included."""
    depth: int = 1
    """Nodes from this one down to the deepest below it, both included."""

    def pairs(self) -> Iterator[tuple["Node", "Node"]]:
        """Keys and values of a mapping."""
        return zip(self.items[::2], self.items[1::2], strict=False)


@dataclass(frozen=True, slots=True)
class Mistake:
    """Where reading ended."""

    line: int
    """From 1; 0: not known."""
    what: str
    expected: str = ""
    found: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Tree:
    """What could be read of one file."""

    root: Node | None
    """None for an empty file."""
    mistake: Mistake | None
    """Why there is no more of it; None: it was read to its end."""


@dataclass(frozen=True, slots=True)
class Trees:
    """What could be read of a file of several documents."""

    roots: tuple[Node, ...]
    mistake: Mistake | None
    """As of Tree; of what follows the mistake nothing is known."""


def read_tree(text: str) -> Tree:
    """The tree of one YAML document, up to its first mistake in syntax or size."""
    builder = _Builder()
    mistake = _read(text, builder)
    return Tree(builder.roots[0] if builder.roots else None, mistake)


def read_trees(text: str, most_nodes: int, most_depth: int) -> Trees:
    """The trees of all YAML documents of a file, up to its first mistake. The bounds are those of the whole file."""
    builder = _Builder(most_nodes, most_depth, is_one=False)
    mistake = _read(text, builder)
    return Trees(tuple(builder.roots), mistake)


def _read(text: str, builder: "_Builder") -> Mistake | None:
    if refused := _REFUSED_CHARACTER.search(text):
        line = text.count("\n", 0, refused.start()) + 1
        return Mistake(line, "a control character", "printable text", as_shown(refused.group()))
    try:
        for event in yaml.parse(text, Loader=_Loader):
            builder.take(event)
    except _Refused as refusal:
        return refusal.mistake
    except yaml.YAMLError as error:
        return _syntax(error, text)
    return None


def _syntax(error: yaml.YAMLError, text: str) -> Mistake:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    what = getattr(error, "problem", None) or getattr(error, "context", None) or "no parser reads it"
    if mark is None:
        return Mistake(0, f"not YAML: {as_shown(what)}")
    began, hint = getattr(error, "context_mark", None), ""
    if began and began.line != mark.line:
        hint = f"{error.context}, from line {began.line + 1}"  # type: ignore[attr-defined] # a MarkedYAMLError
    lines = text.splitlines()
    if mark.line < len(lines) and lines[mark.line].lstrip(" ").startswith("\t"):
        hint = "indent by spaces, not by a tab"
    return Mistake(mark.line + 1, f"not YAML: {as_shown(what)}", hint=hint)


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 0


class _Refused(Exception):  # noqa: N818 - never leaves this file
    def __init__(self, event: yaml.Event, what: str, expected: str, found: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.mistake = Mistake(_line(event), what, expected, found, hint)


@dataclass
class _Builder:
    most_nodes: int = MOST_NODES
    most_depth: int = MOST_DEPTH
    is_one: bool = True
    """May there be one document alone?"""
    roots: list[Node] = field(default_factory=list)
    opened: list[Node] = field(default_factory=list)
    anchors: dict[str, Node] = field(default_factory=dict)
    names: list[str | None] = field(default_factory=list)
    """Anchors of the nodes that are open."""
    nodes: int = 0

    def take(self, event: yaml.Event) -> None:
        line = _line(event)
        if isinstance(event, yaml.ScalarEvent):
            tag = None if event.tag == STR_TAG else event.tag
            node = Node("scalar", line, event.value, tag, is_plain=event.implicit[0] and event.tag is None)
            self.add(event, node)
            self.name(event.anchor, node)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            kind: Literal["list", "map"] = "map" if isinstance(event, yaml.MappingStartEvent) else "list"
            node = Node(kind, line, tag=None if event.tag in _DEFAULT_TAGS else event.tag)
            self.add(event, node)
            self.opened.append(node)
            self.names.append(event.anchor)
        elif isinstance(event, yaml.CollectionEndEvent):
            node = self.opened.pop()
            node.size += sum(item.size for item in node.items)
            node.depth += max((item.depth for item in node.items), default=0)
            self.name(self.names.pop(), node)
        elif isinstance(event, yaml.AliasEvent):
            self.add(event, self.meant(event))
        elif isinstance(event, yaml.DocumentStartEvent) and self.roots:
            if self.is_one:
                raise _Refused(event, "a second document begins here", "one document in a file", "---")
            self.anchors = {}

    def add(self, event: yaml.Event, node: Node) -> None:
        self.nodes += node.size
        if self.nodes > self.most_nodes:
            hint = "aliases (*name) count as often as they are used" if self.anchors else ""
            most = f"at most {self.most_nodes:,} keys and values"
            raise _Refused(event, "more than a file may hold", most, hint=hint)
        if len(self.opened) + node.depth > self.most_depth:
            raise _Refused(event, "values within values too deep", f"at most {self.most_depth} of them")
        if self.opened:
            self.opened[-1].items.append(node)
        else:
            self.roots.append(node)

    def name(self, anchor: str | None, node: Node) -> None:
        if anchor is not None:
            self.anchors[anchor] = node

    def meant(self, event: yaml.AliasEvent) -> Node:
        if event.anchor in self.anchors:
            return self.anchors[event.anchor]
        alias = as_shown(f"*{event.anchor}")
        if event.anchor in self.names:
            raise _Refused(event, "an alias within what it stands for", "an anchor that ends before it", alias)
        raise _Refused(event, "an alias of nothing", f"an anchor (&{alias[1:]}) before it", alias)
