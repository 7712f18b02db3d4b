"""Ports in the common model: cages, layer 1, and what a port, LAG, subinterface, SVI or loopback carries."""

from dataclasses import dataclass
from typing import Literal

from nornir_tasks.design.config.access_lists import AclBinding
from nornir_tasks.design.config.gateway import Gateway
from nornir_tasks.design.config.lag import Lag, LagMember
from nornir_tasks.design.config.storm_control import StormControl


@dataclass(frozen=True, slots=True)
class Breakout:
    """One cage split into several ports, on systems that configure the cage (on EOS names follow lanes instead)."""

    port: int
    """Front-panel number of the cage."""
    ways: int
    speed_gbps: int | None
    """Of each part; None where the line that splits the cage says lanes (``Capabilities.has_breakout_lanes``)."""
    lanes: int | None = None
    """Lanes of each part; None where that line says the speed."""


@dataclass(frozen=True, slots=True)
class Layer1:
    """How a port runs its lanes. Explicit on both ends of every link, and equal there but for the lane count."""

    speed_gbps: int
    lanes: int | None
    """Electrical lanes of this end: 400G is 8 x 50G on one ASIC and 4 x 100G on another; optics join the two. None
    where no line of the OS says it (``Capabilities.has_lanes``): NX-OS and NVUE take them from speed and cage."""
    fec: Literal["rs", "fc", "none"] | None
    """None where no line sets it (``Capabilities.fec_below_lane_gbps``): the hardware goes by speed and medium."""
    negotiate: bool
    """Auto-negotiation with link training: on for passive and active copper, off for optics."""


@dataclass(frozen=True, slots=True)
class Interface:
    """One port (routed, access or trunk), LAG, subinterface, SVI or loopback; an unused port: disabled, else None."""

    name: str
    """As the OS prints it: ``Ethernet1/1``, ``swp1.100``, ``Loopback0``, ``lo``; an SVI: ``Vlan900``."""
    description: str | None
    address: str | None
    """IPv4 address with prefix length, ``10.160.0.0/31``; None on an unused or an unnumbered port."""
    mtu_bytes: int | None
    """IP MTU, of an access port the same in frames; None on a loopback, and on an access port where the OS has none."""
    enabled: bool
    qos_profile: str | None
    """Name of the PortProfile this port carries; None on a loopback, an SVI, and a LAG where only members have it."""
    layer1: Layer1 | None = None
    """None on a LAG, a loopback, an SVI and an unused port."""
    ra_interval_ms: int | None = None
    """Longest time between two IPv6 router advertisements of an unnumbered port, from which the far end learns its
    link-local address (RFC 4861); None where the port sends none."""
    access_vlan: int | None = None
    """The one VLAN of an access port, untagged; None: a routed port, or no port at all."""
    edge: bool = False
    """Of an access port or a trunk: spanning tree lets it forward at once, and a BPDU heard on it shuts it."""
    vrf: str | None = None
    """Of a routed port, a subinterface or an SVI: the VRF that it routes in; None: the default one."""
    tagged_vlans: tuple[int, ...] | None = None
    """Of a trunk: the VLANs whose frames bear an 802.1Q tag on it, ascending; None: no trunk."""
    native_vlan: int | None = None
    """Of a trunk: the VLAN of its untagged frames; None: frames without a tag are in no VLAN of ours."""
    tag: int | None = None
    """Of a routed subinterface, which is named after its port (``Ethernet1/1.100``): its frames' 802.1Q tag there."""
    lag: Lag | None = None
    """Of a link aggregation group; MTU, VLANs, VRF and addresses are fields of its interface, as of any port."""
    member: LagMember | None = None
    """Of a member of one: its MTU and VLANs are the group's, or None where the OS has them on the group alone."""
    acls: tuple[AclBinding, ...] = ()
    """Access lists that filter its packets, at most one of each family and direction."""
    ipv6_address: str | None = None
    """Global IPv6 address with prefix length as in RFC 5952, ``2001:db8::1/64``, beside the IPv4 one or alone. Hosts
    there have static addresses: the port sends no router advertisements (``ra_interval_ms`` is None)."""
    gateway: Gateway | None = None
    """Of an SVI: the address that its pair answers together."""
    dhcp_servers: tuple[str, ...] = ()
    """Of an SVI: addresses of the DHCP servers that it relays its hosts' requests to, IPv4 before IPv6, ascending."""
    storm: StormControl | None = None
    """Of an access port or a trunk, or of each member of a group where the OS has it on members alone (NVUE)."""
    undisclosed: bool = False
    """Of a routed port towards other networks: it neither sends nor takes LLDP, nor CDP where the OS has that."""


@dataclass(frozen=True, slots=True)
class Lldp:
    """Link-layer discovery, for the check of the cabling."""

    enabled: bool
