"""``nornir drain`` and ``nornir undrain``: the traffic off a switch and back on it, by its own route maps."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from nornir_tasks.cli import options

if TYPE_CHECKING:
    from nornir_tasks.design.model.drain import Drain
    from nornir_tasks.usecases.drain import Agree, Changing, DrainReport
    from nornir_tasks.usecases.push import PlanReport
    from nornir_tasks.usecases.quiet import Traffic

Device = Annotated[str, typer.Argument(metavar="DEVICE", help="The switch: a leaf, spine, core or edge router.")]
TakeOver = Annotated[bool, typer.Option("--take-over", help="Change or end the drain of another person.")]
OtherChanges = Annotated[
    bool, typer.Option("--with-other-changes", help="Bring what else differs from the intent on this switch, too.")
]


def drain(
    device: Device,
    reason: Annotated[str, typer.Option("--reason", help="Why; it is noted on the switch.")],
    until: Annotated[
        str | None, typer.Option("--until", metavar="TIME", help="When it should end: UTC, as 2030-01-31T08:00Z.")
    ] = None,
    site: options.Site = "lab",
    ticket: options.Ticket = "",
    within: Annotated[
        str, typer.Option("--within", metavar="TIME", help="Wait so long for the traffic to go (5s to 24h).")
    ] = "60s",
    yes: options.Yes = False,
    less_than_declared: Annotated[
        bool,
        typer.Option(
            "--accept-less-than-declared",
            help="Go on though less capacity is left than is declared, or hosts have no other way.",
        ),
    ] = False,
    take_over: TakeOver = False,
    other_changes: OtherChanges = False,
    accept_release: options.AcceptRelease = False,
    unguarded: options.Unguarded = False,
    json: options.Json = False,
) -> None:
    """Have the traffic off a switch: every path through it becomes longer than any other.

    Who drained it, until when and why stands on the switch. Pushes keep a drain, from whatever checkout they come;
    nothing but nornir undrain ends it. Done when the switch's counters show that the traffic is gone.
    """
    from datetime import UTC, datetime

    from nornir_tasks.cli.interrupt import interruptible
    from nornir_tasks.files.person import short_name
    from nornir_tasks.usecases import drain as usecase
    from nornir_tasks.usecases import quiet
    from nornir_tasks.usecases.reach import Reach
    from nornir_tasks.usecases.site import load
    from nornir_tasks.usecases.soak import duration_s

    within_s = duration_s(within, "--within")
    wanted = usecase.drain_for(short_name(), reason, until, datetime.now(UTC))
    design, reach = load(site), Reach(accept_release=accept_release, unguarded=unguarded, message=reason, ticket=ticket)
    leave = usecase.Leave(less_than_declared, take_over, other_changes)
    with interruptible() as on:
        report = usecase.drain(design, device, wanted, reach, leave, _agreeing(yes=yes, json=json), on=on)
        if report.push is not None:
            report.push.require_done()
        traffic = quiet.until_quiet(design, device, reach, within_s, on)
    _print(report, traffic, json=json)
    traffic.require_gone()


def undrain(
    device: Device,
    site: options.Site = "lab",
    message: options.Message = "",
    ticket: options.Ticket = "",
    yes: options.Yes = False,
    take_over: TakeOver = False,
    other_changes: OtherChanges = False,
    accept_release: options.AcceptRelease = False,
    unguarded: options.Unguarded = False,
    json: options.Json = False,
) -> None:
    """Have the traffic back on a switch that was drained."""
    from nornir_tasks.cli.interrupt import interruptible
    from nornir_tasks.files.person import short_name
    from nornir_tasks.usecases import drain as usecase
    from nornir_tasks.usecases.reach import Reach
    from nornir_tasks.usecases.site import load

    reach = Reach(accept_release=accept_release, unguarded=unguarded, message=message, ticket=ticket)
    leave = usecase.Leave(take_over=take_over, other_changes=other_changes)
    with interruptible() as on:
        report = usecase.undrain(load(site), device, short_name(), reach, leave, _agreeing(yes=yes, json=json), on=on)
    if report.push is not None:
        report.push.require_done()
    _print(report, None, json=json)


def _agreeing(*, yes: bool, json: bool) -> "Agree":
    """Show what is left and what would change, and ask the operator."""

    def agree(changing: "Changing", plan: "PlanReport") -> bool:
        from nornir_tasks.cli.console import out
        from nornir_tasks.cli.plan import print_plan
        from nornir_tasks.cli.plan_page import PAGE_LINES
        from nornir_tasks.cli.push import ask

        if not json:
            for line in _about(changing):
                out.print(line, soft_wrap=True)
            print_plan(plan, PAGE_LINES)
        return yes or ask(plan)

    return agree


def _about(changing: "Changing") -> list[str]:
    lines = [f"{changing.device} is {changing.before}"] if changing.before is not None else []
    lines += [f"{name} carries nothing: {why}" for name, why in changing.out.items()]
    lines += [f"{changing.device}: {line}" for line in changing.consequence.lines()] if changing.consequence else []
    return lines


def _print(report: "DrainReport", traffic: "Traffic | None", *, json: bool) -> None:
    from nornir_tasks.cli.console import out, print_json

    changing, changed = report.changing, report.push is not None
    if json:
        print_json("drain", as_json(report, traffic))
        return
    if changing.after is None:
        out.print(f"{changing.device} is drained no more" if changed else f"{changing.device} is not drained")
        return
    again = "" if changed else " already"
    out.print(f"{changing.device} is{again} {changing.after}", soft_wrap=True)
    if traffic is not None and traffic.is_gone:
        out.print(f"the traffic is gone from its {traffic.ports} ports (counted for {traffic.seconds:.0f} s)")


def as_json(report: "DrainReport", traffic: "Traffic | None") -> dict[str, Any]:
    """What was done, as one document."""
    changing = report.changing
    return {
        "device": changing.device,
        "changed": report.push is not None,
        "before": _drain_as_json(changing.before),
        "drain": _drain_as_json(changing.after),
        "consequence": [*changing.consequence.lines()] if changing.consequence else [],
        "out": dict(changing.out),
        "traffic": None
        if traffic is None
        else {
            "gone": traffic.is_gone,
            "seconds": traffic.seconds,
            "ports": traffic.ports,
            "busy_bytes_per_s": dict(traffic.busy),
            "could_not_tell": traffic.unread,
        },
    }


def _drain_as_json(drain: "Drain | None") -> dict[str, Any] | None:
    from nornir_tasks.cli.plan import drain_as_json

    return None if drain is None else drain_as_json(drain)
