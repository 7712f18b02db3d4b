"""The cabling plan for technicians: one row for each leg of each cable.

A cable of one link is one row. A breakout is one row per leg, all with the cable's id; an end in a split cage has its
leg's number (from 1), an end in a cage of its own has none. A jumper between twin-port optics is a cable of one row,
and the leg on its label is the connector that it is plugged into.
"""

import csv
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from operator import attrgetter

from nornir_tasks.design.model.links import Cable, Endpoint, Link
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.model.order import natural_key
from nornir_tasks.design.model.places import Place
from nornir_tasks.design.reports.spreadsheet import as_cell
from nornir_tasks.design.reports.transceivers import leg_of
from nornir_tasks.design.reports.workbook import workbook


@dataclass(frozen=True, slots=True)
class CableRow:
    """One leg of one cable. A is the upper end (spine over leaf, leaf over host). Undeclared values are None."""

    cable: str
    plane: str
    a_rack: str | None
    a_unit: int | None
    a_device: str
    a_port: str
    a_leg: int | None
    b_rack: str | None
    b_unit: int | None
    b_device: str
    b_port: str
    b_leg: int | None
    label: str
    """The label at each end: cable, A end, B end; a bar stands for a new line."""
    medium: str | None
    length_m: int | None
    part: str | None
    """Class of the part to buy: ``200G-AOC``, ``400G-DR4`` (an optic for each end, and fibre), ``400G-DAC-2x200G``;
    ``400G-2xDR4-jumper``, ``400G-2xDR4-splitter-2x200G`` (fibre alone, as an optic has several)."""


COLUMNS = tuple(field.name for field in fields(CableRow))


def cabling_plan(network: Network) -> tuple[CableRow, ...]:
    """Every cable of the site with both its ends, in natural order of plane, cable and leg."""
    links = {link.name: link for link in network.links}
    rows = (row for cable in network.cables for row in _rows(cable, links, network.places))
    return tuple(sorted(rows, key=_order))


def cabling_csv(rows: tuple[CableRow, ...]) -> str:
    """The rows as CSV with a header (RFC 4180 quoting); an unknown value is an empty field.

    Text that a spreadsheet would take for a number or a date has an apostrophe in front
    (``design/reports/spreadsheet.py``).
    """
    text = _Text([])
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    values = map(attrgetter(*COLUMNS), rows)
    writer.writerows([as_cell(each) if isinstance(each, str) else each for each in row] for row in values)
    return "".join(text.lines)


def cabling_workbook(rows: tuple[CableRow, ...]) -> dict[str, str]:
    """The same table as the parts of a workbook, in which all text is as it stands in the intent."""
    return workbook("cables", COLUMNS, [attrgetter(*COLUMNS)(row) for row in rows])


def parts(rows: tuple[CableRow, ...]) -> dict[tuple[str, int | None], int]:
    """Number of cables to buy of each part class and length, in natural order."""
    kinds = {(row.plane, row.cable): (row.part or "medium not declared", row.length_m) for row in rows}
    return dict(sorted(Counter(kinds.values()).items(), key=lambda item: (natural_key(item[0][0]), item[0][1] or 0)))


@dataclass(frozen=True)
class _Text:
    """The file that a csv.writer writes to."""

    lines: list[str]

    def write(self, line: str) -> None:
        self.lines.append(line)


def _order(row: CableRow) -> tuple[object, ...]:
    return row.plane, natural_key(row.cable), row.a_leg or 0, row.b_leg or 0, natural_key(row.b_port)


def _rows(cable: Cable, links: Mapping[str, Link], where: Mapping[str, Place]) -> Iterator[CableRow]:
    joined = [links[name] for name in cable.links]
    for link in joined:
        a, b = where.get(link.upper.device), where.get(link.lower.device)
        yield CableRow(
            cable=cable.name,
            plane=link.fabric,
            a_rack=a.rack if a else None,
            a_unit=a.unit if a else None,
            a_device=link.upper.device,
            a_port=link.upper.port,
            a_leg=_leg(link.upper),
            b_rack=b.rack if b else None,
            b_unit=b.unit if b else None,
            b_device=link.lower.device,
            b_port=link.lower.port,
            b_leg=_leg(link.lower),
            label=f"{cable.name} | {_flag(link.upper, a, cable)} | {_flag(link.lower, b, cable)}",
            medium=cable.medium,
            length_m=cable.length_m,
            part=_part(cable, joined),
        )


def _leg(end: Endpoint) -> int | None:
    """Which leg of its cage, from 1; None where the cage is this port's alone."""
    return end.slot.leg + 1 if end.slot is not None and end.slot.ways > 1 else None


def _flag(end: Endpoint, place: Place | None, cable: Cable) -> str:
    spot = f"{place.rack}/U{place.unit} " if place else ""
    leg = leg_of(end) if cable.make.kind != "assembly" else ""
    return f"{spot}{end.device} {end.port}{leg and f' ({leg})'}"


def _part(cable: Cable, joined: list[Link]) -> str | None:
    if cable.medium is None:
        return None
    speed_gbps, legs = joined[0].speed_gbps, len(joined)
    if cable.make.kind == "assembly":  # it has all legs of its cage, those that hang free as well
        ends = (end.slot for each in joined for end in (each.upper, each.lower))
        legs = max((slot.ways for slot in ends if slot is not None), default=1)
    split = f"-{legs}x{speed_gbps}G" if legs > 1 else ""
    made = "" if cable.make.kind == "assembly" else f"-{cable.make.kind}"
    return f"{speed_gbps * legs}G-{cable.medium}{made}{split}"
