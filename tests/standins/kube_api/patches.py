"""How PATCH changes an object: JSON patch, JSON merge patch, strategic merge patch.

Strategic merge knows the lists below by their keys (``patchMergeKey`` of Kubernetes); all others are replaced.
"""

from __future__ import annotations

import copy
from typing import Any

MERGE_KEYS = {
    "containers": ("name",),
    "initContainers": ("name",),
    "volumes": ("name",),
    "env": ("name",),
    "imagePullSecrets": ("name",),
    "secrets": ("name",),
    "ports": ("containerPort", "port"),
    "volumeMounts": ("mountPath",),
    "conditions": ("type",),
    "ownerReferences": ("uid",),
    "taints": ("key",),
    "topologySpreadConstraints": ("topologyKey",),
    "webhooks": ("name",),
    "hostAliases": ("ip",),
}
MERGED_TEXTS = {"finalizers"}
"""Lists of texts that are joined."""


class PatchError(Exception):
    """The patch does not fit the object."""


def merge(value: Any, patch: Any) -> Any:
    """JSON merge patch (RFC 7386)."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    made = dict(value) if isinstance(value, dict) else {}
    for key, each in patch.items():
        if each is None:
            made.pop(key, None)
        else:
            made[key] = merge(made.get(key), each)
    return made


def strategic(value: Any, patch: Any) -> Any:
    """Strategic merge patch, for Kubernetes' own kinds."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    if patch.get("$patch") == "replace":
        return {key: each for key, each in patch.items() if key != "$patch"}
    made = dict(value) if isinstance(value, dict) else {}
    if "$retainKeys" in patch:
        made = {key: each for key, each in made.items() if key in patch["$retainKeys"]}
    for key, each in patch.items():
        directive, _, name = key.partition("/")
        if directive == "$deleteFromPrimitiveList":
            made[name] = [item for item in made.get(name, []) if item not in each]
        elif key.startswith("$"):
            continue
        elif each is None:
            made.pop(key, None)
        elif isinstance(each, list):
            made[key] = _lists(key, made.get(key) or [], each)
        else:
            made[key] = strategic(made.get(key), each)
    return made


def _lists(name: str, value: list[Any], patch: list[Any]) -> list[Any]:
    if name in MERGED_TEXTS:
        return [*value, *(each for each in patch if each not in value)]
    keys = MERGE_KEYS.get(name, ())
    key = next((each for each in keys if all(isinstance(item, dict) and each in item for item in patch)), None)
    if key is None:
        return copy.deepcopy([item for item in patch if not (isinstance(item, dict) and "$patch" in item)])
    made = {item.get(key): item for item in value}
    for item in patch:
        if item.get("$patch") == "delete":
            made.pop(item[key], None)
        else:
            made[item[key]] = strategic(made.get(item[key], {}), item)
    return list(made.values())


def json_patch(value: Any, operations: list[dict[str, Any]]) -> Any:
    """JSON patch (RFC 6902): add, remove, replace, test."""
    made = copy.deepcopy(value)
    for each in operations:
        *above, last = [part.replace("~1", "/").replace("~0", "~") for part in each["path"].split("/")[1:]]
        try:
            parent = made
            for part in above:
                parent = parent[int(part)] if isinstance(parent, list) else parent[part]
            _operation(parent, last, each)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise PatchError(f"{each['op']} {each['path']}: {error}") from error
    return made


def _operation(parent: Any, last: str, each: dict[str, Any]) -> None:
    at: Any = last
    if isinstance(parent, list):
        at = len(parent) if last == "-" else int(last)
    match each["op"]:
        case "add" if isinstance(parent, list):
            parent.insert(at, each["value"])
        case "add":
            parent[at] = each["value"]
        case "replace":
            parent[at]
            parent[at] = each["value"]
        case "remove":
            del parent[at]
        case "test":
            if parent[at] != each["value"]:
                raise PatchError(f"testing value {each['path']} failed")
        case other:
            raise PatchError(f"no operation of this stand-in: {other}")
