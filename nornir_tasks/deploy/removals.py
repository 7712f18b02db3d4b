"""Which lines of a switch a push may remove, and which lines of others it meets. Pure.

The first law: a line is removed only if it is shown to be ours (see :mod:`evidence`), or is inside an object that the
intent wants on this switch under exactly our full name, or a wanted line replaces it. What is not shown to be ours and
would be replaced has to be adopted by name; all else that only looks like ours stays, and is named.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Literal

from nornir_tasks.deploy.dependence import Others, needed_by_others, users
from nornir_tasks.deploy.evidence import Shown, covers, key
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.intent.core.secret_name import PLACEHOLDER
from nornir_tasks.platforms.announced import concern
from nornir_tasks.platforms.config_tree import Change, ConfigTree, Path, difference
from nornir_tasks.platforms.ownership import ALWAYS_THERE, Thing, is_shared, rule_of, things
from nornir_tasks.platforms.platform import Platform

_INDEPENDENT = frozenset({"address", "pool", "announced", "pool announced", "pool route", "prefix", "route"})
"""Keys of objects that others may have as well in what is ours, such as a session in a VRF of ours."""
_UNNAMEABLE = re.compile(rf"{PLACEHOLDER}|\n| / ")
_BY_NUMBER = frozenset({"vlan", "lag"})
_TAKEN_WHOLE = frozenset({"port", "subinterface", "address", "pool", *_BY_NUMBER})
"""Objects that are ours as a whole once a push has set them up: what others have in one is adopted by then."""


@dataclass(frozen=True, slots=True)
class Sides:
    """A running configuration as one push sees it."""

    owned: ConfigTree
    """The lines that the push may change."""
    after: ConfigTree
    """What it makes of them, with the first lines of blocks that stay for lines of others."""
    foreign: ConfigTree
    """All other lines."""
    changes: tuple[Change, ...]
    """From ``owned`` to ``after``."""
    others: tuple[Others, ...] = ()


def settled(wanted: Wanted, found: Sides, shown: Callable[[], Shown]) -> Sides:
    """Leave every line that may not go with others', and name it. ``shown``: asked only if a line would go or come."""
    if not found.changes:
        return found
    judge = _Judge(wanted, found.owned, found.foreign, found.after, shown(), found.changes)
    others = (*found.others, *judge.others())
    if not judge.kept:
        return replace(found, others=others)
    owned, after, foreign = _without(found.owned, found.after, found.foreign, judge.kept, judge.gone)
    return Sides(owned, after, foreign, tuple(difference(owned, after)), others)


def _without(
    owned: ConfigTree, after: ConfigTree, foreign: ConfigTree, kept: set[Path], gone: Iterable[Path]
) -> tuple[ConfigTree, ConfigTree, ConfigTree]:
    """The three trees with the kept lines on the others' side; a block from which lines of ours go is on all."""
    owned, after, foreign = owned.copy(), after.copy(), foreign.copy()
    entered = {path[:depth] for path in gone if path not in kept for depth in range(1, len(path))}
    for path in sorted(kept, key=len, reverse=True):
        foreign.add_path(path)
        if path in entered:
            after.add_path(path)
            continue
        above = owned.get(*path[:-1])
        node = above.children.get(path[-1]) if above is not None else None
        if above is not None and node is not None and not node.children:
            del above.children[path[-1]]
    return owned, after, foreign


