"""What ``nornir design`` writes for people and spreadsheets: the cabling plan, the drawing."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from nornir_tasks.design.fabric import Fabric

STDOUT = "-"

Document = tuple[str, str]
"""Its text, and one line that says what is in it."""


def check_stdout(targets: Mapping[str, str | None], printed: Mapping[str, bool]) -> None:
    """Refuse a command line that asks for two documents on stdout. ``printed``: options that print there anyway."""
    asked = [f"{option} -" for option, target in targets.items() if target == STDOUT]
    asked += [option for option, wanted in printed.items() if wanted and asked]
    if len(asked) > 1:
        raise typer.BadParameter(f"{' and '.join(asked)} would mix on stdout; write one of them to a file")


def write_documents(fabric: "Fabric", targets: Mapping[str, str | None]) -> list[str]:
    """Write what is asked for by option; return a line about each file. What goes to stdout has no line."""
    from nornir_tasks.files.artifacts import write_document

    lines = []
    for option, target in targets.items():
        if target is None:
            continue
        text, what = _MAKERS[option](fabric)
        if target == STDOUT:
            sys.stdout.write(text)
        else:
            write_document(Path(target), text)
            lines.append(f"{target}: {what}")
    return lines


def _cabling(fabric: "Fabric") -> Document:
    from nornir_tasks.design.cabling_plan import cabling_csv, cabling_plan, parts

    rows = cabling_plan(fabric)
    needed = [
        f"{count} x {part}" + (f" of {length_m} m" if length_m else "")
        for (part, length_m), count in parts(rows).items()
    ]
    return cabling_csv(rows), f"{len(fabric.cables)} cables: {', '.join(needed)}"


def _drawing(fabric: "Fabric") -> Document:
    from nornir_tasks.design.drawing import drawing

    planes = "plane" if len(fabric.planes) == 1 else "planes"
    return drawing(fabric), f"drawing of {len(fabric.planes)} {planes}, {len(fabric.devices):,} switches"


_MAKERS = {"--csv": _cabling, "--svg": _drawing}
