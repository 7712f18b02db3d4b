"""Cumulus Linux at first boot: Zero Touch Provisioning (docs/day0.md)."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from nornir_tasks.platforms.first_boot import Dhcp, FirstBootFacts


def one_tree(own: str, base: str) -> str:
    """The YAML of both as one, in the form of NVUE's own startup file. The base's values replace ours."""
    merged: dict[str, Any] = {}
    for text in (own, base):
        _merge(merged, _read(text))
    return "\n".join(["- set:", *_yaml(merged, 2)]) + "\n"


def _read(text: str) -> dict[str, Any]:
    from ruamel.yaml import YAML  # noqa: PLC0415 - only where such a switch is prepared

    return YAML(typ="safe", pure=True).load(text) or {}


def _merge(into: dict[str, Any], more: Mapping[str, Any]) -> None:
    for key, value in more.items():
        there = into.get(key)
        if isinstance(there, dict) and isinstance(value, dict):
            _merge(there, value)
        else:
            into[key] = value


def _yaml(tree: Mapping[str, Any], depth: int) -> Iterator[str]:
    """A mapping as rows of YAML 1.2: keys and scalars as JSON, so that no word is read as another type."""
    for key, value in tree.items():
        head = f"{'  ' * depth}{json.dumps(str(key))}:"
        if isinstance(value, dict) and value:
            yield head
            yield from _yaml(value, depth + 1)
        else:
            yield f"{head} {json.dumps(value)}"


FIRST_BOOT = FirstBootFacts(
    "nvue.sh.j2",
    "nvue.yaml.j2",
    ".sh",
    ".yaml",
    "6",
    "CUMULUS-SERIAL",
    Dhcp(239, vendor_class="cumulus-linux"),
    combine=one_tree,
)
