"""Every verb's JSON is what its published schema says, in one envelope; within a version nothing of it goes."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from json_page import PAGE, gone, page

from nornir_tasks.cli.json_documents import DOCUMENTS
from tests.preloaded_client import nornir
from tests.published import published

ROOT = Path(__file__).parents[3]


def run(state: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "GPUFABRIC_STATE": str(state)}
    return nornir(*words, "--json", environ=environ, cwd=state)


def document(state: Path, *words: str, code: int = 0) -> dict[str, Any]:
    done = run(state, *words)
    assert done.returncode == code, done.stderr
    return published(json.loads(done.stdout))


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("design --site lab", "design"),
        ("design --site lab --explain", "design"),
        ("design --site lab-rails --bom", "design-bom"),
        ("design --site lab-rails --against lab-breakout", "design-moves"),
        ("render --site lab --out out", "render"),
        ("prove --site lab --without boundary", "prove"),
        ("validate --list", "checks"),
        ("validate --list --site lab", "checks"),
        ("pushes --site lab-rails", "pushes"),
        ("history --site lab-rails", "history"),
        ("export k8s-labels --site lab", "export-topology"),
        ("export slurm-topology --site lab", "export-topology"),
        ("export k8s-rdma --site lab --out out", "export-k8s-rdma"),
        ("lab status --site lab-rails", "lab-status"),
        ("lab down --site lab-rails", "lab-down"),
        ("lab export --site lab-rails --containerlab out", "lab-export"),
    ],
)
def test_a_verb_prints_what_its_schema_says(words: str, name: str, tmp_path: Path) -> None:
    found = document(tmp_path, *words.split())
    assert found["schema"] == f"gpufabric/{name}"
    assert found["command"] == f"nornir {words} --json"
    site = next(
        (after for word, after in zip(words.split(), words.split()[1:], strict=False) if word == "--site"), None
    )
    assert found["site"] == site


@pytest.mark.parametrize(
    ("words", "kind", "code"),
    [
        ("validate --nonsense", "CommandLineError", 2),
        ("pusch", "CommandLineError", 2),
        ("push --workers 0", "CommandLineError", 2),
        ("design --csv - --bom --svg -", "CommandLineError", 2),
        ("validate --list --only mtu", "CommandLineError", 2),
        ("plan --sarif -", "CommandLineError", 2),
        ("design --site nowhere", "IntentError", 3),
        ("validate --site lab-rails --only mtuu", "IntentError", 3),
        ("plan --site lab-rails", "LabError", 10),
        ("rollback --site lab-rails --yes", "RefusedError", 7),
    ],
)
def test_a_refusal_is_a_document_too_and_ends_with_the_same_code(
    words: str, kind: str, code: int, tmp_path: Path
) -> None:
    done = run(tmp_path, *words.split())
    found = published(json.loads(done.stdout))
    assert (done.returncode, found["error"]["kind"], found["error"]["exit_code"]) == (code, kind, code)
    assert done.stderr, "nothing is said to people"


def test_a_check_that_there_is_not_is_answered_with_the_one_that_was_meant(tmp_path: Path) -> None:
    (problem,) = document(tmp_path, "validate", "--site", "lab", "--only", "mtuu", code=3)["error"]["problems"]
    assert problem["found"] == "mtuu"
    assert problem["hint"] == "did you mean mtu?"
    assert "certificate" in problem["expected"]


@pytest.mark.parametrize("verb", ["prove", "plan", "validate"])
def test_verdicts_on_standard_output_are_not_mixed_with_the_table(verb: str, tmp_path: Path) -> None:
    environ = {**os.environ, "GPUFABRIC_STATE": str(tmp_path)}
    done = nornir(verb, "--site", "lab-rails", "--junit", "-", environ=environ, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--junit - and its table would mix on stdout" in " ".join(done.stderr.split())


def test_a_site_given_by_its_folder_has_its_name(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "inventory" / "lab-rails", tmp_path / "rails")
    environ = {**os.environ, "GPUFABRIC_STATE": str(tmp_path)}
    done = nornir("design", "--site", ".", "--json", environ=environ, cwd=tmp_path / "rails")
    assert published(json.loads(done.stdout))["site"] == "rails"


def test_the_page_has_every_key() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
    assert all(f"## `{name}`, version " in page() for name in DOCUMENTS)


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        ("| `tested` | integer |", "| `judged` | integer |", "`validate`, version 1: tested (integer) is now gone"),
        ("| `tested` | integer |", "| `tested` | string |", "`validate`, version 1: tested (integer) is now string"),
        ("| `played?` | integer |", "| `more` | integer |", "`validate`, version 1: played? (integer) is now gone"),
    ],
)
def test_a_key_that_goes_or_changes_its_type_raises_the_version(before: str, after: str, lost: str) -> None:
    changed = page().replace(before, after, 1)
    assert gone(page(), changed) == [f"{lost}: raise its version"]
    assert gone(page(), changed.replace("## `validate`, version 1", "## `validate`, version 2")) == []


def test_a_key_that_comes_is_no_new_version() -> None:
    row = "| `tested` | integer |"
    assert gone(page(), page().replace(row, f"| `news` | integer |  |\n{row}", 1)) == []
