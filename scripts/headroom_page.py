"""docs/headroom.md: what lossless cables take, where each figure is from, and how it differs from what is published.

python scripts/headroom_page.py            compare; ends with 1 where the page is another one
python scripts/headroom_page.py --write    write the page again
"""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from made_page import compare_or_write

from nornir_tasks.design.model.catalogue import SwitchModel
from nornir_tasks.design.model.headroom import (
    CableFacts,
    Formula,
    HeadroomSource,
    PortCable,
    configured_bytes,
    configured_m,
)
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.platforms import platforms
from nornir_tasks.platforms.eos import headroom as eos
from nornir_tasks.platforms.nvue import headroom as nvue
from nornir_tasks.platforms.platform import Platform

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "headroom.md"
RECORDED = ROOT / "tests/recorded/headroom/pg_profiles.tsv"
LENGTHS_M = (3, 40, 100, 200, 500, 2000)
SOURCES: Mapping[str, HeadroomSource] = {
    asic: facts.source for asic, facts in {**eos.BY_ASIC, **nvue.BY_ASIC}.items() if facts.source is not None
}

HEAD = """\
# Headroom of lossless cables

Made by `.venv/bin/python scripts/headroom_page.py --write` from `nornir_tasks/platforms/*/headroom.py`, the catalogue
and the published rows in `tests/recorded/headroom/`; `make check` compares.

Headroom is what still arrives at a port after it said pause. It grows with speed and length. Both switches of a cable
and the NIC at a host take the length from the cabling plan (`cable_m`). `nornir design --explain` has the figures of a
site, `nornir prove --only headroom-fits` judges rendered or running lines. What silicon does with them was not tested.

## What becomes of a lossless cable

*own*: the system's own headroom is enough and nothing is configured. *length*: the switch is told this length. A
number: bytes of one lossless priority that the switch is told, with port and class MTU of the tables (9100 and 1024).
*refused*: no source has a figure, so the design is refused with the reason and the nearest length that can be built.
"""
WHY = """
## Why a length is refused, and what is taken for granted

"""
ROWS = """
## Published rows compared

Every row of `pg_profile_lookup.ini` in sonic-net/sonic-buildimage at 086b03bd that is recorded, `xoff` in bytes. *used*
is what `nornir` takes for the same speed and length. Tables for shared headroom pools (SN5600-C256S1, -V256,
SN5610N-C224O8, SN4700-O8C48) size a port for less than its worst case and are not used. Of Spectrum-3 and Tomahawk 5
several tables are merged, the greater figure each, within the range of the longest that never falls with length; a
table of one length for all cables has more for short ones. *formula* is that of sonic-swss with the ASIC's cell: of
Spectrum-4 it is used, of the others it is shown for comparison, and is not met.
"""


class Row(NamedTuple):
    """One published profile."""

    asic: str
    table: str
    speed_gbps: int
    cable_m: int
    xoff_bytes: int

    @property
    def port(self) -> PortCable:
        """The port it is for."""
        return PortCable(self.speed_gbps, self.cable_m)


