"""``nornir render``: write each device's owned configuration to a file."""

from pathlib import Path
from typing import Annotated

import typer

from nornir_tasks.cli import options


def render(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to; made if need be.")] = Path("out"),
    site: options.Site = "lab",
    plane: options.Plane = None,
    limit: options.Limit = None,
    json: options.Json = False,
) -> None:
    """Write each device's configuration: .cfg for EOS and NX-OS, .yaml for NVUE."""
    from nornir_tasks.cli.console import following, print_json
    from nornir_tasks.cli.console import out as console
    from nornir_tasks.cli.scope import load
    from nornir_tasks.files.artifacts import write_artifacts
    from nornir_tasks.render.render import memory_lines

    scope = load(site)
    wanted = scope.wanted(plane, limit)
    allowed = frozenset(scope.site.intent.allow_memory)
    texts = {
        f"{name}{each.platform.file_suffix}": each.text if not plane else each.platform.to_text(each.tree)
        for name, each in wanted.items()
    }
    with following("writing", len(texts)) as step:
        written = write_artifacts(out, texts, step)
    memory = {name: memory_lines(each.capabilities, allowed) for name, each in wanted.items()}
    adjustments = [note for name in wanted for note in scope.realised[name].adjustments]
    if json:
        notes = [
            {"device": n.device, "field": n.field, "wished": n.wished, "held": n.held, "reason": n.reason}
            for n in adjustments
        ]
        print_json({"files": [str(path) for path in written], "memory_only": memory, "adjustments": notes})
        return
    for name, lines in memory.items():
        for line in lines:
            console.print(f"  {name}: known only from memory, allowed by the intent: {line}", markup=False)
    console.print(f"{len(written)} files in {out}")
