"""Which lines of others need a line: by the OS's list, or as they name its object. Pure."""

import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property

from nornir_tasks.deploy.evidence import Needs, covers
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.ownership import Thing, things
from nornir_tasks.platforms.platform import Platform


class Strangers:
    """The lines of others on one switch."""

    def __init__(self, os: Platform, tree: ConfigTree) -> None:
        self._os = os
        self._lines = [(" / ".join(path), path) for path, _ in tree.walk()]

    def needing(self, path: Path, wanted: frozenset[Path] = frozenset()) -> list[Path]:
        """Those that need this line. ``wanted``: objects of which some lines stay anyhow."""
        return [*self._dependents(path), *self._naming(path, wanted)]

    def _dependents(self, path: Path) -> Iterator[Path]:
        line = " / ".join(path)
        for each in self._os.dependents:
            if found := each.line.fullmatch(line):
                says = each.says(found)
                yield from (other for text, other in self._lines if says.fullmatch(text))

    def _naming(self, path: Path, wanted: frozenset[Path]) -> Iterator[Path]:
        named = _named(self._os, path)
        if named is not None and named.path not in wanted:
            yield from (each for each in self._words.get(named.key, ()) if not covers(named.path, each))

    @cached_property
    def _words(self) -> dict[str, list[Path]]:
        """Each word -> the lines that have it."""
        words: dict[str, list[Path]] = {}
        for _, path in self._lines:
            for word in path[-1].split():
                words.setdefault(word.strip('":,'), []).append(path)
        return words


def living_without(os: Platform, added: Iterable[Path], foreign: ConfigTree) -> Needs:
    """Lines that a push adds -> the lines of others that need such a line, and are there already without it."""
    known = any_of(tuple(each.line.pattern for each in os.dependents))
    such = [path for path in added if known.fullmatch(" / ".join(path)) or _named(os, path) is not None]
    strangers = Strangers(os, foreign if such else ConfigTree())
    found = {path: frozenset(strangers.needing(path)) for path in such}
    return {path: needing for path, needing in found.items() if needing}


def _named(os: Platform, path: Path) -> Thing | None:
    """The object with a name that this line is of, if it is no line inside of it."""
    return next((each for each in things(path, os.ownership) if each.is_named and len(each.path) == len(path)), None)


@cache
def any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern for all of them."""
    return re.compile("|".join(f"(?:{re.sub(r'[?]P<[a-z]+>', '', each)})" for each in patterns) or r"(?!)")
