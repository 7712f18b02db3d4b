"""What is shown to be ours on a switch: the lines that pushes of this site added and that stand, and what was adopted.

Evidence is about settings, not spelling: a line with one value counts whatever its value is by now. It is derived from
the journal, where each push noted the sections it changed before and after, and only when a plan removes something.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.ownership import things
from nornir_tasks.platforms.platform import Platform

Needs = Mapping[Path, frozenset[Path]]


@dataclass(frozen=True, slots=True)
class Done:
    """What one push did to one switch."""

    before: str
    """The sections that it was about, as they were."""
    after: str
    adopted: tuple[Path, ...] = ()
    """What the operator had it take over, by name."""
    needs: Needs = field(default_factory=dict)
    """Lines that it added -> lines of others that had been there without it, though such lines need it."""
    is_rollback: bool = False
    """It brought back what was there; only of a rollback that does not say which push it undid."""


@dataclass(frozen=True)
class Shown:
    """What is shown to be ours on one switch."""

    os: Platform
    paths: frozenset[Path] = frozenset()
    """Lines, as they were when a push added them."""
    adopted: tuple[Path, ...] = ()
    """Objects and lines that this push takes over, by name."""
    once: str = ""
    """The account of the first boot, which the first push exchanges. Empty: there is none."""

    def has(self, path: Path) -> bool:
        """Is this line ours, or in something that is adopted?"""
        return key(path, self.os) in self._keys or self.takes_over(path)

    def takes_over(self, path: Path) -> bool:
        """Is this line adopted by this push, or in something that is?"""
        return any(covers(each, path) for each in self.adopted)

    def has_thing(self, thing: Path) -> bool:
        """Did a push of ours add this object, or a line of it that stands?"""
        return thing in self._things or self.takes_over(thing)

    @cached_property
    def _keys(self) -> frozenset[Path]:
        return frozenset(key(path, self.os) for path in self.paths)

    @cached_property
    def _things(self) -> frozenset[Path]:
        rules = self.os.ownership
        return frozenset(each.path for path in self.paths for each in things(path, rules))


def key(path: Path, os: Platform) -> Path:
    """A line by what it sets, without the value, where a switch holds one value of it, and in no release's spelling."""
    return tuple(os.alike.get(text, text) for text in (*path[:-1], os.setting(path)))


def covers(adopted: Path, path: Path) -> bool:
    """Is a line the adopted one, of the adopted object (``neighbor 10.0.0.1``), or below it?"""
    if len(path) < len(adopted) or path[: len(adopted) - 1] != adopted[:-1]:
        return False
    line, name = path[len(adopted) - 1], adopted[-1]
    return line == name or line.startswith((f"{name} ", f"{name}: ", f"{name}\n"))


def shown(os: Platform, done: Iterable[Done], adopted: tuple[Path, ...] = ()) -> Shown:
    """The evidence of pushes that stand, the earliest first; ``adopted``: by the push that is being made."""
    ours: dict[Path, Path] = {}
    ever: dict[Path, Path] = {}
    for each in done:
        before, after = os.to_tree(each.before), os.to_tree(each.after)
        for path in _only(before, after):
            ours.pop(key(path, os), None)
        added = {key(path, os): path for path in (*_only(after, before), *_taken(each, after))}
        ever |= {} if each.is_rollback else added
        ours |= {name: path for name, path in added.items() if name in ever}
    return Shown(os, frozenset(ours.values()), adopted)


def _taken(each: Done, after: ConfigTree) -> Iterator[Path]:
    """The adopted lines that stay, as they are wanted."""
    if each.adopted:
        yield from (path for path, _ in after.walk() if any(covers(name, path) for name in each.adopted))


def _only(one: ConfigTree, other: ConfigTree, above: Path = ()) -> Iterator[Path]:
    """The lines that only one of two trees has."""
    for text, node in one.children.items():
        path = (*above, text)
        beside = other.children.get(text)
        if beside is None:
            yield path
            yield from (below for below, _ in node.walk(path))
        elif node.children != beside.children:
            yield from _only(node, beside, path)


@dataclass(frozen=True)
class Evidence:
    """The evidence about one switch, looked up when it is asked for."""

    look_up: Callable[[], Iterable[Done]] = tuple
    adopted: tuple[Path, ...] = ()
    """What the operator has this push take over."""
    last_claims: str = ""
    """Of the last push that stands: a digest of whose which lines were. Empty: there is none."""
    once: str = ""
    """The account of the first boot, as long as no push has exchanged it."""
    heard: dict[str, str] = field(default_factory=dict, compare=False)
    """Ports without a cable that this push would change -> who is heard there by LLDP, empty if none. As asked for."""
    _found: list[Shown] = field(default_factory=list, init=False, compare=False)

    def was_adopted(self, name: Path) -> bool:
        """Did an earlier push adopt this by the same name?"""
        return any(name in each.adopted for each in self.look_up())

    def shown(self, os: Platform) -> Shown:
        """Read once."""
        if not self._found:
            self._found.append(replace(shown(os, self.look_up(), self.adopted), once=self.once))
        return self._found[0]


NO_EVIDENCE = Evidence()
