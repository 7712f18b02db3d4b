"""The types for switch and NIC models. The figures, each with its source, are in ``catalogue/<vendor>/``."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from ipaddress import IPv4Network, IPv6Network
from typing import Literal


@dataclass(frozen=True, slots=True)
class Mode:
    """One way to run a cage: split in ``ways``, each leg at a speed over its own lanes. Written ``2x200G-4``."""

    ways: int
    speed_gbps: int
    """Speed of each leg."""
    lanes: int
    """Electrical lanes of each leg."""
    disables_next: bool = False
    """Runs on odd-numbered cages only, and disables the next one."""

    @property
    def lane_gbps(self) -> float:
        """Rate of one lane."""
        return self.speed_gbps / self.lanes

    def __str__(self) -> str:
        return f"{self.ways}x{self.speed_gbps}G-{self.lanes}"


@dataclass(frozen=True, slots=True)
class PortGroup:
    """Front-panel ports of one kind, numbered as printed on the box."""

    first: int
    count: int
    cage: str
    lanes: int
    modes: tuple[Mode, ...]
    """In order of preference if several have the same ways and speed."""

    @property
    def numbers(self) -> range:
        """Numbers of the ports."""
        return range(self.first, self.first + self.count)

    @property
    def max_gbps(self) -> int:
        """Highest total speed of one cage."""
        return max(mode.ways * mode.speed_gbps for mode in self.modes)

    def modes_for(self, ways: int, speed_gbps: int) -> tuple[Mode, ...]:
        """Modes of a cage with this number of legs at this speed, preferred first."""
        return tuple(mode for mode in self.modes if (mode.ways, mode.speed_gbps) == (ways, speed_gbps))


@dataclass(frozen=True, slots=True)
class Slot:
    """A port as a cable sees it: one leg of one cage."""

    number: int
    """Front-panel number of the cage."""
    leg: int = 0
    """From 0."""
    ways: int = 1
    speed_gbps: int = 0
    lanes: int = 0


@dataclass(frozen=True, slots=True)
class SwitchModel:
    """One model of switch. A limit without a citable publication is None and never checked."""

    vendor: str
    model: str
    os: tuple[str, ...]
    """Supported operating systems that run on it."""
    asic: str
    """Empty where no source names it."""
    ports: tuple[PortGroup, ...]
    buffer_bytes: int | None = None
    max_ecmp_paths: int | None = None
    ipv4_routes: int | None = None
    cell_bytes: int | None = None
    lossless_queues: int | None = None
    max_ecmp_groups: int | None = None
    max_ecmp_members: int | None = None
    """Next hops in all ECMP groups together."""
    ipv4_neighbors: int | None = None
    """Entries of the ARP table, in the hardware."""
    mac_addresses: int | None = None
    ipv4_acl_rules: int | None = None
    """Rules of access lists in both directions together, while it holds no IPv6 rule; and the other way round."""
    ipv6_acl_rules: int | None = None
    max_bfd_sessions: int | None = None
    logical_ports: int | None = None
    """Largest number of ports at once, however cages are split."""
    silent_gbps: tuple[int, ...] = ()
    """Speeds at which copper does not negotiate on this model, so that the far end must not either."""
    asic_by_os: Mapping[str, str] = field(default_factory=dict, hash=False)
    """For a reference model: the ASIC whose capabilities are used under each OS."""

    def asic_under(self, os: str) -> str:
        """Name of the ASIC in the capabilities."""
        return self.asic_by_os.get(os, self.asic)

    def ports_at(self, speed_gbps: int, ways: int = 1) -> tuple[int, ...]:
        """Numbers of the ports that run as this number of legs of this speed, ascending."""
        return _ports_at(self.ports, speed_gbps, ways)

    def slots_at(self, speed_gbps: int, ways: int = 1) -> tuple[Slot, ...]:
        """Every leg of every cage in such a mode, in the order of the front panel; lanes of the preferred mode."""
        return _slots_at(self.ports, speed_gbps, ways)

    def modes_for(self, ways: int, speed_gbps: int) -> tuple[Mode, ...]:
        """Modes of a cage with this number of legs at this speed, preferred first; each once."""
        return _modes_for(self.ports, ways, speed_gbps)

    @property
    def splits(self) -> tuple[str, ...]:
        """Every ``<ways>x<speed>G`` that some cage supports, in the order of the catalogue."""
        modes = (mode for group in self.ports for mode in group.modes)
        return tuple(dict.fromkeys(f"{mode.ways}x{mode.speed_gbps}G" for mode in modes))

    @property
    def speeds_gbps(self) -> frozenset[int]:
        """Every speed of some whole port."""
        return frozenset(mode.speed_gbps for group in self.ports for mode in group.modes if mode.ways == 1)

    def group_of(self, number: int) -> PortGroup:
        """The ports of this port's kind; KeyError if the model has no such port."""
        for group in self.ports:
            if number in group.numbers:
                return group
        raise KeyError(f"{self.model} has no port {number}")

    def cage_of(self, ways: int, speed_gbps: int) -> str:
        """Form of the cages with such a mode; empty if there is none."""
        return next((group.cage for group in self.ports if group.modes_for(ways, speed_gbps)), "")

    def cages(self) -> Iterator[tuple[int, PortGroup]]:
        """Every front-panel port with its kind."""
        return ((number, group) for group in self.ports for number in group.numbers)

    def max_logical_ports(self, speed_gbps: int) -> int:
        """Number of ports of this speed if every cage were broken out as far as its fastest mode and its lanes allow.

        Address blocks have this size, so that a later breakout renumbers nothing.
        """
        return _max_logical_ports(self.ports, speed_gbps)


