"""The difference of owned trees as requests: DELETEs of what is removed, then one PATCH of additions; never the root.

The switch reports pending changes as two diffs, one with the additions and one with the removals. Each is the patch
that turns one revision into the other, with ``null`` for what only the other one has, at the highest missing key
(NVIDIA's configuration manager, its Cumulus client and tests).
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from nornir_tasks.platforms.config_tree import Change, ConfigTree, Path, difference
from nornir_tasks.platforms.nvue.access_lists import without_any
from nornir_tasks.platforms.nvue.tree import ALL_VLANS, CONTAINERS, from_data, key_and_value, spelled, to_data
from nornir_tasks.platforms.platform import Candidate

_IS_CONTAINER = frozenset(CONTAINERS)


def candidate(running: ConfigTree, owned_running: ConfigTree, owned_wanted: ConfigTree) -> Candidate:
    """``{"delete": (JSON pointer, ...), "patch": {...}}``: the smallest change that makes the owned part as wanted."""
    del running  # other owners' lines are not needed: owned paths are patched, all others stay out of the request
    found = difference(_with_containers(owned_running), _with_containers(owned_wanted))
    changes = tuple(change for change in found if change.path[-1] != ALL_VLANS)  # which the switch does not show
    added = _tree(change.path for change in changes if change.op == "+")
    payload = {"delete": tuple(sorted(_pointers(changes, added), key=_is_split)), "patch": to_data(added)}
    return Candidate(payload, changes)


def _tree(paths: Iterable[Path]) -> ConfigTree:
    """A tree of these lines; usually a line's parent has come just before it."""
    tree = ConfigTree()
    nodes: dict[Path, ConfigTree] = {}
    for path in paths:
        above = nodes.get(path[:-1])
        if above is None:
            above = tree.add_path(path[:-1])
        nodes[path] = above.add(path[-1])
    return tree


def _with_containers(tree: ConfigTree) -> ConfigTree:
    """Add the containers: they are never deleted, because they also hold what others own (the management port)."""
    whole = from_data({})
    whole.share(tree)
    return whole


def _pointers(changes: tuple[Change, ...], added: ConfigTree) -> Iterator[str]:
    """Pointers to the topmost removed nodes. A scalar that only changes its value is patched, not deleted."""
    removed = {change.path for change in changes if change.op == "-"}
    for change in changes:
        path = change.path
        if change.op == "+" or path[:-1] in removed:
            continue
        keys = tuple(key_and_value(text)[0] for text in path)
        siblings = added.get(*path[:-1])
        if siblings is None or keys[-1] not in {key_and_value(text)[0] for text in siblings.children}:
            yield pointer(keys)


def _is_split(text: str) -> bool:
    """A cage is merged after its parts are gone (docs514 Switch-Port-Attributes.md, "Remove a Breakout Port")."""
    return "/link/breakout" in text


def pointer(keys: tuple[str, ...]) -> str:
    """JSON pointer (RFC 6901) to a node: ``/vrf/default/router/static/10.0.0.0~124``."""
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys)


def keys_of(text: str) -> tuple[str, ...]:
    """The keys of a JSON pointer."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:])


def diff_text(coming: dict[str, Any], going: dict[str, Any]) -> str:
    """Both diffs of the switch as one text: the content of ``Staged.diff`` and the input of :func:`server_changes`."""
    return json.dumps({"coming": coming, "going": going}, ensure_ascii=False)


def server_changes(diff: str) -> frozenset[Change]:
    """The switch's own pending changes, in the plan's notation."""
    return changes_between(**json.loads(diff))


def changes_between(coming: dict[str, Any], going: dict[str, Any]) -> frozenset[Change]:
    """The same from the switch's two diffs."""
    coming, going = without_any(coming), without_any(going)
    return frozenset(
        [*(Change(path, "+") for path in _only(coming, going)), *(Change(path, "-") for path in _only(going, coming))]
    )


def _only(here: Any, there: Any, above: Path = (), *, is_new: bool = False) -> Iterator[Path]:  # noqa: ANN401 - JSON
    """Lines that only ``here`` has: different scalars, and everything at and below a ``null``."""
    for key, value in here.items():
        if value is None:
            continue
        is_missing = is_new or (key in there and there[key] is None)
        if not isinstance(value, dict):
            yield (*above, f"{spelled(key)}: {json.dumps(value, ensure_ascii=False)}")
            continue
        path = (*above, spelled(key))
        if is_missing and path not in _IS_CONTAINER:
            yield path
        beside = there.get(key) if not is_missing else None
        yield from _only(value, beside if isinstance(beside, dict) else {}, path, is_new=is_missing)
