"""``nornir pushes``: what was pushed and rolled back, and what of it can be rolled back now."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from nornir_tasks.cli import options
from nornir_tasks.cli.commands import runnable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from nornir_tasks.usecases.pushes import PastPush

LISTED = 20


def pushes(
    site: options.Site = "lab",
    last: Annotated[int, typer.Option("--last", min=1, help="List so many, the last ones.")] = LISTED,
    json: options.Json = False,
) -> None:
    """List the pushes and rollbacks in the journal: when, which planes, how they ended, which can be rolled back."""
    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.usecases import pushes as usecase
    from nornir_tasks.usecases.site import load

    design = load(site)
    found = usecase.pushes(design, last)
    if json:
        print_json("pushes", {"pushes": [as_json(each) for each in found]})
    elif not found:
        out.print(f"nothing was pushed yet: no push is noted in {usecase.journal_file(design)}", soft_wrap=True)
    else:
        _print(found)


def as_json(push: "PastPush") -> dict[str, Any]:
    """One of them, as one object."""
    return {
        "number": push.number,
        "verb": push.verb,
        "undoes": push.undoes,
        "started": push.started,
        "planes": push.planes,
        "planned": push.planned,
        "switches": dict(push.switches),
        "changed": push.changed,
        "rolled_back": push.rolled_back,
        "state": push.state.value,
        "can_be_rolled_back": push.can_be_rolled_back,
        "obstacles": push.obstacles,
        "unsettled": push.unsettled,
    }


def _print(found: "tuple[PastPush, ...]") -> None:
    from nornir_tasks.cli.console import out
    from nornir_tasks.cli.tables import named_table

    table = named_table("push", "time (UTC)", "planes", "changed", "state", "can be rolled back")
    verbs = {each.number: each.verb for each in found}
    for each in found:
        number = _number(each)
        time = each.started.removesuffix("+00:00").replace("T", " ")
        changed = f"{each.changed} of {len(each.planned)}"
        table.add_row(number, time, ", ".join(each.planes), changed, _state(each), answer(each, verbs))
    out.print(table)
    for line in _hints(found, verbs):
        out.print(line)


def _number(push: "PastPush") -> str:
    """Its number; and what it was, if it was no push."""
    if push.undoes is not None:
        return f"{push.number}, rollback of {push.undoes}"
    return str(push.number) if push.verb == "push" else f"{push.number}, {push.verb} of {', '.join(push.planned)}"


def _hints(found: "tuple[PastPush, ...]", verbs: "Mapping[int, str]") -> "Iterator[str]":
    """What to do, each once."""
    able = [each.number for each in found if each.can_be_rolled_back]
    if able:
        yield f"to roll back push {able[0]}: {runnable(f'nornir rollback --push {able[0]}')}"
    if any(each.unsettled for each in found):
        yield "a rollback asks the switches whether a push that was cut off was taken back"
    if any(verbs[number] == "rollback" for each in found for number in each.obstacles[:1]):
        yield f"where a rollback changed the same lines, bring what the intent says: {runnable('nornir push')}"


def _state(push: "PastPush") -> str:
    is_partly = 0 < push.rolled_back < push.changed
    return push.state.value + (f", {push.rolled_back} of {push.changed}" if is_partly else "")


def answer(push: "PastPush", verbs: "Mapping[int, str]") -> str:
    """Whether a push can be rolled back, for people; empty where nothing of it is left. ``verbs``: by number."""
    if push.is_under_way:
        return "not before it has ended" if push.verb == "push" else ""
    if push.can_be_rolled_back:
        return "yes" if "done" in push.switches.values() else "if it was not taken back"
    return _in_the_way(push, verbs) if push.obstacles else ""


def _in_the_way(push: "PastPush", verbs: "Mapping[int, str]") -> str:
    newest = max(push.obstacles)
    if set(push.obstacles) == set(push.unsettled):
        return f"if push {newest} was taken back"
    if verbs[newest] == "rollback":
        return f"no: rollback {newest} changed the same lines"
    return f"no: push {newest} first"
