"""What FRR needs of a switch's configuration beyond SwitchState, and the lines that FRR is not told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

GracefulRestart = Literal["on", "helper", "off"]


@dataclass(frozen=True, slots=True)
class BfdTimes:
    """How often BFD packets go out and are expected to arrive, and how many may be missed."""

    transmit_ms: int
    receive_ms: int
    multiplier: int


@dataclass(frozen=True, slots=True)
class Peer:
    """A neighbour's settings that no other switch can notice. ``connect_retry_s``: None where the OS has none."""

    bfd: BfdTimes
    connect_retry_s: int | None = None


@dataclass(frozen=True, slots=True)
class Unplayed:
    """A line of a switch's configuration that FRR is not told, and why. ``where``: the block it is in, or ""."""

    line: str
    why: str
    where: str = ""

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return f"{place}{self.line!r}: {self.why}"


@dataclass(frozen=True, slots=True)
class Routing:
    """What ``switch_twins/<os>/to_frr.py`` reads out of a twin's tree.

    peers     settings of each neighbour of the default VRF
    refused   lines of the default VRF's routing without a counterpart in FRR: the switch is not routed while it has one
    left_out  what the routed lab has no place for, and which changes nothing in the default VRF: other VRFs
    """

    peers: Mapping[str, Peer] = field(default_factory=dict)
    graceful_restart: GracefulRestart = "helper"
    refused: tuple[Unplayed, ...] = ()
    left_out: tuple[Unplayed, ...] = ()