# A design asks the same of one model for each of its switches and for each layout that it compares.
@cache
def _ports_at(ports: tuple[PortGroup, ...], speed_gbps: int, ways: int) -> tuple[int, ...]:
    return tuple(
        number
        for group in ports
        if (modes := group.modes_for(ways, speed_gbps))
        for number in group.numbers
        if not (all(mode.disables_next for mode in modes) and number % 2 == 0)
    )


@cache
def _slots_at(ports: tuple[PortGroup, ...], speed_gbps: int, ways: int) -> tuple[Slot, ...]:
    return tuple(
        Slot(number, leg, ways, speed_gbps, _modes_for(ports, ways, speed_gbps)[0].lanes)
        for number in _ports_at(ports, speed_gbps, ways)
        for leg in range(ways)
    )


@cache
def _modes_for(ports: tuple[PortGroup, ...], ways: int, speed_gbps: int) -> tuple[Mode, ...]:
    return tuple(dict.fromkeys(mode for group in ports for mode in group.modes_for(ways, speed_gbps)))


@cache
def _max_logical_ports(ports: tuple[PortGroup, ...], speed_gbps: int) -> int:
    return sum(
        group.count * max(1, min(group.lanes, group.max_gbps // speed_gbps))
        for group in ports
        if group.max_gbps >= speed_gbps
    )


@dataclass(frozen=True, slots=True)
class NicModel:
    """One model of network interface card."""

    vendor: str
    model: str
    modes: tuple[Mode, ...]
    """Modes of one cage, in order of preference; one with several ways makes several ports of it."""
    max_mtu_bytes: int | None = None
    out_of_order_rdma: bool | None = None
    """Receives RDMA out of order; None: no source says so."""
    out_of_order_setting: str | None = None
    """The setting on its host that this needs; None: nothing."""
    cage: str | None = None
    """Form of its cage; None: no source names it."""
    rdma_provider: Literal["mlx5", "rxe"] | None = None
    """The kernel driver and user-space provider for its RDMA; None: not supported by the host roles."""
    pci_device: str | None = None
    """PCI device ID, four digits; None: no source names it."""
    spectrum_x: bool = False
    """One of NVIDIA's published Spectrum-X profiles is for it."""

    @property
    def speeds_gbps(self) -> tuple[int, ...]:
        """Speeds of a cage as one port, ascending."""
        return tuple(sorted({mode.speed_gbps for mode in self.modes if mode.ways == 1}))

    @property
    def splits(self) -> tuple[str, ...]:
        """Every ``<ports>x<speed>G`` with several ports that its cage supports, in the order of the catalogue."""
        return tuple(dict.fromkeys(f"{mode.ways}x{mode.speed_gbps}G" for mode in self.modes if mode.ways > 1))

    def modes_for(self, ways: int, speed_gbps: int) -> tuple[Mode, ...]:
        """Modes of a cage with this number of ports at this speed, preferred first."""
        return tuple(mode for mode in self.modes if (mode.ways, mode.speed_gbps) == (ways, speed_gbps))


@dataclass(frozen=True, slots=True)
class OpticModel:
    """One model of twin-port optic: one pluggable with two connectors, each a port of its own."""

    vendor: str
    model: str
    os: tuple[str, ...]
    """Supported operating systems under which a source lists it."""
    medium: str
    """Its name in the intent: ``2xDR4``."""
    cage: str
    """Form of the cage that it fits."""
    port_gbps: int
    """Speed of one of its connectors with a straight jumper."""
    connector: str
    fibre: str
    """Grade of the fibre: ``OS2``, ``OM4``."""
    polarity: str
    """Polarity of its jumpers, by TIA-568."""
    reach_m: int
    """Reach over a straight jumper to another switch."""
    splitter_legs: int | None = None
    """Legs of the splitter that one of its connectors takes; None: it takes none."""
    splitter_m: int | None = None
    """Reach over that splitter."""
    nic_m: int | None = None
    """Reach over a straight jumper to a NIC; None: no source has a NIC at its far end."""


@dataclass(frozen=True, slots=True)
class Bogons:
    """What no network may announce on the Internet."""

    prefixes: tuple[IPv4Network | IPv6Network, ...] = ()
    """They and everything in them."""
    asns: tuple[tuple[int, int], ...] = ()
    """First and last AS number of each range that no path may contain; ascending, none overlaps another."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Every known model, by its name in the intent."""

    switches: Mapping[str, SwitchModel]
    nics: Mapping[str, NicModel]
    optics: Mapping[str, OpticModel] = field(default_factory=dict)
    bogons: Bogons = Bogons()
    """What edge routers refuse of every neighbour."""
