"""What hosts get, and on which fabric: a plane."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from nornir_tasks.intent.core.address_fields import HostAddress, PrefixV6
from nornir_tasks.intent.core.fields import Congestion, HostLink, Name, Prefix, SpeedGbps, VrfName
from nornir_tasks.intent.core.intent_model import MtuBytes, Part
from nornir_tasks.intent.keys.bonded_plane import (
    DefaultRoute,
    FlowIntent,
    ServiceIntent,
    StorageDemandIntent,
    StormControlIntent,
    VlanIntent,
)
from nornir_tasks.intent.keys.fabric import COPIES
from nornir_tasks.intent.keys.oob_devices import AttachedIntent, PlaceIntent
from nornir_tasks.intent.keys.policy import TrafficClassIntent

DEFAULT_HOST_VLAN = 900
_LISTS = "flows: the lists of VLANs and the firewalls keep hosts apart, whatever address one takes within its VLAN"


class PlanePoolsIntent(Part):
    """The addresses of one plane's hosts."""

    elsewhere: ClassVar[Mapping[str, str]] = {
        name: f"fabrics.<name>.pools.{name}: it is the switches', whatever planes ride on them"
        for name in ("loopback", "links", "asn")
    }

    hosts: Prefix
    """Of the hosts' NIC ports and of the switch ports they are cabled to; apart from all other pools, and clear of what
    software on hosts takes for itself."""
    hosts_v6: PrefixV6 | None = None
    """bond: IPv6 subnets of pairs, a /64 each, beside those of ``hosts``. Leaves route no IPv6 to one another: a plane
    has it on one pair of leaves, else it is refused (``vlans.<name>.hosts_v6`` is for some groups of hosts alone)."""


