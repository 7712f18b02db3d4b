"""What front planes (storage, business) and the leaves they stand on are asked for: pairs, bonds, VLANs, flows."""

from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from nornir_tasks.intent.core.address_fields import PortRanges, PrefixV6
from nornir_tasks.intent.core.fields import Name, Prefix, SpeedGbps, Unit
from nornir_tasks.intent.core.findings import wrong
from nornir_tasks.intent.core.intent_model import Part

PairMedium = Literal["DAC", "ACC", "AEC", "AOC", "SR", "SR4", "SR8", "VR4", "DR4", "DR8", "FR4", "LR", "LR4"]
"""Of links between two switches side by side; twin-port optics are for split cages, which these are not."""


class PairsIntent(Part):
    """The two switches of a leaf group, to which hosts bond their NIC ports (MLAG, vPC)."""

    not_offered: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("link_tracking", "uplink_tracking"),
        "no key: a leaf without uplinks hands on what hosts send it, by a routed session over the peer link",
    )

    links: Annotated[int, Field(ge=1, le=8)] = 2
    """Links between both switches of a pair (peer links), on the last ports, at the speed of uplinks."""
    medium: PairMedium | None = None
    """What these links are; without it nothing is checked."""
    cable_m: Annotated[int, Field(ge=1, le=10000), Unit("metres")] | None = None
    """Their length."""
    lossless: bool = False
    """Peer links have PFC and ECN as links to spines have, so that RDMA may ride on bonds."""


class CheckpointIntent(Part):
    """One checkpoint of everything that runs."""

    gib: Annotated[float, Field(gt=0, le=1e9), Unit("GiB")]
    """Size of it, of all clients together."""
    within_s: Annotated[float, Field(gt=0, le=86400), Unit("seconds")]
    """It is written within this time."""


class StorageDemandIntent(Part):
    """What a storage plane should carry, by all hosts of ``hosts.max`` together."""

    loading_gib_per_s: Annotated[float, Field(gt=0, le=1e6), Unit("GiB/s")] | None = None
    """Data that all clients load from all servers."""
    checkpoint: CheckpointIntent | None = None
    """Data that all clients write to all servers."""


class StormControlIntent(Part):
    """Limits of what a switch copies to every port of a VLAN, for each port of a host; a switch drops what is more.

    A bond's limits are those of the group (EOS, NX-OS), or of each of its ports (Cumulus Linux).
    """

    broadcast_pps: Annotated[int, Field(ge=5, le=16_771_376), Unit("packets a second")] | None = None
    """ARP and DHCP among them."""
    multicast_pps: Annotated[int, Field(ge=5, le=16_771_376), Unit("packets a second")] | None = None
    """IPv6 neighbour discovery among them."""
    unknown_unicast_pps: Annotated[int, Field(ge=5, le=16_771_376), Unit("packets a second")] | None = None
    """To MAC addresses that no port has. Not on NX-OS, where no source tells it from all unicast."""


class VlanIntent(Part):
    """One VLAN of bonds, and the groups of hosts in it."""

    id: Annotated[int, Field(ge=2, le=4094)]
    """Its number, another one for each VLAN on the fabric; up to 1005, as switches take higher ones for themselves."""
    groups: Annotated[tuple[Name, ...], Field(min_length=1)]
    """Groups of hosts in it. Each group is in one VLAN of a plane."""
    hosts: Prefix | None = None
    """Its subnet. All of its hosts are on one pair of leaves then: a VLAN on two pairs is refused, as it needs EVPN.
    Without it every pair with these hosts has a VLAN of this number of its own, and a subnet of ``pools.hosts``."""
    hosts_v6: PrefixV6 | None = None
    """Its IPv6 subnet, a /64; instead of one of ``pools.hosts_v6``. All of its hosts are on one pair of leaves then."""


class DefaultRouteIntent(Part):
    """Where packets of hosts leave the site: a VLAN on one pair of leaves, with two machines that route on.

    With a boundary these are its firewalls, and the VLAN's addresses are those of the zone with this plane; without
    one they are router-1 and router-2, which another team configures. Either bonds a port to each of both leaves.
    """

    leaves_of: Name | None = None
    """A group of hosts with NIC ports of its own on this plane: on its leaves are these ports as well, as many for each
    machine and as fast as those of a host. All of its hosts are on one pair of leaves. Without it these machines have a
    pair of leaves of their own, and a port on each."""
    speed: SpeedGbps | None = None
    """Of each port of the machines, without ``leaves_of``."""
    vlan: Annotated[int, Field(ge=2, le=4094)]
    """Number of the VLAN, another one than all others on the fabric, up to 1005."""
    link: Prefix | None = None
    """Without a boundary: its IPv4 subnet. The first address is the one that both machines share, the leaves' next hop;
    the next two are their own, then come the leaves' gateway and their own two."""
    link_v6: PrefixV6 | None = None
    """Without a boundary: the same of IPv6."""

    def __str__(self) -> str:
        return f"VLAN {self.vlan}"

    @property
    def links(self) -> tuple[tuple[str, IPv4Network | IPv6Network], ...]:
        """(key, subnet) of those that are given here."""
        found = (("link", self.link), ("link_v6", self.link_v6))
        return tuple((key, each) for key, each in found if each is not None)


def _default_route(value: Any) -> Any:  # noqa: ANN401 - whatever stands in the file
    if isinstance(value, bool):
        what = "whom leaves send to is not said: packets of hosts would end there"
        raise wrong(what, "{leaves_of: a group of hosts, vlan: a number}, or no default_route", value)
    return value


DefaultRoute = Annotated[DefaultRouteIntent, BeforeValidator(_default_route)]
"""With a refusal of ``true``, which says of no next hop."""


class ServiceIntent(Part):
    """What a flow is for: ports of TCP, of UDP, or both."""

    tcp: PortRanges = ()
    """Ports that servers listen on."""
    udp: PortRanges = ()
    """The same of UDP."""


class FlowIntent(Part):
    """Packets that may pass: who opens connections to whom, and for what. Answers pass as well."""

    source: Name
    """A group of hosts on the plane, one of ``networks``, or ``outside``: any address that this site has not itself."""
    destination: Name
    """The same."""
    services: Annotated[tuple[Name, ...], Field(min_length=1)]
    """Some of ``services`` of the plane."""


class BondIntent(Part):
    """How a group's hosts bond their NIC ports on a plane with ``link: bond``."""

    rate: Literal["fast", "slow"] = "fast"
    """LACP: how often both ends send, each second (``fast``) or every 30 seconds (``slow``)."""
    pxe: bool = False
    """The hosts boot over these ports by PXE, before there is a bond. Refused without ``fallback``."""
    fallback: bool = False
    """A port whose host sends no LACP works by itself, with the bond's untagged VLAN: for hosts that boot over it."""
    min_links: Annotated[int, Field(ge=1, le=8)] = 1
    """The bond is up with as many ports of one leaf or more."""
