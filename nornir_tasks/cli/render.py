"""``nornir render``: write each device's owned configuration to a file."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nornir_tasks.cli import options

if TYPE_CHECKING:
    from nornir_tasks.usecases.render import Rendered

Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Exchange files too that were edited since, or that no render wrote.")
]


def render(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to; made if need be.")] = Path("out"),
    site: options.Site = "lab",
    plane: options.Plane = None,
    limit: options.Limit = None,
    overwrite: Overwrite = False,
    json: options.Json = False,
) -> None:
    """Write each device's configuration: .cfg for EOS and NX-OS, .yaml for NVUE.

    Files of an earlier run for switches that the site no longer has are removed, unless edited since or --limit is
    given; a hidden file in the folder lists them. All other files in the folder are left alone.
    """
    from nornir_tasks.cli.console import err, print_json
    from nornir_tasks.cli.console import out as console
    from nornir_tasks.cli.progress import Display
    from nornir_tasks.usecases import render as usecase
    from nornir_tasks.usecases.site import load, select

    selection = select(load(site), plane or (), limit or ())
    memory: dict[str, tuple[str, ...]] = {}
    notes: list[dict[str, str]] = []

    def noted() -> "Iterator[Rendered]":
        for each in usecase.render(selection):
            memory[each.device] = each.memory_lines
            if json:
                notes.extend(map(asdict, each.adjustments))
            yield each

    written = usecase.write(selection, noted(), out, Display(), overwrite=overwrite)
    if json:
        print_json(
            "render",
            {
                "files": [str(path) for path in written.files],
                "removed": [str(path) for path in written.removed],
                "left": [str(path) for path in written.left],
                "memory_only": memory,
                "adjustments": notes,
            },
        )
        return
    for name, lines in memory.items():
        for line in lines:
            console.print(f"  {name}: known only from memory, allowed by the intent: {line}")
    for path in written.left:
        err.print(f"{path}: of no switch of this site any more, but edited since it was rendered; left")
    if written.removed:
        names = ", ".join(path.name for path in written.removed)
        console.print(f"{len(written.removed)} removed, of switches that are gone: {names}")
    console.print(f"{len(written.files)} files in {out}")
