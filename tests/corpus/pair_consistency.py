"""Reads the table of what both switches of a pair compare (pairs/consistency.tsv)."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

TABLE = Path(__file__).parent / "pairs/consistency.tsv"


@dataclass(frozen=True, slots=True)
class Row:
    """One row, in the words of the table's head."""

    os: str
    row: str
    scope: str
    kind: str
    conflict: str
    action: str
    twin: str
    mark: str
    source: str


def read_rows() -> list[Row]:
    """All rows, in the table's order."""
    lines = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return [Row(**each) for each in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]
