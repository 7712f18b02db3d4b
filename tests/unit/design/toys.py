"""The lab with a second plane: storage, on a port, an address block and a session of its own on every switch."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.config.bgp import Neighbor, PeerGroup
from nornir_tasks.design.config.routing_policy import PrefixList, PrefixRule
from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.demand.kinds import Kinds, PlaneKind
from nornir_tasks.design.layout.port_allocation import all_slots
from nornir_tasks.design.model.claims import Owner
from nornir_tasks.design.model.links import Circuit, Endpoint, Link, Use
from nornir_tasks.design.model.network import Device, Fabric, Network
from nornir_tasks.design.model.partial_config import PartialConfig, PartialPort, PartialVrf
from nornir_tasks.design.model.plane import Plane
from nornir_tasks.design.pipeline import Realised, design, device_config
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.site import load_site
from nornir_tasks.platforms import platforms
from tests.unit.design.wanted_of import wanted_of

ONE_OF_EACH = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue": "spine-1"}
POOL = "10.32.0.0/16"


@cache
def real_lab() -> Network:
    """The lab's network under the real operating systems."""
    facts = {name: each.facts for name, each in platforms().items()}
    return design(load_site("lab-rails").intent, load_catalogue(), facts)


@cache
def with_storage(vrf: str | None = None) -> Network:
    """The same, with a storage host on the first spare port of every switch, in a VRF if one is named."""
    return storage_on(real_lab(), vrf)


def storage_on(network: Network, vrf: str | None = None, kind: str = "storage") -> Network:
    """Any network with one plane, likewise."""
    circuits = tuple(_circuit(network, device, number, vrf) for number, device in enumerate(network.devices))
    plane = replace(network.planes["compute"], name="storage", kind=kind, pools={"hosts": POOL}, vrf=vrf)
    return replace(
        network,
        planes={**network.planes, "storage": plane},
        links=(*network.links, *(each.link for each in circuits)),
        circuits=(*network.circuits, *circuits),
    )


def _circuit(network: Network, device: Device, number: int, vrf: str | None) -> Circuit:
    used = {link.end(device.name).slot for link in network.links_of(device.name)} | set(device.slots)
    numbers = {slot.number for slot in used if slot is not None}
    slots = all_slots(network.models[device.model], device.slots)
    spare = next(each for each in slots if each.number not in numbers)
    gbps = 400 if spare.lanes > 1 else 10  # where all others are taken, the panel's last cages are SFP+
    slot = replace(spare, speed_gbps=gbps)
    port = network.facts[device.os].port_name(slot.number, slot.leg, slot.ways, slot.lanes)
    upper, lower = Endpoint(device.name, port, slot), Endpoint(f"store-{number}", "eth0")
    link = Link(f"{device.name}-s1", "host", "compute", upper, lower, 1, gbps, f"{device.name}-s1")
    return Circuit(link, Use("storage", 9000, vrf=vrf), f"10.32.{number}.0", f"10.32.{number}.1")


def storage_port(device: str) -> str:
    """The port that storage alone uses."""
    (circuit,) = (each for each in with_storage().circuits_of(device) if each.owner == "storage")
    return circuit.link.upper.port


def owner(plane: Plane, fabric: Fabric) -> Owner:
    return Owner(plane.name, "plane", "STORAGE-", (plane.pools["hosts"],), vrf=plane.vrf)


def announced(network: Network, plane: Plane, device: Device) -> tuple[str, ...]:
    """The fabric's own sessions are in the default VRF."""
    return blocks_of(network, plane, device) if plane.vrf is None else ()


def blocks_of(network: Network, plane: Plane, device: Device) -> tuple[str, ...]:
    return tuple(f"{each.upper_address}/24" for each in network.circuits_of(device.name) if each.owner == plane.name)


def partial_configs(network: Network, plane: Plane, device: Device) -> Iterator[PartialConfig]:
    blocks, vrf = blocks_of(network, plane, device), plane.vrf
    for circuit in (each for each in network.circuits_of(device.name) if each.owner == plane.name):
        port = PartialPort(address=f"{circuit.upper_address}/31", mtu_bytes=9000, profile=plane.profile, vrf=vrf)
        peer = Neighbor(circuit.lower_address, 65100, "STORAGE-PEERS", "store", vrf=vrf)
        yield PartialConfig(ports={circuit.link.upper.port: port}, neighbors={peer.key: peer}, profiles=plane.profiles)
    group = PeerGroup("STORAGE-PEERS", 3, 9, 10, 0, False, True, True, 10, 5, None, None)
    rules = tuple(PrefixRule(10 * number, permit=True, prefix=each) for number, each in enumerate(blocks, start=1))
    routes = [StaticRoute(each, vrf) for each in blocks]
    yield PartialConfig(
        prefix_lists={"STORAGE-OUT": PrefixList("STORAGE-OUT", rules)},
        static_routes={route.key: route for route in routes},
        peer_groups={group.name: group},
    )
    if vrf is None:
        yield PartialConfig(maximum_paths=4, networks=frozenset(blocks))
    else:
        yield PartialConfig(vrfs={vrf: PartialVrf(device.loopback, 4, frozenset(blocks))})


STORAGE = PlaneKind(owner, announced, partial_configs)


def with_kind(kind: PlaneKind = STORAGE) -> Kinds:
    """The kinds of the package and this one."""
    return kinds().with_plane("storage", kind)


def saying(config: Callable[[Device], PartialConfig]) -> Kinds:
    """Storage wants just this of each switch."""
    return with_kind(PlaneKind(owner, lambda *_: (), lambda _network, _plane, device: iter((config(device),))))


@cache
def realised(name: str, vrf: str | None = None) -> Realised:
    """One switch of the lab with both planes; storage in this VRF."""
    return device_config(with_storage(vrf), with_storage(vrf).device(name), among=with_kind())


@cache
def both(name: str, *planes: str, vrf: str | None = None) -> Wanted:
    """What one switch of the lab with both planes shall hold of these planes; of all, if none is named."""
    return wanted_of(realised(name, vrf), planes)
