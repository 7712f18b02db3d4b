"""What a fabric says of a leaf that is one of a pair: the peer link, how both talk, how each knows of the other.

Both are root of spanning tree, and spread a group's packets by ports. The session by which each leads on what the other
cannot: ``peer_routing.py``.
"""

from ipaddress import IPv4Network

from nornir_tasks.design.addresses.mtu import agreed_bytes
from nornir_tasks.design.config.lag import Lag
from nornir_tasks.design.config.pair import PairSettings
from nornir_tasks.design.config.spanning_tree import BRIDGE_PRIORITIES
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.model.claims import name_prefix
from nornir_tasks.design.model.layer1 import layer1
from nornir_tasks.design.model.mlag import Pair
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.design.model.partial_config import FABRIC_PROFILE, PartialConfig, PartialPort
from nornir_tasks.design.model.system_facts import PairFacts

PEER_LINK = 1000
"""Number of the group between both leaves, above all that hosts' groups have."""
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


def peer_interface(device: Device, facts: PairFacts) -> str:
    """Name of the interface by which this leaf routes to the other one: an SVI, or a subinterface of the peer link."""
    if facts.peer_subnet is None:
        return f"{peer_link(device)}.{facts.peer_vlan}"
    return f"{device.capabilities.svi_prefix}{facts.peer_vlan}"


def peer_address(facts: PairFacts, place: int) -> str | None:
    """The address that the leaf at this place of a pair has on that interface, with its length; None: it has none."""
    if facts.peer_subnet is None:
        return None
    subnet = IPv4Network(facts.peer_subnet)
    return f"{list(subnet.hosts())[place]}/{subnet.prefixlen}"


def peer_ends(network: Network) -> dict[tuple[str, str], tuple[str, str, str]]:
    """(leaf, interface by which it routes to the other leaf of its pair) -> the other leaf, its interface, the peer.

    The peer is what the session to it is called: its address, or this leaf's interface.
    """
    found = {}
    for pair in network.pairs:
        for place, leaf in enumerate(pair.leaves):
            near, far = network.device(leaf), network.device(pair.other(leaf))
            if near.capabilities.pair is None or far.capabilities.pair is None:
                continue
            if network.fabrics[pair.fabric].vrf is not None:
                continue  # no session is made there (peer_routing)
            name = peer_interface(near, near.capabilities.pair)
            address = (peer_address(near.capabilities.pair, 1 - place) or name).partition("/")[0]
            found[leaf, name] = far.name, peer_interface(far, far.capabilities.pair), address
    return found


def pair_of(network: Network, device: Device) -> Pair | None:
    """The pair that this leaf is in."""
    return next((each for each in network.pairs if device.name in each.leaves), None)


def pair_parts(network: Network, device: Device) -> PartialConfig | None:
    """The pair's settings, its peer link and its VLAN on one leaf; None for a switch in no pair.

    None as well where its OS has no lines for pairs: such a fabric is designed, and refused before it is rendered.
    """
    pair, facts = pair_of(network, device), device.capabilities.pair
    if pair is None or facts is None:
        return None
    fabric, place = network.fabric_of(device), pair.leaves.index(device.name)
    other, name = network.device(pair.other(device.name)), peer_link(device)
    near, far = peer_address(facts, place), peer_address(facts, 1 - place)
    group = PartialPort(
        enabled=True,
        description=f"{other.name} peer link",
        mtu_bytes=max(fabric.mtu_bytes, device.capabilities.max_mtu_bytes),
        profile=FABRIC_PROFILE,
        tagged_vlans=frozenset({facts.peer_vlan} if near else ()),
        native_vlan=facts.peer_link_native_vlan,
        lag=Lag("fast"),
    )
    ports = {name: group}
    for link in pair.links:
        here, there = link.end(device.name), link.far(device.name)
        ports[here.port] = PartialPort(True, f"{there.device} {there.port}", layer1(link, here.slot), member_of=name)
    if near is not None:
        mtu_bytes = agreed_bytes(fabric.mtu_bytes, device.capabilities)
        svi = PartialPort(True, f"{other.name} peer", address=near, mtu_bytes=mtu_bytes)
        ports[peer_interface(device, facts)] = svi
    settings = PairSettings(
        peer_link=name,
        keepalive_address=str(other.loopback),
        keepalive_source=str(device.loopback),
        keepalive_vrf=fabric.vrf,
        reload_delay_s=RELOAD_DELAY_S,
        name=pair.name,
        number=pair.number,
        vlan=facts.peer_vlan,
        peer_address=None if far is None else far.partition("/")[0],
        mac_address=f"{_MAC_PREFIX}:{pair.number >> 8:02x}:{pair.number & 255:02x}",
        priority=PRIORITIES[place],
        routed_reload_delay_s=ROUTED_RELOAD_DELAY_S,
        gateway_delay_s=RELOAD_DELAY_S,
        detection_delay_s=DETECTION_DELAY_S,
    )
    vlan = Vlan(facts.peer_vlan, f"{name_prefix(fabric.name)}PEER")
    return PartialConfig(
        pair=settings,
        ports=ports,
        vlans={facts.peer_vlan: vlan} if near else None,
        bridge_priority=BRIDGE_PRIORITY,
        lag_hash=True,
    )
