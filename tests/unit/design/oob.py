"""The lab with a fabric of its own for management: one switch, cabled to the management port of each other one."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.demand.kinds import Announced, FabricKind, Kinds, PlaneKind
from nornir_tasks.design.layout.port_allocation import all_slots
from nornir_tasks.design.model.claims import Owner
from nornir_tasks.design.model.layer1 import layer1
from nornir_tasks.design.model.links import Cable, Circuit, Endpoint, Link, Use
from nornir_tasks.design.model.network import Device, Fabric, Network
from nornir_tasks.design.model.partial_config import PartialConfig, PartialPort
from nornir_tasks.design.model.plane import Plane
from tests.unit.design.toys import real_lab

SWITCH, PLANE, FABRIC = "mgmt-1", "control", "wires"
MANAGEMENT = {"eos": "Management1", "nxos": "mgmt0", "nvue": "eth0"}
ONE_OF_EACH = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue 5.16": "spine-1", "nvue 5.14": "spine-2"}


@cache
def with_management() -> Network:
    """The lab's network and the toy fabric with its plane."""
    network = real_lab()
    switch = replace(network.device("spine-2"), name=SWITCH, fabric=FABRIC, level=0, role="switch", slots=())
    links = tuple(_link(network, switch, number, device) for number, device in enumerate(network.devices, start=1))
    use = Use(PLANE, 1500)
    circuits = tuple(Circuit(each, use, f"10.250.{n}.0", f"10.250.{n}.1") for n, each in enumerate(links))
    fabric = replace(network.fabrics["compute"], name=FABRIC, kind="bush", pools={}, classes=(), bfd=False)
    plane = Plane(PLANE, PLANE, FABRIC, {"hosts": "10.250.0.0/16"}, 24, 0, (), 1500)
    return replace(
        network,
        fabrics={**network.fabrics, FABRIC: fabric},
        planes={**network.planes, PLANE: plane},
        devices=(*network.devices, switch),
        links=(*network.links, *links),
        circuits=(*network.circuits, *circuits),
        cables=(*network.cables, *(Cable(each.name, "DAC", 3, (each.name,)) for each in links)),
    )


def _link(network: Network, switch: Device, number: int, device: Device) -> Link:
    slot = replace(all_slots(network.models[switch.model], ())[number - 1], speed_gbps=100)
    port = network.facts[switch.os].port_name(slot.number, slot.leg, slot.ways, slot.lanes)
    upper, lower = Endpoint(SWITCH, port, slot), Endpoint(device.name, MANAGEMENT[device.os])
    return Link(f"{device.name}-m1", "host", FABRIC, upper, lower, number, 100, f"{device.name}-m1", "none")


def _owner(plane: Plane, _fabric: Fabric) -> Owner:
    return Owner(plane.name, "plane", "CONTROL-", tuple(plane.pools.values()))


def _of_plane(network: Network, plane: Plane, device: Device) -> Iterator[PartialConfig]:
    ports = {
        each.link.upper.port: PartialPort(address=f"{each.upper_address}/31", mtu_bytes=each.use.mtu_bytes)
        for each in network.circuits_of(device.name)
        if each.owner == plane.name
    }
    yield PartialConfig(ports=ports)


def _of_fabric(network: Network, device: Device, _announced: Announced, *, drained: bool) -> Iterator[PartialConfig]:
    assert not drained
    ends = ((each.link.end(device.name), each.link) for each in network.circuits_of(device.name))
    ports = {end.port: PartialPort(True, link.lower.device, layer1(link, end.slot)) for end, link in ends}
    yield PartialConfig(lldp=True, ports=ports)


def among() -> Kinds:
    """The kinds of the package and these two."""
    bush = FabricKind(frozenset({"bush"}), lambda each: Owner(each.name, "fabric", "WIRES-"), _of_fabric)
    plain = PlaneKind(_owner, lambda *_: (), _of_plane)
    found = kinds().with_plane(PLANE, plain)
    return replace(found, fabrics={**found.fabrics, "bush": bush})
