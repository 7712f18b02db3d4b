"""The pull-request recipes of docs/howto/approval.md: their commands, in the order of a change, on a repository."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from at_terminal import ROOT, Operator, lab_of_its_own, small_site
from planned_site import PEOPLE, have_approved, make_keys

from tests.preloaded_client import nornir

PAGE = ROOT / "docs/howto/approval.md"


def recipes() -> dict[str, dict[str, list[str]]]:
    """Service -> job -> its command lines, as the page has them."""
    blocks = [yaml.safe_load(text) for text in re.findall(r"^```yaml\n(.*?)^```$", PAGE.read_text(), re.M | re.S)]
    (github,) = (each["jobs"] for each in blocks if "jobs" in each)
    (gitlab,) = (each for each in blocks if "stages" in each)
    return {
        "github": {name: [step["run"] for step in job["steps"] if "run" in step] for name, job in github.items()},
        "gitlab": {name: gitlab[name]["script"] for name in gitlab["stages"]},
    }


@pytest.fixture
def operator(tmp_path: Path) -> Iterator[Operator]:
    """A lab whose site is a repository, with a branch that is to be planned."""
    with lab_of_its_own(tmp_path, small_site) as made:
        have_approved(made.site, make_keys(tmp_path))
        git(made, "init", "-q", "-b", "main")
        commit(made, "the site", ".")
        git(made, "checkout", "-q", "-b", "change")
        yield made


def git(operator: Operator, *words: str) -> None:
    who = ("-c", "user.name=test", "-c", "user.email=test@example.net")
    subprocess.run(["git", *who, *words], cwd=operator.site, check=True)


def commit(operator: Operator, what: str, *files: str) -> None:
    git(operator, "add", *files)
    git(operator, "commit", "-qm", what)


def job(operator: Operator, lines: list[str], code: int = 0) -> str:
    """Run a job's commands as its runner does, in the top of the repository; what installs is not run."""
    environ: dict[str, Any] = {**os.environ, "GPUFABRIC_STATE": str(operator.state)}
    commands = [line.split() for line in lines if line != "pip install gpufabric"]
    assert commands
    assert all(words[0] == "nornir" for words in commands)
    printed = ""
    for words in commands:
        done = nornir(*words[1:], environ=environ, cwd=operator.site)
        printed += done.stdout + done.stderr
        assert done.returncode == code, printed
    return printed


@pytest.mark.parametrize("service", ["github", "gitlab"])
def test_a_change_goes_from_its_branch_through_both_approvals_to_the_switches(
    service: str, operator: Operator, tmp_path: Path
) -> None:
    jobs = recipes()[service]
    assert [*jobs] == ["plan", "check", "push"]
    job(operator, jobs["plan"])
    for name in PEOPLE:
        assert "this plan is not approved" in job(operator, jobs["check"], code=7)
        operator.run("approve", str(operator.site / "plan.json"), "--key", str(tmp_path / name), "--yes")
        commit(operator, f"approved by {name}", "plan.json", f"plan.json.{name}.sig")
    assert "2 of 2 have signed: alice, bob" in job(operator, jobs["check"])
    git(operator, "checkout", "-q", "main")
    git(operator, "merge", "-q", "--no-ff", "-m", "merged", "change")
    job(operator, jobs["check"])
    assert operator.running() == operator.day0
    assert "4 of 4 changed" in job(operator, jobs["push"])
    assert "0 of 4 changed" in job(operator, jobs["push"]), "a job that is run again"
