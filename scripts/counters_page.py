"""docs/counters.md: which counter is read on which system, from where, since when, and what is not read.

python scripts/counters_page.py            compare; ends with 1 where the page is another one
python scripts/counters_page.py --write    write the page again
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from made_page import compare_or_write

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "counters.md"
TABLE = ROOT / "tests/corpus/counters/counters.tsv"
SYSTEMS = {
    "nvue": "Cumulus Linux (NVUE)",
    "eos": "Arista EOS",
    "nxos": "Cisco NX-OS",
    "mlx5": "Hosts (NICs of mlx5, NVIDIA's GPUs)",
}
OF_HOSTS = "of hosts alone"

HEAD = """\
# Counters

Made by `.venv/bin/python scripts/counters_page.py --write` from `tests/corpus/counters/counters.tsv`; `make check`
compares, and tests hold the readers to the table.

Switches and hosts are read into one shape: a counter, a place (port, and priority, queue or lane) and a value. A
counter that a system does not show is *not read* there, with the reason; it is never taken for zero. A value that is
absent from an answer is zero only where the source says so. An answer that is half, garbled or of another release is
named with the place; everything beside it is read.

*grade*, best first: *recorded*: printed by a device or tool, and published. *lab*: a published program reads it on a
device. *manual*: keys or rows of a vendor's manual. *reader*: a published program reads it, and no print of it exists.
None of these was seen on hardware by this project ([not shown](not-shown.md)). *Document N* is a file of a public
index of repositories.

EOS counts marks only with `policy: {telemetry: {counters: true}}` ([intent](intent.md)). It adds a line to each queue
that marks, on Jericho one more for the switch. An ASIC has few such counters and shares them with access lists; a push
of these lines disturbs packets for a moment. Cumulus Linux and NX-OS need no line.

## At a glance

"""
LINES = "| counter | request | where in the answer | unit, by | needs | since | grade |\n"


class Row(NamedTuple):
    """One cell of counter x system."""

    counter: str
    system: str
    since: str
    request: str
    path: str
    unit: str
    index: str
    absence: str
    needs: str
    grade: str
    source: str

    @property
    def is_read(self) -> bool:
        """Is it read on this system?"""
        return self.request != "not read"


def rows() -> tuple[Row, ...]:
    """The whole table. Raises ValueError where its heading is another one."""
    lines = [each for each in TABLE.read_text(encoding="utf-8").splitlines() if not each.startswith("#")]
    if lines[0].split("\t") != list(Row._fields):
        message = f"{TABLE}: its columns should be {', '.join(Row._fields)}"
        raise ValueError(message)
    return tuple(Row(*line.split("\t")) for line in lines[1:])


def page() -> str:
    """The whole page."""
    found = rows()
    return "".join((HEAD, *_glance(found), *(part for system in SYSTEMS for part in _system(system, found))))


def _glance(found: tuple[Row, ...]) -> Iterator[str]:
    cells = {(row.counter, row.system): row for row in found}
    yield f"| counter | {' | '.join(SYSTEMS)} |\n|---|{'---|' * len(SYSTEMS)}\n"
    for counter in dict.fromkeys(row.counter for row in found):
        shown = (cells[counter, system] for system in SYSTEMS)
        grades = (row.grade if row.is_read else "" if row.source == OF_HOSTS else "not read" for row in shown)
        yield f"| {counter} | {' | '.join(grades)} |\n"


def _system(system: str, found: tuple[Row, ...]) -> Iterator[str]:
    own = [row for row in found if row.system == system]
    yield f"\n## {SYSTEMS[system]}\n\n{LINES}|---|---|---|---|---|---|---|\n"
    for row in (each for each in own if each.is_read):
        by = "the port" if row.index == "-" else row.index
        cells = (row.counter, f"`{row.request}`", f"`{row.path}`", f"{row.unit}, {by}", row.needs, row.since, row.grade)
        yield f"| {' | '.join(_cell(each) for each in cells)} |\n"
    yield "\nAbsent, other than *not read*: "
    absences = [f"{row.counter}: {row.absence}" for row in own if row.is_read and row.absence != "not read"]
    yield f"{'; '.join(absences) or 'none'}.\n\nSources:\n\n"
    for source in dict.fromkeys(row.source for row in own if row.is_read):
        counters = ", ".join(row.counter for row in own if row.is_read and row.source == source)
        yield f"- {counters}: {source}.\n"
    missing = [row for row in own if not row.is_read and row.source != OF_HOSTS]
    if missing:
        yield "\nNot read:\n\n"
        yield from (f"- {row.counter}: {row.source}.\n" for row in missing)


def _cell(text: str) -> str:
    return "" if text == "-" else text.replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(compare_or_write(PAGE, page(), "made from the table of counters"))
