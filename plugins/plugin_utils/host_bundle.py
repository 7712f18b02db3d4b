"""The sources that a host needs to judge itself: its checks, the modules that read facts, and what these import."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

PLUGINS = Path(__file__).parents[1]
COLLECTION = "ansible_collections.gpufabric.host.plugins"
CHECKS, DESIGN, MODULE_UTILS = "nornir_tasks.checks", "nornir_tasks.design", f"{COLLECTION}.module_utils"
ALWAYS = (f"{CHECKS}.hosts.host_evidence", f"{CHECKS}.hosts.report")
"""What the program itself imports."""


def bundle(plan: Mapping[str, Any], checks: Path) -> dict[str, str]:
    """Name of each module -> its source. ``checks``: the folder of nornir_tasks.checks."""
    folders = {CHECKS: checks, DESIGN: checks.parent / "design", MODULE_UTILS: PLUGINS / "module_utils"}
    readers = (each["module"] for each in plan["requests"])
    modules = {name.rpartition(".")[2] for name in readers if name.startswith("gpufabric.")}
    found = {f"{COLLECTION}.modules.{name}": (PLUGINS / "modules" / f"{name}.py").read_text() for name in modules}
    wanted = [*ALWAYS, *(each.partition(":")[0] for each in plan["checks"]), *_imports(found.values(), folders)]
    while wanted:
        name = wanted.pop()
        if name not in found:
            found[name] = _place(name, folders).with_suffix(".py").read_text(encoding="utf-8")
            wanted += _imports([found[name]], folders)
    return dict(sorted(found.items()))


def _place(name: str, folders: Mapping[str, Path]) -> Path:
    """Where a module or a folder of modules of ours is, without a suffix."""
    package = next(each for each in folders if name == each or name.startswith(f"{each}."))
    return folders[package].joinpath(*name.removeprefix(package).split(".")[1:])


def _imports(sources: Iterable[str], folders: Mapping[str, Path]) -> Iterator[str]:
    """Names of the modules of ours that these import, by either form of the statement."""
    inside = tuple(f"{each}." for each in folders)
    for source in sources:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(inside):
                name = str(node.module)
                is_folder = _place(name, folders).is_dir()
                yield from (f"{name}.{alias.name}" for alias in node.names) if is_folder else (name,)
