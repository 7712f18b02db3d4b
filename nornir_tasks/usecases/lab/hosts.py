"""What the lab's switches find at the other ends of hosts' cables: what Ansible would be told of each port."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_interface, ip_network
from typing import Any

from nornir_tasks.design.demand.way_out import NEXT_HOP
from nornir_tasks.design.model.mlag import bond_of
from nornir_tasks.design.model.network import Network
from nornir_tasks.errors import IntentError
from nornir_tasks.lab.plan import LabBond, LabHostEnd, LabRoute, LabVlan
from nornir_tasks.usecases.hosts import host_inventory
from nornir_tasks.usecases.site import SiteDesign

_NOTHING = LabHostEnd()
ANYWHERE, _ANYWHERE_V6 = "0.0.0.0/0", "::/0"


@dataclass(frozen=True, slots=True)
class EndsOfHosts:
    """What the variables of a site's hosts say of their ports."""

    bonds: tuple[LabBond, ...] = ()
    has_variables: bool = False
    with_rails: frozenset[str] = frozenset()
    """Those that role rail_interfaces brings up, the one that has hosts speak LLDP."""
    _ends: Mapping[tuple[str, str], LabHostEnd] = field(default_factory=dict)

    def end(self, host: str, port: str) -> LabHostEnd | None:
        """One port; None where the site's hosts have no variables. A port that they do not name is in no bond."""
        return self._ends.get((host, port), _NOTHING) if self.has_variables else None

    def may_announce(self, host: str) -> bool:
        """Can its roles have it speak LLDP? Where hosts have no variables, nothing speaks against it."""
        return host in self.with_rails or not self.has_variables


def ends_of_hosts(design: SiteDesign) -> EndsOfHosts:
    """What the host variables of a site say; nothing, if its hosts cannot be brought up as the intent has them."""
    try:
        found = host_inventory(design.site.intent, design.network, design.catalogue)
    except IntentError:
        return EndsOfHosts()
    bonds: list[LabBond] = []
    ends: dict[tuple[str, str], LabHostEnd] = {}
    for host, variables in found.variables.items():
        for bond in variables.get("bond_interfaces_bonds", ()):
            bonds.append(_bond(host, bond))
            for each in bond["members"]:
                ends[host, each["name"]] = LabHostEnd(bond["name"], each["match"].get("mac"))
        plane = variables.get("rail_interfaces_plane_supernet")
        for rail in variables.get("rail_interfaces_rails", ()):
            routes = tuple(_routes(rail, rail.get("plane_supernet") or plane))
            ends[host, rail["name"]] = LabHostEnd(None, rail["match"].get("mac"), tuple(_addresses(rail)), routes)
    for nic in design.network.beyond:
        ends[nic.host, nic.port] = LabHostEnd(bond_of(nic.port))
    bonds += _beyond(design.network)
    with_rails = frozenset(host for host, each in found.variables.items() if each.get("rail_interfaces_rails"))
    return EndsOfHosts(tuple(bonds), has_variables=True, with_rails=with_rails, _ends=ends)


def _beyond(network: Network) -> Iterator[LabBond]:
    """The bond of each machine beyond a way out; the first has the address that both share, as no other fails here."""
    ways = {each.plane: each for each in network.segments if each.is_way_out}
    for nic in {(each.host, bond_of(each.port)): each for each in network.beyond}.values():
        for circuit in network.circuits_on(nic.link):
            way = ways[circuit.owner]
            prefixes = [ip_network(each) for each in (way.subnet, way.subnet_v6) if each is not None]
            places = (NEXT_HOP, NEXT_HOP + 1) if nic.host_index == 1 else (NEXT_HOP + nic.host_index,)
            addresses = tuple(f"{prefix[place]}/{prefix.prefixlen}" for prefix in prefixes for place in places)
            routes = [LabRoute(pool, way.gateway) for pool in network.planes[way.plane].pools.values()]
            inside = [each.subnet_v6 for each in network.segments if each.plane == way.plane and not each.is_way_out]
            routes += [LabRoute(each, way.gateway_v6 or "") for each in inside if each is not None]
            vlan = LabVlan(None, addresses, tuple(each for each in routes if each.to != way.subnet))
            yield LabBond(nic.host, bond_of(nic.port), circuit.use.mtu_bytes, is_fast=True, vlans=(vlan,))


def _bond(host: str, bond: Mapping[str, Any]) -> LabBond:
    vlans = tuple(
        LabVlan(each.get("vlan"), tuple(_addresses(each)), tuple(_by_gateway(each))) for each in bond["planes"]
    )
    return LabBond(host, bond["name"], bond["mtu_bytes"], bond["lacp_rate"] == "fast", vlans)


def _addresses(part: Mapping[str, Any]) -> Iterator[str]:
    """Of a rail, or of a plane on a bond."""
    yield f"{part['address']}/{part['prefix_length']}"
    if part.get("address_v6") is not None:
        yield f"{part['address_v6']}/{part['prefix_length_v6']}"


def _by_gateway(plane: Mapping[str, Any]) -> Iterator[LabRoute]:
    """What the role bond_interfaces makes of a plane on a bond: its routes, or the default route, by the gateway."""
    has_default = plane["default_route"]
    yield from (LabRoute(each, plane["gateway"]) for each in ([ANYWHERE] if has_default else plane["routes"]))
    if plane.get("gateway_v6") is not None:
        routes = [_ANYWHERE_V6] if has_default else plane["routes_v6"]
        yield from (LabRoute(each, plane["gateway_v6"]) for each in routes)


def _routes(rail: Mapping[str, Any], plane: str | None) -> Iterator[LabRoute]:
    """What the role rail_interfaces makes of a rail: its own network in the main table, its plane's in the rail's."""
    own = str(ip_interface(f"{rail['address']}/{rail['prefix_length']}").network)
    if rail.get("supernet") not in (None, own):
        yield LabRoute(rail["supernet"], rail["gateway"])
    if plane is not None:
        yield LabRoute(plane, rail["gateway"], rail["table"])
