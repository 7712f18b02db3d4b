"""The pattern of one grammar rule: its elements, the parser of the notation, and matching of a typed line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from .context import Context
from .words import LINE, TypeTable, WordType


@dataclass(frozen=True, slots=True)
class Literal:
    """A keyword."""

    word: str


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter; ``is_line`` takes the rest of the line, ``expected`` is its type as written in the grammar."""

    name: str
    types: tuple[WordType, ...]
    identity: bool
    is_line: bool
    expected: str

    def convert(self, word: str, context: Context) -> str | None:
        """The canonical spelling of a word, or None if no type accepts it."""
        for accept in self.types:
            canonical = accept(word, context)
            if canonical is not None:
                return canonical
        return None


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives; ``repeats`` allows one or more in a row."""

    branches: tuple[tuple[Element, ...], ...]
    optional: bool
    identity: bool = False
    repeats: bool = False


Element = Literal | Param | Choice


@dataclass(slots=True)
class Match:
    """How far a line matched a pattern.

    ok        the whole line matched the whole pattern
    text      canonical spelling
    params    parameter values by name (repeated ones joined with blanks)
    identity  values that tell this object from another of the same rule
    furthest  how many words were understood; when not ok the word at that index is the offending one
    expected  type expression of the parameter that refused the offending word, "" for a keyword
    """

    ok: bool = False
    text: str = ""
    params: dict[str, str] = field(default_factory=dict)
    identity: tuple[str, ...] = ()
    furthest: int = 0
    expected: str = ""


@dataclass(frozen=True, slots=True)
class _State:
    """A partial match: next word, canonical words so far, parameters, identity."""

    at: int
    words: tuple[str, ...] = ()
    params: tuple[tuple[str, str], ...] = ()
    identity: tuple[str, ...] = ()


class _Matcher:
    """One attempt; keeps the furthest word reached, for error messages."""

    def __init__(self, words: list[str], rest: Callable[[int], str], context: Context) -> None:
        self.words, self.rest, self.context = words, rest, context
        self.furthest, self.expected = 0, ""

    def failed(self, at: int, expected: str) -> None:
        if at > self.furthest or (at == self.furthest and not self.expected):
            self.furthest, self.expected = at, expected

    def sequence(
        self, elements: tuple[Element, ...], state: _State, cuts: frozenset[int], index: int = 0
    ) -> Iterator[_State]:
        if index == len(elements) or (state.at == len(self.words) and index in cuts):
            yield state
            return
        for after in self.element(elements[index], state):
            yield from self.sequence(elements, after, cuts, index + 1)

    def element(self, element: Element, state: _State) -> Iterator[_State]:
        if isinstance(element, Literal):
            if state.at < len(self.words) and self.words[state.at].lower() == element.word.lower():
                yield _State(state.at + 1, (*state.words, element.word), state.params, state.identity)
            else:
                self.failed(state.at, "")
        elif isinstance(element, Param):
            yield from self.param(element, state)
        else:
            yield from self.choice(element, state)

    def param(self, param: Param, state: _State) -> Iterator[_State]:
        if state.at >= len(self.words):
            self.failed(state.at, param.expected)
            return
        value = self.rest(state.at) if param.is_line else param.convert(self.words[state.at], self.context)
        if value is None:
            self.failed(state.at, param.expected)
            return
        at = len(self.words) if param.is_line else state.at + 1
        identity = (*state.identity, value) if param.identity else state.identity
        yield _State(at, (*state.words, value), (*state.params, (param.name, value)), identity)

    def choice(self, choice: Choice, state: _State) -> Iterator[_State]:
        for branch in choice.branches:
            for after in self.sequence(branch, state, frozenset()):
                taken = _identified(state, after) if choice.identity else after
                if choice.repeats and taken.at > state.at:
                    yield from self.choice(Choice(choice.branches, True, choice.identity, True), taken)
                else:
                    yield taken
        if choice.optional:
            yield state


def _identified(before: _State, after: _State) -> _State:
    """The state after a choice whose words are part of the identity."""
    chosen = " ".join(after.words[len(before.words) :])
    return _State(after.at, after.words, after.params, (*before.identity, chosen))


def match(
    elements: tuple[Element, ...], words: list[str], rest: Callable[[int], str], context: Context, cuts: frozenset[int]
) -> Match:
    """Match words against elements. ``rest(i)`` is the raw text from word i on; at ``cuts`` the line may end."""
    matcher = _Matcher(words, rest, context)
    for state in matcher.sequence(elements, _State(0), cuts):
        if state.at == len(words):
            return Match(True, " ".join(state.words), _joined(state.params), state.identity, len(words))
        matcher.failed(state.at, "")
    return Match(furthest=matcher.furthest, expected=matcher.expected)


def _joined(pairs: tuple[tuple[str, str], ...]) -> dict[str, str]:
    params: dict[str, str] = {}
    for name, value in pairs:
        params[name] = f"{params[name]} {value}" if name in params else value
    return params


def truncation_points(elements: tuple[Element, ...]) -> frozenset[int]:
    """Where a negated line may end: before a value, if nothing after it is part of the identity."""
    return frozenset(
        index
        for index in range(1, len(elements))
        if not isinstance(elements[index], Literal) and not any(_has_identity(e) for e in elements[index:])
    )


def fixed_keywords(elements: tuple[Element, ...]) -> tuple[tuple[int, str], ...]:
    """(word index, keyword) of the keywords before the first element of unknown length."""
    fixed = []
    for index, element in enumerate(elements):
        if isinstance(element, Literal):
            fixed.append((index, element.word.lower()))
        elif isinstance(element, Choice) or element.is_line:
            break
    return tuple(fixed)


def _has_identity(element: Element) -> bool:
    if isinstance(element, Choice):
        return element.identity or any(_has_identity(inner) for branch in element.branches for inner in branch)
    return isinstance(element, Param) and element.identity


_TOKEN = re.compile(r"<[^<>\s]+>|\.\.\.|\}!|\]!|[\[\]{}|]|[^\s\[\]{}|<>]+")
_PARAM = re.compile(r"<([A-Za-z_][\w-]*)(!?)(?::(.+))?>")


def parse_pattern(text: str, types: TypeTable) -> tuple[Element, ...]:
    """Read a pattern from the notation. Raises ValueError saying what is wrong with it."""
    pieces = _TOKEN.findall(text)
    if "".join(pieces) != re.sub(r"\s+", "", text):
        raise ValueError(f"cannot read the pattern {text!r}")
    branches, at = _branches(pieces, 0, types)
    if at != len(pieces) or len(branches) != 1 or not branches[0]:
        raise ValueError(f"unbalanced brackets, a bare | or nothing at all in {text!r}")
    return branches[0]


def _branches(pieces: list[str], at: int, types: TypeTable) -> tuple[tuple[tuple[Element, ...], ...], int]:
    branches: list[tuple[Element, ...]] = []
    current: list[Element] = []
    while at < len(pieces) and pieces[at] not in ("}", "]", "}!", "]!"):
        piece = pieces[at]
        if piece == "|":
            branches.append(tuple(current))
            current = []
        elif piece == "...":
            current[-1] = _repeated(current[-1])
        elif piece in ("{", "["):
            inner, at = _branches(pieces, at + 1, types)
            if at >= len(pieces):
                raise ValueError("a bracket is not closed")
            current.append(Choice(inner, optional=piece == "[", identity=pieces[at].endswith("!")))
        else:
            current.append(_single(piece, types))
        at += 1
    branches.append(tuple(current))
    return tuple(branches), at


def _repeated(element: Element) -> Element:
    if isinstance(element, Choice):
        return Choice(element.branches, element.optional, element.identity, repeats=True)
    return Choice(((element,),), optional=False, repeats=True)


def _single(piece: str, types: TypeTable) -> Element:
    if not piece.startswith("<"):
        return Literal(piece)
    found = _PARAM.fullmatch(piece)
    if found is None:
        raise ValueError(f"parameter {piece}: expected <name>, <name!>, <name:type> or <name!:type>")
    name, identity = found[1], bool(found[2])
    expression = found[3] or (name if name in types else "word")
    if expression == LINE:
        return Param(name, (), identity, True, LINE)
    return Param(name, types.resolve(expression), identity, False, expression)
