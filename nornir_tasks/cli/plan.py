"""``nornir plan``: what a push would change, switch by switch, and how disruptive that is."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nornir_tasks.cli import options
from nornir_tasks.cli.commands import runnable
from nornir_tasks.cli.plan_page import PAGE_LINES, PREVIEW, Line, named, page

LEAST_OF_OTHERS = 10
"""So many lines of others a switch gets on a page at least."""
AT_ONCE = 1000
"""Lines that are printed in one go: rich takes long to begin, and all lines of 1,000 switches are gigabytes."""
WOULD_CHANGE = 12
"""Exit code of ``--detailed-exitcode`` where a push would do something; not an error, so no exception has it."""

if TYPE_CHECKING:
    from rich.text import Text

    from nornir_tasks.deploy.summary import PlanSummary
    from nornir_tasks.design.model.drain import Drain
    from nornir_tasks.usecases.push import PlanReport
    from nornir_tasks.usecases.reach import Reach
    from nornir_tasks.usecases.site import Selection


def plan(
    site: options.Site = "lab",
    plane: options.Plane = None,
    limit: options.Limit = None,
    allow_management: options.AllowManagement = None,
    adopt: options.Adopt = None,
    accept_release: options.AcceptRelease = False,
    workers: options.Workers = 64,
    show_all: options.AllLines = False,
    to_file: Annotated[
        str | None,
        typer.Option("--out", metavar="FILE", help="Write the plan to this file, to be approved and pushed later."),
    ] = None,
    junit: options.Junit = None,
    sarif: options.Sarif = None,
    detailed_exitcode: Annotated[
        bool, typer.Option("--detailed-exitcode", help="End with 12 where a push would do something, not with 0.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Read the switches and show what a push would change. Nothing is sent to them but reads."""
    from nornir_tasks.cli.console import err, out, print_json
    from nornir_tasks.cli.documents import check_targets, keeping, write_verdicts
    from nornir_tasks.cli.progress import Display
    from nornir_tasks.files.documents import is_stdout
    from nornir_tasks.usecases import push as usecase
    from nornir_tasks.usecases.adopting import adopted
    from nornir_tasks.usecases.last_seen import keep_plan
    from nornir_tasks.usecases.reach import Reach
    from nornir_tasks.usecases.site import load, select
    from nornir_tasks.usecases.switch_verdicts import of_plan

    if to_file is not None and is_stdout(to_file):
        raise typer.BadParameter("signatures stand beside the plan: name a file", param_hint="--out")
    targets = {"--junit": junit, "--sarif": sarif}
    check_targets(targets, {"--json": json, "its table": not json})
    reach = Reach(frozenset(allow_management or ()), accept_release, workers=workers, adopt=adopted(adopt or ()))
    selection = select(load(site), plane or (), limit or ())
    found = usecase.plan(selection, reach, Display(), keeps_read=to_file is not None)
    with keeping():
        keep_plan(selection, found.plans.values())
    written = write_verdicts(targets, "plan", selection.design.site.name, of_plan(found))
    if to_file is not None:
        written.append(_written(to_file, found, selection, reach))
    if json:
        print_json("plan", plan_as_json(found))
    else:
        print_plan(found, None if show_all else PAGE_LINES)
        print_drained(found.drained)
    for line in written:
        (err if json else out).print(line)
    if detailed_exitcode and found.work:
        raise typer.Exit(WOULD_CHANGE)


def _written(target: str, found: "PlanReport", selection: "Selection", reach: "Reach") -> str:
    """Write the plan; one line that says so."""
    from pathlib import Path

    from nornir_tasks.cli.commands import command_line
    from nornir_tasks.files.plan_document import write_plan
    from nornir_tasks.usecases.plan_file import made

    write_plan(Path(target), made(found, selection, reach, command_line()))
    needs = selection.design.site.intent.policy.approval
    way = f"nornir push --plan {target}" if needs is None else f"nornir approve {target}"
    return f"{target}: the plan, to be {'pushed' if needs is None else 'approved'} with: {runnable(way)}"


def print_plan(found: "PlanReport", most_lines: int | None = None, preview: str = PREVIEW) -> None:
    """The changing switches with their lines (at most so many), then the sum. ``preview``: the command for all."""
    from nornir_tasks.cli.console import out

    changing = found.changing
    lines = page(tuple(changing.values()), most_lines, preview)
    while some := list(islice(lines, AT_ONCE)):
        out.print(_text(some))
    for line in _lines_of_others(found, most_lines, preview):
        out.print(line, soft_wrap=True)
    for line in _ways(found):
        out.print(line, soft_wrap=True)
    out.print(f"{len(changing)} of {len(found.plans)} switches would change")
    for name, places in found.unshown.items():
        what = f"{name}: cannot be compared, as the switch does not show it (taken for what was sent last): "
        out.print(what + "; ".join(places))
    for problem in found.unfinished.values():
        out.print(f"{problem.where}: {problem.what}")
    for problem in found.blocked.values():
        out.print(f"a push would be refused: {problem}")
    if waiting := found.need_reload:
        out.print(f"{len(waiting)} of them must be reloaded before all of it is in effect: {', '.join(waiting)}")
    if spraying := found.begin_to_spray:
        out.print(
            f"{len(spraying)} of them would begin to balance packet by packet: {', '.join(spraying)}. Hosts first:\n"
            "  1. ansible-playbook site.yml, which tells their NICs to reorder and reads that back; start jobs again\n"
            f"  2. {runnable('nornir push --hosts-reorder')}"
        )


