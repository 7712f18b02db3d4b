"""A switch's configuration in FRR's words, from its state and what ``to_frr.py`` found.

A configuration is a tree of lines in the order FRR reads them. ``text`` prints it; ``delta.py`` compares two.
Words: FRR's user guide, https://docs.frrouting.org/en/stable-8.4/ (bgp, routemap, filter, bfd, static, zebra).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from ipaddress import IPv6Interface

from ..policy import prefix_text
from ..state import (
    AsPathList,
    BgpInstance,
    BgpNeighbor,
    Outside,
    PrefixList,
    RouteMap,
    RouteMapEntry,
    StaticRoute,
    SwitchState,
)
from .form import BfdTimes, Peer, Routing
from .names import kernel_name, vrf_name

Lines = dict[str, "Lines"]
"""Each line with the lines of the block it opens; {} for most."""

ROUTE_MAP_DELAY_S = 1
"""FRR's 5 s would add to each change of a policy; 0 means never (doc/user/bgp.rst, ``bgp route-map delay-timer``)."""
FIRST_WITH_SOUND_GROUPS = 9
"""Before this FRR release, next-hop groups in the kernel lose a member for good when its port flaps (seen: 8.4.4)."""
DEFAULT = "default"
_GRACEFUL_RESTART = {"on": "bgp graceful-restart", "off": "bgp graceful-restart-disable", "helper": ""}


def configuration(state: SwitchState, routing: Routing, release: int, *, has_vrfs: bool = False) -> Lines:
    """What FRR of this major ``release`` is told; without routing on the switch, what every FRR here is told.

    ``has_vrfs``: so has the kernel; else what stands in other VRFs than the default one is left out.
    """
    lines: Lines = {f"bgp route-map delay-timer {ROUTE_MAP_DELAY_S}": {}}
    if release < FIRST_WITH_SOUND_GROUPS:
        lines["no zebra nexthop kernel enable"] = {}
    if not state.is_routing:
        return lines
    outside = routing.outside
    for prefix_list in (*state.prefix_lists, *outside.prefix_lists):
        lines.update(_flat(_prefix_list(prefix_list)))
    for as_paths in outside.as_path_lists:
        lines.update(_flat(_as_path_list(as_paths)))
    for route_map in state.route_maps:
        lines.update(_route_map(route_map, outside))
    statics = (*(each for each in state.static_routes if each.vrf == DEFAULT), *outside.static_routes)
    lines.update(_flat(map(_static, statics)))
    chosen = [each for each in state.bgp if each.vrf == DEFAULT or has_vrfs]
    for vrf in sorted({each.vrf for each in state.static_routes} - {DEFAULT}) if has_vrfs else ():
        lines[f"vrf {vrf_name(vrf)}"] = _flat(_static(each) for each in state.static_routes if each.vrf == vrf)
    lines.update(_bfd(times for each in chosen for times in _times(each, routing)))
    for instance in sorted(chosen, key=lambda each: (each.vrf != DEFAULT, each.vrf)):
        where = "" if instance.vrf == DEFAULT else f" vrf {vrf_name(instance.vrf)}"
        lines[f"router bgp {instance.asn}{where}"] = _process(state, instance, routing)
    return lines


def _flat(lines: Iterable[str]) -> Lines:
    """Lines with nothing below them."""
    return {line: {} for line in lines}


def text(lines: Lines) -> str:
    """The configuration as a file for vtysh."""
    return "".join(f"{line}\n" for line in written(lines, 0))


def written(lines: Lines, depth: int) -> Iterator[str]:
    """Each line with its indentation, every block closed."""
    pad = " " * depth
    for line, below in lines.items():
        yield pad + line
        if below or opens_block(line):
            yield from written(below, depth + 1)
            yield pad + end_of(line)


def opens_block(line: str) -> bool:
    """Does a line open a block, even an empty one?"""
    return line.startswith(("route-map ", "router bgp ", "address-family ", "profile ", "vrf ")) or line == "bfd"


def end_of(line: str) -> str:
    """The line that ends the block that one opens."""
    return "exit-address-family" if line.startswith("address-family ") else "exit-vrf" if is_vrf(line) else "exit"


def is_vrf(line: str) -> bool:
    """Does it open the block of a VRF?"""
    return line.startswith("vrf ")


# -- policy --------------------------------------------------------------------------------------------------------


