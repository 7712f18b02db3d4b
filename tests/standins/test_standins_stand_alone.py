"""A stand-in that shared code with the product could only agree with it."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
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
        "mlxfwreset",
        "mlxreg",
        "modprobe",
        "mstconfig",
        "mstfwreset",
        "mstreg",
    ]
    for tool in tools:
        text = (HERE / "bin" / tool).read_text(encoding="utf-8")
        assert imported(HERE / "bin" / tool) - set(sys.stdlib_module_names) <= OWN, text


@pytest.mark.parametrize("path", sorted((HERE / "states").glob("*.json")), ids=lambda path: path.stem)
def test_a_state_says_what_it_is_made_of_and_what_nobody_knows_of_the_real_tools(path: Path) -> None:
    state = json.loads(path.read_text(encoding="utf-8"))
    assert state["label"].startswith("composite: ")
    for part in state["made_of"]:
        assert (ROOT / "tests/recorded" / part["recorded"]).is_file()
        assert part["repository"].count("/") == 1
        assert part["path"]
        assert part["commit"]
    unknown = " ".join(state["not_known"])
    for tool in {"mlnx_qos", "dcb", "ethtool", "mstconfig"} & set(state["tools"]):
        assert tool in unknown, f"what is not known of {tool}"


@pytest.mark.parametrize("path", sorted((HERE / "pcie").glob("*.json")), ids=lambda path: path.stem)
def test_a_pci_tree_says_what_it_is_made_of_and_what_is_ours(path: Path) -> None:
    tree = json.loads(path.read_text(encoding="utf-8"))
    assert tree["label"].startswith("composite: ")
    assert tree["not_known"]
    assert all(part["repository"].count("/") == 1 and part["path"] and part["commit"] for part in tree["made_of"])
