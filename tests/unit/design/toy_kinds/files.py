"""A kind of plane for tests: routed NIC ports for files, with a prefix list and a route of its own.

GPUs do not talk over it. It is found as the package's own kinds are, by being in a folder that is looked through.
"""

from collections.abc import Iterator

from nornir_tasks.design.config.routing_policy import PrefixList, PrefixRule
from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.design.demand.kinds import PlaneKind
from nornir_tasks.design.model.claims import Owner, host_prefix, name_prefix
from nornir_tasks.design.model.network import Device, Fabric, Network
from nornir_tasks.design.model.partial_config import PartialConfig, PartialPort
from nornir_tasks.design.model.plane import Plane


def owner(plane: Plane, fabric: Fabric) -> Owner:
    return Owner(plane.name, "plane", host_prefix(plane.name, fabric.name), tuple(plane.pools.values()), vrf=plane.vrf)


def announced(network: Network, plane: Plane, device: Device) -> tuple[str, ...]:
    block = network.host_block(device.name, plane.name)
    return () if block is None else (block,)


def partial_configs(network: Network, plane: Plane, device: Device) -> Iterator[PartialConfig]:
    blocks = announced(network, plane, device)
    for circuit in (each for each in network.circuits_of(device.name) if each.owner == plane.name):
        address = f"{circuit.upper_address}/{circuit.use.prefix_length}"
        port = PartialPort(address=address, mtu_bytes=circuit.use.mtu_bytes, profile=plane.profile)
        yield PartialConfig(ports={circuit.link.upper.port: port})
    if blocks:
        seen = PrefixList(f"{name_prefix(plane.name)}SEEN", (PrefixRule(10, permit=True, prefix=blocks[0], le=32),))
        routes = [StaticRoute(each) for each in blocks]
        yield PartialConfig(
            prefix_lists={seen.name: seen},
            static_routes={each.key: each for each in routes},
            networks=frozenset(blocks),
        )


KIND = PlaneKind(owner, announced, partial_configs)