def _prefix_list(prefix_list: PrefixList) -> Iterator[str]:
    """An entry that says what one before it says decides nothing, and FRR ignores it."""
    once = {(each.permit, each.prefix, each.ge, each.le): each for each in reversed(prefix_list.entries)}
    for entry in reversed(once.values()):
        word = "permit" if entry.permit else "deny"
        length = int(entry.prefix.partition("/")[2])
        is_six = ":" in entry.prefix
        low = f" ge {entry.ge}" if entry.ge is not None and entry.ge > length else ""
        high = (
            f" le {entry.le}" if entry.le is not None else f" le {128 if is_six else 32}" if entry.ge == length else ""
        )
        # sequence 0 counts as any other on switches; FRR begins at 1
        number = entry.sequence or 1
        start = f"{_ip(entry.prefix)} prefix-list {prefix_list.name} seq {number} {word}"
        yield f"{start} {_prefix(entry.prefix)}{low}{high}"


def _ip(prefix: str) -> str:
    """How lines about prefixes of this family begin."""
    return "ipv6" if ":" in prefix else "ip"


def _prefix(text: str) -> str:
    """The network of an address or prefix of either family, as FRR prints it."""
    return str(IPv6Interface(text).network) if ":" in text else prefix_text(text)


def _as_path_list(as_paths: AsPathList) -> Iterator[str]:
    for number, (permit, pattern) in enumerate(as_paths.rules, start=1):
        word = "permit" if permit else "deny"
        yield f"bgp as-path access-list {as_paths.name} seq {5 * number} {word} {pattern}"


def _route_map(route_map: RouteMap, outside: Outside) -> Lines:
    six = frozenset(each.name for each in outside.prefix_lists)
    return {
        f"route-map {route_map.name} {'permit' if entry.permit else 'deny'} {entry.sequence or 1}": _flat(
            _entry(entry, six, outside.as_paths.get((route_map.name, entry.sequence)))
        )
        for entry in route_map.entries
    }


def _entry(entry: RouteMapEntry, six: frozenset[str], as_paths: str | None) -> Iterator[str]:
    if as_paths is not None:
        yield f"match as-path {as_paths}"
    for name in entry.match_prefix_lists:
        yield f"match {'ipv6' if name in six else 'ip'} address prefix-list {name}"
    if entry.prepend:
        yield f"set as-path prepend {' '.join(str(asn) for asn in entry.prepend)}"
    if entry.communities:
        additive = " additive" if entry.communities_additive else ""
        yield f"set community {' '.join(sorted(entry.communities))}{additive}"
    if entry.local_preference is not None:
        yield f"set local-preference {entry.local_preference}"


def _static(route: StaticRoute) -> str:
    where = [route.next_hop] if route.next_hop else []
    where += [kernel_name(route.interface)] if route.interface else []
    distance = f" {route.distance}" if route.distance != 1 else ""
    return f"{_ip(route.prefix)} route {_prefix(route.prefix)} {' '.join(where) or 'blackhole'}{distance}"


# -- BFD -----------------------------------------------------------------------------------------------------------


def _profile(times: BfdTimes) -> str:
    return f"ms-{times.transmit_ms}-{times.receive_ms}-x{times.multiplier}"


def _times(instance: BgpInstance, routing: Routing) -> Iterator[BfdTimes]:
    for neighbor in instance.neighbors:
        if neighbor.bfd and neighbor.remote_as is not None:
            yield routing.peers_of(instance.vrf)[neighbor.address].bfd


def _bfd(found: Iterable[BfdTimes]) -> Lines:
    profiles: Lines = {
        f"profile {_profile(times)}": {
            f"detect-multiplier {times.multiplier}": {},
            f"receive-interval {times.receive_ms}": {},
            f"transmit-interval {times.transmit_ms}": {},
        }
        for times in sorted(set(found), key=_profile)
    }
    return {"bfd": profiles} if profiles else {}


# -- BGP -----------------------------------------------------------------------------------------------------------


