"""``nornir day0`` writes what switches fetch at first boot; ``nornir day0 serve`` hands it out in the lab."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nornir_tasks.cli import options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nornir_tasks.design.capacity.boot_order import Stage
    from nornir_tasks.lab.day0.desk import Handed
    from nornir_tasks.usecases.day0 import Day0Written

app = typer.Typer(
    help="What switches fetch at first boot: scripts, configurations, the DHCP server's part.",
    invoke_without_command=True,
    rich_markup_mode=None,
)
Folder = Annotated[Path, typer.Option("--out", "-o", help="Folder of the files; made if need be.")]
DEFAULT_FOLDER = Path("day0")
MOST_S = 86_400
SHOWN = 12
"""Switches of a stage that are named; JSON has all."""


@app.callback()
def day0(
    context: typer.Context,
    out: Folder = DEFAULT_FOLDER,
    site: options.SiteOfGroup = "lab",
    limit: options.Limit = None,
    fill: Annotated[
        bool, typer.Option("--fill", help="Write tokens and hashes, not their names: for a server of your own.")
    ] = False,
    renew: Annotated[
        list[str] | None, typer.Option("--renew", help="New secrets for this switch, whose token was used.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Exchange files too that were edited since.")] = False,
    json: options.Json = False,
) -> None:
    """Write what each switch fetches at first boot, and the DHCP server's configuration (Kea, dnsmasq).

    Tokens and password hashes are names in these files unless --fill. The same site writes the same files. Then it says
    in which order blank switches can boot, and which has to be brought up by hand.
    """
    from nornir_tasks.cli.console import err, print_json
    from nornir_tasks.cli.console import out as console
    from nornir_tasks.usecases import day0 as usecase
    from nornir_tasks.usecases.site import load, select

    if context.invoked_subcommand is not None:
        return
    options.say_site(context, site)
    made = usecase.prepare(select(load(site), (), limit or ()), frozenset(renew or ()))
    done = usecase.write(made, out, fill=fill, overwrite=overwrite)
    if json:
        print_json("day0", {**_document(done), "order": [_stage(each) for each in made.order]})
        return
    for name in done.unknown_to_dhcp:
        text = f"{name}: left out of DHCP: its system sends no serial number, and devices.yml has no mac"
        err.print(text, soft_wrap=True)
    for path in done.written.changed:
        console.print(f"  changed: {path.name}")
    for path in done.written.removed:
        console.print(f"  removed: {path.name}, of a switch that is gone")
    for path in done.written.left:
        err.print(f"{path}: of no switch of this site any more, but edited since it was written; left")
    console.print(
        f"{len(done.written.files)} files in {out}, {len(done.written.changed)} changed; {len(made.switches)} switches",
    )
    for line in _order(made.order):
        console.print(line, soft_wrap=True)


def _order(stages: "tuple[Stage, ...]") -> "Iterator[str]":
    """One line for each stage; of many switches the first ones."""
    if stages:
        yield "order of first boots; each stage after the first push to the switches of those before it:"
    for number, stage in enumerate(stages, start=1):
        more = f" and {len(stage.switches) - SHOWN} more" if len(stage.switches) > SHOWN else ""
        names = f"{', '.join(stage.switches[:SHOWN])}{more}"
        how = f": by hand, from its console or with its management port at the server, as {stage.by_hand}"
        yield f"  {number}. {names}{how if stage.by_hand else ''}"


def _stage(stage: "Stage") -> dict[str, object]:
    return {"switches": list(stage.switches), "by_hand": stage.by_hand or None}


def _document(done: "Day0Written") -> dict[str, object]:
    paths = {name: getattr(done.written, name) for name in ("files", "changed", "removed", "left")}
    found = {name: [str(path) for path in each] for name, each in paths.items()}
    return {**found, "unknown_to_dhcp": list(done.unknown_to_dhcp)}


@app.command()
def serve(
    out: Folder = DEFAULT_FOLDER,
    site: options.Site = "lab",
    limit: options.Limit = None,
    for_s: Annotated[
        float, typer.Option("--for", min=1, max=MOST_S, help="End after so many seconds at the latest.")
    ] = 3600.0,
    json: options.Json = False,
) -> None:
    """Hand out in the lab, on loopback, what 'nornir day0' wrote: by one-time token, one certificate for each.

    It ends when every switch has its certificate, after the time of --for, or with Ctrl-C.
    """
    from nornir_tasks.cli.console import out as console
    from nornir_tasks.cli.console import print_json
    from nornir_tasks.errors import Problem, UndecidedError
    from nornir_tasks.usecases import day0 as usecase
    from nornir_tasks.usecases.day0_serve import serve as served_by
    from nornir_tasks.usecases.site import load, select

    made = usecase.prepare(select(load(site), (), limit or ()))
    if not json:
        console.print(f"serving {len(made.switches)} switches at {made.server.boot_url}, {made.server.url}")
    done = served_by(made, out, for_s, (lambda _: None) if json else _say)
    if json:
        print_json(
            "day0-serve", {"enrolled": list(done.enrolled), "waiting": list(done.waiting), "refused": done.refused}
        )
    else:
        console.print(f"{len(done.enrolled)} of {len(made.switches)} have their certificate")
    if done.waiting:
        hint = "see its console; nornir day0 serve goes on where it ended"
        raise UndecidedError(
            Problem(each, "did not ask for its certificate in time", hint=hint) for each in done.waiting
        )


def _say(handed: "Handed") -> None:
    from nornir_tasks.cli.console import err, out

    name = handed.device or "an unknown caller"
    if handed.refused:
        err.print(f"  {name}: {handed.what}: refused: {handed.refused}", soft_wrap=True)
    else:
        out.print(f"  {name}: {handed.what}")
