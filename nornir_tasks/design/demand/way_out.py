"""Where hosts leave the site: a VLAN on one pair of leaves, and two machines beyond it.

The machines are the boundary's firewalls, or routers that another team configures. In the VLAN's subnet the first
address is the one that both share, the next hop of the leaves; the next two are their own; then come the gateway that
both leaves answer, the machines' next hop, and an address of each leaf. So it is in every link of the boundary.
"""

from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network

from nornir_tasks.intent.keys.bonded_plane import VlanIntent
from nornir_tasks.intent.keys.plane import PlaneIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.boundary_names import zone_of
from nornir_tasks.intent.rules.way_out import ROUTER

MACHINES, PORTS = 2, 2
"""How many there are, and ports that each has on leaves of their own."""
FIREWALL = "firewall"
"""What machines of a boundary are called, with a number behind; without one: ``ROUTER``."""
VLAN = "outside"
"""Name of the VLAN."""
NEXT_HOP, GATEWAY = 1, 4
"""Places of addresses in the subnet, where the zone names no gateway."""


@dataclass(frozen=True, slots=True)
class WayOut:
    """The VLAN between a pair of leaves and the machines that lead out of the site."""

    plane: str
    number: int
    group: str
    """The machines are called after it."""
    leaves_of: str | None
    """The group of hosts whose leaves they are cabled to; None: to a pair of their own."""
    speed_gbps: int | None
    """Of their ports then."""
    port_names: str
    """What they call the members of their bond, without the number."""
    subnet: IPv4Network | None
    gateway: str | None
    """Address without length that both leaves answer: the machines' next hop to the plane's hosts."""
    subnet_v6: IPv6Network | None = None
    gateway_v6: str | None = None

    @property
    def next_hops(self) -> tuple[str, ...]:
        """What the machines share, of each family that the VLAN has: the leaves' next hop."""
        return tuple(str(each[NEXT_HOP]) for each in (self.subnet, self.subnet_v6) if each is not None)

    def intended(self) -> VlanIntent:
        """The VLAN as others of the plane are described."""
        return VlanIntent.model_construct(
            id=self.number, groups=(self.group,), hosts=self.subnet, hosts_v6=self.subnet_v6
        )


def way_out(intent: Intent, name: str, plane: PlaneIntent) -> WayOut | None:
    """The one of a plane; None where its hosts have no default route by it."""
    if plane.default_route is None:
        return None
    found = zone_of(intent, name)
    zone_name, zone = found if found is not None else ("up", None)
    link, link_v6 = (
        (plane.default_route.link, plane.default_route.link_v6) if zone is None else (zone.link, zone.link_v6)
    )
    gateways = {each.version: str(each) for each in (() if zone is None else zone.gateway)}
    port = "" if zone is None else zone.port or ""
    return WayOut(
        plane=name,
        number=plane.default_route.vlan,
        group=ROUTER if zone is None else FIREWALL,
        leaves_of=plane.default_route.leaves_of,
        speed_gbps=plane.default_route.speed,
        port_names=port if port.isalpha() and port.islower() else zone_name,
        subnet=link,
        gateway=None if link is None else gateways.get(4, str(link.network_address + GATEWAY)),
        subnet_v6=link_v6,
        gateway_v6=None if link_v6 is None else gateways.get(6, str(link_v6.network_address + GATEWAY)),
    )
