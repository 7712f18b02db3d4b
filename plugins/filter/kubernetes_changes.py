"""Filters for roles that apply manifests to a cluster: what its API server refuses of them, and what would change."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Object = Mapping[str, Any]
OWNER = "gpufabric"
"""The field manager of what we apply."""


def _called(each: Object) -> str:
    return f"{each['kind']} {each['metadata']['name']}"


def _results(applied: Object) -> list[Object]:
    """Of each object, what kubernetes.core.k8s says of it."""
    found: list[Object] = applied.get("result", {}).get("results") or [applied]
    return found


def kubernetes_refused(applied: Object, manifests: Sequence[Object]) -> list[str]:
    """What the API server refuses, each with a remedy. ``applied``: of kubernetes.core.k8s with continue_on_error."""
    found = []
    for each, result in zip(manifests, _results(applied), strict=False):
        if "error" in result:
            text = str(result["error"].get("msg", result["error"]))
            status = re.search(r"\{.*\}", text, re.DOTALL)
            if status:
                with contextlib.suppress(KeyError, ValueError):  # then as it stands
                    text = json.loads(status[0])["message"]
            remedy = ""
            if "conflict" in text:
                remedy = (
                    "; a field has one owner: take it out there, or take it over once with "
                    f"`kubectl apply --server-side --force-conflicts --field-manager {OWNER} -k DIR`"
                )
            found.append(f"{_called(each)}: the API server refuses it: {text}{remedy}")
    return found


def kubernetes_changes(applied: Object, manifests: Sequence[Object], removed: Sequence[Object] = ()) -> list[str]:
    """A line for each object that is new or goes, and for each value that changes."""
    lines = [f"- {_called(each)}" for each in removed]
    for each, result in zip(manifests, _results(applied), strict=False):
        if not result.get("changed"):
            continue
        before, after = (result.get("diff", {}).get(side, {}) for side in ("before", "after"))
        if "apiVersion" in after:
            lines.append(f"+ {_called(each)}")
            continue
        old, new = dict(_values(before)), dict(_values(after))
        changed = [path for path in dict.fromkeys((*old, *new)) if old.get(path) != new.get(path)]
        lines += [f"~ {_called(each)}: {path}: {old.get(path, '-')} -> {new.get(path, '-')}" for path in changed]
    return lines


NOISE = ("metadata.generation", "metadata.resourceVersion", "metadata.managedFields", "metadata.uid")


def _values(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Each single value with its path, those within texts that are JSON as well."""
    if isinstance(value, str) and value.startswith("{"):
        with contextlib.suppress(ValueError):
            value = json.loads(value)
    if isinstance(value, Mapping) and value:
        for key, below in value.items():
            yield from _values(below, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value:
        for number, below in enumerate(value):
            yield from _values(below, f"{path}[{number}]")
    elif not path.startswith(NOISE):
        yield path, str(value)


class FilterModule:
    """The entry point for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"kubernetes_refused": kubernetes_refused, "kubernetes_changes": kubernetes_changes}
