"""What verbs write beside their output: the cabling plan and the drawing, verdicts for other programs."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from nornir_tasks.design.model.network import Network
    from nornir_tasks.design.reports.cabling_plan import CableRow
    from nornir_tasks.usecases.verdict_reports import Group

Document = tuple[str | bytes, str]
"""Its text, or its bytes where it is none, and one line that summarises it."""


def check_targets(targets: Mapping[str, str | None], printed: Mapping[str, bool]) -> None:
    """Refuse a command line that wants two documents in one place. ``printed``: options that go to stdout anyway."""
    from nornir_tasks.files.documents import is_stdout

    wanted = [(option, target) for option, target in targets.items() if target is not None]
    on_stdout = [f"{option} {target}" for option, target in wanted if is_stdout(target)]
    on_stdout += [option for option, is_wanted in printed.items() if is_wanted and on_stdout]
    if len(on_stdout) > 1:
        raise typer.BadParameter(f"{' and '.join(on_stdout)} would mix on stdout; write one of them to a file")
    if not on_stdout and len({Path(target).resolve() for _, target in wanted}) < len(wanted):
        raise typer.BadParameter(f"{' and '.join(targets)} name one file; give each its own")


def write_targets(network: "Network", targets: Mapping[str, str | None]) -> list[str]:
    """Write the requested documents; return a line about each file, none for stdout."""
    from nornir_tasks.files.documents import is_stdout, write_documents

    lines: list[str] = []
    files: dict[Path, str | bytes] = {}
    for option, target in targets.items():
        if target is None:
            continue
        content, what = _MAKERS[option](network)
        if is_stdout(target):
            _print(content)
        else:
            files[Path(target)] = content
            lines.append(f"{target}: {what}")
    write_documents(files)
    return lines


def write_verdicts(targets: Mapping[str, str | None], verb: str, site: str, groups: "Iterable[Group]") -> list[str]:
    """Write verdicts as JUnit's XML and as SARIF; a line about each file, none for stdout."""
    from nornir_tasks.usecases.verdict_reports import FORMS

    if not any(targets.values()):
        return []
    every = tuple(groups)
    wanted = ((FORMS[option], target) for option, target in targets.items() if target is not None)
    return [line for form, target in wanted for line in write_document(target, (form(verb, site, every), "verdicts"))]


def write_document(target: str, document: Document) -> tuple[str, ...]:
    """Write one document; return the line about its file, none for stdout."""
    from nornir_tasks.files.documents import is_stdout, write_documents

    content, what = document
    if is_stdout(target):
        _print(content)
        return ()
    write_documents({Path(target): content})
    return (f"{target}: {what}",)


@contextmanager
def keeping() -> Iterator[None]:
    """Here what a verb found is kept for ``nornir report``: where that fails, the verb warns, and ends as it would."""
    from nornir_tasks.cli.console import err
    from nornir_tasks.errors import LocalError

    try:
        yield
    except LocalError as error:
        for each in error.problems:
            err.print(f"warning: {each.where}: {each.what}; {each.hint}")


def _print(content: str | bytes) -> None:
    if isinstance(content, str):
        sys.stdout.write(content)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(content)


def _cabling(network: "Network") -> Document:
    from nornir_tasks.design.reports.cabling_plan import cabling_csv, cabling_plan

    rows = cabling_plan(network)
    return cabling_csv(rows), _to_buy(network, rows)


def _cabling_workbook(network: "Network") -> Document:
    from nornir_tasks.design.reports.cabling_plan import cabling_plan, cabling_workbook
    from nornir_tasks.files.zipped import zipped

    rows = cabling_plan(network)
    return zipped(cabling_workbook(rows)), _to_buy(network, rows)


def _to_buy(network: "Network", rows: "tuple[CableRow, ...]") -> str:
    from nornir_tasks.design.reports.cabling_plan import parts

    needed = [
        f"{count} x {part}" + (f" of {length_m} m" if length_m else "")
        for (part, length_m), count in parts(rows).items()
    ]
    return f"{len(network.cables)} cables: {', '.join(needed)}"


def _drawing(network: "Network") -> Document:
    from nornir_tasks.design.reports.drawing_layout import drawing

    planes = "plane" if len(network.planes) == 1 else "planes"
    return drawing(network), f"drawing of {len(network.planes)} {planes}, {len(network.devices):,} switches"


_MAKERS = {"--csv": _cabling, "--xlsx": _cabling_workbook, "--svg": _drawing}
