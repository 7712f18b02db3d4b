"""``nornir lab probe``: packets between two hosts of a routed lab, and what became of them."""

from typing import TYPE_CHECKING, Annotated

import typer

from nornir_tasks.cli import options

if TYPE_CHECKING:
    from nornir_tasks.usecases.lab.probe import Probe

_HOST = "HOST:PORT, or a host: its first port with an address."


def probe(
    source: Annotated[str, typer.Argument(help=f"From where: {_HOST}", metavar="FROM")],
    target: Annotated[str, typer.Argument(help=f"To where: {_HOST}", metavar="TO")],
    seconds: Annotated[float, typer.Option(min=0.1, max=600, help="For how long.")] = 5.0,
    site: options.Site = "lab",
    json: options.Json = False,
) -> None:
    """Send 1000 packets a second, of 16 flows, between two hosts of a routed lab; needs root.

    Prints how many were lost and when, and how many packets each spine sent to the target's leaf. Break the lab
    meanwhile: nornir lab kill, freeze, cut, loss.
    """
    from nornir_tasks.usecases.lab import probe as lab_probe

    found = lab_probe.probe(site, source, target, seconds)
    if json:
        _print_json(found)
    else:
        _print(found)


def _print_json(found: "Probe") -> None:
    from dataclasses import asdict

    from nornir_tasks.cli.console import print_json

    print_json("lab-probe", {**asdict(found), "window_ms": found.window_ms})


def _print(found: "Probe") -> None:
    from nornir_tasks.cli.console import out

    ends = " to ".join(":".join(each) for each in (found.source, found.target))
    out.print(f"{ends}: {found.sent} packets sent in {found.flows} flows, {found.lost} lost")
    if found.lost:
        when = f"within {found.window_ms} ms, from {found.lost_from_ms} ms to {found.lost_to_ms} ms after the start"
        out.print(f"lost {when}, of {found.lost_flows} flows")
    if found.crossed:
        each = ", ".join(f"{name} {packets}" for name, packets in found.crossed.items())
        out.print(f"crossed: {each} (as kernels count, BGP and BFD included)")
    else:
        out.print("crossed: no spine, as both are on one switch")
    if found.was_late:
        out.print(f"this machine had too much to do: packets went out up to {found.late_ms:.0f} ms late")