def rows() -> Iterator[Row]:
    """All that are recorded, of 1G and more."""
    for line in [each for each in RECORDED.read_text().splitlines() if not each.startswith("#")][1:]:
        asic, table, speed, metres, _, _, xoff = line.split("\t")
        if int(speed) >= 1000:
            yield Row(asic, table, int(speed) // 1000, int(metres), int(xoff))


def page() -> str:
    """The whole page."""
    return "".join((HEAD, *_models(), WHY, *_reasons(), ROWS, *_compared()))


def _systems() -> Iterator[tuple[SwitchModel, Platform, CableFacts]]:
    for model in load_catalogue().switches.values():
        for os in sorted(model.os):
            each = platforms()[os]
            try:
                known = each.facts.capabilities(each.facts.releases[-1], model.asic_under(os))
            except KeyError:  # a model without capabilities is refused in a fabric of ours
                continue
            yield model, each, known.cables


def _models() -> Iterator[str]:
    yield "\n| model | system | ASIC | speed | " + " | ".join(f"{each} m" for each in LENGTHS_M) + " |\n"
    yield "|---|---|---|---|" + "---|" * len(LENGTHS_M) + "\n"
    for model, each, facts in _systems():
        for speed in sorted({mode.speed_gbps for group in model.ports for mode in group.modes}):
            cells = " | ".join(_verdict(facts, PortCable(speed, metres)) for metres in LENGTHS_M)
            yield f"| {model.model} | {each.facts.os} | {model.asic_under(each.facts.os)} | {speed}G | {cells} |\n"


def _verdict(facts: CableFacts, cable: PortCable) -> str:
    if cable.cable_m <= facts.own_m:
        return "own"
    longest = facts.longest_m(cable.speed_gbps)
    if longest is not None and cable.cable_m > longest:
        return "refused"
    found = configured_bytes([cable], facts)
    return f"{found:,}" if found is not None else "length" if configured_m([cable], facts) else "own"


def _reasons() -> Iterator[str]:
    known: dict[tuple[str, str], CableFacts] = {}
    for model, each, facts in _systems():
        known.setdefault((each.facts.os, model.asic_under(each.facts.os)), facts)
    yield "| system | ASIC | own headroom up to | who says so | beyond | source of figures |\n" + "|---" * 6 + "|\n"
    for (os, asic), facts in sorted(known.items(), key=lambda item: item[0]):
        source = facts.source.source if facts.source is not None else "none"
        beyond = facts.gap or ("any length" if isinstance(facts.source, Formula) else _ends(facts))
        yield f"| {os} | {asic} | {facts.own_m} m | {facts.own_source} | {beyond} | {source} |\n"


def _ends(facts: CableFacts) -> str:
    points = getattr(facts.source, "points", {})
    return "tables end at " + ", ".join(f"{speed}G {facts.longest_m(speed)} m" for speed in points)


def _compared() -> Iterator[str]:
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows():
        groups.setdefault((row.asic, row.table), []).append(row)
    yield (
        "\n| ASIC | table | rows | equal | within 1 KiB | more in the table | less in the table | refused |\n"
        + "|---" * 8
        + "|\n"
    )
    apart = list[str]()
    for (asic, table), found in groups.items():
        used = {row: _used(row) for row in found}
        differences = [each - row.xoff_bytes for row, each in used.items() if each is not None]
        counts = (
            len(found),
            sum(each == 0 for each in differences),
            sum(0 < abs(each) <= 1024 for each in differences),
            sum(each < -1024 for each in differences),
            sum(each > 1024 for each in differences),
            len(found) - len(differences),
        )
        yield f"| {asic} | {table} | " + " | ".join(map(str, counts)) + " |\n"
        apart += [_line(row, each) for row, each in used.items() if each != row.xoff_bytes]
    yield f"\n{sum(map(len, groups.values()))} rows, {len(apart)} of which differ:\n\n"
    yield "| ASIC | table | speed | m | published | used | difference | formula |\n" + "|---" * 8 + "|\n"
    yield from apart
    yield "\nRows that are used as they are, and the formula beside them:\n\n"
    yield "| ASIC | table | speed | m | published | formula | difference |\n" + "|---" * 7 + "|\n"
    for found in groups.values():
        for row in found:
            formula = _formula(row)
            if _used(row) == row.xoff_bytes and row.asic != "spectrum4" and formula is not None:
                cells = f"{row.xoff_bytes:,} | {formula:,} | {formula - row.xoff_bytes:+,}"
                yield f"| {row.asic} | {_short(row)} | {row.speed_gbps}G | {row.cable_m} | {cells} |\n"


def _line(row: Row, used: int | None) -> str:
    formula = _formula(row)
    spelled = "-" if formula is None else f"{formula:,}"
    own = "refused | -" if used is None else f"{used:,} | {used - row.xoff_bytes:+,}"
    figures = f"{row.xoff_bytes:,} | {own} | {spelled}"
    return f"| {row.asic} | {_short(row)} | {row.speed_gbps}G | {row.cable_m} | {figures} |\n"


def _short(row: Row) -> str:
    *_, folder, name = row.table.split("/")
    return name if len(name) > 1 else f"{folder}/{name}"


def _used(row: Row) -> int | None:
    """What is used for the same port; None: a length that is refused."""
    found = SOURCES[row.asic].headroom(row.port)
    return None if found is None else found.xoff_bytes


CELL_BYTES = {"spectrum1": 96, "spectrum2": 144, "spectrum3": 144, "spectrum4": 192}


def _formula(row: Row) -> int | None:
    """NVIDIA's formula, for NVIDIA's ASICs."""
    if row.asic not in CELL_BYTES:
        return None
    own = nvue.SPECTRUM4
    made = Formula(
        CELL_BYTES[row.asic],
        own.pipeline_bytes,
        own.mac_phy_bytes,
        own.tile_ns if row.asic == "spectrum4" else 0,
        own.source,
    )
    found = made.headroom(row.port)
    return None if found is None else found.xoff_bytes


if __name__ == "__main__":
    sys.exit(compare_or_write(PAGE, page(), "as figures and published rows say"))
