"""Headroom of a lossless priority: the bytes that still arrive after a port has told its neighbour to pause.

They grow with the cable, because a pause takes its time to the other end and the last packets take theirs back. Two
kinds of source say how many: a formula with the ASIC's own constants, and tables for the ASICs that no published
formula reproduces. A table is used at its own points: a cable between two of them has the bytes of the longer one, and
one beyond the last has no figure. Nothing is ever estimated.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Literal

KIB = 1024
SMALLEST_PACKET_BYTES = 64
BYTES_PER_GBPS_AND_M = Fraction(125, 99)
"""What is on the way while a signal goes there and back: 2 / (8 x 1.98e8 m/s) x 1e9. sonic-net/sonic-swss at e6b0c5b5,
cfgmgr/buffer_headroom_mellanox.lua, speed_of_light and bytes_on_cable."""
PAUSE_QUANTA: Mapping[int, int] = {10: 67, 25: 80, 40: 118, 50: 147, 100: 394, 200: 453, 400: 905, 800: 905}
"""Speed in Gb/s -> how long the neighbour may take to stop, in quanta of 64 bytes (IEEE 802.3, 31B.3.7; the same file,
pause_quanta_per_speed)."""
TABLE_MTU_BYTES = 9100
"""Port MTU of SONiC, for which the tables are made: with it the formula comes within 1 KiB of the SN5600's."""


@dataclass(frozen=True, slots=True)
class PortCable:
    """What the headroom of one port is calculated for."""

    speed_gbps: int
    cable_m: int
    mtu_bytes: int = TABLE_MTU_BYTES
    """Of the port: a packet of any class may be under way when the pause is sent."""
    lossless_mtu_bytes: int = KIB
    """Largest packet of the lossless class; SONiC's tables are made for 1024."""
    lanes: int = 4


@dataclass(frozen=True, slots=True)
class Headroom:
    """What one lossless priority takes of one port."""

    xoff_bytes: int
    """From the pause that is sent to the last packet that arrives."""
    reserved_bytes: int
    """Beside it, for the priority alone."""
    for_cable_m: int
    """The length that the source gives the figure for: of a table, its next point."""

    @property
    def size_bytes(self) -> int:
        """Both together: what the shared buffer has less."""
        return self.xoff_bytes + self.reserved_bytes


@dataclass(frozen=True, slots=True)
class Formula:
    """NVIDIA's formula with the constants of one ASIC; every packet on the way counts as the smallest there is."""

    cell_bytes: int
    """A packet takes whole cells."""
    pipeline_bytes: int
    """What is in the pipeline when the queue has drained; twice that on ports of eight lanes."""
    mac_phy_bytes: Fraction
    tile_ns: int
    """How long a packet takes to the port's part of the chip."""
    source: str

    def headroom(self, port: PortCable) -> Headroom | None:
        """None for a speed whose response time no source has."""
        quanta = PAUSE_QUANTA.get(port.speed_gbps)
        if quanta is None:
            return None
        return Headroom(self._xoff_bytes(port, quanta), self._reserved_bytes(port), port.cable_m)

    def longest_m(self, speed_gbps: int) -> int | None:
        """None: any length."""
        return None if speed_gbps in PAUSE_QUANTA else 0

    def _xoff_bytes(self, port: PortCable, quanta: int) -> int:
        on_cable = port.cable_m * port.speed_gbps * BYTES_PER_GBPS_AND_M
        tile = Fraction(port.speed_gbps * self.tile_ns, 8)
        on_the_way = port.mtu_bytes + on_cable + self.mac_phy_bytes + quanta * 64 + tile
        return _whole_kib(port.lossless_mtu_bytes + on_the_way * ceil(self.cell_bytes / SMALLEST_PACKET_BYTES))

    def _reserved_bytes(self, port: PortCable) -> int:
        has_eight = port.lanes == 8
        return _whole_kib(self.pipeline_bytes * (2 if has_eight else 1) + (port.mtu_bytes if has_eight else 0))


@dataclass(frozen=True, slots=True)
class Point:
    """One row of a published table."""

    cable_m: int
    xoff_bytes: int
    reserved_bytes: int


