"""What is known of a code: of an exception class, a common problem, a check of validate or of hosts, a proof."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from nornir_tasks.errors import GpufabricError, Problem

if TYPE_CHECKING:
    from nornir_tasks.checks.about import About

FILE = Path(__file__).with_name("explanations.toml")


@dataclass(frozen=True, slots=True)
class Explanation:
    """One code."""

    code: str
    kind: Literal["error", "problem", "check", "check of counters", "check of hosts", "proof"]
    means: str
    causes: tuple[str, ...] = ()
    do: tuple[str, ...] = ()
    rows: tuple[tuple[str, str], ...] = ()
    """More of it, as (title, text)."""
    exit_code: int | None = None
    """Of an error."""


def classes() -> dict[str, type[GpufabricError]]:
    """Code -> exception class, the root first."""

    def below(kind: type[GpufabricError]) -> Iterator[type[GpufabricError]]:
        yield kind
        for each in kind.__subclasses__():
            yield from below(each)

    every = below(GpufabricError)
    return {each.code(): each for each in every if each.__module__ == GpufabricError.__module__}


@cache
def written() -> Mapping[str, Any]:
    """The file as it is."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def code_of(problem: Problem) -> str:
    """The code of a common problem, by its words; empty for any other."""
    for code, each in written()["problems"].items():
        if problem.what == each["words"] or (each["words"] in problem.what and not each.get("whole")):
            return str(code)
    return ""


def errors() -> Iterator[Explanation]:
    """Of exception classes, in the order of the tree, then of problems."""
    texts = written()
    for code, kind in classes().items():
        yield _written(code, "error", texts["errors"][code], kind.exit_code)
    for code, each in texts["problems"].items():
        yield _written(code, "problem", each, None)


def _written(
    code: str, kind: Literal["error", "problem"], text: Mapping[str, Any], exit_code: int | None
) -> Explanation:
    rows = (("text", text["words"]),) if "words" in text else ()
    return Explanation(code, kind, text["means"], tuple(text["causes"]), tuple(text["do"]), rows, exit_code)


def everything() -> tuple[Explanation, ...]:
    """All codes. A proof and a check may have one name: then both are meant."""
    from nornir_tasks.checks.counters.suite import ABOUT as RULES
    from nornir_tasks.checks.hosts import boundary_suite, host_suite
    from nornir_tasks.checks.suite import ABOUT
    from nornir_tasks.usecases.proofs.proof_reports import ABOUT as PROOFS

    of_hosts = (each.about for suite in (host_suite, boundary_suite) for each in suite.CHECKS)
    return (
        *errors(),
        *(Explanation(name, "proof", text) for name, text in PROOFS.items()),
        *(_check("check", each) for each in ABOUT),
        *(_check("check of counters", each) for each in RULES),
        *(_check("check of hosts", each) for each in of_hosts),
    )


def _check(kind: Literal["check", "check of counters", "check of hosts"], about: "About") -> Explanation:
    rows = tuple(each for each in about.rows if each[0] != "passed")
    return Explanation(about.name, kind, f"Passed: {about.passes}.", rows=rows)
