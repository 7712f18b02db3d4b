"""The small front fabric with groups of its hosts over both leaves of each pair: what its planes' own kinds will say.

Each host's group has the number of the port that the host is on, which is the same on both leaves.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.config.lag import Lag
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.contribute import host_ports
from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.contribute.mlag_config import peer_link
from nornir_tasks.design.demand.kinds import Kinds, PlaneKind
from nornir_tasks.design.model.claims import Owner
from nornir_tasks.design.model.network import Device, Fabric, Network
from nornir_tasks.design.model.partial_config import FABRIC_PROFILE, PartialConfig, PartialPort
from nornir_tasks.design.model.plane import Plane
from nornir_tasks.design.pipeline import Realised, device_config
from tests.unit.design import front
from tests.unit.design.wanted_of import wanted_of

GROUPS = frozenset(range(1, 41))
PAIRS = {"eos": "front-leaf-g1", "nxos": "front-leaf-g2", "nvue": "front-leaf-g3"}
DEVICES = {name: f"{pair}-a" for name, pair in PAIRS.items()}
"""The first leaf of each pair whose OS has pairs."""


def owner(plane: Plane, fabric: Fabric) -> Owner:
    return replace(host_ports.owner(plane, fabric), lags=GROUPS)


def partial_configs(network: Network, plane: Plane, device: Device) -> Iterator[PartialConfig]:
    """Of a leaf, the VLAN of each segment, on the peer link as well, and the groups in it."""
    yield PartialConfig(classes=network.fabrics[plane.fabric].classes)
    circuits = [each for each in network.circuits_of(device.name) if each.owner == plane.name]
    for segment in network.segments_at(device.name, plane.name):
        vlans = frozenset({segment.vlan})
        ports = {peer_link(device): PartialPort(tagged_vlans=vlans)}
        for link in (each.link for each in circuits):
            near, far = link.end(device.name), link.far(device.name)
            number = near.slot.number if near.slot else 0
            name = f"{device.capabilities.lag_prefix}{number}"
            ports[near.port] = PartialPort(member_of=name)
            ports[name] = PartialPort(
                enabled=True,
                description=far.device,
                mtu_bytes=9000,
                profile=FABRIC_PROFILE,
                tagged_vlans=vlans,
                edge=True,
                lag=Lag("fast", pair_id=number),
            )
        yield PartialConfig(ports=ports, vlans={segment.vlan: Vlan(segment.vlan, f"{plane.name.upper()}-HOSTS")})


KIND = PlaneKind(owner, host_ports.announced, partial_configs)


def among() -> Kinds:
    """The kinds of the package, but for both planes of the front fabric."""
    return kinds().with_plane("storage", KIND).with_plane("business", KIND)


@cache
def realised(name: str) -> Realised:
    """One switch with both planes."""
    return device_config(front.network(), front.network().device(name), among=among())


@cache
def part(name: str, *planes: str) -> Wanted:
    """What is wanted of one switch for these planes; for all, if none is named."""
    return wanted_of(realised(name), planes)
