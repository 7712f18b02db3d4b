"""``nornir explain``: every exception class, check and proof has its text, and each problem is one that is raised."""

import ast
import json
from pathlib import Path

import pytest
from errors_page import PAGE, page
from typer.testing import CliRunner, Result

from nornir_tasks import errors
from nornir_tasks.checks.hosts import boundary_suite, host_suite
from nornir_tasks.checks.suite import ABOUT
from nornir_tasks.cli.app import app
from nornir_tasks.cli.console import error_as_json
from nornir_tasks.cli.explanations import classes, code_of, everything, written
from nornir_tasks.errors import GpufabricError, IdentityError, IntentError, Problem
from nornir_tasks.usecases.proofs.prove import PROOFS
from tests.published import published

ROOT = Path(__file__).parents[3]
LEAST = 40


def explain(*words: str) -> Result:
    return CliRunner().invoke(app, ["explain", *words])


def test_every_exception_class_check_and_proof_has_a_text() -> None:
    every = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, GpufabricError)]
    assert set(classes().values()) == set(every)
    assert written()["errors"].keys() == classes().keys()
    hosts = [each.about for suite in (host_suite, boundary_suite) for each in suite.CHECKS]
    names = {*classes(), *PROOFS, *(each.name for each in (*ABOUT, *hosts))}
    assert names <= {each.code for each in everything()}
    assert all(
        each.means and ((each.causes and each.do) or each.kind not in ("error", "problem")) for each in everything()
    )


def test_each_problem_is_one_that_the_code_says() -> None:
    texts = set[str]()
    for file in (ROOT / "nornir_tasks").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.add(node.value)
    problems = written()["problems"]
    assert len(problems) >= LEAST
    lost = [code for code, each in problems.items() if not any(each["words"] in text for text in texts)]
    assert lost == []
    for code, each in problems.items():
        assert code_of(Problem("somewhere", each["words"])) == code


@pytest.mark.parametrize("word", ["identity-error", "IdentityError"])
def test_a_class_is_explained_by_its_code_and_by_its_name(word: str) -> None:
    shown = explain(word).stdout
    assert shown.startswith("identity-error (error, exit code 6)\n")
    assert "what to do:\n    - correct serial or address in devices.yml" in shown


def test_a_name_of_a_check_and_a_proof_is_explained_as_both() -> None:
    found = published(json.loads(explain("mtu", "--json").stdout))["explanations"]
    assert [each["kind"] for each in found] == ["proof", "check"]
    assert "ports.mtu_bytes" in found[1]["more"]["reads"]


def test_a_message_is_explained_as_it_was_printed() -> None:
    message = "leaf-1: a commit is not confirmed (gpufabric-7): the switch takes it back by itself within 80 s"
    assert explain(message).stdout.startswith("unconfirmed-commit (problem)\n")


def test_an_unknown_code_is_answered_with_the_one_that_was_meant() -> None:
    with pytest.raises(IntentError) as raised:
        CliRunner().invoke(app, ["explain", "identity-eror"], catch_exceptions=False)
    assert raised.value.problems[0].hint.startswith("did you mean identity-error")


def test_an_error_names_its_code_and_those_of_its_problems() -> None:
    error = IdentityError([Problem("leaf-1", "another switch answers at this address"), Problem("leaf-1", "strange")])
    body = error_as_json(error)["error"]
    assert body["code"] == "identity-error"
    assert [each.get("code") for each in body["problems"]] == ["another-switch-answers", None]


def test_the_page_has_every_error() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
