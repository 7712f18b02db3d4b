"""Ways to change one line of a configuration, and the law that each of them is a difference."""

import re
from collections.abc import Iterator

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.errors import RefusedError
from nornir_tasks.platforms.config_tree import ConfigTree, Path


def running_text(wanted: Wanted, tree: ConfigTree) -> str:
    """A switch that runs these owned lines and nothing else."""
    return wanted.platform.to_text(tree)


def without(tree: ConfigTree, path: Path) -> ConfigTree:
    """The same tree less one line and what stands below it."""
    changed = parent = _like(tree)
    for text in path[:-1]:
        parent.children[text] = parent = _like(parent.children[text])
    parent.children.pop(path[-1])
    return changed


def _like(node: ConfigTree) -> ConfigTree:
    """A node of its own with the same nodes below it."""
    twin = ConfigTree(node.text, node.line)
    twin.children = node.children.copy()
    return twin


def instead(tree: ConfigTree, path: Path, line: str) -> ConfigTree:
    """The same tree with one line's text changed, what stands below it kept."""
    changed = without(tree, path)
    parent, old = changed.get(*path[:-1]), tree.get(*path)
    assert parent is not None
    assert old is not None
    parent.children[line] = there = _like(parent.children.get(line) or ConfigTree(line))
    there.share(old)
    return changed


def other_values(line: str) -> Iterator[str]:
    """The line with each of its numbers changed in turn, and with on and off, true and false exchanged."""
    for found in re.finditer(r"\d+", line):
        other = int(found[0]) - 1 if found[0] == "63" else int(found[0]) + 1  # 63 is the last code point
        yield line[: found.start()] + str(other) + line[found.end() :]
    for one, other in (
        ("on", "off"),
        ("true", "false"),
        ("enabled", "disabled"),
        ("enable", "disable"),
        ("permit", "deny"),
    ):
        for here, there in ((one, other), (other, one)):
            if re.search(rf"\b{here}\b", line):
                yield re.sub(rf"\b{here}\b", there, line, count=1)


def each_change_is_reported(wanted: Wanted, path: Path) -> tuple[int, int]:
    """Delete one line, then change each of its values: the plan must bring it back. Returns (deleted, changed)."""
    if wanted.tree.get(*path):
        return 0, 0
    mutant = without(wanted.tree, path)
    if not is_brought_back(wanted, mutant, path):
        assert says_the_same(wanted, mutant), path
        return 0, 0  # a container that says nothing by itself
    changed = 0
    for line in other_values(path[-1]):
        mutant = instead(wanted.tree, path, line)
        if mutant != wanted.tree:
            assert is_brought_back(wanted, mutant, path) or says_the_same(wanted, mutant), (path, line)
            changed += 1
    return 1, changed


def says_the_same(wanted: Wanted, mutant: ConfigTree) -> bool:
    """Is it another spelling of the same: 10.1.1.0/16 where the switch clears host bits?"""
    return wanted.platform.to_tree(running_text(wanted, mutant)) == wanted.tree


def is_brought_back(wanted: Wanted, mutant: ConfigTree, path: Path) -> bool:
    """Would a push to a switch that runs the mutant add this line, or refuse to put it beside the mutant's?"""
    try:
        changes = device_plan(wanted, running_text(wanted, mutant), allow_management=True).changes
    except RefusedError as refused:
        return f"expected: {' / '.join(path)}\n" in str(refused)
    return path in {change.path for change in changes if change.op == "+"}
