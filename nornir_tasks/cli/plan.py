"""``nornir plan``: what a push would change, switch by switch, and how disruptive that is."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from nornir_tasks.cli import options

if TYPE_CHECKING:
    from nornir_tasks.deploy.plan import DevicePlan
    from nornir_tasks.errors import Problem


def plan(
    site: options.Site = "lab",
    plane: options.Plane = None,
    limit: options.Limit = None,
    allow_management: options.AllowManagement = None,
    accept_release: options.AcceptRelease = False,
    workers: options.Workers = 64,
    json: options.Json = False,
) -> None:
    """Read the switches and show what a push would change. Nothing is sent to them but reads."""
    from nornir_tasks.cli.console import print_json
    from nornir_tasks.cli.fleet import Choice, chosen, fleet, require_all, run_all

    choice = Choice(frozenset(allow_management or ()), accept_release, workers)
    scope, wanted = chosen(site, plane, limit, choice)
    with fleet(scope, wanted, choice) as switches:
        plans = require_all(run_all("reading", len(wanted), switches.plan))
    if json:
        print_json(plans_as_json(plans))
    else:
        print_plans(plans)


def print_plans(plans: "Mapping[str, DevicePlan]", most_lines: int | None = None) -> None:
    """Each changing switch with its lines (at most so many), then the sum."""
    from rich.markup import escape

    from nornir_tasks.cli.console import out

    changing = {name: each for name, each in plans.items() if each.changes}
    for name, each in changing.items():
        out.print(f"[bold]{name}[/]  {len(each.changes)} lines, at worst: {each.disruption}")
        rows = list(zip(each.changes, each.disruptions, strict=True))
        for change, disruption in rows[:most_lines]:
            colour = "green" if change.op == "+" else "red"
            tag = "" if disruption.severity == 0 else f"   <- {disruption}"
            out.print(f"  [{colour}]{escape(str(change))}[/]{tag}")
        if most_lines is not None and len(rows) > most_lines:
            out.print(f"  and {len(rows) - most_lines} more lines; nornir plan --limit {name} shows them all")
    out.print(f"{len(changing)} of {len(plans)} switches would change")
    for problem in unfinished(plans).values():
        out.print(f"{problem.where}: {problem.what}", markup=False)
    if waiting := need_reload(changing):
        out.print(f"{len(waiting)} of them must be reloaded before all of it is in effect: {', '.join(waiting)}")


def unfinished(plans: "Mapping[str, DevicePlan]") -> "dict[str, Problem]":
    """The switches whose change is not through: a commit that waits for its timer, or what is wanted runs unsaved."""
    from nornir_tasks.deploy.problems import unconfirmed, unsaved

    found = {name: unconfirmed(name, each.waiting) for name, each in plans.items() if each.waiting is not None}
    return {name: unsaved(name) for name, each in plans.items() if not (each.is_saved or each.changes)} | found


def need_reload(plans: "Mapping[str, DevicePlan]") -> list[str]:
    """The switches of which some line takes effect at a reload only, sorted."""
    from nornir_tasks.design.capabilities import Disruption

    return sorted(name for name, each in plans.items() if each.disruption is Disruption.RELOAD)


def plans_as_json(plans: "Mapping[str, DevicePlan]") -> dict[str, Any]:
    """The same as one document."""
    return {
        "changing": sum(bool(each.changes) for each in plans.values()),
        "need_reload": need_reload(plans),
        "unconfirmed": {
            name: {"commit": each.waiting.token, "left_s": each.waiting.left_s}
            for name, each in plans.items()
            if each.waiting is not None
        },
        "unsaved": [name for name, each in plans.items() if not each.is_saved],
        "devices": {
            name: {
                "disruption": each.disruption,
                "changes": [
                    {"op": change.op, "path": change.path, "disruption": disruption}
                    for change, disruption in zip(each.changes, each.disruptions, strict=True)
                ],
            }
            for name, each in plans.items()
        },
    }
