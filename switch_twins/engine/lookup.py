"""The rules of a mode that a typed line matches, or the best reason why none does. Cached, because lines repeat."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .context import Context
from .errors import LineError
from .grammar import Grammar, Mode, Rule
from .pattern import Match

_WORD = re.compile(r"\S+")
_CACHE_LIMIT = 200_000
_CacheKey = tuple[int, bool, str]


@dataclass(slots=True)
class Words:
    """A typed line split into words; the first ``skip`` words (``no``) are not matched."""

    line: str
    words: list[str]
    starts: list[int]
    skip: int = 0

    @classmethod
    def of(cls, line: str) -> Words:
        found = list(_WORD.finditer(line))
        return cls(line, [m.group() for m in found], [m.start() for m in found])

    def without_first(self) -> Words:
        return Words(self.line, self.words[1:], self.starts[1:], self.skip + 1)

    def pointing_at(self, other: LineError) -> LineError:
        """The refusal of a line derived from this one, pointing at the same word of this line."""
        index = self.words.index(other.token) if other.token in self.words else len(self.words)
        return refusal(self, other.kind, index, other.message, other.expected)

    def rest(self, index: int) -> str:
        return self.line[self.starts[index] :].rstrip()


Found = tuple[tuple[tuple[Rule, Match], ...], LineError]
Cache = dict[_CacheKey, Found]
_caches: dict[tuple[int, Context], tuple[Grammar, Cache]] = {}


def cache_for(grammar: Grammar, context: Context) -> Cache:
    """The cache of a grammar for devices with these facts."""
    return _caches.setdefault((id(grammar), context), (grammar, {}))[1]


def all_matches(cache: Cache, mode: Mode, words: Words, is_negated: bool, context: Context) -> Found:
    """Every rule of a mode that matches, in file order, and the best reason of failure; cached."""
    key = (id(mode), is_negated, words.line)
    found = cache.get(key)
    if found is None:
        if len(cache) > _CACHE_LIMIT:
            cache.clear()
        found = cache[key] = _match_all(mode, words, is_negated, context)
    return found


def _match_all(mode: Mode, words: Words, is_negated: bool, context: Context) -> Found:
    candidates = [rule for rule in mode.candidates(words.words[0]) if is_negated or not rule.is_purge]
    lowered = [word.lower() for word in words.words]
    found = []
    for rule in candidates:
        if rule.may_match(lowered):
            match = rule.match(words.words, words.rest, context, cut=is_negated)
            if match.ok:
                found.append((rule, match))
    failure = refusal(words, "invalid", 0)
    for rule in () if found else candidates:
        match = rule.match(words.words, words.rest, context, cut=is_negated)
        failure = further(failure, _failure(words, match))
    return tuple(found), failure


def _failure(words: Words, match: Match) -> LineError:
    if match.furthest >= len(words.words):
        return refusal(words, "incomplete", len(words.words))
    is_number = words.words[match.furthest].isdigit() and re.fullmatch(r"\d+-\d+", match.expected)
    return refusal(words, "range" if is_number else "invalid", match.furthest, expected=match.expected)


def refusal(words: Words, kind: str, index: int, message: str = "", expected: str = "") -> LineError:
    """A refusal of a typed line at one of its words; past the last word, words are missing."""
    is_inside = index < len(words.words)
    column = words.starts[index] if is_inside else len(words.line)
    token = words.words[index] if is_inside else ""
    return LineError(kind, words.line, words.skip + index, column, token, message, expected)  # type: ignore[arg-type]


def further(one: LineError, other: LineError) -> LineError:
    """The failure that understood more of the line; a refusal of a fully understood line takes precedence over both."""
    understood = ("unavailable", "from_memory", "conflict", "reference")
    if (one.kind in understood) != (other.kind in understood):
        return one if one.kind in understood else other
    return other if other.token_index > one.token_index else one
