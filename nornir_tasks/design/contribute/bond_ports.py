"""What a plane whose hosts bond their ports wants of a leaf: the groups that bonds end on, and VLANs with gateways.

A host's ports on a leaf are one group, which has the number of the first of them among the leaf's host ports: the same
on both leaves of a pair. The plane that the ports are of says all of the group, and its VLAN is the untagged one;
planes that share the ports put their VLANs on it with tags. Both leaves route a VLAN, each with an address of its own,
and both answer the gateway's. Its subnet has no discard route, unlike a block of routed ports: a leaf whose VLAN is
down must not announce it, since the other one has a way to these hosts.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from ipaddress import ip_network

from nornir_tasks.design.addresses.mtu import agreed_bytes, of_link
from nornir_tasks.design.config.access_lists import AccessList, Direction, Family
from nornir_tasks.design.config.gateway import Gateway
from nornir_tasks.design.config.lag import Lag
from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.contribute.mlag_config import peer_link
from nornir_tasks.design.contribute.way_out_lists import lists_of_way_out
from nornir_tasks.design.demand.flows import FAMILIES, Terms, access_lists
from nornir_tasks.design.demand.site_prefixes import own_prefixes
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.claims import host_prefix
from nornir_tasks.design.model.flow_terms import Allowed
from nornir_tasks.design.model.links import Circuit
from nornir_tasks.design.model.mlag import BondTerms, Segment
from nornir_tasks.design.model.network import EVERYWHERE, Device, Network
from nornir_tasks.design.model.partial_config import PartialConfig, PartialPort, PartialVrf
from nornir_tasks.design.model.plane import Plane

LAST_GROUP = 512
"""Hosts' groups are numbered from 1 to at most this: no switch of the catalogue has more ports."""
GATEWAY_MAC = "00:00:5e:00:01:ff"
"""Of all gateways, where the OS has a line for it: of the range that RFC 5798 keeps for virtual routers, NVIDIA's own
example of a fabric's (nv set system global fabric-mac). Its last byte would be router 255 of VRRP: hosts that speak
VRRP in a VLAN mostly begin with 1, and ours have others. Each VLAN is on one pair alone: no host hears it from two."""
PRIORITIES = (110, 100)
"""Of both leaves where one of them answers: the first, as long as it is there, and by default the other (HSRP)."""


def partial_configs(network: Network, plane: Plane, device: Device) -> Iterator[PartialConfig]:
    """The plane's part of one switch beside its traffic classes; nothing where it has no hosts."""
    segments = network.segments_at(device.name, plane.name)
    if not segments:
        return
    prefixes = frozenset(prefix for name, prefix in network.prefixes_at(device.name) if name == plane.name)
    statics = [route for each in segments for route in _static_routes(network, plane, device, each)]
    yield PartialConfig(
        profiles=plane.profiles,
        ports=_groups(network, plane, device),
        networks=prefixes if plane.vrf is None else None,
        vrfs=None if plane.vrf is None else {plane.vrf: PartialVrf(networks=prefixes)},
        static_routes={each.key: each for each in statics} or None,
    )
    for each in segments:
        yield _vlan(network, plane, device, each)


def _static_routes(network: Network, plane: Plane, device: Device, segment: Segment) -> Iterator[StaticRoute]:
    """To everything that is not the site's, by a way out: of each family that its VLAN has.

    Addresses of the plane that no leaf announces end here: machines beyond have a route back for all of its pool, and
    would return packets to them until their TTL has run out. No VLAN's own subnet is discarded: that of another pair
    may be the whole pool, and a static route goes before what BGP has.
    """
    port = f"{device.capabilities.svi_prefix}{segment.vlan}"
    for hop in segment.next_hops:
        yield StaticRoute(EVERYWHERE[":" in hop], plane.vrf, (hop,), interface=port)
    subnets = {each.subnet for each in network.segments}
    for pool in plane.pools.values() if segment.is_way_out else ():
        if pool not in subnets and ":" not in pool:
            yield StaticRoute(pool, plane.vrf)


def numbers(network: Network, device: Device) -> Mapping[str, int]:
    """NIC port's link -> number of the group that it is in on this leaf."""
    first: dict[tuple[str, str], int] = {}
    bonded = [each for each in network.circuits_of(device.name) if each.use.bundle is not None]
    for each in bonded:
        key = _bond(each, device)
        first[key] = min(each.link.place, first.get(key, each.link.place))
    return {each.link.name: first[_bond(each, device)] for each in bonded}


def _bond(circuit: Circuit, device: Device) -> tuple[str, str]:
    return circuit.link.far(device.name).device, circuit.use.bundle or ""


