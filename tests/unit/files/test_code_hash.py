"""The code that plans must be the code that pushes, wherever it is installed."""

import shutil
import subprocess
import sys
from pathlib import Path

from nornir_tasks.files.code_hash import code_hash

ROOT = Path(__file__).parents[3]


def hash_of(installed: Path) -> str:
    command = [sys.executable, "-B", "-c", "from nornir_tasks.files.code_hash import code_hash; print(code_hash())"]
    done = subprocess.run(command, cwd=installed, env={"PYTHONPATH": str(installed)}, capture_output=True, check=True)
    return done.stdout.decode().strip()


def test_an_installed_package_has_the_hash_of_its_checkout_and_another_line_another_one(tmp_path: Path) -> None:
    for name, place in (("nornir_tasks", "nornir_tasks"), ("templates", "nornir_tasks/_data/templates")):
        shutil.copytree(ROOT / name, tmp_path / place, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "catalogue", tmp_path / "nornir_tasks/_data/catalogue")
    assert hash_of(tmp_path) == code_hash()
    found = {code_hash()}
    for file in (
        "nornir_tasks/deploy/plan.py",
        "_data/templates/eos/main.j2",
        "_data/catalogue/arista/7060DX5-64S.yml",
    ):
        changed = tmp_path / "nornir_tasks" / file.removeprefix("nornir_tasks/")
        changed.write_text(changed.read_text() + "\n")
        found.add(hash_of(tmp_path))
    assert len(found) == 4
    (tmp_path / "nornir_tasks/.swp").write_text("an editor's file")
    assert hash_of(tmp_path) in found
