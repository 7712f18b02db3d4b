"""``nornir lab cut, swap, loss, kill, freeze, revive, impair, mend``: break the lab on purpose, and mend it."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from nornir_tasks.cli import options

if TYPE_CHECKING:
    from nornir_tasks.lab.faults import Fault
    from nornir_tasks.usecases.lab.faults import Change
    from nornir_tasks.usecases.progress import Event

SHOWN = 12
"""Of more faults, so many lines and a number are printed; --json has all."""

_CABLE = "A cable as in the cabling plan, or SWITCH:PORT or HOST:PORT at either end."
Cable = Annotated[str, typer.Argument(help=_CABLE, metavar="CABLE")]
Switch = Annotated[str, typer.Argument(help="The switch.", metavar="SWITCH")]


def cut(
    cable: Cable,
    far_end: Annotated[str, typer.Argument(help="The other end, to be sure: SWITCH:PORT.", metavar="[END]")] = "",
    site: options.Site = "lab",
    json: options.Json = False,
) -> None:
    """Cut a cable: both its ends lose their carrier. A breakout cable is cut with all its legs."""
    from nornir_tasks.usecases.lab import faults as lab_faults

    _report(lab_faults.cut(site, cable, far_end, _waiting), json=json)


def swap(cable: Cable, other: Cable, site: options.Site = "lab", json: options.Json = False) -> None:
    """Swap the far ends of two cables, as a technician might by mistake; those to hosts too. 'mend' swaps them back."""
    from nornir_tasks.usecases.lab import faults as lab_faults

    _report(lab_faults.swap(site, cable, other, _waiting), json=json)


def kill(switch: Switch, site: options.Site = "lab", json: options.Json = False) -> None:
    """Take a switch's power: it answers no more, its neighbours lose their carrier, what it has not saved is lost."""
    from nornir_tasks.usecases.lab import faults as lab_faults

    _report(lab_faults.kill(site, switch, _waiting), json=json)


def freeze(switch: Switch, site: options.Site = "lab", json: options.Json = False) -> None:
    """Hang a switch: it takes connections and answers nothing, its neighbours hear nothing, its ports stay up."""
    from nornir_tasks.usecases.lab import faults as lab_faults

    _report(lab_faults.freeze(site, switch, _waiting), json=json)


def revive(switch: Switch, site: options.Site = "lab", json: options.Json = False) -> None:
    """Give a killed switch its power: it boots with its startup configuration."""
    from nornir_tasks.usecases.lab import faults as lab_faults

    _report(lab_faults.revive(site, switch, _waiting), json=json)


def mend(
    name: Annotated[str, typer.Argument(help="A cable, switch, host or port; without it, all.", metavar="[NAME]")] = "",
    site: options.Site = "lab",
    json: options.Json = False,
) -> None:
    """Undo what was broken: of one cable, switch, host or port, or all."""
    from nornir_tasks.usecases.lab import faults as lab_faults

    _report(lab_faults.mend(site, name, _waiting), json=json)


def loss(
    cable: Cable,
    share: Annotated[str, typer.Argument(help="How many of the packets, in percent.", metavar="PERCENT")],
    site: options.Site = "lab",
    json: options.Json = False,
) -> None:
    """Lose packets on a cable, each by chance and both ways. Needs a routed lab (lab up --routed)."""
    from nornir_tasks.usecases.lab import faults as lab_faults

    _report(lab_faults.lose(site, cable, share, _waiting), json=json)


def delay(
    cable: Cable,
    time_ms: Annotated[str, typer.Argument(help="Time to hold back each packet, in milliseconds.", metavar="MS")],
    site: options.Site = "lab",
    json: options.Json = False,
) -> None:
    """Hold back every packet on a cable, each way. Needs a routed lab on a kernel with netem; refused elsewhere."""
    from nornir_tasks.usecases.lab import faults as lab_faults

    _report(lab_faults.delay(site, cable, time_ms, _waiting), json=json)


def impair(
    kind: Annotated[str, typer.Argument(help="What is wrong (docs/faults.md).", metavar="KIND")],
    place: Annotated[str, typer.Argument(help="Where: SWITCH, HOST, SWITCH:PORT or HOST:PORT.", metavar="PLACE")],
    amount: Annotated[str, typer.Argument(help="How much, in the unit of the kind.", metavar="[AMOUNT]")] = "",
    site: options.Site = "lab",
    json: options.Json = False,
) -> None:
    """Let a port, an optic, a queue or a NIC work badly, so that counters show it; 'mend' undoes it.

    pause-storm, ignores-cnps, wrong-class: of hosts. no-marks, no-pause: of switches. drops, dead-member, flaps,
    fec-corrected, fec-uncorrected, symbol-errors, crc-errors, hot-optic, low-light: of a switch's port.
    """
    from nornir_tasks.usecases.lab import faults as lab_faults

    _report(lab_faults.impair(site, kind, place, amount, _waiting), json=json)


def as_json(faults: "Iterable[Fault]") -> list[dict[str, object]]:
    """What is broken: how, and the names of cables or of a switch."""
    return [
        {
            "fault": each.kind,
            "names": list(each.names),
            **({"ends": list(each.ends)} if each.ends else {}),
            **({"percent": each.percent} if each.percent else {}),
            **({"delay_ms": each.delay_ms} if each.delay_ms else {}),
            **({"what": each.what, "amount": each.amount} if each.what else {}),
        }
        for each in faults
    ]


def print_in_force(faults: "Iterable[Fault]") -> None:
    """What is broken, and how to mend it; nothing where nothing is."""
    from nornir_tasks.cli.commands import runnable
    from nornir_tasks.cli.console import out

    lines = [str(each) for each in faults]
    if not lines:
        return
    out.print(f"broken on purpose ({len(lines)}; {runnable('nornir lab mend')} undoes all):")
    _print_lines(lines, "  ")


def _report(change: "Change", *, json: bool) -> None:
    from nornir_tasks.cli.console import out, print_json

    if json:
        print_json(
            "lab-fault",
            {
                "changed": bool(change.made or change.mended),
                "broken": as_json(change.made),
                "mended": as_json(change.mended),
                "faults": as_json(change.in_force),
            },
        )
        return
    if change.as_before:
        out.print(f"nothing changed: {change.as_before}")
    _print_lines([str(each) for each in change.made])
    _print_lines([f"no more: {each}" for each in change.mended])


def _print_lines(lines: list[str], indent: str = "") -> None:
    from nornir_tasks.cli.console import out

    for line in lines[:SHOWN]:
        out.print(f"{indent}{line}")
    if len(lines) > SHOWN:
        out.print(f"{indent}and {len(lines) - SHOWN} more (--json has all)")


def _waiting(event: "Event") -> None:
    """Say that another command works on the lab."""
    from nornir_tasks.cli.console import err
    from nornir_tasks.usecases.lab.up_down import LabMessage

    if isinstance(event, LabMessage):
        err.print(event.line)
