"""EOS lines of IPv6, VRFs and static routes parsed."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from nornir_tasks.design.config.gateway import Gateway
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.design.config.vrfs import Vrf
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.lines import Fields, row, text, yes
from nornir_tasks.platforms.static_routes import Hop, gathered

_DEFAULT_RA_INTERVAL_MS = 200_000
"""What a port with an IPv6 address does unless told otherwise. Source: batfish arista_interface_show_run_all_2."""

PORT = (
    # a second address is independent of the first
    row(r"ipv6 address ([0-9a-f:.]+/\d+)", "ipv6_addresses", text, many=True),
    row(r"ipv6 nd ra disabled", "is_silent", yes),
)
SVI = (
    row(r"ip virtual-router address (\d+\.\d+\.\d+\.\d+)", "gateways", text, many=True),
    row(r"ipv6 virtual-router address ([0-9a-f:.]+)", "ipv6_gateways", text, many=True),
    # a server in another VRF, and a relay from another address, are others'
    row(r"ip helper-address (\d+\.\d+\.\d+\.\d+)", "dhcp_servers", text, many=True),
    row(r"ipv6 dhcp relay destination ([0-9a-f:.]+)", "dhcp_servers", text, many=True),
)
LOOPBACK = PORT[:1]
"""A loopback advertises nothing."""

_IPV4, _IPV6 = r"\d+\.\d+\.\d+\.\d+", r"[0-9a-f:.]*:[0-9a-f:.]*"


_PORT = r"[A-Z][A-Za-z-]*\d[\d/.]*"


def _hop(found: re.Match[str]) -> Hop:
    tag, distance = (int(each) if each else None for each in (found[6], found[3]))
    return Hop(found[1], found[2], found[5], tag, found[4], distance)


TOP = (
    row(r"ip routing vrf (\S+)", "routed_vrfs", text, many=True),
    row(r"ipv6 unicast-routing", "ipv6-routing", yes),
    row(r"ip virtual-router mac-address ([0-9a-f:]{17})", "gateway_mac", text, single="ip virtual-router mac-address"),
    row(r"ipv6 unicast-routing vrf (\S+)", "ipv6_vrfs", text, many=True),
    *(
        row(
            rf"{word} route (?:vrf (\S+) )?({address}/\d+) "
            rf"(?:Null0(?: ([2-9]|[1-9]\d+))?|(?:({_PORT}) )?({address}))(?: tag (\d+))?",
            "hops",
            _hop,
            # a line with a name or a metric is another one's, and so is one with a distance but the discard route of an
            # aggregate (static_routes). With another distance it is another route: both stand (corpus/eos/NOTES.md)
            single=rf"{word} route (?:vrf \S+ )?\S+ (?:Null0|(?:{_PORT} )?{address})(?= tag \d+$|$)",
            many=True,
        )
        for word, address in (("ip", _IPV4), ("ipv6", _IPV6))
    ),
)


def ipv6_of(values: Fields, lines: Mapping[str, ConfigTree]) -> tuple[str | None, list[ConfigTree]]:
    """The IPv6 address of a port, SVI or loopback; lines of further addresses, and of silence without an address."""
    address, *more = values.get("ipv6_addresses") or [None]
    left = [lines[f"ipv6 address {each}"] for each in more]
    if address is None and "is_silent" in values:
        left.append(lines["ipv6 nd ra disabled"])
    return address, left


def gateway_of(values: Fields, lines: Mapping[str, ConfigTree]) -> tuple[Gateway | None, list[ConfigTree]]:
    """The redundant gateway of an SVI, without its MAC address, and the lines of further addresses."""
    four, six = values.get("gateways", []), values.get("ipv6_gateways", [])
    left = [lines[f"ip virtual-router address {each}"] for each in four[1:]]
    left += [lines[f"ipv6 virtual-router address {each}"] for each in six[1:]]
    if not four and not six:
        return None, left
    return Gateway(four[0] if four else None, six[0] if six else None), left


def with_gateway_mac(ports: Iterable[Interface], fields: Fields, left: ConfigTree) -> tuple[Interface, ...]:
    """The ports, each gateway with the one MAC address of the switch; without any gateway the line is left."""
    mac, found = fields.get("gateway_mac"), tuple(ports)
    if mac is not None and all(each.gateway is None for each in found):
        left.add(f"ip virtual-router mac-address {mac}")
    return tuple(
        each if each.gateway is None else replace(each, gateway=replace(each.gateway, mac_address=mac))
        for each in found
    )


def advertised_ms(values: Fields) -> int | None:
    """How often a port with an IPv6 address sends router advertisements; a port of ours does not."""
    sends = values.get("ipv6_addresses") and "is_silent" not in values
    return _DEFAULT_RA_INTERVAL_MS if sends else None


def static_routes(fields: Fields, left: ConfigTree, aggregates: Collection[str]) -> tuple[StaticRoute, ...]:
    """Discard routes, and routes to next hops. Of those with a distance the ones of aggregates alone are known."""
    hops: list[Hop] = fields.get("hops", [])
    others = [each for each in hops if each.distance and (each.vrf is not None or each.prefix not in aggregates)]
    routes, odd = gathered(each for each in hops if each not in others)
    for hop in (*others, *odd):
        word, vrf = "ipv6" if ":" in hop.prefix else "ip", f"vrf {hop.vrf} " if hop.vrf else ""
        tag, behind = "" if hop.tag is None else f" tag {hop.tag}", f"{hop.interface} " if hop.interface else ""
        distance = "" if hop.distance is None else f" {hop.distance}"
        left.add(f"{word} route {vrf}{hop.prefix} {behind}{hop.next_hop or 'Null0'}{distance}{tag}")
    return routes


def vrfs(fields: Fields, left: ConfigTree) -> tuple[Vrf, ...]:
    """VRFs that exist and route IPv4; one with only half of this is not ours."""
    there, routed, ipv6 = set(fields["vrfs"]), set(fields.get("routed_vrfs", ())), set(fields.get("ipv6_vrfs", ()))
    for name in there - routed:
        left.add(f"vrf instance {name}")
    for name in routed - there:
        left.add(f"ip routing vrf {name}")
    for name in ipv6 - (there & routed):
        left.add(f"ipv6 unicast-routing vrf {name}")
    return tuple(Vrf(name, name in ipv6) for name in there & routed)
