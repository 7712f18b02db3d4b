"""``nornir render``: write each device's owned configuration to a file."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from nornir_tasks.cli import options

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

    Files that an earlier run wrote for switches which the site has no more are removed, unless edited since or --limit
    is given; a hidden list in the folder says which those are. All other files in the folder are left alone.
    """
    from nornir_tasks.cli.console import err, following, print_json
    from nornir_tasks.cli.console import out as console
    from nornir_tasks.cli.scope import load
    from nornir_tasks.files.artifacts import write_artifacts
    from nornir_tasks.render.render import memory_lines

    scope = load(site)
    allowed = frozenset(scope.site.intent.allow_memory)
    memory: dict[str, tuple[str, ...]] = {}
    notes: list[dict[str, str]] = []

    def texts() -> Iterator[tuple[str, str]]:
        for realised, each in scope.one_by_one(plane, limit):
            memory[each.device] = memory_lines(each.capabilities, allowed)
            if json:
                notes.extend(map(asdict, realised.adjustments))
            yield f"{each.device}{each.platform.file_suffix}", each.platform.to_text(each.tree) if plane else each.text

    with following("rendering", scope.count(limit)) as step:
        written = write_artifacts(out, texts(), step, scope.site.name, is_whole=not limit, overwrite=overwrite)
    if json:
        print_json(
            {
                "files": [str(path) for path in written.files],
                "removed": [str(path) for path in written.removed],
                "left": [str(path) for path in written.left],
                "memory_only": memory,
                "adjustments": notes,
            }
        )
        return
    for name, lines in memory.items():
        for line in lines:
            console.print(f"  {name}: known only from memory, allowed by the intent: {line}", markup=False)
    for path in written.left:
        err.print(f"{path}: of no switch of this site any more, but edited since it was rendered; left", markup=False)
    if written.removed:
        names = ", ".join(path.name for path in written.removed)
        console.print(f"{len(written.removed)} removed, of switches that are gone: {names}", markup=False)
    console.print(f"{len(written.files)} files in {out}", markup=False)
