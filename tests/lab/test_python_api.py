"""The examples of docs/python-api.md, run as they stand there, against a lab."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

from at_terminal import Operator

from nornir_tasks import api

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "python-api.md"


def test_every_example_of_the_page_does_what_it_says(tmp_path: Path) -> None:
    folder = tmp_path / "inventory" / "lab-rails"
    shutil.copytree(ROOT / "inventory" / "lab-rails", folder)
    operator = Operator(folder, tmp_path / "state")
    operator.run("lab", "up")
    try:
        operator.run("push", "--yes")
        done = subprocess.run(
            [sys.executable, "-m", "doctest", str(PAGE)],
            env={**os.environ, "GPUFABRIC_STATE": str(operator.state), "PYTHONPATH": str(ROOT)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    finally:
        operator.run("lab", "down")
    assert done.returncode == 0, done.stdout
    assert PAGE.read_text(encoding="utf-8").count(">>> ") > len(api.__all__) / 2


def test_the_page_names_every_function_and_the_module_imports_no_command_line() -> None:
    functions = [name for name in api.__all__ if name.islower()]
    assert all(f"api.{name}(" in PAGE.read_text(encoding="utf-8") for name in functions)
    tree = ast.parse(Path(api.__file__).read_text(encoding="utf-8"))
    modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert not [each for each in modules if "cli" in each.split(".")]
