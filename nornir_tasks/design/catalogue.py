"""What a model of switch or NIC is: the types. The figures, each with its source, stand in ``catalogue/<vendor>/``."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PortGroup:
    """Front-panel ports of one kind, numbered as printed on the box."""

    first: int
    count: int
    cage: str
    lanes: int
    speeds_gbps: tuple[int, ...]
    """Speeds of the whole port, without breakout."""


@dataclass(frozen=True, slots=True)
class SwitchModel:
    """One model of switch. A limit nobody has published in a form we can name is None and never checked."""

    vendor: str
    model: str
    os: tuple[str, ...]
    """Operating systems of ours that run on it."""
    asic: str
    ports: tuple[PortGroup, ...]
    buffer_bytes: int | None
    max_ecmp_paths: int | None
    ipv4_routes: int | None

    def ports_at(self, speed_gbps: int) -> tuple[int, ...]:
        """Numbers of the ports that run at this speed without breakout, ascending."""
        return tuple(
            number
            for group in self.ports
            if speed_gbps in group.speeds_gbps
            for number in range(group.first, group.first + group.count)
        )

    @property
    def speeds_gbps(self) -> frozenset[int]:
        """Every speed that some port runs at."""
        return frozenset(speed for group in self.ports for speed in group.speeds_gbps)

    def max_logical_ports(self, speed_gbps: int) -> int:
        """Ports of this speed if every cage were broken out as far as its fastest mode and its lanes allow.

        Address blocks are sized by this, so that a later breakout renumbers nothing.
        """
        return sum(
            group.count * max(1, min(group.lanes, max(group.speeds_gbps) // speed_gbps))
            for group in self.ports
            if max(group.speeds_gbps) >= speed_gbps
        )


@dataclass(frozen=True, slots=True)
class NicModel:
    """One model of network interface card."""

    vendor: str
    model: str
    speeds_gbps: tuple[int, ...]
    """Speeds of one port."""
    max_mtu_bytes: int | None


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Every model we know, by its name as the intent writes it."""

    switches: Mapping[str, SwitchModel]
    nics: Mapping[str, NicModel]
