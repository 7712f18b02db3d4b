"""Configurations as sets of lines, each with the lines above it: a reader of its own, for judges of the product.

A path is the lines from the top down to one line. EOS and NX-OS text nests by indentation; of NVUE data each leaf is a
line ``key: value as JSON``, and an entry without settings is its key alone. What a switch prints as one line for many
VLANs is here one line for each of them.
"""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

import yaml

Path = tuple[str, ...]
_LISTED = re.compile(
    r"(?P<before>(?:no )?(?:vlan|spanning-tree vlan|spanning-tree vlan-id|vlan configuration) )"
    r"(?P<list>[\d,-]+)(?P<after>(?: .*)?)"
)
_SIGN = {True: "on", False: "off"}


def lines(os: str, text: str) -> set[Path]:
    """Every line of a configuration; of NVUE its leaves."""
    found = _of_data(text) if os == "nvue" else _of_text(text)
    return {each for path in found for each in single(os, path)}


def single(os: str, path: Path) -> Iterator[Path]:
    """The same line, once for each VLAN of a list in it."""
    return iter([path]) if os == "nvue" else product(*map(_one_by_one, path))


def _one_by_one(line: str) -> list[str]:
    found = _LISTED.fullmatch(line)
    if found is None:
        return [line]
    return [f"{found['before']}{number}{found['after']}" for number in numbers(found["list"])]


def numbers(text: str) -> list[int]:
    """``1,10-12`` one by one."""
    made = list[int]()
    for part in re.split(r"[,\s]+", text.strip(", ")):
        first, _, last = part.partition("-")
        made += range(int(first), int(last or first) + 1)
    return made


def _of_text(text: str) -> Iterator[Path]:
    above = list[tuple[int, str]]()
    for row in text.splitlines():
        line = " ".join(row.split())
        if not line or line.startswith("!") or line == "end":
            continue
        indent = len(row) - len(row.lstrip())
        while above and above[-1][0] >= indent:
            above.pop()
        above.append((indent, line))
        yield tuple(each for _, each in above)


def _of_data(text: str) -> Iterator[Path]:
    data: Any = yaml.safe_load(text) or {}
    if isinstance(data, list):  # as /etc/nvue.d/startup.yaml has it
        data = next((each["set"] for each in data if "set" in each), {})
    return _leaves(data, ())


def _leaves(data: Any, above: Path) -> Iterator[Path]:
    for key, value in data.items():
        name = _SIGN[key] if isinstance(key, bool) else str(key)
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*above, name))
        elif value is None or value == {}:
            yield (*above, name)
        else:
            yield (*above, f"{name}: {json.dumps(_SIGN[value] if isinstance(value, bool) else value)}")


def with_all_above(paths: Iterable[Path]) -> set[Path]:
    """The paths and every beginning of one; a leaf without its value too."""
    made = set[Path]()
    for path in paths:
        made.update(path[:depth] for depth in range(1, len(path) + 1))
        made.add((*path[:-1], path[-1].partition(": ")[0]))
    return made
