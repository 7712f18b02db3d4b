"""Which objects of a configuration a line is in: those that bear a name, and those known by a number or address."""

import re
from collections.abc import Iterator

from tests.foreign.lines import Path

Object = tuple[str, ...]
"""Kind and name, with the VRF where names are a VRF's own."""

_RESERVED_VRFS = {"default", "management", "mgmt", "MGMT"}
_ADDRESS = re.compile(r"\d+\.\d+\.\d+\.\d+|[\da-fA-F:]*:[\da-fA-F:]*|Ethernet\S+|Vlan\d+|port-channel\d+")
_NAMED = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("route-map", r"route-map (\S+)"),
        ("prefix-list", r"ip prefix-list (\S+)"),
        ("ipv6 prefix-list", r"ipv6 prefix-list (\S+)"),
        ("access-list", r"(?:ip|ipv6|mac) access-list (?:standard |extended )?(\S+)"),
        ("as-path", r"ip as-path access-list (\S+)"),
        ("community-list", r"ip (?:ext|large-)?community-list (?:standard |expanded |regexp )?(\S+)"),
        ("class-map", r"class-map (?:type \S+ )?(?:match-any |match-all )?(\S+)"),
        ("policy-map", r"policy-map (?:type \S+ )?(\S+)"),
        ("qos profile", r"qos profile (\S+)"),
        ("vrf", r"vrf (?:instance|context) (\S+)"),
    )
)
_NVUE_NAMED = tuple(
    re.compile(pattern)
    for pattern in (
        r"router/policy/[^/]+/([^/]+)",
        r"router/bfd/profile/([^/]+)",
        r"acl/([^/]+)",
        r"qos/[^/]+/([^/]+)",
        r"vrf/([^/]+)",
        r"vrf/[^/]+/router/bgp/peer-group/([^/]+)",
    )
)
_NVUE_NUMBERED = tuple(
    re.compile(pattern)
    for pattern in (
        r"interface/([^/]+)",
        r"bridge/domain/[^/]+/vlan/([^/]+)",
        r"vrf/[^/]+/router/bgp/neighbor/([^/]+)",
        r"service/dhcp-relay/[^/]+/(?:server-group|downstream-interface)/([^/]+)",
    )
)


def named(os: str, path: Path) -> Iterator[Object]:
    """The objects with a name that the line is in, or is the first line of."""
    if os == "nvue":
        yield from (each for each in _in_data(_NVUE_NAMED, path) if not _is_factory(each))
        return
    found = ((kind, pattern.match(path[0])) for kind, pattern in _NAMED)
    yield from ((kind, match[1]) for kind, match in found if match and match[1] not in _RESERVED_VRFS)
    yield from (each for each in _of_bgp(os, path) if each[0] != "neighbor")


def numbered(os: str, path: Path) -> Iterator[Object]:
    """The ports, SVIs, LAGs, VLANs and BGP neighbours that the line is in. No loopback and no management port."""
    if os == "nvue":
        found = _in_data(_NVUE_NUMBERED, path)
        yield from (each for each in found if each[:1] != ("interface",) or not re.match(r"lo$|eth\d", each[1]))
        return
    interface = re.match(r"interface (?!loopback|management|mgmt)(\S+)$", path[0], re.IGNORECASE)
    if interface:
        yield "interface", interface[1].lower()
    if re.fullmatch(r"vlan \d+", path[0]):
        yield "vlan", path[0].split()[1]
    yield from (each for each in _of_bgp(os, path) if each[0] == "neighbor")


def _is_factory(found: Object) -> bool:
    return (
        found[-1].startswith("default-") if found[0] == "qos" else found[:1] == ("vrf",) and found[-1] in _RESERVED_VRFS
    )


def _in_data(patterns: tuple[re.Pattern[str], ...], path: Path) -> Iterator[Object]:
    keys = [*path[:-1], path[-1].partition(": ")[0]]
    for depth in range(1, len(keys) + 1):
        if "/" not in "".join(keys[:depth]) and any(each.fullmatch("/".join(keys[:depth])) for each in patterns):
            yield tuple(keys[:depth])


def _of_bgp(os: str, path: Path) -> Iterator[Object]:
    if not path[0].startswith("router bgp "):
        return
    below, vrf = list(path[1:]), "default"
    if below and below[0].startswith("vrf "):
        vrf = below.pop(0).split()[1]
        yield "bgp vrf", vrf
    if below and os == "eos" and below[0].startswith("address-family "):
        below.pop(0)
    word, _, rest = (below[0] if below else "").removeprefix("no ").partition(" ")
    if word == "neighbor":
        name = rest.split()[0]
        yield ("neighbor" if _ADDRESS.fullmatch(name) else "peer group"), vrf, name
    if word == "template":
        yield "template", *rest.split()[:2]
