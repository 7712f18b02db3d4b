"""A rollback: what runs, less what a push added, plus what it removed. Lines that others typed since stay. Pure."""

from collections.abc import Iterator

from nornir_tasks.deploy.dependence import Others, staying
from nornir_tasks.deploy.evidence import Done, key
from nornir_tasks.deploy.removals import Sides
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.platforms.config_tree import ConfigTree, Path, difference, in_printed_order


def taken_back(wanted: Wanted, running: ConfigTree, push: Done) -> Sides:
    """What runs, as the rollback of a push sees it."""
    os = wanted.platform
    earlier, later = os.to_tree(push.before), os.to_tree(push.after)
    changes = tuple(difference(earlier, later))
    owned, foreign = _parted(running, earlier, later)
    added = [each.path for each in changes if each.op == "+" and owned.get(*each.path) is not None]
    removed = [each.path for each in changes if each.op == "-"]
    # the earlier value of a setting serves others as well; that it was off does not
    earlier_values = {key(path, os) for path in removed if not path[-1].startswith("no ")}
    kept = staying(os, [path for path in added if key(path, os) not in earlier_values], foreign, push.needs)
    target, others = owned.copy(), [each for each in kept.values() if each.reason]
    for path in sorted(added, key=len, reverse=True):
        above = target.get(*path[:-1])
        if above is None or path[-1] not in above.children or above.children[path[-1]].children:
            continue
        if path in kept:
            continue
        if below := foreign.get(*path):
            found = " / ".join(next(found for found, _ in below.walk()))
            others.append(Others(path, f"'{found}' is in it, and stays", path))
        else:
            del above.children[path[-1]]
    typed = {key(path, os): path for path, _ in foreign.walk()}
    staying_keys = {key(path, os) for path in kept}
    for path in removed:
        if key(path, os) in staying_keys:
            continue  # what took its place stays
        if (there := typed.get(key(path, os))) is not None and there != path:
            others.append(Others(there, f"it was typed since; the push had removed '{path[-1]}'", there))
        else:
            target.add_path(path)
    _number(target, earlier, later)
    target = in_printed_order(target)
    return Sides(owned, target, foreign, tuple(difference(owned, target)), tuple(others))


def _number(target: ConfigTree, earlier: ConfigTree | None, later: ConfigTree | None) -> None:
    """Give lines the order in which the switch printed them: it is the order that they are sent in."""
    for text, node in target.children.items():
        one, other = (tree.children.get(text) if tree is not None else None for tree in (earlier, later))
        known = one if one is not None else other
        node.line = known.line if known is not None else node.line
        _number(node, one, other)


def _parted(running: ConfigTree, earlier: ConfigTree, later: ConfigTree) -> tuple[ConfigTree, ConfigTree]:
    """What runs of the lines that the push knew, and all the rest."""
    owned, foreign = ConfigTree(), ConfigTree()
    for path, is_known in _known(running, earlier, later, ()):
        (owned if is_known else foreign).add_path(path)
    return owned, foreign


def _known(
    running: ConfigTree, earlier: ConfigTree | None, later: ConfigTree | None, above: Path
) -> Iterator[tuple[Path, bool]]:
    for text, node in running.children.items():
        one, other = (tree.children.get(text) if tree is not None else None for tree in (earlier, later))
        path = (*above, text)
        yield path, one is not None or other is not None
        yield from _known(node, one, other, path)
