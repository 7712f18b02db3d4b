"""Links, who uses them, and the hosts' ends of them. Plain frozen data.

link = one connection between two interfaces; circuit = one owner's use of a link: its addresses, MTU, VRF and tag;
cable = one assembly (a 1:2 breakout is one cable with two links), or between twin-port optics one jumper or splitter;
optic = one pluggable in one cage, NIC ends included: a twin-port optic is one, with two jumpers.
"""

from dataclasses import dataclass
from typing import Literal

from nornir_tasks.design.model.catalogue import Slot
from nornir_tasks.design.model.claims import fabric_key


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A port of a switch, or an interface of a host."""

    device: str
    port: str
    slot: Slot | None = None
    """Where the port is on the switch's front panel, and how it runs. On a host: which of several ports of its NIC's
    cage it is, with the number of the NIC; None if it is the only one."""
    nic: str = ""
    """On a host: what the NIC is called of which the port is one of several; else empty."""


@dataclass(frozen=True, slots=True)
class Link:
    """One connection, physical alone. The upper end is nearer the core: spine over leaf, leaf over host.

    What runs over it is said by its circuits. A port whose link has none is cabled, and gets no line for it.
    """

    name: str
    kind: Literal["fabric", "host", "peer", "outside"]
    """Between two switches of a fabric one over the other; down to a host; between two switches of a pair; away."""
    fabric: str
    """Whose cabling it is part of."""
    upper: Endpoint
    lower: Endpoint
    place: int
    """Which link of its kind on its lower switch, or above a host on its leaf, from 1; addresses follow from it."""
    speed_gbps: int
    cable: str
    fec: Literal["rs", "fc", "none"] = "rs"
    fec_is_in_module: bool = False
    """Ports of NRZ lanes run without error correction, as the module there has its own; ``fec`` is of the other end."""
    negotiate: bool = False
    """Auto-negotiation with link training, on both ends or neither."""
    is_twisted_pair: bool = False
    """The upper end is an RJ45 port."""

    def end(self, device: str) -> Endpoint:
        """The end at this device."""
        return self.upper if self.upper.device == device else self.lower

    def far(self, device: str) -> Endpoint:
        """The other end, seen from this device."""
        return self.lower if self.upper.device == device else self.upper


@dataclass(frozen=True, slots=True)
class Use:
    """How one owner uses links: what many circuits have alike is one object."""

    owner: str
    """Key of who uses them (``Owner.key``): a plane; of links between switches, their fabric."""
    mtu_bytes: int
    """IP MTU of both ends of a fabric link, of the switch's end of a host link."""
    prefix_length: int = 31
    rail: int | None = None
    """Of a host link: the rail that it carries."""
    vrf: str | None = None
    """None: the default one."""
    tag: int | None = None
    """VLAN tag on the link; None: untagged."""
    segment: str | None = None
    """The VLAN of the upper end's that the link is switched into; None: it is routed."""
    bundle: str | None = None
    """What the host calls the bond that the link is a member of (``pairs.bond_of``); None: it is in none."""


@dataclass(frozen=True, slots=True)
class Circuit:
    """One owner's use of one link. A link may carry several, for instance two planes on one trunk."""

    link: Link
    use: Use
    upper_address: str = ""
    """IPv4 address without length; the even one of a /31. Empty where the circuit is unnumbered. Of a bond that of the
    gateway, which both leaves of a pair answer."""
    lower_address: str = ""
    """Of a bond the host's, the same on all its links."""

    @property
    def owner(self) -> str:
        """Key of whose use of the link it is."""
        return self.use.owner

    @property
    def is_underlay(self) -> bool:
        """Does the fabric's own routing run over it, between two of its switches?"""
        return self.link.kind == "fabric" and self.use.owner == fabric_key(self.link.fabric)

    @property
    def is_numbered(self) -> bool:
        """Has it IPv4 addresses of its own? Else its ends know one another by IPv6 link-local addresses."""
        return self.upper_address != ""

    def interface(self, device: str) -> str:
        """What it ends at on this device: the port, or a routed subinterface of it, named after port and tag alike."""
        port = self.link.end(device).port
        return port if self.use.tag is None or self.use.segment is not None else f"{port}.{self.use.tag}"

    def address(self, device: str) -> str:
        """The address at this device, without length."""
        return self.upper_address if self.link.upper.device == device else self.lower_address


@dataclass(frozen=True, slots=True)
class NicPort:
    """One cabled port of one host's NICs, whatever planes it is on."""

    host: str
    host_index: int
    """Number of the host in its group, from 1."""
    nic: int
    """Number of the NIC in its host, from 0."""
    link: Link
    leg: int = 0
    """Which port of that NIC, from 0. The first is on copy 1 of the fabric, the second on copy 2."""

    @property
    def port(self) -> str:
        """What the host calls it."""
        return self.link.lower.port

    @property
    def leaf(self) -> str:
        """The switch at the other end."""
        return self.link.upper.device

    @property
    def leaf_port(self) -> str:
        """Its port there."""
        return self.link.upper.port


@dataclass(frozen=True, slots=True)
class HostNic:
    """A NIC port as one plane uses it for a rail: the port with one of its circuits."""

    at: NicPort
    circuit: Circuit
    rail: int
    """From 0."""
    mtu_bytes: int
    """Of the host's end."""

    @property
    def copy(self) -> int:
        """The copy of the fabric that the port is on, from 1; 1 where there is only one."""
        return self.at.leg + 1

    @property
    def host(self) -> str:
        """The host's name."""
        return self.at.host

    @property
    def port(self) -> str:
        """What the host calls it: the port, or the VLAN's interface on it."""
        return self.circuit.interface(self.at.host)

    @property
    def address(self) -> str:
        """The host's address, without length."""
        return self.circuit.lower_address

    @property
    def gateway(self) -> str:
        """The leaf's address, without length."""
        return self.circuit.upper_address

    @property
    def prefix_length(self) -> int:
        """Of both addresses."""
        return self.circuit.use.prefix_length


@dataclass(frozen=True, slots=True)
class ManagementAddress:
    """The IPv4 address of a switch's management port, and the way out from there."""

    address: str
    """Without length."""
    prefix_length: int
    gateway: str
    """Where the management VRF's default route goes to; without length."""

    @property
    def interface(self) -> str:
        """The address with its length."""
        return f"{self.address}/{self.prefix_length}"


@dataclass(frozen=True, slots=True)
class Make:
    """How cables between two kinds of port are made; one object for many cables."""

    kind: Literal["assembly", "jumper", "splitter"] = "assembly"
    """assembly: one plug or module per cage; jumper: a fibre between two connectors; splitter: a fibre from one
    connector to two places. A cage with jumpers or splitters has several cables."""
    upper_optic: str | None = None
    """Model of the twin-port optic in the upper cage; None: the cage is whole, or the kind of optic is not decided."""
    lower_optic: str | None = None
    """Likewise of the lower cage."""


ASSEMBLY = Make()


@dataclass(frozen=True, slots=True)
class Cable:
    """One assembly, jumper or splitter."""

    name: str
    medium: str | None
    length_m: int | None
    links: tuple[str, ...]
    make: Make = ASSEMBLY
