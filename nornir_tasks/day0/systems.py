"""The systems that day 0 knows, and how each joins its own configuration and the managed base."""

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from nornir_tasks.day0.first_boot import System, with_md5


def _lines(own: str, base: str) -> str:
    """Lines of both; what comes later replaces what came before, as typed."""
    return own + base


def _trees(own: str, base: str) -> str:
    """NVUE's YAML of both as one, in the form of its own startup file. The base's values replace ours."""
    merged: dict[str, Any] = {}
    for text in (own, base):
        _merge(merged, _read(text))
    return "\n".join(["- set:", *_yaml(merged, 2)]) + "\n"


def _read(text: str) -> dict[str, Any]:
    from ruamel.yaml import YAML  # noqa: PLC0415 - only where a Cumulus switch is prepared

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


SYSTEMS: Mapping[str, System] = MappingProxyType(
    {
        "eos": System("eos.sh.j2", "eos.startup-config.j2", ".sh", ".startup-config", _lines),
        "nvue": System("nvue.sh.j2", "nvue.yaml.j2", ".sh", ".yaml", _trees),
        "nxos": System("nxos.py.j2", "nxos.cfg.j2", ".py", ".cfg", _lines, with_md5),
    }
)
"""OS -> how it begins."""
