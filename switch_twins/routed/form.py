"""What FRR needs of a switch's configuration beyond SwitchState, and the lines that FRR is not told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from ..state import Outside
from .lists import AccessList, Bound

GracefulRestart = Literal["on", "helper", "off"]


@dataclass(frozen=True, slots=True)
class BfdTimes:
    """How often BFD packets go out and are expected to arrive, and how many may be missed."""

    transmit_ms: int
    receive_ms: int
    multiplier: int

    def slower(self, factor: int) -> BfdTimes:
        """So many times as long between packets."""
        return BfdTimes(self.transmit_ms * factor, self.receive_ms * factor, self.multiplier)


@dataclass(frozen=True, slots=True)
class Peer:
    """A neighbour's settings that are in no SwitchState.

    connect_retry_s  None where the OS has none
    password         of TCP MD5, as both ends are told it
    """

    bfd: BfdTimes
    connect_retry_s: int | None = None
    password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Unplayed:
    """A line of a switch's configuration that FRR is not told, and why. ``where``: the block it is in, or ""."""

    line: str
    why: str
    where: str = ""

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return f"{place}{self.line!r}: {self.why}"


NO_LAYER_2 = "this kernel has no VLANs or no bonds"
NO_VRF = "this kernel has no VRFs"


@dataclass(frozen=True, slots=True)
class Gateway:
    """A gateway that both switches of a pair answer for. ``addresses``: without length, of both families."""

    interface: str
    mac: str
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Routing:
    """What ``switch_twins/<os>/to_frr.py`` reads out of a twin's tree.

    peers         settings of each neighbour of the default VRF
    vrf_peers     the same of other VRFs
    refused       lines without a counterpart in FRR or the kernel: the switch is not routed while it has one
    left_out      what this kernel has no place for, and which changes nothing in the default VRF
    vlans         VLANs that exist and are active
    addresses_v6  IPv6 addresses with length, by interface
    gateways      those of pairs
    lists, bound  access lists that interfaces use, and where
    outside       what an edge router has beside
    """

    peers: Mapping[str, Peer] = field(default_factory=dict)
    graceful_restart: GracefulRestart = "helper"
    refused: tuple[Unplayed, ...] = ()
    left_out: tuple[Unplayed, ...] = ()
    vrf_peers: Mapping[str, Mapping[str, Peer]] = field(default_factory=dict)
    vlans: frozenset[int] = frozenset()
    addresses_v6: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gateways: tuple[Gateway, ...] = ()
    lists: tuple[AccessList, ...] = ()
    bound: tuple[Bound, ...] = ()
    outside: Outside = field(default_factory=Outside)

    def with_slower_bfd(self, factor: int) -> Routing:
        """The same with so many times as long between packets of BFD."""
        if factor == 1:
            return self
        slower = {vrf: _slower(peers, factor) for vrf, peers in self.vrf_peers.items()}
        return replace(self, peers=_slower(self.peers, factor), vrf_peers=slower)

    def peers_of(self, vrf: str) -> Mapping[str, Peer]:
        """Settings of the neighbours of a VRF."""
        return self.peers if vrf == "default" else self.vrf_peers.get(vrf, {})


def _slower(peers: Mapping[str, Peer], factor: int) -> dict[str, Peer]:
    return {address: replace(each, bfd=each.bfd.slower(factor)) for address, each in peers.items()}
