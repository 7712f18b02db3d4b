"""What an out-of-band plane wants of an access switch: ports in one VLAN, and a gateway that filters both ways.

The lists are exact on the side of the access switch: the addresses kept for a group there. On the far side they are
those of the groups that may enter, or all of the plane: the list at the other end is exact there. Within the VLAN of
one access switch nothing is filtered.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from ipaddress import IPv4Network, collapse_addresses

from nornir_tasks.design.config.access_lists import ICMP, UDP, AccessList, AclRule, Direction, Family
from nornir_tasks.design.contribute import host_ports
from nornir_tasks.design.contribute.host_ports import gateway
from nornir_tasks.design.demand.flows import DHCP, DIRECTIONS, answer, needed, numbered, opening
from nornir_tasks.design.demand.gateway_lists import Vlan, elsewhere_last, of_switches
from nornir_tasks.design.demand.site_prefixes import own_prefixes
from nornir_tasks.design.model.claims import Owner, host_prefix
from nornir_tasks.design.model.flow_terms import Flow, Service
from nornir_tasks.design.model.network import Device, Fabric, Network
from nornir_tasks.design.model.partial_config import PartialConfig, PartialPort
from nornir_tasks.design.model.plane import Plane
from nornir_tasks.intent.rules.flow import OUTSIDE

FAMILY: Family = "ipv4"
"""The plane has IPv4 alone."""


def owner(plane: Plane, fabric: Fabric) -> Owner:
    """As of hosts in a VLAN, with the relays of its gateways."""
    return replace(host_ports.owner(plane, fabric), has_dhcp_relay=bool(plane.dhcp_servers))


def partial_configs(network: Network, plane: Plane, device: Device) -> Iterator[PartialConfig]:
    """The plane's part of one switch; for a router, only the classes."""
    yield from host_ports.partial_configs(network, plane, device)
    if plane.host_vlan is None or network.host_block(device.name, plane.name) is None:
        return
    lists = {direction: access_list(network, plane, device, direction) for direction in DIRECTIONS}
    _, elsewhere = _dhcp_servers(network, plane, device)
    svi = PartialPort(
        acls={(FAMILY, direction): each.name for direction, each in lists.items()},
        dhcp_servers=elsewhere or None,  # one in the VLAN itself hears its requests
    )
    yield PartialConfig(
        access_lists={each.name: each for each in lists.values()},
        ports={f"{device.capabilities.svi_prefix}{plane.host_vlan}": svi},
    )


def access_list(network: Network, plane: Plane, device: Device, direction: Direction) -> AccessList:
    """What the gateway takes from the ports of its access switch (``in``), or sends to them (``out``)."""
    known, allowed = device.capabilities, plane.allowed
    whole = known.acls is not None and FAMILY not in known.acls.icmp_types
    has_dhcp = allowed is not None and allowed.has_dhcp
    block = network.host_block(device.name, plane.name) or ""
    near = network.attached_prefixes[device.name, plane.name]
    flows = () if allowed is None else allowed.flows
    far = _far(network, plane, block)
    found = [each for flow in flows for each in _of_flow(flow, direction, near, far)]
    servers, _ = _dhcp_servers(network, plane, device)
    vlan = Vlan(FAMILY, block, (gateway(block),), known.acls is not None and known.acls.svi_takes_bridged, whole)
    ways = DIRECTIONS if vlan.takes_bridged else (direction,)
    rules = [each for way in ways for each in needed(FAMILY, way, has_dhcp=has_dhcp, has_whole_icmp=whole)]
    rules += of_switches(vlan, direction)
    rules += elsewhere_last(_joined(found), vlan, own_prefixes(network)[FAMILY])
    rules += [_relayed(plane.pools["hosts"], f"{server}/32", direction) for server in sorted(servers)]
    prefix = host_prefix(plane.name, plane.fabric)
    return AccessList(f"{prefix}V{plane.host_vlan}-{direction}".upper(), FAMILY, numbered(rules))


def _dhcp_servers(network: Network, plane: Plane, device: Device) -> tuple[frozenset[str], frozenset[str]]:
    """Servers that are attached to this access switch themselves, and all others."""
    block = network.host_block(device.name, plane.name) or ""
    here = frozenset(each for each in plane.dhcp_servers if ":" not in each and _is_in(f"{each}/32", block))
    return here, plane.dhcp_servers - here


def _relayed(pool: str, server: str, direction: Direction) -> AclRule:
    """What gateways of other access switches and a server here say to one another (RFC 2131, 4.1: port 67 at both)."""
    _, port = DHCP[FAMILY]
    source, destination = (server, pool) if direction == "in" else (pool, server)
    return AclRule(0, True, UDP, source, destination, (port, port), (port, port))


def _joined(found: Iterable[tuple[tuple[str, ...], Callable[[str], AclRule]]]) -> Iterator[AclRule]:
    """Rules that differ in the addresses of the access switch alone, of as few prefixes as hold all of these."""
    near: dict[AclRule, list[str]] = {}
    make: dict[AclRule, Callable[[str], AclRule]] = {}
    for prefixes, rule in found:
        key = rule("")
        make.setdefault(key, rule)
        near.setdefault(key, []).extend(prefixes)
    for key, every in near.items():
        yield from (make[key](str(each)) for each in collapse_addresses(map(IPv4Network, every)))


def _far(network: Network, plane: Plane, block: str) -> dict[str, tuple[str | None, ...]]:
    """Name of flows -> its addresses, seen from an access switch: exact for those who may enter, else all of the plane.

    ``block``: the access switch's own, whose packets to one another no gateway sees.
    """
    every, pool = network.ends_of_flows[plane.name], plane.pools["hosts"]
    named = {*plane.entry, *(plane.allowed.networks if plane.allowed is not None else ()), OUTSIDE}
    return {
        name: tuple(each for each in ends.prefixes[FAMILY] if each is None or not _is_in(each, block))
        if name in named
        else (pool,)
        for name, ends in every.items()
    }


def _is_in(prefix: str, block: str) -> bool:
    return IPv4Network(prefix).subnet_of(IPv4Network(block))


def _of_flow(
    flow: Flow,
    direction: Direction,
    near: Mapping[str, tuple[str, ...]],
    far: Mapping[str, tuple[str | None, ...]],
) -> Iterator[tuple[tuple[str, ...], Callable[[str], AclRule]]]:
    """Addresses of the access switch, and the rule for each of them.

    Packets of connections to a service where they leave, their answers where these do, and ICMP both ways.
    """
    for here, there, opens in (
        (flow.source, flow.destination, direction == "in"),
        (flow.destination, flow.source, direction == "out"),
    ):
        own, others = _ends(flow, here, near.get(here, ())), _ends(flow, there, far[there])
        for other in others if own else ():
            for service in (None, *flow.services):
                yield tuple(filter(None, own)), partial(_rule, service, other, direction, opens)


def _ends(flow: Flow, name: str, known: tuple[str | None, ...]) -> tuple[str | None, ...]:
    """Addresses of one end of a flow among those that are known; of one that leads to a single server, only that."""
    if flow.server is None or name != flow.destination:
        return known
    return (flow.server,) if any(each and _is_in(flow.server, each) for each in known) else ()


def _rule(service: Service | None, far: str | None, direction: Direction, opens: bool, near: str) -> AclRule:
    source, destination = (near, far) if direction == "in" else (far, near)
    if service is None:
        return AclRule(0, permit=True, protocol=ICMP[FAMILY], source=source, destination=destination)
    return (opening if opens else answer)(service, source, destination)
