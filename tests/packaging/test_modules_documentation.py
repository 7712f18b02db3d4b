"""Modules are documented as Ansible demands it: its own validator says so, run directly, and each has a page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import ansible_test
import pytest

ROOT = Path(__file__).resolve().parents[2]
VALIDATOR = Path(ansible_test.__file__).parent / "_util/controller/sanity/validate-modules/validate.py"
MODULES = sorted(path.stem for path in (ROOT / "plugins/modules").glob("*.py"))
NOT_OURS = {
    "missing-gplv3-license": "a rule of ansible/ansible; this collection is Apache-2.0 (galaxy.yml)",
    "import-before-documentation": "Python's order, which ruff demands",
}
"""Codes of the validator that are rules of another project, with the reason."""


@pytest.fixture(scope="module")
def verdicts() -> dict[str, list[str]]:
    """Module -> the validator's errors."""
    collection = "ansible_collections/gpufabric/host"
    paths = [f"plugins/modules/{name}.py" for name in MODULES]
    command = [sys.executable, VALIDATOR, "--format", "json", "--arg-spec", "--collection", collection, *paths]
    environment = os.environ | {"ANSIBLE_COLLECTIONS_PATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=ROOT / collection, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.stdout.startswith("{"), done.stderr  # its exit code is that of its errors
    found: dict[str, list[str]] = {name: [] for name in MODULES}
    for path, report in json.loads(done.stdout).items():
        for each in report["errors"]:
            if each["code"] not in NOT_OURS:
                found[Path(path).stem].append(f"{each['code']}: {each['msg']}")
    return found


@pytest.mark.parametrize("name", MODULES)
def test_ansibles_validator_accepts_a_module(verdicts: dict[str, list[str]], name: str) -> None:
    assert verdicts[name] == []


def test_every_module_of_the_checkout_has_its_page(tmp_path: Path) -> None:
    tool = Path(sys.executable).parent / "ansible-doc"
    environment = os.environ | {"ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "HOME": str(tmp_path)}
    names = [f"gpufabric.host.{name}" for name in MODULES]
    done = subprocess.run(
        [tool, "--json", "-t", "module", *names],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    pages = json.loads(done.stdout)
    assert sorted(pages) == names
    for name, page in pages.items():
        assert page["doc"]["short_description"], name
        assert page["examples"], name
        assert page["return"] or name.endswith(("_sync", "_files", "_table")), name