def _groups(network: Network, plane: Plane, device: Device) -> dict[str, PartialPort]:
    """The groups of the plane's hosts, the ports in them, and the VLANs that the peer link carries for them."""
    ports: dict[str, PartialPort] = {}
    if device.capabilities.pair is not None:
        vlans = frozenset(each.vlan for each in network.segments_at(device.name, plane.name))
        ports[peer_link(device)] = PartialPort(tagged_vlans=vlans)
    number_of = numbers(network, device)
    for circuit in (each for each in network.circuits_of(device.name) if each.owner == plane.name):
        name = f"{device.capabilities.lag_prefix}{number_of[circuit.link.name]}"
        vlan = network.segment_of(circuit).vlan
        if circuit.use.tag is not None:
            ports[name] = PartialPort(tagged_vlans=frozenset({vlan}))
            continue
        host = circuit.link.far(device.name).device
        is_shared = any(each.use.tag is not None for each in network.circuits_on(circuit.link))
        ports[circuit.link.end(device.name).port] = PartialPort(member_of=name)
        ports[name] = PartialPort(
            enabled=True,
            description=f"{host} {circuit.use.bundle}",
            mtu_bytes=of_link(network, circuit.link),
            profile=plane.profile,
            edge=True,
            storm=plane.storm,
            access_vlan=None if is_shared else vlan,
            native_vlan=vlan if is_shared else None,
            lag=_lag(plane.bond_of(host), number_of[circuit.link.name], device),
        )
    return ports


def _lag(terms: BondTerms, number: int, device: Device) -> Lag:
    """A group over both leaves; up with any member, unless the intent asks for more, as is every system's default."""
    least = terms.min_links if terms.min_links > 1 or device.capabilities.max_min_links is not None else None
    pair_id = None if device.capabilities.pair is None else number  # without pairs all of the fabric is refused
    return Lag(terms.rate, individual=terms.falls_back, min_links=least, pair_id=pair_id)


def _vlan(network: Network, plane: Plane, device: Device, segment: Segment) -> PartialConfig:
    """A VLAN and its gateway on this leaf, with the lists that filter what it routes."""
    known, prefix = device.capabilities, host_prefix(plane.name, plane.fabric)
    own, own_v6 = dict(segment.leaves)[device.name], dict(segment.leaves_v6).get(device.name)
    lists = lists_of(network, plane, device, segment)
    svi = PartialPort(
        enabled=True,
        description=f"{plane.name} {segment.name}",
        address=f"{own}/{ip_network(segment.subnet).prefixlen}",
        mtu_bytes=agreed_bytes(network.fabric_of(device).mtu_bytes, known),
        vrf=plane.vrf,
        acls={use: each.name for use, each in lists.items()} or None,
        gateway=_gateway(segment, device) if known.has_gateways else None,
        dhcp_servers=None if segment.is_way_out else plane.dhcp_servers or None,
    )
    if own_v6 is not None and segment.subnet_v6 is not None:
        svi = replace(svi, ipv6_address=f"{own_v6}/{ip_network(segment.subnet_v6).prefixlen}")
    return PartialConfig(
        vlans={segment.vlan: Vlan(segment.vlan, f"{prefix.rstrip('-')}-{segment.name}".upper())},
        access_lists={each.name: each for each in lists.values()} or None,
        ports={f"{known.svi_prefix}{segment.vlan}": svi},
    )


def _gateway(segment: Segment, device: Device) -> Gateway:
    place = [leaf for leaf, _ in segment.leaves].index(device.name)
    return Gateway(
        address=segment.gateway,
        ipv6_address=segment.gateway_v6,
        mac_address=GATEWAY_MAC,
        group=segment.vlan,
        priority=PRIORITIES[place],
        preempt=True,
    )


def lists_of(
    network: Network, plane: Plane, device: Device, segment: Segment
) -> dict[tuple[Family, Direction], AccessList]:
    """The access lists of one VLAN: those of a way out; of others none where the plane says nothing of flows."""
    prefix = host_prefix(plane.name, plane.fabric)
    if segment.is_way_out:
        return lists_of_way_out(network, plane, prefix, segment, device.capabilities)
    if plane.allowed is None:
        return {}
    ends = network.ends_of_flows[plane.name]
    return access_lists(
        prefix, segment, plane.allowed.flows, ends, _terms(network, plane, plane.allowed, device.capabilities)
    )


def _terms(network: Network, plane: Plane, allowed: Allowed, known: Capabilities) -> Terms:
    return Terms(
        site=own_prefixes(network),
        has_dhcp=allowed.has_dhcp,
        dhcp_servers=plane.dhcp_servers,
        has_hellos=known.has_gateway_roles,
        whole_icmp=frozenset(FAMILIES) - (known.acls.icmp_types if known.acls is not None else frozenset()),
        takes_bridged=known.acls is not None and known.acls.svi_takes_bridged,
    )
