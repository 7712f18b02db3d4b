"""The site of shared subnets with two planes more, whose hosts have two links to one leaf each, in one group.

storage: a VLAN on the trunk that it shares with business, and a group in that VLAN to a host that boots over it.
business: a VLAN of its own on the shared trunk, and a routed group.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.config.lag import Lag
from nornir_tasks.design.config.storm_control import StormControl
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.demand.kinds import Kinds, PlaneKind
from nornir_tasks.design.layout.port_allocation import all_slots
from nornir_tasks.design.model.claims import Owner
from nornir_tasks.design.model.links import Circuit, Endpoint, Link, Use
from nornir_tasks.design.model.network import Device, Fabric, Network
from nornir_tasks.design.model.partial_config import FABRIC_PROFILE, PartialConfig, PartialPort
from nornir_tasks.design.model.plane import Plane
from nornir_tasks.design.pipeline import Realised, device_config
from tests.svi import LEAVES, network
from tests.unit.design.wanted_of import wanted_of

VLANS = {"storage": 410, "business": 420}
POOLS = {"storage": "10.34.0.0/16", "business": "10.35.0.0/16"}
TRUNK, BOOT, ROUTED = 1, 2, 3
LAGS = {"storage": {TRUNK, BOOT}, "business": {TRUNK, ROUTED}}
HOSTS = {TRUNK: "login", BOOT: "store", ROUTED: "router"}
WIDTH = 2
"""Members of each group."""
DEVICES = LEAVES


@cache
def bundled(gone: str = "") -> Network:
    """The network with both planes; of the one that is gone no link has anything any more."""
    return with_groups(network(), gone)


def with_groups(site: Network, gone: str = "") -> Network:
    """Any network with both planes. StopIteration: a leaf has not six ports to spare."""
    planes = {
        name: replace(site.planes["compute"], name=name, kind=name, pools={"hosts": pool}, host_vlan=None)
        for name, pool in POOLS.items()
    }
    links = [(link, number) for leaf in site.devices if leaf.level == 0 for link, number in _links(site, leaf)]
    circuits = [circuit for link, number in links for circuit in _circuits(link, number) if circuit.owner != gone]
    return replace(
        site,
        planes={**site.planes, **planes},
        links=(*site.links, *(link for link, _ in links)),
        circuits=(*site.circuits, *circuits),
    )


def _links(site: Network, leaf: Device) -> Iterator[tuple[Link, int]]:
    """Links from ports that nobody uses, as many as each group has members, with the group's number."""
    used = {link.end(leaf.name).slot for link in site.links_of(leaf.name)} | set(leaf.slots)
    numbers = {slot.number for slot in used if slot is not None}
    spare = (slot for slot in all_slots(site.models[leaf.model], leaf.slots) if slot.number not in numbers)
    for number, host in HOSTS.items():
        for leg in range(WIDTH):
            slot = next(spare)
            port = site.facts[leaf.os].port_name(slot.number, slot.leg, slot.ways, slot.lanes)
            near = Endpoint(leaf.name, port, replace(slot, speed_gbps=400))
            name = f"{leaf.name}-{host}-{leg}"
            yield (
                Link(name, "host", "compute", near, Endpoint(f"{leaf.name}-{host}", f"eth{leg}"), 1, 400, name),
                number,
            )


def _circuits(link: Link, number: int) -> Iterator[Circuit]:
    for owner, vlan in VLANS.items():
        if number not in LAGS[owner]:
            continue
        tag = vlan if number == TRUNK else None
        segment = None if number == ROUTED else f"{vlan}"
        yield Circuit(link, Use(owner, 9000, 24, tag=tag, segment=segment), segment or "10.35.200.0", "")


def members(device: str, number: int) -> tuple[str, ...]:
    """The ports of one group of the network with both planes."""
    return _members(bundled(), device, number)


def _members(site: Network, device: str, number: int) -> tuple[str, ...]:
    host = f"{device}-{HOSTS[number]}"
    return tuple(link.upper.port for link in site.links_of(device) if link.lower.device == host)


def group(device: Device, number: int) -> str:
    """The name of a group on this switch."""
    return f"{device.capabilities.lag_prefix}{number}"


def _owner(plane: Plane, fabric: Fabric) -> Owner:
    del fabric
    name = plane.name
    vlans, lags = frozenset({VLANS[name]}), frozenset(LAGS[name])
    return Owner(name, "plane", f"{name.upper()}-", (POOLS[name],), vlans, lags=lags)


def _wanted(site: Network, plane: Plane, device: Device) -> Iterator[PartialConfig]:
    there = {
        number for number in LAGS[plane.name] for each in site.circuits_of(device.name) if each.owner == plane.name
    }
    if device.level == 0 and there:
        vlan = VLANS[plane.name]
        number = [each.name for each in site.devices].index(device.name)
        address = POOLS[plane.name].replace("0.0/16", f"{number}.1/24")
        svi = PartialPort(True, f"{plane.name} {vlan}", address=address, mtu_bytes=9000)
        yield PartialConfig(
            vlans={vlan: Vlan(vlan, f"{plane.name.upper()}-{vlan}")},
            bridge_priority=4096,
            lag_hash=True,
            ports={f"{device.capabilities.svi_prefix}{vlan}": svi},
        )
        for each in sorted(there):
            yield _of_group(site, plane.name, device, each)


def _of_group(site: Network, owner: str, device: Device, number: int) -> PartialConfig:
    least = None if device.capabilities.max_min_links is None else 1
    made = {
        TRUNK: PartialPort(tagged_vlans=frozenset({VLANS[owner]}), edge=True, lag=Lag("fast", min_links=least)),
        BOOT: PartialPort(
            access_vlan=VLANS["storage"],
            edge=True,
            lag=Lag("slow", individual=True, individual_after_s=30),
            storm=_storm(device),
        ),
        ROUTED: PartialPort(address="10.35.200.0/31", lag=Lag("fast")),
    }[number]
    shared = replace(made, enabled=True, description=HOSTS[number], mtu_bytes=9000, profile=FABRIC_PROFILE)
    name = group(device, number)
    ports = {port: PartialPort(member_of=name) for port in _members(site, device.name, number)}
    return PartialConfig(ports={name: shared, **ports})


def _storm(device: Device) -> StormControl | None:
    facts = device.capabilities.storm_control
    return None if facts is None else StormControl(**{f"{kind}_pps": 400 for kind in facts.kinds})


KIND = PlaneKind(_owner, lambda *_: (), _wanted)


def with_kinds() -> Kinds:
    """The kinds of the package and both of these."""
    return kinds().with_plane("storage", KIND).with_plane("business", KIND)


@cache
def realised(name: str, gone: str = "") -> Realised:
    """One switch with all three planes, but for one that is gone."""
    return device_config(bundled(gone), bundled(gone).device(name), among=with_kinds())


@cache
def part(name: str, *planes: str, gone: str = "") -> Wanted:
    """What is wanted of one switch for these planes; for all, if none is named."""
    return wanted_of(realised(name, gone), planes)
