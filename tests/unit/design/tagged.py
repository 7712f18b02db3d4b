"""The site of shared subnets with two planes more, told apart by 802.1Q tags on every link they use.

storage, in the default VRF: a VLAN on each leaf's trunk to a host, a subinterface towards another.
business, in a VRF: a VLAN beside it and one without a tag, a subinterface beside it, and one on every link between
switches, over which BGP runs in that VRF.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.addresses.mtu import of_link
from nornir_tasks.design.config.bgp import Neighbor, PeerGroup
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.demand.kinds import Kinds, PlaneKind
from nornir_tasks.design.layout.port_allocation import all_slots
from nornir_tasks.design.model.claims import Owner
from nornir_tasks.design.model.links import Circuit, Endpoint, Link, Use
from nornir_tasks.design.model.network import Device, Fabric, Network
from nornir_tasks.design.model.partial_config import FABRIC_PROFILE, PartialConfig, PartialPort, PartialVrf
from nornir_tasks.design.model.plane import Plane
from nornir_tasks.design.pipeline import Realised, device_config
from tests.svi import LEAVES, network
from tests.unit.design.wanted_of import wanted_of

VRF = "BUSINESS"
STORAGE_VLAN, BUSINESS_VLAN, BOOT_VLAN = 410, 420, 430
UPLINK_TAG = 120
VLANS = {"storage": frozenset({STORAGE_VLAN}), "business": frozenset({BUSINESS_VLAN, BOOT_VLAN})}
POOLS = {
    "storage": {"hosts": "10.34.0.0/16"},
    "business": {"hosts": "10.35.0.0/16", "links": "10.36.0.0/16"},
}
SPINES = {"spine": "spine-1"}
DEVICES = {**LEAVES, **SPINES}


@cache
def tagged(gone: str = "") -> Network:
    """The network with both planes; of the one that is gone no link has anything any more."""
    return with_tags(network(), gone)


def with_tags(site: Network, gone: str = "") -> Network:
    """Any network of numbered links with both planes. StopIteration: a leaf has not two ports to spare."""
    planes = {
        name: replace(site.planes["compute"], name=name, kind=name, pools=pools, host_vlan=None, vrf=vrf)
        for (name, pools), vrf in zip(POOLS.items(), (None, VRF), strict=True)
    }
    leaves = [device for device in site.devices if device.level == 0]
    links = [(*_spare_links(site, leaf, number), number) for number, leaf in enumerate(leaves)]
    circuits = [*_between_switches(site), *(each for found in links for each in _to_hosts(*found))]
    return replace(
        site,
        planes={**site.planes, **planes},
        links=(*site.links, *(link for trunk, routed, _ in links for link in (trunk, routed))),
        circuits=(*site.circuits, *(each for each in circuits if each.owner != gone)),
    )


def _between_switches(site: Network) -> Iterator[Circuit]:
    under = [each for each in site.circuits if each.is_underlay]
    for number, each in enumerate(each for each in under if each.upper_address):
        high, low = divmod(2 * number, 256)
        use = Use("business", 1500, vrf=VRF, tag=UPLINK_TAG)
        yield Circuit(each.link, use, f"10.36.{high}.{low}", f"10.36.{high}.{low + 1}")


def _to_hosts(trunk: Link, routed: Link, number: int) -> Iterator[Circuit]:
    for owner, mtu_bytes, vrf, vlan in (
        ("storage", 9000, None, STORAGE_VLAN),
        ("business", 1500, VRF, BUSINESS_VLAN),
        ("business", 1500, VRF, BOOT_VLAN),
    ):
        tag = None if vlan == BOOT_VLAN else vlan
        yield Circuit(trunk, Use(owner, mtu_bytes, 24, vrf=vrf, tag=tag, segment=str(vlan)), f"{vlan}", "")
    for owner, mtu_bytes, vrf, tag in (("storage", 9000, None, 510), ("business", 1500, VRF, 520)):
        net = POOLS[owner]["hosts"].split(".")[1]
        yield Circuit(
            routed, Use(owner, mtu_bytes, vrf=vrf, tag=tag), f"10.{net}.{200 + number}.0", f"10.{net}.{200 + number}.1"
        )


def _spare_links(site: Network, leaf: Device, number: int) -> tuple[Link, Link]:
    """Two ports that nobody uses: to a host with a trunk, and to one with subinterfaces."""
    used = {link.end(leaf.name).slot for link in site.links_of(leaf.name)} | set(leaf.slots)
    numbers = {slot.number for slot in used if slot is not None}
    spare = (slot for slot in all_slots(site.models[leaf.model], leaf.slots) if slot.number not in numbers)
    found = []
    for kind, slot in (("trunk", next(spare)), ("routed", next(spare))):
        port = site.facts[leaf.os].port_name(slot.number, slot.leg, slot.ways, slot.lanes)
        name = f"{kind}-{number}"
        found.append(
            Link(
                name,
                "host",
                "compute",
                Endpoint(leaf.name, port, replace(slot, speed_gbps=400)),
                Endpoint(name, "eth0"),
                1,
                400,
                name,
            )
        )
    return found[0], found[1]


def host_port(device: str, kind: str) -> str:
    """The port of a leaf towards its ``trunk`` or ``routed`` host."""
    return next(each.upper.port for each in tagged().links_of(device) if each.name.startswith(kind))


def _owner(plane: Plane, fabric: Fabric) -> Owner:
    del fabric
    return Owner(
        plane.name, "plane", f"{plane.name.upper()}-", tuple(plane.pools.values()), VLANS[plane.name], plane.vrf
    )


def _wanted(site: Network, plane: Plane, device: Device) -> Iterator[PartialConfig]:
    for circuit in (each for each in site.circuits_of(device.name) if each.owner == plane.name):
        if circuit.use.segment is not None:
            yield _in_vlan(site, plane, device, circuit)
        elif circuit.use.tag is not None:
            yield _on_subinterface(site, plane, device, circuit)
    if plane.vrf is not None:
        group = PeerGroup(f"{plane.name.upper()}-SWITCHES", 10, 30, 10, 0, False, True, True, 100, 5, None, None)
        blocks = None
        if device.level == 0:
            blocks = frozenset(_subnet(site, plane, device, vlan) for vlan in VLANS[plane.name])
        vrf = PartialVrf(device.loopback, 4, blocks)
        yield PartialConfig(peer_groups={group.name: group}, vrfs={plane.vrf: vrf})


def _subnet(site: Network, plane: Plane, device: Device, vlan: int) -> str:
    """Of a VLAN on one leaf."""
    leaves = [each.name for each in site.devices if each.level == 0]
    return f"10.{plane.pools['hosts'].split('.')[1]}.{10 * leaves.index(device.name) + vlan // 10 - 41}.0/24"


def _in_vlan(site: Network, plane: Plane, device: Device, circuit: Circuit) -> PartialConfig:
    number = int(circuit.use.segment or 0)
    is_tagged = circuit.use.tag is not None
    trunk = PartialPort(
        mtu_bytes=of_link(site, circuit.link),
        profile=FABRIC_PROFILE,
        edge=True,
        tagged_vlans=frozenset({number} if is_tagged else ()),
        native_vlan=None if is_tagged else number,
    )
    address = _subnet(site, plane, device, number).replace(".0/24", ".1/24")
    svi = PartialPort(True, f"{plane.name} {number}", address=address, mtu_bytes=circuit.use.mtu_bytes, vrf=plane.vrf)
    ports = {circuit.link.upper.port: trunk, f"{device.capabilities.svi_prefix}{number}": svi}
    return PartialConfig(vlans={number: Vlan(number, f"{plane.name.upper()}-{number}")}, ports=ports)


def _on_subinterface(site: Network, plane: Plane, device: Device, circuit: Circuit) -> PartialConfig:
    far = circuit.link.far(device.name)
    port = PartialPort(
        True,
        f"{plane.name} to {far.device}",
        address=f"{circuit.address(device.name)}/31",
        mtu_bytes=circuit.use.mtu_bytes,
        vrf=plane.vrf,
        tag=circuit.use.tag,
    )
    peers = {}
    if circuit.link.kind == "fabric":
        asn = site.device(far.device).asn
        peer = Neighbor(circuit.address(far.device), asn, f"{plane.name.upper()}-SWITCHES", far.device, vrf=plane.vrf)
        peers[peer.key] = peer
    below = PartialPort(profile=FABRIC_PROFILE)
    return PartialConfig(
        ports={circuit.link.end(device.name).port: below, circuit.interface(device.name): port}, neighbors=peers
    )


KIND = PlaneKind(_owner, lambda *_: (), _wanted)


def with_kinds() -> Kinds:
    """The kinds of the package and both of these."""
    return kinds().with_plane("storage", KIND).with_plane("business", KIND)


@cache
def realised(name: str, gone: str = "") -> Realised:
    """One switch with all three planes, but for one that is gone."""
    return device_config(tagged(gone), tagged(gone).device(name), among=with_kinds())


@cache
def part(name: str, *planes: str, gone: str = "") -> Wanted:
    """What is wanted of one switch for these planes; for all, if none is named."""
    return wanted_of(realised(name, gone), planes)
