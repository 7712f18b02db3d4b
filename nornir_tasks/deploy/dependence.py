"""Lines that others' lines need: a feature, a VLAN, a list by its name. They are not taken from under them. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Literal

from nornir_tasks.deploy.evidence import Needs, covers
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.ownership import Thing, things
from nornir_tasks.platforms.platform import Dependence, Platform


@dataclass(frozen=True, slots=True)
class Others:
    """A line that is not shown to be ours, and that a push meets. A push that has to take one over needs it adopted."""

    path: Path
    reason: str
    """Empty: it stays with a line that is named."""
    adopt: Path
    """The object that ``--adopt`` names."""
    in_the_way_of: Path = ()
    """The wanted line that would replace it: the push needs it adopted. Empty: it stays."""
    matters: Literal["", "yes", "cannot tell"] = ""
    """Does it change what the fabric does, though it stays?"""

    @property
    def is_in_the_way(self) -> bool:
        """Does a push have to take it over?"""
        return bool(self.in_the_way_of)


def needed_by_others(
    os: Platform,
    going: Iterable[Path],
    foreign: ConfigTree,
    wanted: frozenset[Path] = frozenset(),
    before: Needs = MappingProxyType({}),
) -> Iterator[tuple[Path, Others]]:
    """The lines that would go and that lines of others need: they stay.

    Features and what else a switch has once, by the OS's list; an object with a name, where a line of others has that
    name in it, and with it all that is in it. ``wanted``: objects of which some lines stay anyhow. ``before``: lines
    that had been there without.
    """
    strangers, words = _by_word(foreign)
    lines = tuple(going)
    for path in lines:
        named = _defines(os, path)
        named = None if named is not None and named.path in wanted else named
        if new := sorted(_needing(os, path, named, strangers, words) - before.get(path, frozenset())):
            yield path, Others(path, f"'{' / '.join(new[0])}' needs it, and stays", path)
            if named is not None and named.by != "vrf":
                inside = (each for each in lines if len(each) > len(path) and each[: len(path)] == path)
                yield from ((each, Others(each, "", path)) for each in inside)


def staying(os: Platform, going: Iterable[Path], foreign: ConfigTree, before: Needs) -> dict[Path, Others]:
    """The lines that would go and stay for others, with those of ours that these need in turn."""
    lines, strangers, found = list(going), foreign, dict[Path, Others]()
    while more := dict(needed_by_others(os, lines, strangers, before=before)):
        found |= more
        lines, strangers = [path for path in lines if path not in more], strangers.copy()
        for path in more:
            strangers.add_path(path)
    return found


def living_without(os: Platform, added: Iterable[Path], foreign: ConfigTree) -> Needs:
    """Lines that a push adds -> the lines of others that need such a line, and are there already without it."""
    strangers, words = _by_word(foreign)
    if not strangers:
        return {}
    known, such = _any_line(os.dependents).fullmatch, dict[Path, Thing | None]()
    for path in added:  # the words of others are few, and a first push adds thousands of lines
        named = None if words.keys().isdisjoint(path[-1].split()) else _defines(os, path)
        if named is not None or known(" / ".join(path)):
            such[path] = named
    found = {path: _needing(os, path, named, strangers, words) for path, named in such.items()}
    return {path: needing for path, needing in found.items() if needing}


def users(known: Iterable[Dependence], path: Path, tree: ConfigTree) -> Iterator[Path]:
    """The lines of a tree that need this one, by a list of the OS's."""
    line = " / ".join(path)
    for each in known:
        if found := each.line.fullmatch(line):
            says = each.says(found)
            yield from (other for other, _ in tree.walk() if says.fullmatch(" / ".join(other)))


def _by_word(foreign: ConfigTree) -> tuple[list[tuple[str, Path]], dict[str, list[Path]]]:
    """Others' lines with their text, and those that have each word."""
    strangers = [(" / ".join(path), path) for path, _ in foreign.walk()]
    words: dict[str, list[Path]] = {}
    for _, path in strangers:
        for word in path[-1].split():
            words.setdefault(word.strip('":,'), []).append(path)
    return strangers, words


def _needing(
    os: Platform,
    path: Path,
    named: Thing | None,
    strangers: Iterable[tuple[str, Path]],
    words: Mapping[str, list[Path]],
) -> frozenset[Path]:
    by_name = () if named is None else (each for each in words.get(named.key, ()) if not covers(named.path, each))
    return frozenset([*_dependents(os, path, strangers), *by_name])


def _defines(os: Platform, path: Path) -> Thing | None:
    """The named object that this line is the first line of; a port's or VLAN's line only refers to one."""
    found = things(path, os.ownership)
    is_definition = bool(found) and found[-1].is_named and len(found[-1].path) == len(path)
    return found[-1] if is_definition and found[0].by not in {"port", "vlan"} else None


def _dependents(os: Platform, path: Path, strangers: Iterable[tuple[str, Path]]) -> Iterator[Path]:
    line = " / ".join(path)
    for each in os.dependents:
        if found := each.line.fullmatch(line):
            says = each.says(found)
            yield from (other for text, other in strangers if says.fullmatch(text))


@cache
def _any_line(known: tuple[Dependence, ...]) -> re.Pattern[str]:
    """The patterns of all such lines as one, without the names of their groups, which occur several times."""
    return re.compile("|".join(f"(?:{re.sub(r'[?]P<[a-z]+>', '', each.line.pattern)})" for each in known) or r"(?!)")