class PlaneIntent(Part):
    """What hosts get, and on which fabric's switches."""

    elsewhere: ClassVar[Mapping[str, str]] = {
        **{
            name: f"fabrics.<name>.{name}: switches and cables are a fabric's, a plane says which one it rides on"
            for name in ("design", "leaf", "spine", "core", "routing", "racks")
        },
        "hosts": "hosts.<group>: {count, max, nics: {<plane>: {rails, speed, model, per_group}}}; link and vlan stay",
        "copies": COPIES,
    }

    not_offered: ClassVar[Mapping[str, str]] = {
        "dhcp_snooping": _LISTS,
        "arp_inspection": _LISTS,
        "source_guard": _LISTS,
        "ra_guard": "hosts that take no router advertisements: no switch port sends or filters any",
        "bmc_isolation": "entry and flows: BMCs of one VLAN reach one another, those of two access switches do not",
    }

    fabric: Name
    """The fabric it rides on, alone or beside others."""
    kind: Name | None = None
    """What kind of plane it is; without it the kind that is called like the plane."""
    cross_rail: Literal["fabric", "nvlink"] = "fabric"
    """How traffic between two rails goes; ``nvlink`` allows rails that share no spine."""
    link: HostLink = "p2p"
    """``p2p``: each NIC port is a routed /31, the switch has the even address, the host the odd one. ``subnet/N``: each
    NIC port is a routed /N, the switch has .1, the host .2, and pods or virtual functions the rest. ``svi``: all NIC
    ports of a leaf are in one VLAN and subnet, the leaf's whole block; the leaf has .1, the hosts .2 and on. ``bond``:
    all NIC ports of a host are one LACP bond on both leaves of a pair, and all hosts of the pair are in one VLAN and
    subnet; the gateway has .1, the leaves .2 and .3, the hosts .4 and on. Needs ``leaf.pairs`` of the fabric."""
    vlan: Annotated[int, Field(ge=2, le=4094)] | None = None
    """svi, bond: the number of that VLAN, the same on every leaf or pair, where each is a VLAN of its own; without it
    900. Refused with another ``link``, and above 1005, where switches take VLANs for themselves."""
    transport: Literal["tcp", "rdma"] | None = None
    """Of a plane of kind storage, which needs it. ``tcp`` (NFS, S3, NVMe/TCP): over a bond. ``rdma`` (NVMe-oF, NFS over
    RDMA): over routed links, or over a bond of one NIC's ports where peer links are ``lossless``."""
    vlans: dict[Name, VlanIntent] = Field(default_factory=dict)
    """bond: VLANs by group of hosts. Groups in none of them are in ``vlan``."""
    services: dict[Name, ServiceIntent] = Field(default_factory=dict)
    """bond, and on a tree: what flows may be for, by name."""
    networks: dict[Name, Annotated[tuple[Prefix, ...], Field(min_length=1)]] = Field(default_factory=dict)
    """bond, and on a tree: prefixes elsewhere that flows begin or end at, by name; none is called like a group of hosts
    or ``outside``."""
    flows: tuple[FlowIntent, ...] | None = None
    """bond: all that may pass between the plane's VLANs, and between them and anything else; everything else is refused
    and counted. Within a VLAN nothing is filtered. Without it nothing is filtered at all. A plane on a tree needs it,
    and its ends are groups of ``devices``, ports of hosts (``gpu-bmc``) and ``switches``: all management ports."""
    dhcp_relay: tuple[HostAddress, ...] = ()
    """bond, and on a tree: DHCP servers that the gateways of each VLAN relay to, by their own address, to which servers
    answer.
    Cumulus Linux relays to IPv4 servers alone, from 5.14 on."""
    storm_control: StormControlIntent | None = None
    """svi, bond: the most packets a second that a host sends to all of its VLAN; without it no limit. Ports that it
    shares with another plane (``ports_of``) go by that plane's."""
    default_route: DefaultRoute | None = None
    """bond: its hosts have their default route by this plane, and its leaves theirs by these machines; hosts have it by
    one plane at most."""
    servers: tuple[Name, ...] = ()
    """Of a plane of kind storage: the groups of hosts that serve; all others on the plane are clients."""
    demand: StorageDemandIntent | None = None
    """Of a plane of kind storage: what it should carry. More than its ports, uplinks or spines do is refused; what a
    failure leaves is shown by `nornir design`. Needs ``servers``."""
    devices: dict[Name, AttachedIntent] = Field(default_factory=dict)
    """Of a plane on a tree: devices with a port on it beside switches and what hosts name in ``out_of_band``, by group:
    power distribution, storage controllers, the bastion."""
    entry: tuple[Name, ...] = ()
    """Of a plane on a tree: the groups of its ``devices`` from which alone it may be entered. Each flow begins or ends
    there, and within the plane no other device opens a connection to another access switch."""
    access_switches: Annotated[int, Field(ge=2, le=1000)] | None = None
    """Of a plane on a tree: how many access switches there are, as one for each row of racks; without it the fewest
    with a port for everything, at least two, as the management port of each is on another one. Ports of every group are
    spread over them in order."""
    places: dict[Name, PlaceIntent] = Field(default_factory=dict)
    """Of a plane on a tree: the port of a device, a host's BMC (``gpu-bmc-1``) or a switch, where it should not follow
    from its group and number, as it is cabled otherwise. What had that port takes the one that is left; nothing else
    moves. No port is given twice."""
    port_speed: SpeedGbps = 1
    """Of a plane on a tree: of the ports of everything attached."""
    vrf: VrfName | None = None
    """The VRF that its hosts' ports are in and that the whole fabric routes in, loopbacks included; without it the
    default one. It bears the fabric's name in capitals, as ``COMPUTE`` or ``COMPUTE-RED``. Planes on one fabric are in
    one VRF, and links between its switches have addresses."""
    tag: Annotated[int, Field(ge=2, le=4094)] | None = None
    """802.1Q tag of its packets on NIC ports that it shares with another plane (``ports_of``): a routed VLAN of its own
    on each. Needed there, refused elsewhere, and above 1005, where switches take VLANs for themselves."""
    pools: PlanePoolsIntent
    """Addresses of its hosts."""
    classes: dict[Name, TrafficClassIntent] | None = None
    """This plane's own, all of them; without it the policy's. Of several planes on one fabric all have classes of the
    same names, ``dscp``, ``priority`` and ``strict``; where ``lossless``, ``weight`` or ``ecn`` differ, ports of its
    hosts go by the plane's and links between switches by the policy's."""
    congestion: Congestion | None = None
    """This plane's own; without it the policy's."""
    mtu: MtuBytes | None = None
    """Of this plane's hosts, at most its fabric's; without it the policy's."""

    @property
    def prefix_length(self) -> int | None:
        """Prefix length of a host link; None for ``svi`` and ``bond``, where it is that of the leaf's block."""
        if self.link in ("svi", "bond"):
            return None
        return 31 if self.link == "p2p" else int(self.link.partition("/")[2])

    @property
    def host_vlan(self) -> int | None:
        """The hosts' VLAN on each leaf; None where host ports are routed."""
        return (self.vlan or DEFAULT_HOST_VLAN) if self.link in ("svi", "bond") else None

    def vlan_of(self, group: str) -> "tuple[str, VlanIntent] | None":
        """Name and VLAN of a group of hosts; None: it is in ``vlan``, or in none."""
        return next(((name, each) for name, each in self.vlans.items() if group in each.groups), None)