@dataclass(frozen=True, slots=True)
class Table:
    """Published figures of one ASIC."""

    points: Mapping[int, tuple[Point, ...]]
    """Speed in Gb/s -> its rows, the shortest cable first; bytes never fall."""
    step_bytes: int
    """What is added to a row is rounded up to whole cells."""
    source: str

    @classmethod
    def of(cls, rows: Mapping[int, tuple[tuple[int, int, int], ...]], step_bytes: int, source: str) -> "Table":
        """Speed -> (metres, bytes from pause to silence, bytes reserved beside them)."""
        points = {speed: tuple(Point(*row) for row in each) for speed, each in rows.items()}
        return cls(points, step_bytes, source)

    def headroom(self, port: PortCable) -> Headroom | None:
        """The next longer point; None beyond the last. A larger MTU adds a packet's difference at each end."""
        row = next((each for each in self.points.get(port.speed_gbps, ()) if each.cable_m >= port.cable_m), None)
        if row is None:
            return None
        more = 2 * max(0, port.mtu_bytes - TABLE_MTU_BYTES)
        xoff = row.xoff_bytes + -(-more // self.step_bytes) * self.step_bytes
        return Headroom(xoff, row.reserved_bytes, row.cable_m)

    def longest_m(self, speed_gbps: int) -> int | None:
        """The last point; 0 where there is none of this speed."""
        return max((each.cable_m for each in self.points.get(speed_gbps, ())), default=0)


HeadroomSource = Formula | Table


def _whole_kib(value: int | Fraction) -> int:
    return ceil(value / KIB) * KIB


@dataclass(frozen=True, slots=True)
class CableFacts:
    """What an OS release on an ASIC does about the length of lossless cables."""

    own_m: int
    """Up to this length the system's own buffers are enough, and nothing is configured."""
    own_source: str
    """Where that stands, or that no source says it and what stands in."""
    source: HeadroomSource | None = None
    """What longer cables take; None: no source says it."""
    line: Literal["length", "bytes"] | None = None
    """What longer cables are configured by: their length, from which the system calculates (NVUE), or the bytes of one
    lossless priority (EOS); None: by nothing that a source shows."""
    gap: str = ""
    """Why longer cables are refused, for the operator."""

    def headroom(self, port: PortCable) -> Headroom | None:
        """What the source says of a port; None: nothing."""
        return None if self.source is None else self.source.headroom(port)

    def longest_m(self, speed_gbps: int) -> int | None:
        """Longest lossless cable of this speed; None: any length."""
        if self.source is None or self.line is None:
            return self.own_m
        longest = self.source.longest_m(speed_gbps)
        return None if longest is None else max(self.own_m, longest)


def configured_m(cables: Iterable[PortCable], facts: CableFacts) -> int | None:
    """Length that the switch is told to make its buffers for; None: its own is enough, or it is told bytes."""
    longest = max((each.cable_m for each in cables), default=0)
    return longest if facts.line == "length" and longest > facts.own_m else None


def configured_bytes(cables: Collection[PortCable], facts: CableFacts) -> int | None:
    """Headroom of each lossless priority, enough for every port; None: its own is enough, or it is told a length."""
    longest = max((each.cable_m for each in cables), default=0)
    if facts.line != "bytes" or longest <= facts.own_m:
        return None
    return max((each.xoff_bytes for each in map(facts.headroom, cables) if each is not None), default=None)


def taken_bytes(cables: Mapping[PortCable, int], facts: CableFacts) -> dict[PortCable, int] | None:
    """What one lossless priority of each port takes, as configured. ``cables``: and the number of their ports.

    None where the system's own headroom is enough, whose size no source has, and where some port has no figure.
    """
    length, xoff_bytes = configured_m(cables, facts), configured_bytes(cables, facts)
    if length is None and xoff_bytes is None:
        return None
    found: dict[PortCable, int] = {}
    for each in cables:
        one = facts.headroom(each if length is None else replace(each, cable_m=length))
        if one is None:
            return None
        found[each] = one.reserved_bytes + (one.xoff_bytes if xoff_bytes is None else xoff_bytes)
    return found
