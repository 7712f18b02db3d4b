"""A stand-in that shared code with the product could only agree with it."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PROGRAMS = sorted([*HERE.glob("standin_*.py"), HERE / "fuse_tree.py", HERE / "nic_state.py"])
OWN = {path.stem for path in PROGRAMS}


def imported(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    direct = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    return direct | {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_stand_in_imports_the_standard_library_and_its_kin_only(path: Path) -> None:
    roots = {name.partition(".")[0] for name in imported(path)}
    assert roots - set(sys.stdlib_module_names) <= OWN


def test_each_tool_on_the_path_leads_to_a_stand_in() -> None:
    tools = sorted(path.name for path in (HERE / "bin").iterdir())
    assert tools == [
        "cma_roce_mode",
        "cma_roce_tos",
        "dcb",
        "ethtool",
        "ibv_devinfo",
        "mlnx_qos",
        "mlxconfig",
        "modprobe",
        "mstconfig",
    ]
    for tool in tools:
        text = (HERE / "bin" / tool).read_text(encoding="utf-8")
        assert imported(HERE / "bin" / tool) - set(sys.stdlib_module_names) <= OWN, text
