"""Twins and product share no code, so that a template and the switch it is tested on cannot be wrong together."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import nornir_tasks

PACKAGE = Path(nornir_tasks.__file__).parent
TWINS = PACKAGE / "lab" / "twins"
OPERATING_SYSTEMS = ("eos", "nvue", "nxos")


def imports(path: Path) -> Iterator[str]:
    """The absolute names of what a file imports."""
    parts = ["nornir_tasks", *path.relative_to(PACKAGE).parent.parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = parts[: len(parts) - node.level + 1] if node.level else []
            module = ".".join([*base, *filter(None, [node.module])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def files(root: Path) -> list[Path]:
    return sorted(root.rglob("*.py"))


@pytest.mark.parametrize("path", files(TWINS), ids=lambda path: str(path.relative_to(TWINS)))
def test_twin_imports_nothing_of_ours_but_errors(path: Path) -> None:
    ours = [name for name in imports(path) if name.split(".")[0] in ("nornir_tasks", "napalm_nvue")]
    foreign = [n for n in ours if not n.startswith(("nornir_tasks.lab.twins", "nornir_tasks.errors."))]
    assert foreign == []


@pytest.mark.parametrize("system", OPERATING_SYSTEMS)
def test_twin_of_one_system_knows_no_other(system: str) -> None:
    others = tuple(f"nornir_tasks.lab.twins.{other}." for other in OPERATING_SYSTEMS if other != system)
    found = [name for path in files(TWINS / system) for name in imports(path) if f"{name}.".startswith(others)]
    assert found == []


def test_product_uses_of_the_twins_only_the_control_client() -> None:
    outside = [path for path in files(PACKAGE) if TWINS not in path.parents]
    used = {name for path in outside for name in imports(path) if name.startswith("nornir_tasks.lab.twins")}
    assert used <= {"nornir_tasks.lab.twins.control.ControlClient"}


def test_asyncio_stays_within_the_twins() -> None:
    outside = [path for path in files(PACKAGE) if TWINS not in path.parents]
    found = [
        str(path) for path in outside if {"asyncio", "aiohttp", "asyncssh"} & {n.split(".")[0] for n in imports(path)}
    ]
    assert found == []
