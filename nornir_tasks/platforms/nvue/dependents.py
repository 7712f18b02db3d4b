"""What a Cumulus switch has once, or by number, and which settings of others need it (lines as in tree.py)."""

import re
from types import MappingProxyType

from nornir_tasks.platforms.announced import Announcing
from nornir_tasks.platforms.nvue.tree import BRIDGE
from nornir_tasks.platforms.platform import needed

_SECTIONS = r"(?:neighbor|peer-group|address-family(?: / ipv[46]-unicast(?: / (?:network|aggregate-route))?)?)"
"""What tree.py has of every VRF's BGP, without meaning."""
_MEMBER = rf"interface / \S+ / bridge / domain / {BRIDGE}"
_IN_PROCESS = r" / router / bgp / (?:neighbor|peer-group|address-family / \S+ / (?:network|redistribute)) / .*"

DEPENDENTS = (
    needed(
        rf"bridge / domain / {BRIDGE} / vlan / (?P<vlan>\d+)",
        rf"{_MEMBER} / (?:access: <vlan>|untagged: <vlan>|vlan / <vlan>(?: / .*)?)|interface / vlan<vlan>(?: / .*)?",
    ),
    needed(r"router / vrr(?: / .*)?", r"interface / \S+ / ip(?:v4|v6)? / vrr .*|interface / \S+ / ip(?:v4|v6)? / vrr"),
    # "BGP requires autonomous-system to be set globally or in the VRF", and a router ID likewise
    needed(
        r"router / bgp / (?:autonomous-system|router-id|enable|state): .*",
        rf"vrf / \S+ / router / bgp / (?!(?:enable|state): |{_SECTIONS}$).+",
    ),
    needed(r"router / bfd / .*", r"vrf / .* / bfd(?: / .*)?"),
    # without its table a VRF has no setting left, and the switch may take it away with the last one
    needed(r"vrf / (?P<name>[^:/ ]+)(?: / table: .*)?", r'interface / \S+ / (?:ip(?:v4|v6)? / )?vrf: "<name>"'),
    # a process has no block of its own: its sessions are in the VRFs
    needed(r"router / bgp(?: / (?:state|autonomous-system|router-id): .*)?", rf"vrf / \S+{_IN_PROCESS}"),
    needed(r"vrf / (?P<name>[^:/ ]+) / router / bgp / state: .*", rf"vrf / <name>{_IN_PROCESS}"),
    needed(r"mlag(?: / .*)?", r"interface / \S+ / bond / mlag(?: / .*)?"),
)

DISPLACING = (
    # docs514, Bonding-Link-Aggregation.md: an interface is in one bond at most
    needed(
        r"interface / (?P<bond>\S+) / bond / member / (?P<port>swp\w+)",
        r"interface / (?!<bond> /)\S+ / bond / member / <port>",
    ),
)

ALIKE = MappingProxyType({"ipv4": "ip", "ipv6": "ip", "state": "enable"})
"""Spellings since 5.15, and those until then (nvueschema 0.1.0, v5_14 and v5_16)."""

FACTORY_LINES = (r'system / hostname: "cumulus"',)
"""What a switch has before it is configured (docs514 at 2739a8df: a switch's default name)."""

_FAMILY = r"vrf / \S+ / router / bgp / address-family / ipv[46]-unicast"
ANNOUNCING = Announcing(
    redistributed=re.compile(rf"{_FAMILY} / redistribute / (?P<source>[^:/ ]+)(?P<map>(?!))?"),
    aggregate=re.compile(rf"{_FAMILY} / aggregate-route / (?P<prefix>[0-9a-f:.]+/\d+)"),
    map_below="route-map: ",
)
"""nvueschema 0.1.0 v5_14: vrf/{vrf-id}/router/bgp/address-family/ipv4-unicast, redistribute and aggregate-route."""
