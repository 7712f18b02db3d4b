"""The lab's specification: devices, cables and hosts, the input of its process (read by spec_reader.py).

It has cabling and day-0 facts only: a twin must learn its configuration over the wire.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class DeviceSpec:
    """One switch: its hardware, its listeners, and its day-0 facts.

    ports              physical port names in the OS's spelling: whole cages (EOS: lane 1 of each), not their parts
    asn                ASN its day-0 BGP process runs
    allow_from_memory  names of grammar rules of confidence M that this device accepts
    certificate        "lab": signed by the lab's CA; "default": self-signed, as a switch out of the box
    certificates       names of further certificates, with their keys, that were put on the switch; signed by the CA
    begins             "day0": reachable, with what a site has; "factory": as delivered, and does not answer until its
                       first boot (control request first-boot)
    clock_off_s        how far its clock is ahead (behind: negative) when it boots for the first time
    """

    name: str
    os: str
    release: str
    model: str
    asic: str
    serial: str
    address: str
    api_port: int
    ssh_port: int
    asn: int
    ports: tuple[str, ...]
    allow_from_memory: tuple[str, ...] = ()
    certificate: Literal["lab", "default"] = "lab"
    certificates: tuple[str, ...] = ()
    begins: Literal["day0", "factory"] = "day0"
    clock_off_s: float = 0.0

    def has_place_for(self, port: str) -> bool:
        """Is this one of ``ports``, a possible part of one, or a management port?"""
        is_there = port in self.ports or any(cage in self.ports for cage in cages_of(port))
        return is_there or port in MANAGEMENT_PORTS


MANAGEMENT_PORTS = frozenset({"Management1", "mgmt0", "eth0"})
"""Ports with a day-0 address, by the names in any of the three systems; none is on the front panel."""

_PARTS = (
    (re.compile(r"(swp\d+)s\d+"), "{}"),  # Cumulus Linux: swp1s0 of swp1
    (re.compile(r"(Ethernet\d+/\d+)/\d+"), "{}"),  # NX-OS: Ethernet1/1/2 of Ethernet1/1
    (re.compile(r"(Ethernet(?:\d+/)?\d+)/\d+"), "{}/1"),  # EOS: Ethernet1/5, a lane of the cage of Ethernet1/1
)


@functools.lru_cache(maxsize=65536)
def cages_of(port: str) -> tuple[str, ...]:
    """The possible cages of a part, by its name in the spelling of any of the three systems."""
    return tuple(form.format(found[1]) for part, form in _PARTS if (found := part.fullmatch(port)))


@dataclass(frozen=True, slots=True, order=True)
class End:
    """One end of a cable."""

    device: str
    port: str

    def __str__(self) -> str:
        return f"{self.device}:{self.port}"


@dataclass(frozen=True, slots=True)
class Cable:
    """A cable between two switch ports."""

    id: str
    a: End
    b: End


@dataclass(frozen=True, slots=True)
class HostRoute:
    """A route by one port or VLAN. ``table``: of packets from that port's first address; None: the main one."""

    to: str
    via: str
    table: int | None = None


@dataclass(frozen=True, slots=True)
class HostVlan:
    """What a host has on a bond: untagged, or in one VLAN. ``addresses`` with length, of both families; ``routes``."""

    tag: int | None = None
    addresses: tuple[str, ...] = ()
    routes: tuple[HostRoute, ...] = ()


@dataclass(frozen=True, slots=True)
class HostBond:
    """A host's bond, as the host was told to make it. ``lacp_active``: it sends LACP first; None: LACP is off."""

    host: str
    name: str
    mtu_bytes: int
    lacp_active: bool | None = True
    lacp_is_fast: bool = False
    vlans: tuple[HostVlan, ...] = ()


@dataclass(frozen=True, slots=True)
class HostEnd:
    """What a host was told of one of its ports. ``bond``: None if it is in none. ``addresses``: of the port itself."""

    bond: HostBond | None = None
    mac: str = ""
    addresses: tuple[str, ...] = ()
    routes: tuple[HostRoute, ...] = ()


@dataclass(frozen=True, slots=True)
class Speaks:
    """BGP of a host that is another network's router. ``peers``: address and AS number; ``announces``: prefixes.

    signs  it signs its segments, as its peers must (whether with one password, is not looked at)
    """

    asn: int
    peers: tuple[tuple[str, int], ...]
    announces: tuple[str, ...] = ()
    signs: bool = False


@dataclass(frozen=True, slots=True)
class Host:
    """A host's NIC port and its switch port. ``lldp``: does the host send LLDP?

    end     what the host was told of the port; None: it was not told, and it answers LACP wherever it is asked
    speaks  None: it speaks no BGP
    """

    name: str
    port: str
    switch: End
    mtu_bytes: int
    lldp: bool = False
    cable: str = ""
    end: HostEnd | None = None
    speaks: Speaks | None = None

    @property
    def cable_id(self) -> str:
        """The specification's name for the cable, or ``HOST:PORT`` if it has none."""
        return self.cable or f"{self.name}:{self.port}"


@dataclass(frozen=True, slots=True)
class RoutedSpec:
    """A lab whose switches route by FRR. Its namespaces begin with ``name`` and "-"; run_folder: daemons' sockets.

    bfd_factor  FRR sends BFD's packets that many times as seldom as configured: an emulated processor is late by more
                than what sessions of 300 ms outlive
    """

    name: str
    run_folder: Path
    bfd_factor: int = 1


@dataclass(frozen=True, slots=True)
class LabSpec:
    """A whole lab.

    ca             the CA certificate, made if it is missing
    password_file  contains the login's password
    rtt_ms         round-trip time to every switch's API, which loopback has not: see RequestCounter.arrived
    routed         None: routes are simulated
    """

    site: str
    directory: Path
    ca: Path
    username: str
    password_file: Path
    devices: tuple[DeviceSpec, ...]
    cables: tuple[Cable, ...] = ()
    hosts: tuple[Host, ...] = ()
    rtt_ms: float = 0.0
    routed: RoutedSpec | None = None

    def device(self, name: str) -> DeviceSpec:
        """The device of this name. Raises KeyError."""
        return {device.name: device for device in self.devices}[name]
