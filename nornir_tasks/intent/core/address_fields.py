"""Values of flows and VLANs that the intent writes as text: IPv6 prefixes, addresses of servers, TCP and UDP ports."""

import re
from ipaddress import (
    IPv4Address,
    IPv4Interface,
    IPv4Network,
    IPv6Address,
    IPv6Interface,
    IPv6Network,
    ip_address,
    ip_interface,
    ip_network,
)
from itertools import pairwise
from typing import Annotated

from pydantic import BeforeValidator

from nornir_tasks.intent.core.fields import Written, text
from nornir_tasks.intent.core.findings import wrong

SUBNET_V6_LENGTH = 64
"""Of a VLAN: hosts make addresses of their own in it (RFC 4862)."""

_PORTS = re.compile(r"([0-9]{1,5})-([0-9]{1,5})")
_MAX_PORT = 65535
_MAC = re.compile(r"([0-9a-f]{2}:){5}[0-9a-f]{2}")

PortRange = tuple[int, int]
"""First and last; a single port is both."""


def _prefix_v6(value: object) -> IPv6Network:
    if isinstance(value, IPv6Network):
        return value
    try:
        return IPv6Network(value if isinstance(value, str) and "/" in value else "")
    except ValueError as error:
        hint = ""
        if "host bits set" in str(error):
            hint = f"write the network itself: {IPv6Network(value, strict=False)}"
        raise wrong("not an IPv6 prefix", "network/length, as fd00:10::/48", value, hint) from None


def _any_prefix(value: object) -> IPv4Network | IPv6Network:
    if isinstance(value, IPv4Network | IPv6Network):
        return value
    try:
        return ip_network(value if isinstance(value, str) and "/" in value else "")
    except ValueError as error:
        hint = (
            f"write the network itself: {ip_network(str(value), strict=False)}" if "host bits set" in str(error) else ""
        )
        raise wrong("not a prefix", "network/length, as 198.51.100.0/24 or 2001:db8::/32", value, hint) from None


def _address(value: object) -> IPv4Address | IPv6Address:
    if isinstance(value, IPv4Address | IPv6Address):
        return value
    try:
        return ip_address(value if isinstance(value, str) else "")
    except ValueError:
        raise wrong("not the address of a host", "IPv4 or IPv6, as 10.64.0.5", value) from None


def _interface(value: object) -> IPv4Interface | IPv6Interface:
    if isinstance(value, IPv4Interface | IPv6Interface):
        return value
    try:
        found = ip_interface(value if isinstance(value, str) and "/" in value else "")
    except ValueError:
        raise wrong("not an address with its length", "as 198.51.100.2/30 or 2001:db8::2/64", value) from None
    most = 31 if found.version == 4 else 127
    if found.network.prefixlen > most:
        raise wrong("a link without room for two ends", f"/{most} or shorter", value)
    if found.network.prefixlen < most and found.ip == found.network.network_address:
        raise wrong("the address of the link itself", f"one of its others, as {found.ip + 1}", value)
    return found


def _ports(value: object) -> tuple[PortRange, ...]:
    found: list[PortRange] = []
    for part in value if isinstance(value, tuple | list) else (value,):
        if isinstance(part, tuple) and len(part) == 2:
            found.append(part)
        elif isinstance(part, int) and not isinstance(part, bool):
            found.append((part, part))
        elif isinstance(part, str) and (ports := _PORTS.fullmatch(part)):
            found.append((int(ports[1]), int(ports[2])))
        else:
            raise wrong("not a port", "a port 1-65535, a range as 8000-8100, or a list of them", part)
    for first, last in found:
        if not 1 <= first <= last <= _MAX_PORT:
            raise wrong("no such ports", "1-65535, the lower end first", f"{first}-{last}")
    ordered = sorted(set(found))
    for (first, last), (start, end) in pairwise(ordered):
        if start <= last:
            raise wrong("ports that overlap", "each port once", f"{_range(first, last)} and {_range(start, end)}")
    return tuple(ordered)


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _mac(value: object) -> str:
    text = value.lower().replace("-", ":") if isinstance(value, str) else ""
    if not _MAC.fullmatch(text) or not text.strip("0:") or int(text[:2], 16) & 1:
        raise wrong("not the MAC address of a port", "six bytes, the first one even, as 0c:42:a1:00:00:12", value)
    return text


_V4, _V6, _LENGTH = (
    r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}",
    r"[0-9a-fA-F]*:[0-9a-fA-F:]*(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3})?",
    "/[0-9]{1,3}",
)
_ONE_PORT = {"anyOf": [{"type": "integer", "minimum": 1, "maximum": _MAX_PORT}, text(_PORTS)]}
_PORTS_SCHEMA = {"anyOf": [*_ONE_PORT["anyOf"], {"type": "array", "items": _ONE_PORT}]}

MacAddress = Annotated[
    str, BeforeValidator(_mac), Written("MAC address", text(r"(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}"))
]
"""Lower case, with colons."""
PrefixV6 = Annotated[IPv6Network, BeforeValidator(_prefix_v6), Written("IPv6 prefix", text(_V6 + _LENGTH))]
AnyPrefix = Annotated[
    IPv4Network | IPv6Network,
    BeforeValidator(_any_prefix),
    Written("IPv4 or IPv6 prefix", text(_V4 + _LENGTH, _V6 + _LENGTH)),
]
HostAddress = Annotated[
    IPv4Address | IPv6Address, BeforeValidator(_address), Written("IPv4 or IPv6 address", text(_V4, _V6))
]
HostInterface = Annotated[
    IPv4Interface | IPv6Interface,
    BeforeValidator(_interface),
    Written("IPv4 or IPv6 address with its length", text(_V4 + _LENGTH, _V6 + _LENGTH)),
]
"""An address of a port, with the length of the subnet there."""
PortRanges = Annotated[
    tuple[PortRange, ...],
    BeforeValidator(_ports),
    Written("TCP or UDP port, a range as `8000-8100`, or a list", _PORTS_SCHEMA),
]
"""Ascending, each once."""


MOST_OF_A_NAME = 253
"""Characters of a name in the DNS (RFC 1035: 255 bytes on the wire)."""


_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"


_DESTINATION = re.compile(rf"\.?(?:{_LABEL}\.)+[a-z](?:[a-z0-9-]{{0,61}}[a-z0-9])?")


def destination(value: object) -> str:
    """A name of at least two labels, the last of which is no number: an address is none, nor is all of a country."""
    if not isinstance(value, str) or len(value) > MOST_OF_A_NAME or not _DESTINATION.fullmatch(value):
        hint = "addresses and top-level domains are not taken: any stranger may have a name below one"
        raise wrong("not the name of a host, nor a suffix of such", "mirror.example.net, or .example.net", value, hint)
    return value


NOT_UNICAST = {
    IPv4Network("0.0.0.0/8"): "this network, no address of an interface (RFC 1122)",
    IPv4Network("127.0.0.0/8"): "loopback, never on a wire (RFC 1122)",
    IPv4Network("192.0.0.0/24"): "kept for protocols (RFC 6890)",
    IPv4Network("224.0.0.0/4"): "multicast (RFC 5771)",
    IPv4Network("240.0.0.0/4"): "reserved, with broadcast at its end (RFC 1112)",
}
"""Prefixes of which no interface can have an address (IANA IPv4 Special-Purpose Address Registry)."""
