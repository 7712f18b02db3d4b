"""``nornir history``: who pushed and rolled back what, why, with which version, and which lines."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from nornir_tasks.cli import options
from nornir_tasks.cli.pushes import LISTED, as_json

if TYPE_CHECKING:
    from nornir_tasks.usecases.history import Recorded


def history(
    number: Annotated[int | None, typer.Argument(min=1, help="One of them, with its switches.")] = None,
    site: options.Site = "lab",
    last: Annotated[int, typer.Option("--last", min=1, help="List so many, the last ones.")] = LISTED,
    diff: Annotated[bool, typer.Option("--diff", help="With a number: the lines of each switch.")] = False,
    json: options.Json = False,
) -> None:
    """Show the record: who pushed or rolled back, why, with which version, how long it took, and what changed."""
    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.errors import CommandLineError, Problem
    from nornir_tasks.usecases import history as usecase
    from nornir_tasks.usecases.pushes import journal_file
    from nornir_tasks.usecases.site import load

    if diff and number is None:
        raise CommandLineError(Problem("--diff", "shows the lines of one push", hint="nornir history NUMBER --diff"))
    design = load(site)
    found = usecase.history(design, last) if number is None else (usecase.recorded(design, number),)
    if json:
        print_json("history", {"records": [_as_json(each, is_whole=diff) for each in found]})
    elif number is not None:
        _print_one(found[0], is_whole=diff)
    elif not found:
        out.print(f"nothing was pushed yet: no push is noted in {journal_file(design)}", soft_wrap=True)
    else:
        _print_table(found)


def _as_json(each: "Recorded", *, is_whole: bool) -> dict[str, Any]:
    stated = each.stated
    lines = {"added": each.added, "removed": each.removed} if each.lines else {}
    return {
        **as_json(each.past),
        "person": stated.person or None,
        "known_by": stated.known_by or None,
        "host": stated.host or None,
        "tool_version": stated.version or None,
        "message": stated.message or None,
        "ticket": stated.ticket or None,
        "plan": stated.plan or None,
        "approved_by": stated.approved_by.split(", ") if stated.approved_by else [],
        "seconds": each.times.seconds,
        "switch_seconds": dict(each.times.switches),
        **lines,
        **({"diff": {name: list(rows) for name, rows in each.lines.items()}} if is_whole else {}),
    }


def _print_table(found: "tuple[Recorded, ...]") -> None:
    from nornir_tasks.cli.console import out
    from nornir_tasks.cli.tables import named_table

    table = named_table("push", "time (UTC)", "person", "planes", "changed", "state", "reason")
    for each in found:
        past = each.past
        number = str(past.number) if past.undoes is None else f"{past.number}, rollback of {past.undoes}"
        reason = " ".join(filter(None, (each.stated.ticket, each.stated.message)))
        changed = f"{past.changed} of {len(past.planned)}"
        table.add_row(
            number, _time(past.started), each.stated.person, ", ".join(past.planes), changed, past.state.value, reason
        )
    out.print(table)


def _print_one(each: "Recorded", *, is_whole: bool) -> None:
    from nornir_tasks.cli.console import out

    past, stated = each.past, each.stated
    of = "" if past.undoes is None else f" of push {past.undoes}"
    took = "" if each.times.seconds is None else f", {each.times.seconds} s"
    out.print(f"{past.verb} {past.number}{of}: {past.state.value}, begun {_time(past.started)} UTC{took}")
    rows = {
        "person": f"{stated.person} ({stated.known_by}) on {stated.host}" if stated.person else "not noted",
        "reason": stated.message or "none given",
        "ticket": stated.ticket or "none given",
        "version": f"gpufabric {stated.version}" if stated.version else "not noted",
        "planes": ", ".join(past.planes),
        **({"plan": f"{stated.plan}, signed by {stated.approved_by or 'no one'}"} if stated.plan else {}),
    }
    for name, text in rows.items():
        out.print(f"  {name}: {text}", soft_wrap=True)
    for name in sorted(past.planned):
        out.print(f"  {name}: {_of_switch(each, name)}", soft_wrap=True)
        for line in each.lines.get(name, ()) if is_whole else ():
            out.print(f"    {line}", soft_wrap=True)


def _of_switch(each: "Recorded", name: str) -> str:
    """What became of it there."""
    if name not in each.past.switches:
        return "not started"
    seconds = each.times.switches.get(name)
    took = "" if seconds is None else f", {seconds} s"
    return f"{each.past.switches[name]}, {each.added[name]} lines added, {each.removed[name]} removed{took}"


def _time(started: str) -> str:
    return started.removesuffix("+00:00").replace("T", " ")
