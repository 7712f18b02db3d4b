"""One version everywhere, and in a checkout the commit beside it: a report of a fault says what ran."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml

from nornir_tasks import __version__

ROOT = Path(__file__).parents[2]


def test_package_wheel_collection_and_changelog_carry_one_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    collection = yaml.safe_load((ROOT / "galaxy.yml").read_text())["version"]
    released = re.findall(r"^## \[(\d[^\]]*)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert {project, collection, released[0]} == {__version__}


def test_a_checkout_says_its_commit_from_wherever_it_is_asked(tmp_path: Path) -> None:
    nornir = Path(sys.executable).with_name("nornir")
    printed = subprocess.run([nornir, "--version"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    found = re.fullmatch(
        rf"gpufabric {re.escape(__version__)}(?: commit ([0-9a-f]{{12}})(?: and changes)?)?\n", printed
    )
    assert found is not None, printed
    assert (found[1] or "") == head()[:12]


def head() -> str:
    """What git says; empty without git, in an archive, and where git does not trust the folder's owner."""
    try:
        words = ["git", "rev-parse", "HEAD"]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 and (ROOT / ".git").exists() else ""
