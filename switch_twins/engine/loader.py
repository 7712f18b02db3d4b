"""Reads a grammar file into rules: indentation, directives, definitions, attributes; reports all mistakes."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .context import Context
from .errors import GrammarError
from .grammar import CONFIDENCES, Grammar, Hook, Mode, Rule
from .pattern import Choice, Element, Literal, Param, fixed_keywords, parse_pattern, truncation_points
from .words import TypeTable

_FLAGS = {"mode", "single", "permanent", "join", "nosep", "shown", "oneline"}
_ONE_VALUE = {
    "name",
    "no",
    "default",
    "key",
    "print",
    "as",
    "rewrite",
    "after",
    "heredoc",
    "when",
    "error",
    "asic",
    "model",
    "release",
    "empty",
    "close",
    "sort",
    "src",
    "conf",
}
_MANY_VALUES = {"needs", "ref", "ref.commit"}
_NO_FORMS = {"remove", "exact", "store", "refuse"}
_SORTS = {"natural", "entered", "names-first"}


def load_grammar(
    text: str,
    *,
    name: str = "grammar",
    types: Mapping[str, Callable[[str, Context], str | None]] | None = None,
    hooks: Mapping[str, Hook] | None = None,
) -> Grammar:
    """Load a grammar from its notation (see grammar.py).

    ``name`` (a file name) is used in messages; ``types`` adds parameter types, ``hooks`` the functions that rules refer
    to.
    Raises GrammarError with every mistake of the file, one a line, each as ``name:line: what``.
    """
    return Loader(name, text, TypeTable(types or {}), hooks or {}).load()


@dataclass(slots=True)
class _Line:
    """One line of the file with the lines indented below it."""

    number: int
    text: str
    children: list[_Line] = field(default_factory=list)


@dataclass(slots=True)
class _Running:
    """The state set by directives so far, in file order."""

    source: str = ""
    confidence: str = ""
    section: str = ""
    position: int = 0


@dataclass(slots=True)
class _Cluster:
    """The present cluster of the rules of one mode."""

    params: tuple[str, ...] = ()
    names_first: bool = False
    position: int = 0


class Loader:
    """Loads one grammar; see grammar.py for the notation."""

    def __init__(self, name: str, text: str, types: TypeTable, hooks: Mapping[str, Hook]) -> None:
        self._name, self._text, self._types, self._hooks = name, text, types, hooks
        self._mistakes: list[str] = []
        self._definitions: dict[str, _Line] = {}
        self._running = _Running()

    def load(self) -> Grammar:
        """The grammar. Raises GrammarError listing every mistake."""
        lines = self._nest()
        top = self._mode(lines, depth=0)
        if self._mistakes:
            raise GrammarError("\n".join(self._mistakes))
        return Grammar(self._name, top, self._hooks)

    def _mistake(self, line: _Line, text: str) -> None:
        self._mistakes.append(f"{self._name}:{line.number}: {text}")

    def _nest(self) -> list[_Line]:
        root = _Line(0, "")
        stack: list[tuple[int, _Line]] = [(-1, root)]
        for number, raw in enumerate(self._text.splitlines(), start=1):
            text = raw.strip()
            if not text or text.startswith("#"):
                continue
            indent = len(raw) - len(raw.lstrip(" "))
            while indent <= stack[-1][0]:
                stack.pop()
            line = _Line(number, text)
            stack[-1][1].children.append(line)
            stack.append((indent, line))
        return root.children

    def _mode(self, lines: list[_Line], depth: int) -> Mode:
        rules: list[Rule] = []
        cluster = _Cluster()
        for line in lines:
            if line.text.startswith("@use "):
                rules += self._use(line, depth)
            elif line.text.startswith("@"):
                cluster = self._directive(line, cluster)
            else:
                rule = self._rule_or_mistake(line, cluster, depth)
                if rule is not None:
                    rules.append(rule)
        return Mode(tuple(rules))

    def _use(self, line: _Line, depth: int) -> list[Rule]:
        definition = self._definitions.get(line.text.split()[1])
        if definition is None or depth > 30:
            self._mistake(line, f"{line.text}: there is no such @define above")
            return []
        return list(self._mode(definition.children, depth + 1).rules)

    def _directive(self, line: _Line, cluster: _Cluster) -> _Cluster:
        word, _, rest = line.text.partition(" ")
        rest = rest.strip()
        if word == "@source":
            self._running.source = rest
        elif word == "@confidence" and rest in CONFIDENCES:
            self._running.confidence = rest
        elif word == "@section":
            self._running.section = rest
        elif word == "@define":
            self._definitions[rest] = line
        elif word == "@type":
            self._types.define(*rest.split(None, 1))
        elif word == "@cluster":
            params = tuple(p for p in rest.split() if p != "names-first")
            return _Cluster(params, "names-first" in rest.split(), self._running.position + 1)
        elif word == "@end-cluster":
            return _Cluster()
        else:
            self._mistake(line, f"unknown directive {line.text!r}")
        return cluster

    def _rule_or_mistake(self, line: _Line, cluster: _Cluster, depth: int) -> Rule | None:
        try:
            return self._rule(line, cluster, depth)
        except ValueError as error:
            self._mistake(line, str(error))
            return None

    def _rule(self, line: _Line, cluster: _Cluster, depth: int) -> Rule:
        pattern, _, tail = line.text.partition(" :: ")
        is_purge = pattern.startswith("~")
        pattern = pattern.lstrip("~ ").strip()
        attributes = _read_attributes(tail)
        elements = parse_pattern(pattern, self._types)
        source = attributes.get("src", self._running.source)
        confidence = attributes.get("conf", self._running.confidence)
        if not source or confidence not in CONFIDENCES:
            raise ValueError(f"{pattern}: no @source, or no @confidence of {', '.join(CONFIDENCES)}, above it")
        self._check(pattern, elements, attributes, cluster)
        self._running.position += 1
        position = self._running.position
        mode = self._mode(line.children, depth) if line.children or "mode" in attributes else None
        in_cluster = cluster if set(cluster.params) <= _param_names(elements) else _Cluster()
        return Rule(
            name=attributes.get("name", pattern),
            where=f"{self._name}:{line.number}",
            source=source,
            confidence=confidence,
            position=position,
            elements=elements,
            cut_after=truncation_points(elements),
            keywords_at=fixed_keywords(elements),
            is_purge=is_purge,
            section=self._running.section,
            cluster=in_cluster.params,
            names_first=in_cluster.names_first,
            cluster_position=in_cluster.position if in_cluster.params else position,
            mode=mode,
            defaults=_read_default(attributes.get("default", ""), elements),
            slot=attributes.get("key"),
            asns=frozenset(_param_names(elements, "asn")),
            **_fields(attributes),
        )

    def _check(
        self, pattern: str, elements: tuple[Element, ...], attributes: dict[str, Any], cluster: _Cluster
    ) -> None:
        for attribute in ("rewrite", "after"):
            if attributes.get(attribute) and attributes[attribute] not in self._hooks:
                raise ValueError(f"{pattern}: {attribute}={attributes[attribute]}: there is no such hook")
        if attributes.get("no", "remove") not in _NO_FORMS or attributes.get("sort", "natural") not in _SORTS:
            raise ValueError(f"{pattern}: no= takes {sorted(_NO_FORMS)}, sort= takes {sorted(_SORTS)}")


def _read_attributes(tail: str) -> dict[str, Any]:
    attributes: dict[str, Any] = {}
    for item in shlex.split(tail):
        name, equals, value = item.partition("=")
        if name in _FLAGS and not equals:
            attributes[name] = True
        elif name in _MANY_VALUES and equals:
            attributes.setdefault(name, []).append(value)
        elif name in _ONE_VALUE and equals and name not in attributes:
            attributes[name] = value
        else:
            raise ValueError(f"attribute {item!r}: unknown, given twice, or without a value")
    return attributes


def _fields(attributes: dict[str, Any]) -> dict[str, Any]:
    """The attributes that are fields of Rule under another or the same name."""
    lists = {
        "asic": tuple(filter(None, attributes.get("asic", "").split(","))),
        "model": tuple(filter(None, attributes.get("model", "").split(","))),
        "needs": tuple(attributes.get("needs", ())),
        "refs": tuple(attributes.get("ref", ())),
        "refs_at_commit": tuple(attributes.get("ref.commit", ())),
    }
    same: dict[str, Any] = {
        name: attributes[name]
        for name in (
            "no",
            "rewrite",
            "after",
            "heredoc",
            "when",
            "error",
            "release",
            "close",
            "sort",
            "single",
            "permanent",
            "join",
            "shown",
            "oneline",
        )
        if name in attributes
    }
    return {
        **lists,
        **same,
        "print_as": attributes.get("print", ""),
        "as_lines": attributes.get("as", ""),
        "hide_empty": attributes.get("empty") == "hide",
        "no_separator": "nosep" in attributes,
    }


def _read_default(text: str, elements: tuple[Element, ...]) -> tuple[tuple[str, str], ...]:
    """(condition, line) pairs in order; condition "" always holds."""
    pairs = []
    keywords = " ".join(e.word for e in elements if isinstance(e, Literal))
    for part in filter(None, (piece.strip() for piece in text.split("|"))):
        condition, arrow, line = part.rpartition("->")
        line = {"on": keywords, "off": f"no {keywords}"}.get(line.strip(), line.strip())
        pairs.append((condition.strip() if arrow else "", line))
    return tuple(pairs)


def _param_names(elements: tuple[Element, ...], of_type: str = "") -> set[str]:
    """The parameters of a pattern; with ``of_type`` only those of exactly this type."""
    names: set[str] = set()
    for element in elements:
        if isinstance(element, Param):
            names |= {element.name} if of_type in ("", element.expected) else set()
        elif isinstance(element, Choice):
            for branch in element.branches:
                names |= _param_names(branch, of_type)
    return names