def print_drained(drained: "Mapping[str, Drain]") -> None:
    """The switches that are drained, and stay so; the command that ends one whose time is over."""
    from nornir_tasks.cli.console import out

    now = datetime.now(UTC)
    for name, each in drained.items():
        over = f"; this time is over: {runnable(f'nornir undrain {name}')}" if each.is_over(now) else ""
        out.print(f"{name} is {each}, and stays so{over}", soft_wrap=True)


def drain_as_json(drain: "Drain") -> dict[str, Any]:
    """Who, until when and why; empty where the switch names no person."""
    until = None if drain.until is None else drain.until.isoformat()
    return {"person": drain.person, "until": until, "reason": drain.reason}


def _lines_of_others(found: "PlanReport", most_lines: int | None, preview: str) -> Iterator[str]:
    """Those of each switch, the ones that stop a push first, until a page is full; then the other switches' names."""
    plans = sorted((each for each in found.plans.values() if each.others), key=lambda each: not each.is_stopped)
    used, skipped = 0, list[str]()
    for each in plans:
        if most_lines is not None and used >= most_lines:
            skipped.append(each.device)
            continue
        for line in others_lines(each, most_lines and max(most_lines // len(plans), LEAST_OF_OTHERS), preview):
            used += 1
            yield line
    if skipped:
        yield f"lines of others on {len(skipped)} more: {named(skipped)}; all shown by: {runnable(preview)}"


def others_lines(plan: "PlanSummary", most_lines: int | None, preview: str) -> Iterator[str]:
    """Lines of others on one switch: what a push would need adopted, then what it leaves alone."""
    from nornir_tasks.deploy.problems import quoted

    if not plan.others:
        return
    yield f"lines of others on {plan.device}:"
    shown = sorted(plan.others, key=lambda each: not each[0].is_in_the_way)
    for each, disruption in islice(shown, most_lines):
        name = " / ".join(each.path)
        tag = "" if disruption.severity == 0 else f"   <- {disruption}"
        if each.is_in_the_way:
            yield f"  would be replaced: {name}, by {' / '.join(each.in_the_way_of)} ({each.reason}){tag}"
        else:
            yield f"  stays: {name} ({each.reason})"
    if most_lines is not None and len(shown) > most_lines:
        yield f"  and {len(shown) - most_lines} more, all shown by: {runnable(f'{preview} --limit {plan.device}')}"
    if preview.startswith("nornir rollback"):
        return  # which takes over nothing
    for words, is_wanted in (("a push needs", True), ("to have a push remove what stays", False)):
        objects = dict.fromkeys(" / ".join(each.adopt) for each, _ in shown if each.is_in_the_way is is_wanted)
        if objects and (most_lines is None or len(objects) <= most_lines):
            yield f"  {words}: {' '.join(f'--adopt {quoted(plan.device, name)}' for name in objects)}"


def _ways(found: "PlanReport") -> Iterator[str]:
    """How the tool reaches the switches that would change, and without which switches it reaches none of them."""
    from nornir_tasks.design.capacity.management_paths import in_words

    same: dict[str, list[str]] = {}
    for name, way in found.ways.items():
        if name in found.changing:
            same.setdefault(in_words(way), []).append(name)
    for steps, names in same.items():
        yield f"reached over {steps}: {named(names)}"
    alone: dict[str, list[str]] = {}
    for name, way in found.ways.items():
        for only in way.single_points if name in found.changing else ():
            alone.setdefault(only, []).append(name)
    for only, names in alone.items():
        itself = ", which is reached through itself" if only in names else ""
        yield f"without {only} none of {len(names)} of these is reached{itself}"


def _text(lines: Iterable[Line]) -> "Text":
    """Lines of a styled part and what follows it, as one text in which nothing is markup."""
    from rich.text import Text

    return Text("\n").join(Text.assemble((styled, style), rest) for styled, style, rest in lines)


def plan_as_json(found: "PlanReport") -> dict[str, Any]:
    """The same as one document. All lines of 1,000 switches at once are gigabytes, so each is made when printed."""
    from nornir_tasks.cli.console import Later

    return {
        "changing": len(found.changing),
        "need_reload": found.need_reload,
        "begin_to_spray": found.begin_to_spray,
        "unconfirmed": {
            name: {"commit": each.waiting.token, "left_s": each.waiting.left_s}
            for name, each in found.plans.items()
            if each.waiting is not None
        },
        "unsaved": found.unsaved,
        "drained": {name: drain_as_json(each) for name, each in found.drained.items()},
        "cannot_be_compared": found.unshown,
        "blocked": {name: str(problem) for name, problem in found.blocked.items()},
        "ways": {name: {"over": each.steps, "single_points": each.single_points} for name, each in found.ways.items()},
        "devices": {name: Later(partial(_device_as_json, each)) for name, each in found.plans.items()},
    }


def _device_as_json(plan: "PlanSummary") -> dict[str, Any]:
    return {
        "disruption": plan.disruption,
        "changes": [
            {"op": change.op, "path": change.path, "disruption": disruption} for change, disruption in plan.rows()
        ],
        "others": [
            {
                "path": each.path,
                "reason": each.reason,
                "adopt": f"{plan.device}:{' / '.join(each.adopt)}",
                "replaced_by": each.in_the_way_of or None,
                "disruption": disruption,
            }
            for each, disruption in plan.others
        ],
    }
