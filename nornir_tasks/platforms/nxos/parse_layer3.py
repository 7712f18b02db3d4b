"""NX-OS lines of IPv6 addresses and static routes parsed."""

import re

from nornir_tasks.platforms.config_tree import Path
from nornir_tasks.platforms.lines import Fields, row, text, yes
from nornir_tasks.platforms.nxos.reading import Remainder
from nornir_tasks.platforms.static_routes import Hop

_DEFAULT_RA_INTERVAL_MS = 600_000
"""A port with an IPv6 address sends router advertisements "with default values" unless told otherwise: Cisco Nexus 7000
Unicast Routing Configuration Guide, "Configuring IPv6". That this is 600 s is remembered; it is rendered nowhere."""

PORT = (
    # a second address is independent of the first
    row(r"ipv6 address ([0-9a-f:.]+/\d+)", "ipv6_addresses", text, many=True),
    row(r"ipv6 nd suppress-ra", "is_silent", yes),
)
SVI = (
    # a server in another VRF is others'
    row(r"ip dhcp relay address (\d+\.\d+\.\d+\.\d+)", "dhcp_servers", text, many=True),
    row(r"ipv6 dhcp relay address ([0-9a-f:.]+)", "dhcp_servers", text, many=True),
)
LOOPBACK = PORT[:1]
"""A loopback advertises nothing."""

_PORT = r"(?:Vlan|Ethernet|port-channel)\d\S*"
_IPV4, _IPV6 = r"\d+\.\d+\.\d+\.\d+", r"[0-9a-f:.]*:[0-9a-f:.]*"


def _hop(found: re.Match[str]) -> Hop:
    where = None if found[3] == "Null0" else found[3]
    return Hop(None, found[1], where, int(found[4]) if found[4] else None, found[2])


ROUTES = tuple(
    row(
        rf"{word} route ({address}/\d+) (?:({_PORT}) (?!Null0))?(Null0|{address})(?: tag (\d+))?",
        "hops",
        _hop,
        # a line with a name or a preference is another one's
        single=rf"{word} route \S+ (?:Null0|(?:{_PORT} )?{address})(?= tag \d+$|$)",
        many=True,
    )
    for word, address in (("ip", _IPV4), ("ipv6", _IPV6))
)
"""At the top, and in the context of a VRF."""


def line_of(hop: Hop) -> str:
    """The line of a next hop, at the top or in its VRF's context."""
    tag = "" if hop.tag is None else f" tag {hop.tag}"
    behind = "" if hop.interface is None else f"{hop.interface} "
    return f"{'ipv6' if ':' in hop.prefix else 'ip'} route {hop.prefix} {behind}{hop.next_hop or 'Null0'}{tag}"


def ipv6_of(values: Fields, remainder: Remainder, path: Path) -> str | None:
    """The IPv6 address of a port, SVI or loopback. Further addresses, and silence without any, are left."""
    addresses: list[str] = values.get("ipv6_addresses", [])
    address, more = (addresses[0], addresses[1:]) if addresses else (None, [])
    for each in more:
        remainder.tree.add_path((*path, f"ipv6 address {each}"))
    if address is None and "is_silent" in values:
        remainder.tree.add_path((*path, "ipv6 nd suppress-ra"))
    return address


def advertised_ms(values: Fields) -> int | None:
    """How often a port with an IPv6 address sends router advertisements; a port of ours does not."""
    sends = values.get("ipv6_addresses") and "is_silent" not in values
    return _DEFAULT_RA_INTERVAL_MS if sends else None
