"""The routed session between both leaves of a pair, over their peer link: the way on of a leaf that lost its uplinks.

Both answer as their hosts' gateway, and hosts spread their packets over both. A leaf without uplinks hands on what
hosts send it to the other one, which tells it all that it knows. Leaves have an AS each, so it is eBGP. What comes over
it is worse than anything that spines tell, as the path is made longer by more than a drained switch does: it is used
while nothing else is there. No leaf takes over it what it announces itself, and announces nothing else to spines: so
nothing that was learned over it goes up. No loopback is told over it: the keepalives of both go to loopbacks, and
should never take the peer link, whose end they are to tell from the other leaf's.

No BFD: no source has it over an SVI of a vPC's peer link (tests/corpus/nxos/NOTES.md), and no packet waits for it, as
the routes are there before they are needed.
"""

from dataclasses import replace

from nornir_tasks.design.addresses.prefix_limits import prefix_limit
from nornir_tasks.design.config.bgp import Neighbor, PeerGroup
from nornir_tasks.design.config.routing_policy import PrefixList, PrefixRule, RouteMap, RouteMapRule
from nornir_tasks.design.contribute.mlag_config import pair_of, peer_address, peer_interface
from nornir_tasks.design.model.claims import name_prefix
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.design.model.partial_config import PartialConfig

TIMERS_S = (3, 9)
"""Keepalive and hold time: of sessions without BFD, as of all others of a fabric (``fabrics/clos.py``)."""


def peer_routing(network: Network, device: Device, spines: PeerGroup | None, *, drained: bool) -> PartialConfig | None:
    """The session on one leaf, with what it lets in and out; None for a switch in no pair.

    ``spines``: the leaf's sessions upwards, whose settings it has but for what is said here. None as well where pairs
    route in a VRF: the peer VLAN is in the default one. Such a pair is refused (``pairing.py``).
    """
    pair, facts, fabric = pair_of(network, device), device.capabilities.pair, network.fabric_of(device)
    if pair is None or facts is None or spines is None or fabric.vrf is not None:
        return None
    other = network.device(pair.other(device.name))
    address, prefix = peer_address(facts, pair.leaves.index(other.name)), name_prefix(fabric.name)
    group, inwards, outwards = f"{prefix}PAIR", f"{prefix}PAIR-IN", f"{prefix}PAIR-OUT"
    loopbacks = PrefixList(f"{prefix}LOOPBACKS", (PrefixRule(10, permit=True, prefix=fabric.pools["loopback"], ge=32),))
    session = Neighbor(
        address=None if address is None else address.partition("/")[0],
        remote_as=other.asn,
        peer_group=group,
        description=f"{other.name} peer",
        interface=peer_interface(device, facts) if address is None else None,
    )
    longer = (device.asn,) * fabric.drain_prepend * (2 if drained else 1)
    maps = (
        RouteMap(
            inwards,
            (
                RouteMapRule(10, permit=False, match_prefix_list=f"{prefix}OWN"),
                RouteMapRule(20, permit=True, match_prefix_list=f"{prefix}FABRIC", prepend=longer),
            ),
        ),
        RouteMap(
            outwards,
            (
                RouteMapRule(10, permit=False, match_prefix_list=loopbacks.name),
                RouteMapRule(20, permit=True, match_prefix_list=f"{prefix}FABRIC"),
            ),
        ),
    )
    keepalive_s, hold_s = TIMERS_S
    settings = replace(
        spines,
        name=group,
        keepalive_s=keepalive_s,
        hold_s=hold_s,
        bfd=False,
        max_prefixes=prefix_limit(fabric.prefixes_from[0] + fabric.prefixes_from[1] + fabric.max_paths),
        route_map_in=inwards,
        route_map_out=outwards,
    )
    return PartialConfig(
        prefix_lists={loopbacks.name: loopbacks},
        route_maps={each.name: each for each in maps},
        peer_groups={group: settings},
        neighbors={session.key: session},
    )
