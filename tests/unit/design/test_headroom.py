"""Headroom against every row that SONiC ships for these ASICs, and against itself: it never falls with length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from nornir_tasks.design.model.headroom import PAUSE_QUANTA, Formula, HeadroomSource, PortCable, Table
from nornir_tasks.platforms.eos import headroom as eos
from nornir_tasks.platforms.nvue import headroom as nvue

RECORDED = Path(__file__).parents[2] / "recorded" / "headroom" / "pg_profiles.tsv"
SOURCES: Mapping[str, HeadroomSource] = {
    asic: facts.source for asic, facts in {**eos.BY_ASIC, **nvue.BY_ASIC}.items() if facts.source is not None
}


@dataclass(frozen=True)
class Row:
    """One published profile."""

    asic: str
    table: str
    speed_gbps: int
    cable_m: int
    size_bytes: int
    xoff_bytes: int

    @property
    def port(self) -> PortCable:
        """The port it is for; NVIDIA's fastest ports have eight lanes."""
        return PortCable(self.speed_gbps, self.cable_m, lanes=8 if self.speed_gbps == 800 else 4)


def _rows() -> list[Row]:
    lines = [line.split("\t") for line in RECORDED.read_text().splitlines() if not line.startswith("#")][1:]
    return [
        Row(asic, table, int(speed) // 1000, int(metres), int(size), int(xoff))
        for asic, table, speed, metres, size, _, xoff in lines
        if int(speed) >= 1000
    ]


ROWS = _rows()


def _of(asic: str, *tables: str) -> list[Row]:
    return [row for row in ROWS if row.asic == asic and (not tables or row.table.rpartition("/")[2] in tables)]


def _xoff(source: HeadroomSource, port: PortCable) -> int:
    found = source.headroom(port)
    assert found is not None
    return found.xoff_bytes


@pytest.mark.parametrize("row", _of("spectrum4", "ACS-SN5600"), ids=lambda row: f"{row.speed_gbps}G-{row.cable_m}m")
def test_the_formula_comes_within_1_kib_of_the_table_of_the_sn5600(row: Row) -> None:
    found = nvue.SPECTRUM4.headroom(row.port)
    assert found is not None
    assert -1024 <= found.xoff_bytes - row.xoff_bytes <= 0
    assert abs(found.size_bytes - row.size_bytes) <= 1024


def test_a_metre_of_400g_on_tomahawk_5_takes_what_is_published() -> None:
    near, far = (_xoff(eos.TOMAHAWK5, PortCable(400, metres)) for metres in (60, 500))
    assert (far - near) / 440 == pytest.approx(1502.9, rel=0.01)
    assert (_xoff(nvue.SPECTRUM4, PortCable(400, 500)) - _xoff(nvue.SPECTRUM4, PortCable(400, 60))) / 440 == (
        pytest.approx(1502.9, rel=0.01)
    )


USED = {
    "spectrum1": ("ACS-SN2201", "ACS-MSN2700"),
    "spectrum2": ("ACS-MSN3700",),
    "tomahawk5": ("Arista-7060X6-64PE-B-O128",),
    "jericho2": ("0",),
    "trident3": ("BALANCED",),
}
"""The tables that are used as they are; of Tomahawk 5 others are merged in."""


@pytest.mark.parametrize("asic", USED)
def test_a_table_that_is_used_gives_its_own_rows(asic: str) -> None:
    rows = _of(asic, *USED[asic])
    assert rows
    for row in rows:
        found = SOURCES[asic].headroom(row.port)
        assert found is not None
        assert found.xoff_bytes == row.xoff_bytes, row
        assert found.size_bytes >= row.size_bytes, row


def test_no_table_of_tomahawk_5_asks_for_more_but_those_that_size_all_cables_for_150_m(
    figure: Callable[[str], None],
) -> None:
    more = [row for row in _of("tomahawk5") if row.xoff_bytes > _xoff(eos.TOMAHAWK5, row.port)]
    assert {row.xoff_bytes for row in more} == {612_140}
    assert {row.table.rpartition("/")[2].endswith("O128S2") for row in more} == {True}
    assert 612_140 - _xoff(eos.TOMAHAWK5, PortCable(400, 150)) == 812
    figure(f"headroom: {len(_of('tomahawk5'))} rows of Tomahawk 5 compared, {len(more)} with 150 m's figure for all")


def test_no_table_of_spectrum_3_asks_for_more_within_its_range() -> None:
    rows = [row for row in _of("spectrum3", "ACS-MSN4700", "Mellanox-SN4700-C128") if row.cable_m <= 300]
    by_port: dict[PortCable, int] = {}
    for row in rows:
        by_port[row.port] = max(row.xoff_bytes, by_port.get(row.port, 0))
    assert len(by_port) == 21
    assert {port: _xoff(nvue.SPECTRUM3, port) for port in by_port} == by_port
    assert all(row.xoff_bytes <= by_port[row.port] for row in _of("spectrum3") if row.port in by_port)


def test_published_rows_that_the_formula_does_not_meet_are_counted(figure: Callable[[str], None]) -> None:
    """Why Spectrum-1 to -3 have tables, and no length beyond them; and what shared headroom pools are sized for."""
    cells = {"spectrum1": 96, "spectrum2": 144, "spectrum3": 144, "spectrum4": 192, "tomahawk5": 254, "jericho2": 254}
    apart: Counter[str] = Counter()
    for row in ROWS:
        if row.asic in cells and row.speed_gbps in PAUSE_QUANTA:
            tile_ns = nvue.SPECTRUM4.tile_ns if row.asic == "spectrum4" else 0
            formula = replace(nvue.SPECTRUM4, cell_bytes=cells[row.asic], tile_ns=tile_ns)
            met = abs(_xoff(formula, row.port) - row.xoff_bytes) <= 1024
            apart[f"{row.asic} {row.table.rpartition('/')[2]}: {'met' if met else 'not met'}"] += 1
    assert apart["spectrum4 ACS-SN5600: met"] == 24
    assert apart["spectrum3 ACS-MSN4700: met"] == apart["spectrum2 ACS-MSN3700: met"] == 0
    assert sum(count for name, count in apart.items() if "ACS-SN5600" not in name) >= 40
    figure("headroom by the formula: " + ", ".join(f"{name} {count}" for name, count in sorted(apart.items())))


@pytest.mark.parametrize("asic", SOURCES)
def test_bytes_never_fall_with_length_and_end_where_the_source_does(asic: str) -> None:
    source = SOURCES[asic]
    speeds = source.points if isinstance(source, Table) else PAUSE_QUANTA
    for speed in speeds:
        last, longest = 0, source.longest_m(speed)
        for metres in (*range(1, 700), *range(700, 12_000, 97), *range(12_000, 130_000, 3_001)):
            found = source.headroom(PortCable(speed, metres))
            assert (found is None) == (longest is not None and metres > longest)
            if found is not None:
                assert found.size_bytes >= last, (speed, metres)
                assert found.for_cable_m >= metres
                last = found.size_bytes


@pytest.mark.parametrize("asic", SOURCES)
def test_a_speed_without_a_source_has_no_figure(asic: str) -> None:
    assert SOURCES[asic].headroom(PortCable(1600, 5)) is None
    assert SOURCES[asic].longest_m(1600) == 0


def test_a_larger_mtu_never_takes_less() -> None:
    for source in SOURCES.values():
        for speed in source.points if isinstance(source, Table) else (100, 800):
            small, large = PortCable(speed, 5), PortCable(speed, 5, mtu_bytes=9216, lossless_mtu_bytes=9000, lanes=4)
            assert _xoff(source, large) > _xoff(source, small)


def test_eight_lanes_take_twice_the_pipeline_and_a_packet_more() -> None:
    assert isinstance(nvue.SPECTRUM4, Formula)
    four, eight = (nvue.SPECTRUM4.headroom(PortCable(800, 40, lanes=lanes)) for lanes in (4, 8))
    assert four is not None
    assert eight is not None
    assert four.xoff_bytes == eight.xoff_bytes
    assert (four.reserved_bytes, eight.reserved_bytes) == (19_456, 48_128)
