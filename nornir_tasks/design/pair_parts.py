"""What a fabric says of a leaf that is one of a pair: the peer link, how both talk, how each knows of the other.

Both are root of spanning tree, and spread a group's packets by ports.
"""

from ipaddress import IPv4Network

from nornir_tasks.design.claims import name_prefix
from nornir_tasks.design.config.lag import Lag
from nornir_tasks.design.config.pair import PairSettings
from nornir_tasks.design.config.spanning_tree import BRIDGE_PRIORITIES
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.layer1 import layer1
from nornir_tasks.design.mtu import agreed_bytes
from nornir_tasks.design.network import Device, Network
from nornir_tasks.design.pairs import Pair
from nornir_tasks.design.partial_config import FABRIC_PROFILE, PartialConfig, PartialPort

PEER_LINK = 1000
"""Number of the group between both leaves, above all that hosts' groups have."""
PEER_VLAN = 4094
"""In which both talk, where the OS has one: that of the vendors' own examples (aristanetworks/avd; peerlink.4094)."""
PEER_SUBNET = IPv4Network("169.254.0.0/31")
"""Of that VLAN, the same in each pair, since nothing announces it (aristanetworks/avd, MLAG leaves)."""
RELOAD_DELAY_S = 300
ROUTED_RELOAD_DELAY_S = 330
"""Routes are there before hosts' packets come. aristanetworks/avd's figures for switches of one box."""
DETECTION_DELAY_S = 5
"""Between the loss of the peer link and that of a secondary's ports (aristanetworks/avd, mlag-configuration.cfg)."""
PRIORITIES = (1000, 2000)
"""Of both leaves; the smaller one is primary."""
BRIDGE_PRIORITY = min(BRIDGE_PRIORITIES)
"""Of both leaves: the pair is root of its VLANs, whatever a
host or a forgotten switch sends. Leaves where layer 2 ends have no other switch below them."""
_MAC_PREFIX = "44:38:39:ff"
"""NVIDIA keeps 44:38:39:ff:00:00 to 44:38:39:ff:ff:ff for pairs (Multi-Chassis-Link-Aggregation-MLAG.md)."""


def peer_link(device: Device) -> str:
    """Name of the group between this leaf and the other one of its pair."""
    known = device.capabilities
    return known.pair.peer_link if known.pair and known.pair.peer_link else f"{known.lag_prefix}{PEER_LINK}"


def pair_of(network: Network, device: Device) -> Pair | None:
    """The pair that this leaf is in."""
    return next((each for each in network.pairs if device.name in each.leaves), None)


def pair_parts(network: Network, device: Device) -> PartialConfig | None:
    """The pair's settings, its peer link and its VLAN on one leaf; None for a switch in no pair.

    None as well where its OS has no lines for pairs: such a fabric is designed, and refused before it is rendered.
    """
    pair = pair_of(network, device)
    if pair is None or device.capabilities.pair is None:
        return None
    fabric, place = network.fabric_of(device), pair.leaves.index(device.name)
    other, name = network.device(pair.other(device.name)), peer_link(device)
    has_svi = device.capabilities.pair is not None and "peer_address" in device.capabilities.pair.settings
    group = PartialPort(
        enabled=True,
        description=f"{other.name} peer link",
        mtu_bytes=max(fabric.mtu_bytes, device.capabilities.max_mtu_bytes),
        profile=FABRIC_PROFILE,
        tagged_vlans=frozenset({PEER_VLAN} if has_svi else ()),
        native_vlan=device.capabilities.pair.peer_link_native_vlan,
        lag=Lag("fast"),
    )
    ports = {name: group}
    for link in pair.links:
        near, far = link.end(device.name), link.far(device.name)
        ports[near.port] = PartialPort(True, f"{far.device} {far.port}", layer1(link, near.slot), member_of=name)
    if has_svi:
        address = f"{PEER_SUBNET[place]}/{PEER_SUBNET.prefixlen}"
        ports[f"{device.capabilities.svi_prefix}{PEER_VLAN}"] = PartialPort(
            True,
            f"{other.name} peer",
            address=address,
            mtu_bytes=agreed_bytes(fabric.mtu_bytes, device.capabilities),
        )
    settings = PairSettings(
        peer_link=name,
        keepalive_address=str(other.loopback),
        keepalive_source=str(device.loopback),
        keepalive_vrf=fabric.vrf,
        reload_delay_s=RELOAD_DELAY_S,
        name=pair.name,
        number=pair.number,
        vlan=PEER_VLAN,
        peer_address=str(PEER_SUBNET[1 - place]),
        mac_address=f"{_MAC_PREFIX}:{pair.number >> 8:02x}:{pair.number & 255:02x}",
        priority=PRIORITIES[place],
        routed_reload_delay_s=ROUTED_RELOAD_DELAY_S,
        gateway_delay_s=RELOAD_DELAY_S,
        detection_delay_s=DETECTION_DELAY_S,
    )
    vlan = Vlan(PEER_VLAN, f"{name_prefix(fabric.name)}PEER")
    return PartialConfig(
        pair=settings,
        ports=ports,
        vlans={PEER_VLAN: vlan} if has_svi else None,
        bridge_priority=BRIDGE_PRIORITY,
        lag_hash=True,
    )
