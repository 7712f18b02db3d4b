"""Routers of other networks at the far ends of edge routers' cables: hosts that speak BGP, as states of switches.

They take whatever they are told, and announce what the specification says, all of it by a discard route of their own.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from ipaddress import IPv4Address

from .spec import DeviceSpec, Host, Speaks
from .state import BgpInstance, BgpNeighbor, InterfaceState, Outside, StaticRoute, SwitchState

GTSM_HOPS = 1
"""Both ends of a link send with the highest TTL and take nothing else (RFC 5082)."""


def states(hosts: Iterable[Host]) -> dict[str, SwitchState]:
    """Those of all hosts that speak BGP, by name."""
    return {each.name: _state(each, each.speaks) for each in hosts if each.speaks is not None}


def device(state: SwitchState) -> DeviceSpec:
    """What is known of such a router's hardware: its ports."""
    ports = tuple(each.name for each in state.interfaces)
    return DeviceSpec(state.name, "", "", "", "", "", "", 0, 0, state.bgp[0].asn, ports)


def _state(host: Host, speaks: Speaks) -> SwitchState:
    four, six = (_of_family(speaks, is_ipv6=is_ipv6) for is_ipv6 in (False, True))
    addresses = host.end.addresses if host.end is not None else ()
    own = tuple(each for each in addresses if ":" not in each)
    port = InterfaceState(
        name=host.port,
        addresses=own,
        addresses_v6=tuple(each for each in addresses if ":" in each),
        mtu_bytes=host.mtu_bytes,
    )
    return SwitchState(
        name=host.name,
        os="",
        interfaces=(port,),
        bgp=(BgpInstance(speaks.asn, _router_id(host.name, own), neighbors=four[0], networks=four[1]),),
        static_routes=four[2],
        outside=Outside(neighbors=six[0], networks=six[1], static_routes=six[2]),
    )


def _of_family(
    speaks: Speaks, *, is_ipv6: bool
) -> tuple[tuple[BgpNeighbor, ...], tuple[str, ...], tuple[StaticRoute, ...]]:
    """Neighbours, networks and the routes to these."""
    peers = ((address, asn) for address, asn in speaks.peers if (":" in address) == is_ipv6)
    networks = tuple(each for each in speaks.announces if (":" in each) == is_ipv6)
    neighbors = (
        BgpNeighbor(address, asn, ttl_security_hops=GTSM_HOPS, send_community=True, has_password=speaks.signs)
        for address, asn in peers
    )
    return tuple(neighbors), networks, tuple(StaticRoute(each) for each in networks)


def _router_id(name: str, addresses: Iterable[str]) -> str:
    """Its first IPv4 address, or a number that follows from its name."""
    found = next(iter(addresses), "").partition("/")[0]
    return found or str(IPv4Address(zlib.crc32(name.encode()) or 1))
