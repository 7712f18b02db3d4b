"""The sources that a host needs to judge itself: its checks, the modules that read facts, and what these import."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

PLUGINS = Path(__file__).parents[1]
COLLECTION = "ansible_collections.gpufabric.host.plugins"
OURS = re.compile(
    r"^ *from (nornir_tasks\.checks|ansible_collections\.gpufabric\.host\.plugins\.module_utils)\.(\w+) import", re.M
)
ALWAYS = ("nornir_tasks.checks.host_evidence", "nornir_tasks.checks.host_report")
"""What the program itself imports."""


def bundle(plan: Mapping[str, Any], checks: Path) -> dict[str, str]:
    """Name of each module -> its source. ``checks``: the folder of nornir_tasks.checks."""
    folders = {"nornir_tasks.checks": checks, f"{COLLECTION}.module_utils": PLUGINS / "module_utils"}
    asked = (each["module"] for each in plan["requests"])
    modules = {name.rpartition(".")[2] for name in asked if name.startswith("gpufabric.")}
    found = {f"{COLLECTION}.modules.{name}": (PLUGINS / "modules" / f"{name}.py").read_text() for name in modules}
    wanted = [*ALWAYS, *(each.partition(":")[0] for each in plan["checks"]), *_imports(found.values())]
    while wanted:
        name = wanted.pop()
        if name not in found:
            folder, _, stem = name.rpartition(".")
            found[name] = (folders[folder] / f"{stem}.py").read_text(encoding="utf-8")
            wanted += _imports([found[name]])
    return dict(sorted(found.items()))


def _imports(sources: Iterable[str]) -> list[str]:
    return [f"{folder}.{name}" for source in sources for folder, name in OURS.findall(source)]
