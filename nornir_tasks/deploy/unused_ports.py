"""Ports without a cable that the intent wants shut, and that others use: they are left as they are, and named. Pure."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from nornir_tasks.deploy.dependence import Others
from nornir_tasks.deploy.evidence import Shown, key
from nornir_tasks.deploy.removals import is_factory
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.platforms.config_tree import Change, ConfigTree, Path
from nornir_tasks.platforms.ownership import things


def touched(wanted: Wanted, changes: Iterable[Change]) -> dict[Path, str]:
    """The blocks of unused ports of which a line would change -> the name of the port."""
    spare, rules = wanted.claims.spare_ports, wanted.platform.ownership
    found = {}
    for change in changes if spare else ():
        if spare.isdisjoint(word for text in change.path[:2] for word in text.split()):
            continue  # far the most lines of a first push
        for each in things(change.path, rules)[:1]:
            if each.by == "port" and each.key in spare:
                found[each.path] = each.key
    return found


def in_use(
    wanted: Wanted,
    ports: dict[Path, str],
    running: ConfigTree,
    tree: ConfigTree,
    shown: Shown,
    heard: Mapping[str, str],
) -> Iterator[Others]:
    """Those of these ports that others use, with the line that says so, or who is ``heard`` there by LLDP."""
    for block, name in ports.items():
        if shown.takes_over(block):
            continue
        line = _own(wanted, block, running, tree, shown) or _elsewhere(wanted, block, name, running, tree, shown)
        if line is not None:
            yield Others(block, f"no cable of the intent is there, and others use it: '{' / '.join(line)}'", block)
        elif heard.get(name):
            yield Others(block, f"no cable of the intent is there, and '{heard[name]}' is heard there by LLDP", block)


def _own(wanted: Wanted, block: Path, running: ConfigTree, tree: ConfigTree, shown: Shown) -> Path | None:
    """A line of the port that is neither ours nor there from the factory."""
    node = running.get(*block)
    for path, _ in node.walk(block) if node is not None else ():
        is_known = tree.get(*path) is not None or shown.has(path) or is_factory(wanted.platform, path)
        if not is_known and not any(shown.has(below) for below in _below(running, path)):
            return path[len(block) :]
    return None


def _below(running: ConfigTree, path: Path) -> list[Path]:
    node = running.get(*path)
    return [below for below, _ in node.walk(path)] if node is not None else []


def _elsewhere(
    wanted: Wanted, block: Path, name: str, running: ConfigTree, tree: ConfigTree, shown: Shown
) -> Path | None:
    """A line outside the port's own block that names it: a subinterface, a session, a mirror."""
    says = re.compile(rf'(?:^|[\s"(,]){re.escape(name)}(?:\.\d+)?(?:$|[\s"),:])')
    for path, _ in running.walk():
        if path[: len(block)] == block or not says.search(path[-1]):
            continue
        is_known = tree.get(*path) is not None or shown.has(path) or is_factory(wanted.platform, path)
        if not is_known and wanted.platform.to_tree(wanted.text).get(*path) is None:
            return path
    return None


def as_built(
    wanted: Wanted, ports: Collection[Path], running: ConfigTree, owned: ConfigTree, tree: ConfigTree, shown: Shown
) -> ConfigTree:
    """The wanted tree, in which such ports keep what a switch may have on one from the factory, but for its state.

    What a push of ours put there is not kept.
    """
    os, beside = wanted.platform, dict[Path, list[Path]]()  # far the most switches have none of this
    for block in ports:
        lines = [(*block, line) for line in (owned.get(*block) or ConfigTree()).children]
        if built := [path for path in lines if is_factory(os, path) and not shown.has(path)]:
            beside[block] = built
    merged, rendered = ConfigTree(), os.to_tree(wanted.text) if beside else ConfigTree()
    for block, built in beside.items():
        ours = [(*block, line) for line in (rendered.get(*block) or ConfigTree()).children]
        set_here = {key(path, os) for path in ours}
        if kept := [path for path in built if key(path, os) not in set_here]:
            for path in (*ours, *kept):
                merged.add_path(path)
    if not merged.children:
        return tree
    wants = tree.copy()
    wants.children.update(os.canonical(merged, os.defaults(running)).children)
    return wants


def left(
    owned: ConfigTree, foreign: ConfigTree, tree: ConfigTree, ports: Collection[Path]
) -> tuple[ConfigTree, ConfigTree, ConfigTree]:
    """All lines of these ports on the others' side, those of ours as well: theirs may need them. Nothing is wanted."""
    owned, foreign, tree = owned.copy(), foreign.copy(), tree.copy()
    for block in ports:
        there = owned.get(*block)
        if there is not None:
            beside = foreign.add_path(block, there.line)
            beside.merge(there)
        for each in (owned, tree):
            above = each.get(*block[:-1])
            if above is not None:
                above.children.pop(block[-1], None)
    return owned, foreign, tree
