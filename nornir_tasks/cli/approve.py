"""``nornir approve``: what a plan would change, who has signed it, and one's own signature."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nornir_tasks.cli import options
from nornir_tasks.cli.commands import runnable
from nornir_tasks.cli.plan_page import PAGE_LINES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nornir_tasks.usecases.plan_file import PlanFile

KEY = "~/.ssh/id_ed25519"


def approve(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What nornir plan --out wrote.")],
    site: options.Site = "lab",
    key: Annotated[
        Path, typer.Option("--key", metavar="FILE", help="Your SSH key; its public part is enough, with an agent.")
    ] = Path(KEY),
    check: Annotated[
        bool, typer.Option("--check", help="Sign nothing: say who has signed and what is missing; 7 if it is.")
    ] = False,
    yes: options.Yes = False,
    show_all: options.AllLines = False,
    json: options.Json = False,
) -> None:
    """Show a plan and who has approved it; if you agree, sign it with your SSH key."""
    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.cli.plan import print_plan
    from nornir_tasks.errors import RefusedError
    from nornir_tasks.usecases import approval as usecase
    from nornir_tasks.usecases.plan_file import outdated, read
    from nornir_tasks.usecases.site import load

    design = load(site)
    plan = read(design, file)
    if not json:
        _describe(plan)
        print_plan(plan.report, None if show_all else PAGE_LINES, f"nornir approve {file} --check --all")
    problems = (*outdated(plan, design), *(plan.approvals.problems(file) if check else ()))
    if not problems and not check and (yes or _ask(file)):
        name, beside = usecase.approve(design, file, plan.content, key.expanduser())
        plan = read(design, file)
        if not json:
            out.print(f"signed by {name}: {beside}")
    if json:
        print_json("approve", _as_json(plan))
    else:
        for line in _standing(plan):
            out.print(line)
    if problems:
        raise RefusedError(problems)


def _describe(plan: "PlanFile") -> None:
    from nornir_tasks.cli.console import out

    document = plan.document
    out.print(f"plan {document['hash'][:12]} of {document['site']}, made {document['time']}: {document['command']}")
    out.print(f"it may be pushed until {document['expires']}")
    for number, wave in enumerate(document["waves"], start=1):
        out.print(f"wave {number}: {', '.join(wave)}")


def _standing(plan: "PlanFile") -> "Iterable[str]":
    found = plan.approvals
    if not found.at_least:
        yield "this site asks for no approval"
        return
    yield f"{len(found.signed.by)} of {found.at_least} have signed: {', '.join(found.signed.by) or 'no one yet'}"
    if not found.missing and not found.signed.problems:
        yield f"approved; to push it: {runnable(f'nornir push --plan {plan.file}')}"


def _as_json(plan: "PlanFile") -> dict[str, Any]:
    from nornir_tasks.cli.plan import plan_as_json

    document, found = plan.document, plan.approvals
    return {
        **plan_as_json(plan.report),
        "plan": document["hash"],
        "made": document["time"],
        "expires": document["expires"],
        "waves": document["waves"],
        "at_least": found.at_least,
        "signed_by": found.signed.by,
        "missing": found.missing,
    }


def _ask(file: Path) -> bool:
    from nornir_tasks.errors import Interrupted, Problem

    if not sys.stdin.isatty():
        hint = "use --yes to sign without a question, or --check to see who has signed"
        raise Interrupted(Problem(str(file), "no terminal to ask for confirmation", hint=hint))
    if not typer.confirm("Sign this plan?", err=True):
        raise Interrupted(Problem(str(file), "declined; nothing was signed"))
    return True