class _Judge:
    """One plan's removals, judged."""

    def __init__(
        self,
        wanted: Wanted,
        owned: ConfigTree,
        foreign: ConfigTree,
        after: ConfigTree,
        shown: Shown,
        changes: tuple[Change, ...],
    ) -> None:
        self.wanted, self.os, self.shown, self.after = wanted, wanted.platform, shown, after
        self.owned, self.foreign = owned, foreign
        self.gone = [each.path for each in changes if each.op == "-"]
        self._coming = [each.path for each in changes if each.op == "+"]
        self._found: dict[Path, Others] = {}
        self.kept: set[Path] = set()

    def others(self) -> tuple[Others, ...]:
        """What is not shown to be ours; then ``kept`` has what stays."""
        if self.gone:
            self._judge_removals()
        self._displace()
        for thing in dict.fromkeys(self._coming_things()):
            self._collide(thing)
        for path in self._bare_vlans():
            self._share(path)
        return tuple(each for each in self._found.values() if each.reason and not self._is_covered(each))

    def _judge_removals(self) -> None:
        for path in self.gone:
            if not self._may_go(path):
                self._meet(path)
        self.kept = {path for path, each in self._found.items() if not each.is_in_the_way}
        while more := dict(self._needed()):
            self._found |= more
            self.kept |= more.keys()
        self._keep_blocks()

    def _is_covered(self, each: Others) -> bool:
        """Is this line below another one that is said, or a first line whose lines are said one by one?"""
        rules = self.os.ownership
        if not each.is_in_the_way and not things(each.path, rules):
            return any(len(path) > len(each.path) and path[: len(each.path)] == each.path for path in self._found)
        above = (self._found.get(each.path[:depth]) for depth in range(1, len(each.path)))
        covering = [other for other in above if other is not None and other.reason and things(other.path, rules)]
        return any(other.in_the_way_of == each.in_the_way_of for other in covering)

    # -- may it go? ------------------------------------------------------------------------------------------------

    def _may_go(self, path: Path) -> bool:
        if is_factory(self.os, path):
            thing = next(iter(things(path, self.os.ownership)), None)
            is_replaced = self._instead(path, thing) is not None
            if is_replaced or (thing is not None and thing.path == path):
                return is_replaced  # else it is a port, which a switch shows whatever is on it
        if self.shown.has(path) or self._goes_with_its_lines(path) or self._is_taken_over(path):
            return True
        for thing in reversed(things(path, self.os.ownership)):
            if thing.by == "account" and thing.key == self.shown.once:
                return True
            if thing.path in self._wanted_things and self._is_ours(thing):
                return True
            if thing.by in _INDEPENDENT:
                return False
        return False

    def _goes_with_its_lines(self, path: Path) -> bool:
        """Is this the first line of a block that means nothing by itself? It stays while a line of others is in it.

        One in the place of which another is wanted means something: others have a BGP process with another ASN.
        """
        found = rule_of(path, self.os.ownership)
        is_block = found is not None and found.shared and not things(path, self.os.ownership)
        return is_block and found is not None and found.by != ALWAYS_THERE and self._only_one(path) is None

    def _is_taken_over(self, path: Path) -> bool:
        """Is this a block, and no object, of which this push takes over all that is in it?"""
        node = self.owned.get(*path)
        if not self.shown.adopted or not node or any(each.path == path for each in things(path, self.os.ownership)):
            return False
        leaves = (below for below, each in node.walk(path) if not each.children)
        return not self.foreign.get(*path) and all(map(self.shown.takes_over, leaves))

    def _is_ours(self, thing: Thing) -> bool:
        """Is this wanted object ours as a whole? A loopback is not: others have addresses on it as well."""
        if thing.by == "port" and thing.key == self.wanted.capabilities.loopback_name:
            return False
        return thing.is_named or self.shown.has_thing(thing.path)

    @cached_property
    def _wanted_things(self) -> frozenset[Path]:
        rules = self.os.ownership
        return frozenset(each.path for path, _ in self.after.walk() for each in things(path, rules))

    @cached_property
    def _settings(self) -> dict[Path, Path]:
        """What the intent sets -> the rendered line, hidden defaults included."""
        rendered = self.os.to_tree(self.wanted.text)
        return {key(path, self.os): path for path, _ in rendered.walk()}

    def _meet(self, path: Path) -> None:
        """Note a line that is not shown to be ours: in the way of a wanted one, or left alone."""
        found = things(path, self.os.ownership)
        thing = next((each for each in found if each.by in _TAKEN_WHOLE), next(iter(found), None))
        adopt = self._object(path, thing)
        if (instead := self._instead(path, thing)) is not None:
            reason = f"'{instead[-1]}' is wanted there"
            self._found[path] = Others(path, reason, adopt, instead)
        elif (announced := self._announces(path)) is not None:
            words, block = announced
            matters: Literal["", "yes", "cannot tell"] = "cannot tell" if words.startswith("cannot") else "yes"
            self._found[path] = Others(path, words, block, matters=matters if words else "")
        else:
            is_known = thing is not None or any(each.fullmatch(" / ".join(path)) for each in _each(self.os.harmless))
            is_quiet = is_shared(path, self.os.ownership) or is_factory(self.os, path)
            matters = "" if is_known or is_quiet else "cannot tell"
            self._found[path] = Others(path, "" if is_quiet else self._looks(path, thing), adopt, matters=matters)

    def _announces(self, path: Path) -> tuple[str, Path] | None:
        """What a redistribution or an aggregate does to our prefixes, and which one; None: it is neither."""
        pools = [pool for claim in self.wanted.claims.claims for pool in claim.owner.pools]
        for depth in range(len(path), 0, -1):
            words = concern(self.os.announcing, path[:depth], self.owned, pools, has_statics=self._has_statics)
            if words is not None:
                return words, path[:depth]
        return None

    @cached_property
    def _has_statics(self) -> bool:
        rules = self.os.ownership
        kinds = (each.by for path, _ in self.after.walk() for each in things(path, rules))
        return not {"prefix", "route", "pool route"}.isdisjoint(kinds)

    def _instead(self, path: Path, thing: Thing | None) -> Path | None:
        """The wanted line that would replace this one; None: none would."""
        if (setting := self._setting_instead(path)) is not None:
            return setting
        if (other := self._only_one(path) or self._displaced.get(path)) is not None:
            return other
        if thing is None or not self._is_taken(thing):
            return None
        return next((each for each in self._coming if covers(thing.path, each)), None)

    @cached_property
    def _displaced(self) -> dict[Path, Path]:
        """Lines that go -> the one in whose place they are, by the OS's list."""
        gone = ConfigTree()
        for path in self.gone:
            gone.add_path(path)
        coming = [path for path in self._coming if self.os.displacing]
        return {path: new for new in coming for path in users(self.os.displacing, new, gone)}

    def _setting_instead(self, path: Path) -> Path | None:
        """The wanted value of what this line sets, if that is another one."""
        setting = self._settings.get(key(path, self.os))
        return setting if setting != path else None

    def _is_taken(self, thing: Thing) -> bool:
        """Is this an object that the intent wants and that is taken whole, such as a port that it cables?"""
        is_loopback = thing.key == self.wanted.capabilities.loopback_name
        is_whole = (thing.by in _TAKEN_WHOLE and not is_loopback) or thing.is_whole
        return is_whole and thing.path in self._wanted_things

    def _only_one(self, path: Path) -> Path | None:
        """The wanted block in place of this one, of a kind that a switch has one of: a BGP process has one ASN."""
        found, (kind, _, number) = rule_of(path, self.os.ownership), path[-1].rpartition(" ")
        if found is None or not found.shared or found.by != "switch" or not (kind and number):
            return None
        above = self.after.get(*path[:-1])
        beside = above.children if above is not None else ()
        return next(((*path[:-1], text) for text in beside if text.rpartition(" ")[0] == kind), None)

    def _object(self, path: Path, thing: Thing | None) -> Path:
        """What the operator adopts: the object, where the line is of one."""
        if thing is None or thing.key == self.wanted.capabilities.loopback_name or thing.is_others_too:
            return _name(path)
        block = path[: len(thing.path)]
        node = _both(self.owned, self.foreign, block)
        return block if node else thing.path  # a neighbour of EOS is no block, but several lines

    def _looks(self, path: Path, thing: Thing | None) -> str:
        """Why a line is looked at at all, though nothing shows that it is ours."""
        lag = self.wanted.capabilities.lag_prefix
        if thing is not None and thing.by == "port" and lag and thing.key.startswith(lag):
            return "its number is one of ours, and no push of ours added it"
        marks = {
            "name": "its name begins as ours do",
            "vrf": "its name begins as ours do",
            "vlan": "its number is one of ours",
            "lag": "its number is one of ours",
            "port": "it is on a port of ours",
            "subinterface": "it is on a port of ours",
            "pair": "it makes the switch one of a pair",
            "account": "accounts are managed",
            "snmp user": "users are managed",
            **dict.fromkeys(_INDEPENDENT, "its address is in a pool of ours"),
        }
        return f"{marks.get(thing.by if thing else '', 'the intent does not have it')}, and no push of ours added it"

    # -- what stays all the same -----------------------------------------------------------------------------------

    def _needed(self) -> Iterator[tuple[Path, Others]]:
        """Lines of ours that would go, not change, and that lines of others need."""
        going = [path for path in self.gone if path not in self._found and self._instead(path, None) is None]
        return needed_by_others(self.os, going, self._strangers(), self._wanted_things)

    def _strangers(self) -> ConfigTree:
        """The lines of others, with those that are known by now to stay."""
        if not self.kept:
            return self.foreign
        strangers = self.foreign.copy()
        for path in self.kept:
            strangers.add_path(path)
        return strangers

    def _keep_blocks(self) -> None:
        """A block stays as long as a line of others is below it."""
        for path in sorted(self.gone, key=len, reverse=True):
            if path in self._found:
                continue
            strangers = self.foreign.get(*path)
            below = next((each for each in self.kept if each[: len(path)] == path and len(each) > len(path)), None)
            if below is None and strangers:
                below = next((found for found, _ in strangers.walk(path)), None)
            if below is None:
                continue
            reason = f"'{' / '.join(below[len(path) :])}' is in it, and stays"
            if (other := self._only_one(path)) is not None:
                self._found[path] = Others(path, reason, path, other)
                continue
            self._found[path] = Others(path, reason, path)
            self.kept.add(path)

    def _displace(self) -> None:
        """Note lines of others that a wanted one cannot stand beside, such as a port of ours in a bond of theirs."""
        for new in self._coming if self.os.displacing else ():
            for path in users(self.os.displacing, new, self.foreign):
                if not self.shown.has(path):
                    self._found[path] = Others(path, f"'{' / '.join(new)}' takes its place", path, new)

    # -- objects of others under numbers of ours -------------------------------------------------------------------

    def _coming_things(self) -> Iterator[Thing]:
        """Objects with a number of ours that are there already: of one that is not, the first line comes as well."""
        lag, new = self.wanted.capabilities.lag_prefix, set(self._coming)
        inside = {path[:-1]: path for path in self._coming if len(path) > 1 and path[:-1] not in new}
        for path in inside.values():
            for each in things(path, self.os.ownership)[:1]:
                is_lag = each.by == "port" and bool(lag) and each.key.startswith(lag)
                if (each.by in _BY_NUMBER or is_lag) and self._is_block(each.path):
                    yield each

    def _is_block(self, path: Path) -> bool:
        return self.after.get(*path) is not None

    def _collide(self, thing: Thing) -> None:
        """Note an object of others with a number of ours: its ports would be joined with our hosts."""
        runs = _both(self.owned, self.foreign, thing.path)
        if runs is None or self.shown.has_thing(thing.path):
            return
        wants = self.after.get(*thing.path)
        if wants is not None and any(path in wants.paths() for path in runs.paths()):
            return  # a line of it is exactly ours
        covering = next(
            (path for path, each in self._found.items() if covers(thing.path, path) and each.is_in_the_way), None
        )
        if covering is None:
            reason = "it has a number of ours, without a line of ours"
            self._found[thing.path] = Others(thing.path, reason, thing.path, thing.path)

    def _bare_vlans(self) -> Iterator[Path]:
        """VLANs that the intent has and the switch too, without a line that tells whose they are."""
        for path, node in self.after.walk():
            runs = self.owned.get(*path)
            if not node and runs is not None and not runs and not self.shown.has(path):
                for each in things(path, self.os.ownership)[:1]:
                    if each.by == "vlan" and each.path == path:
                        yield path

    def _share(self, path: Path) -> None:
        """Note such a VLAN that others use, and no port of ours yet."""
        theirs = next(users(self.os.dependents, path, self._strangers()), None)
        if theirs is None or any(
            self.owned.get(*each) is not None for each in users(self.os.dependents, path, self.after)
        ):
            return
        reason = f"it has a number of ours, and '{' / '.join(theirs)}' uses it"
        self._found[path] = Others(path, reason, path, path)


def _name(path: Path) -> Path:
    """A line as ``--adopt`` can have it: up to a secret, a text of several rows, or what separates lines there."""
    nameable = _UNNAMEABLE.split(path[-1], maxsplit=1)[0]
    return path if nameable == path[-1] else (*path[:-1], nameable.rstrip(' "'))


def is_factory(os: Platform, path: Path) -> bool:
    """Does a switch of this OS have this line before it is configured?"""
    return _any_of(os.factory).fullmatch(" / ".join(path)) is not None


@cache
def _each(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, patterns))


@cache
def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for each in patterns) or r"(?!)")


def _both(owned: ConfigTree, foreign: ConfigTree, path: Path) -> ConfigTree | None:
    one, other = owned.get(*path), foreign.get(*path)
    if one is None or other is None:
        return other if one is None else one
    whole = one.copy()
    whole.merge(other)
    return whole