def _process(state: SwitchState, instance: BgpInstance, routing: Routing) -> Lines:
    peers = [each for each in instance.neighbors if each.remote_as is not None]
    lines: Lines = {"no bgp default ipv4-unicast": {}, "no bgp ebgp-requires-policy": {}}
    if instance.router_id != "0.0.0.0":  # noqa: S104  (there is none)
        lines[f"bgp router-id {instance.router_id}"] = {}
    if restart := _GRACEFUL_RESTART[routing.graceful_restart]:
        lines[restart] = {}
    lines[
        "bgp bestpath as-path multipath-relax"
        if instance.multipath_relax
        else "no bgp bestpath as-path multipath-relax"
    ] = {}
    lines["bgp bestpath compare-routerid"] = {}
    for peer in peers:
        lines.update(_flat(_peer(peer, routing.peers_of(instance.vrf)[peer.address])))
    family = list(_announced(instance))
    known = {each.name for each in state.route_maps}
    for peer in peers:
        family += _of_family(peer, lambda name: name in known or not state.missing_route_map_permits)
    outside = routing.outside if instance.vrf == DEFAULT else Outside()
    family += [*_aggregates(outside, "ip"), *_next_hops(outside, (key_of(peer) for peer in peers))]
    lines["address-family ipv4 unicast"] = _flat(family)
    if outside.has_ipv6:
        others = [each for each in outside.neighbors if each.remote_as is not None]
        for peer in others:
            lines.update(_flat(_peer(peer, routing.peers_of(instance.vrf)[peer.address])))
        announced = (f"network {_prefix(each)}" for each in outside.networks)
        of_peers = (line for peer in others for line in _of_family(peer, lambda name: name in known))
        next_hops = _next_hops(outside, (peer.address for peer in others))
        family = [*announced, *of_peers, *_aggregates(outside, "ipv6"), *next_hops]
        lines["address-family ipv6 unicast"] = _flat(family)
    return lines


def _aggregates(outside: Outside, word: str) -> Iterator[str]:
    """Of one family, by the word that its lines begin with."""
    yield from (f"aggregate-address {_prefix(each)} summary-only" for each in outside.aggregates if _ip(each) == word)


def _next_hops(outside: Outside, peers: Iterable[str]) -> Iterator[str]:
    yield from (f"neighbor {each} next-hop-self" for each in peers if each in outside.next_hop_self)


def key_of(peer: BgpNeighbor) -> str:
    """The name by which FRR knows a neighbour."""
    return kernel_name(peer.interface) if peer.interface else peer.address


def _peer(peer: BgpNeighbor, settings: Peer) -> Iterator[str]:
    """A neighbour's lines outside the address family, the one that makes it first."""
    name = key_of(peer)
    start = f"neighbor {name}"
    yield f"{start} {'interface ' if peer.interface else ''}remote-as {peer.remote_as}"
    yield f"{start} timers {peer.keepalive_s} {peer.hold_s}"
    yield f"{start} advertisement-interval 0"
    if settings.connect_retry_s is not None:
        yield f"{start} timers connect {settings.connect_retry_s}"
    if settings.password is not None:
        yield f"{start} password {settings.password}"
    if peer.is_shutdown:
        yield f"{start} shutdown"
    if peer.bfd:
        yield f"{start} bfd"
        yield f"{start} bfd profile {_profile(settings.bfd)}"
    if peer.ttl_security_hops is not None:
        yield f"{start} ttl-security hops {peer.ttl_security_hops}"
    elif peer.ebgp_multihop is not None:
        yield f"{start} ebgp-multihop {peer.ebgp_multihop}"
    if not peer.interface and peer.extended_nexthop:
        yield f"{start} capability extended-nexthop"


def _announced(instance: BgpInstance) -> Iterator[str]:
    yield f"maximum-paths {instance.maximum_paths}"
    for network in instance.networks:
        yield f"network {prefix_text(network)}"
    if instance.redistribute_connected:
        chosen = instance.redistribute_connected_route_map
        yield f"redistribute connected{f' route-map {chosen}' if chosen else ''}"


def _of_family(peer: BgpNeighbor, applies: Callable[[str], bool]) -> Iterator[str]:
    """A neighbour's lines of IPv4 unicast. ``applies``: does a route map of this name count, if it does not exist?"""
    start = f"neighbor {key_of(peer)}"
    if peer.is_ipv4_active:
        yield f"{start} activate"
    if not peer.send_community:
        yield f"no {start} send-community all"
    if peer.allowas_in:
        yield f"{start} allowas-in {peer.allowas_in}"
    for direction, prefix_list, route_map in (
        ("in", peer.prefix_list_in, peer.route_map_in),
        ("out", peer.prefix_list_out, peer.route_map_out),
    ):
        if prefix_list is not None:
            yield f"{start} prefix-list {prefix_list} {direction}"
        if route_map is not None and applies(route_map):
            yield f"{start} route-map {route_map} {direction}"
    if peer.prefix_limit:
        yield f"{start} maximum-prefix {peer.prefix_limit}{_after_limit(peer)}"


def _after_limit(peer: BgpNeighbor) -> str:
    if peer.prefix_limit_warning_only:
        return " warning-only"
    if peer.prefix_limit_restart_s is None:
        return ""
    return f" restart {max(1, -int(-peer.prefix_limit_restart_s // 60))}"
