"""What a plane whose hosts have ports of their own wants of one switch: these ports, and the block with addresses.

Ports are routed; with ``link: svi`` they are access ports of one VLAN, which the leaf's SVI routes. The block has a
discard route, so that its announcement does not flap with a host port. Bonded ports (``Plane.is_bonded``) are those of
:mod:`nornir_tasks.design.contribute.bond_ports`.
"""

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import IPv4Network

from nornir_tasks.design.addresses.mtu import agreed_bytes, of_link
from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.contribute import bond_ports
from nornir_tasks.design.model.claims import Owner, host_prefix, name_prefix
from nornir_tasks.design.model.links import Circuit
from nornir_tasks.design.model.network import EVERYWHERE, Device, Fabric, Network
from nornir_tasks.design.model.partial_config import PartialConfig, PartialPort, PartialVrf
from nornir_tasks.design.model.plane import Plane


def owner(plane: Plane, fabric: Fabric) -> Owner:
    """The hosts' addresses, their VLANs, and the groups that their bonds end on."""
    vlans = frozenset() if plane.host_vlan is None else frozenset({plane.host_vlan})
    vlans = frozenset(each.number for each in plane.vlans) or vlans
    prefix = host_prefix(plane.name, fabric.name)
    made = Owner(plane.name, "plane", prefix, tuple(plane.pools.values()), vlans, plane.vrf)
    if not plane.is_bonded:
        return made
    pools_v6 = (plane.pool_v6, *(each.subnet_v6 for each in plane.vlans))
    return replace(
        made,
        pools=(*made.pools, *(each for each in pools_v6 if each is not None)),
        lags=frozenset(range(1, bond_ports.LAST_GROUP + 1)),
        has_gateways=True,
        has_dhcp_relay=bool(plane.dhcp_servers),
        routes=frozenset(EVERYWHERE[":" in hop] for each in plane.vlans for hop in each.next_hops),
    )


def announced(network: Network, plane: Plane, device: Device) -> tuple[str, ...]:
    """The block of a leaf's hosts, or the subnets of a pair's bonds, and the default route of a way out."""
    if plane.is_bonded:
        return tuple(prefix for plane_name, prefix in network.prefixes_at(device.name) if plane_name == plane.name)
    block = network.host_block(device.name, plane.name)
    return () if block is None else (block,)


def partial_configs(network: Network, plane: Plane, device: Device) -> Iterator[PartialConfig]:
    """The plane's part of one switch; for a spine, only the classes."""
    if plane.is_bonded:
        yield PartialConfig(classes=network.fabrics[plane.fabric].classes)
        yield from bond_ports.partial_configs(network, plane, device)
        return
    blocks = announced(network, plane, device)
    circuits = [each for each in network.circuits_of(device.name) if each.owner == plane.name]
    yield PartialConfig(
        classes=network.fabrics[plane.fabric].classes,
        profiles=plane.profiles if circuits else None,
        ports={each.interface(device.name): _port(network, each, device, plane) for each in circuits},
        static_routes={route.key: route for route in (StaticRoute(block, plane.vrf) for block in blocks)},
        networks=frozenset(blocks) if plane.vrf is None else None,
        vrfs=None if plane.vrf is None else {plane.vrf: PartialVrf(networks=frozenset(blocks))},
    )
    if plane.host_vlan is not None:
        for block in blocks:
            yield _vlan(plane, plane.host_vlan, device, block, network.fabric_of(device).mtu_bytes)


def _port(network: Network, circuit: Circuit, device: Device, plane: Plane) -> PartialPort:
    """The leaf's end of a host's link, or the plane's subinterface if the link is shared."""
    vlan = None if circuit.use.segment is None else plane.host_vlan
    address = f"{circuit.address(device.name)}/{circuit.use.prefix_length}"
    if vlan is None and circuit.use.tag is not None:
        host = circuit.link.far(device.name).device
        name = f"{host} {circuit.interface(host)}"
        return PartialPort(
            enabled=True,
            description=name,
            address=address,
            mtu_bytes=circuit.use.mtu_bytes,
            vrf=plane.vrf,
            tag=circuit.use.tag,
        )
    return PartialPort(
        address=address if vlan is None else None,
        mtu_bytes=of_link(network, circuit.link),
        profile=plane.profile,
        access_vlan=vlan,
        edge=vlan is not None,
        storm=None if vlan is None else plane.storm,
        vrf=plane.vrf if vlan is None else None,
    )


def gateway(block: str) -> str:
    """The leaf's own address in the VLAN of its hosts, the first, without length."""
    return str(IPv4Network(block).network_address + 1)


def _vlan(plane: Plane, number: int, device: Device, block: str, intended_bytes: int) -> PartialConfig:
    """The hosts' gateway on their leaf. It has no queues: trust, PFC and ECN are on the access ports.

    Each leaf has its own VLAN, all with the same number.
    """
    capabilities, subnet = device.capabilities, IPv4Network(block)
    svi = PartialPort(
        enabled=True,
        description=f"hosts of {device.name}",
        address=f"{gateway(block)}/{subnet.prefixlen}",
        mtu_bytes=agreed_bytes(intended_bytes, capabilities),
        vrf=plane.vrf,
    )
    vlan = Vlan(number, name_prefix(plane.name) + "HOSTS")
    return PartialConfig(vlans={number: vlan}, ports={f"{capabilities.svi_prefix}{number}": svi})
