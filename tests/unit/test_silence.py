"""Only the command line prints: whoever drives a use case from Python hears nothing but its results and events."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "nornir_tasks"
CONSOLES = {"click", "rich", "typer"}
STREAMS = {"stdin", "stdout", "stderr", "__stdout__", "__stderr__"}


def quiet_files() -> list[Path]:
    """All but the command line."""
    return sorted(path for path in PACKAGE.rglob("*.py") if not path.is_relative_to(PACKAGE / "cli"))


def words(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="print" | "input" as name)):
                yield f"line {node.lineno}: calls {name}()"
            case ast.Attribute(value=ast.Name(id="sys"), attr=name) if name in STREAMS:
                yield f"line {node.lineno}: uses sys.{name}"
            case ast.Import(names=names):
                yield from (f"line {node.lineno}: imports {each.name}" for each in names if top(each.name) in CONSOLES)
            case ast.ImportFrom(module=str(module), names=names):
                if top(module) in CONSOLES or module.startswith("nornir_tasks.cli"):
                    yield f"line {node.lineno}: imports {module}"
                if module == "sys":
                    yield from (f"line {node.lineno}: uses sys.{x.name}" for x in names if x.name in STREAMS)


def top(module: str) -> str:
    return module.partition(".")[0]


@pytest.mark.parametrize("path", quiet_files(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_below_the_command_line_prints_asks_or_knows_a_console(path: Path) -> None:
    assert list(words(ast.parse(path.read_text()))) == []


def test_the_judge_itself_hears_a_module_that_speaks() -> None:
    guilty = "import sys\nfrom rich.console import Console\nfrom nornir_tasks.cli import plan\nfrom sys import stderr\n"
    assert len(list(words(ast.parse(guilty + "print('x')\nsys.stdout.write('y')\n")))) == 5
