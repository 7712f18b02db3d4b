"""Where a machine sends a packet: its routes, as ``ip -j route show table all`` prints them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any, NamedTuple

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.proofs.rules.packets import every
from nornir_tasks.proofs.rules.ranges import Ranges, ranges, without

FORWARDED = "unicast"
LOCAL = "local"
NONE = "none"
"""No route leads there."""
NOT_FORWARDED: dict[Family, Ranges] = {
    "ipv4": ranges(
        (int(each[0]), int(each[-1]))
        for each in map(ip_network, ("0.0.0.0/8", "127.0.0.0/8", "224.0.0.0/4", "255.255.255.255/32"))
    ),
    "ipv6": ranges((int(each[0]), int(each[-1])) for each in map(ip_network, ("::/127", "fe80::/10", "ff00::/8"))),
}
"""No kernel forwards from or to these, whatever rules say (``ip_route_input_slow`` of Linux's net/ipv4/route.c,
``ip6_forward`` of net/ipv6/ip6_output.c; from memory). Multicast is forwarded by routes of its own alone."""


class Leg(NamedTuple):
    """Addresses that one route leads to."""

    addresses: Ranges
    kind: str
    port: str
    gateway: str
    """Empty: on the link itself."""
    line: str

    @property
    def is_forwarded(self) -> bool:
        """Does it lead to another machine?"""
        return self.kind == FORWARDED


@dataclass(frozen=True, slots=True)
class Routes:
    """All routes of one family; each address is in just one leg."""

    legs: tuple[Leg, ...]

    def to(self, address: str) -> Leg:
        """The route of one address."""
        number = int(ip_address(address))
        return next(leg for leg in self.legs if any(first <= number <= last for first, last in leg.addresses))


def routes_of(found: Iterable[Mapping[str, Any]], family: Family) -> Routes:
    """Longest prefix first, then the lesser metric; addresses of the machine itself before all others."""
    version = 4 if family == "ipv4" else 6
    parsed = ((_prefix(each, family), each) for each in found)
    ordered = sorted(
        ((prefix, each) for prefix, each in parsed if prefix is not None and prefix.version == version),
        key=lambda each: (each[1].get("table") != "local", -each[0].prefixlen, each[1].get("metric", 0)),
    )
    legs = list[Leg]()
    left = every(family)
    for prefix, each in ordered:
        here = ranges([(int(prefix.network_address), int(prefix.broadcast_address))])
        mine = without(here, without(here, left))
        if mine:
            legs += [leg._replace(addresses=mine) for leg in _legs(each)]
            left = without(left, here)
    return Routes((*legs, Leg(left, NONE, "", "", "no route")) if left else tuple(legs))


def _prefix(each: Mapping[str, Any], family: Family) -> IPv4Network | IPv6Network | None:
    destination = each.get("dst", "")
    if destination == "default":
        destination = "0.0.0.0/0" if family == "ipv4" else "::/0"
    return ip_network(destination) if destination else None


def _legs(each: Mapping[str, Any]) -> list[Leg]:
    """One for each next hop: a packet may go by any."""
    kind = each.get("type", FORWARDED)
    found = []
    for hop in each.get("nexthops") or (each,):
        port, gateway = hop.get("dev", ""), hop.get("gateway", "") or (hop.get("via") or {}).get("host", "")
        words = [kind] if kind != FORWARDED else []
        words += [each["dst"], *(["via", gateway] if gateway else []), *(["dev", port] if port else [])]
        found.append(Leg((), kind, port, gateway, f"route {' '.join(words)}"))
    return found
