"""The pure packages open nothing, ask nothing of the machine, and do not know what time it is."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "nornir_tasks"
PURE = ("intent", "design", "platforms", "checks", "day0", "proofs", "render")
FORBIDDEN_CALLS = {"open", "input", "print", "exec", "eval", "__import__"}
FORBIDDEN_ATTRIBUTES = {
    "read_text", "write_text", "read_bytes", "write_bytes", "environ", "getenv", "now", "today", "utcnow", "time",
    "monotonic", "sleep", "urlopen", "connect", "run", "Popen", "system", "random",
}  # fmt: skip
FORBIDDEN_MODULES = {"os", "socket", "subprocess", "time", "random", "pathlib", "io", "tempfile", "shutil", "secrets"}


def pure_files() -> list[Path]:
    return sorted(path for name in PURE for path in (PACKAGE / name).rglob("*.py"))


def impurities(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_CALLS:
            found.append(f"line {node.lineno}: calls {node.func.id}()")
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in FORBIDDEN_ATTRIBUTES
        ):
            found.append(f"line {node.lineno}: calls .{node.func.attr}()")
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        found += [f"line {node.lineno}: imports {name}" for name in names if name.split(".")[0] in FORBIDDEN_MODULES]
    return found


@pytest.mark.parametrize("path", pure_files(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_pure_module_touches_no_file_socket_process_environment_or_clock(path: Path) -> None:
    assert impurities(ast.parse(path.read_text())) == []


def test_the_judge_itself_sees_an_impure_module() -> None:
    guilty = "import os\nfrom pathlib import Path\nPath('x').read_text()\nopen('y')\n"
    assert len(impurities(ast.parse(guilty))) == 4
