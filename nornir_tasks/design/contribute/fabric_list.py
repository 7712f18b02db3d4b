"""Lists of what comes to a switch itself by its other ports, in the default VRF: what its own configuration needs.

Sessions, relays and pairs are read off the configuration that the list is for. Sources are the pools that links have
their addresses from, so that a new leaf changes no list; what is in none of them (an upstream, the other leaf of a
pair) is let in by its address. TTLs are not looked at: sessions of BGP and BFD do that themselves.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from ipaddress import ip_address, ip_network
from itertools import chain

from nornir_tasks.design.config.access_lists import ICMP, TCP, UDP, AccessList, AclRule, Family, PortRange
from nornir_tasks.design.config.reach import FABRIC_LISTS
from nornir_tasks.design.contribute.managed_reach import managers, numbered
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.order import prefix_key
from nornir_tasks.design.model.partial_config import SwitchBase
from nornir_tasks.errors import Problem
from nornir_tasks.intent.keys.base import BaseIntent

BGP, MLAG = (179, 179), (4432, 4432)
"""RFC 4271; batfish NamedPort."""
BFD = ((3784, 3784), (4784, 4784))
"""RFC 5881 and RFC 5883. All sessions are over one hop, but FRR 8.4 takes those with TTL security for multihop ones."""
_DHCP: dict[Family, tuple[PortRange, PortRange]] = {"ipv4": ((68, 68), (67, 67)), "ipv6": ((546, 546), (547, 547))}
"""Ports of clients and of servers and relays: RFC 2131 (4.1), RFC 8415 (7.2)."""
_TRACEROUTE = (33434, 33523)
"""Thirty hops of three packets, from its first port on."""
_MESSAGES: dict[Family, tuple[int, ...]] = {"ipv4": (0, 3, 8, 11), "ipv6": (1, 2, 3, 4, 128, 129, 133, 134, 135, 136)}
"""Ping and its answers, unreachable and packet too big, time exceeded; of IPv6 neighbour discovery as well
(RFC 4890, 4.4.1)."""
_LINK_LOCAL = "fe80::/10"


def joined(config: DeviceConfig, base: SwitchBase) -> DeviceConfig:
    """The same configuration with a list for each family."""
    families: tuple[Family, ...] = ("ipv4", "ipv6")
    lists = tuple(AccessList(FABRIC_LISTS[each], each, numbered(_rules(config, base, each))) for each in families)
    return replace(config, base=replace(config.base, reach=replace(config.base.reach, fabric=lists)))


def problems(device: str, config: DeviceConfig) -> Iterator[Problem]:
    """What these lists would not meet."""
    if config.vrfs:
        what = "control_plane.fabric: lists of the default VRF do not meet what comes by ports in other VRFs"
        hint = "leave control_plane.fabric out of the base of this fabric"
        yield Problem(
            device, what, "ports in the default VRF alone", ", ".join(each.name for each in config.vrfs), hint
        )


def _rules(config: DeviceConfig, base: SwitchBase, family: Family) -> Iterator[AclRule]:
    in_band = base.settings.management_vrf is None
    if in_band and family == "ipv4":
        yield from managers(base.settings)
    yield from (AclRule(0, True, ICMP[family], icmp_type=each) for each in _MESSAGES[family])
    yield AclRule(0, True, TCP, established=True)
    every, fast = _neighbors(config, base.links, family)
    yield from (AclRule(0, True, TCP, source=each, destination_ports=BGP) for each in every)
    yield from (AclRule(0, True, UDP, source=each, destination_ports=port) for each in fast for port in BFD)
    yield from _pair(config, base.links) if family == "ipv4" else ()
    yield from _relays(config, family)
    yield from _answers(base.settings, family) if in_band else ()
    yield AclRule(0, True, UDP, destination_ports=_TRACEROUTE)
    yield AclRule(0, False)


def _neighbors(config: DeviceConfig, pools: Iterable[str], family: Family) -> tuple[list[str], list[str]]:
    """Where BGP comes from in the default VRF, and where BFD does."""
    found = config.bgp
    neighbors = [each for each in found.neighbors if each.vrf is None] if found is not None else []
    with_bfd = {each.name for each in found.peer_groups if each.bfd} if found is not None else set()
    fast = (each.address for each in neighbors if each.peer_group in with_bfd)
    return _sources((each.address for each in neighbors), family, pools), _sources(fast, family, pools)


def _sources(addresses: Iterable[str | None], family: Family, pools: Iterable[str] = ()) -> list[str]:
    """The pools that these addresses are in, and those that are in none; None: what is behind a port."""
    is_six = family == "ipv6"
    known = [ip_network(each) for each in pools]
    found = set[str]()
    for text in addresses:
        if text is None:
            found |= {_LINK_LOCAL} if is_six else set()
        elif (":" in text) == is_six:
            address = ip_address(text)
            found.add(str(next((each for each in known if address in each), ip_network(text))))
    return sorted(found, key=prefix_key)


def _pair(config: DeviceConfig, pools: tuple[str, ...]) -> Iterator[AclRule]:
    """MLAG: its messages from the other leaf's end of the peer VLAN, its heartbeat from wherever its way begins."""
    pair = config.pair
    if pair is None or pair.peer_address is None:
        return
    yield from (AclRule(0, True, each, source=f"{pair.peer_address}/32", destination_ports=MLAG) for each in (TCP, UDP))
    if pair.keepalive_vrf is None:
        beats = _sources((pair.keepalive_address,), "ipv4", pools)
        for each in sorted({*beats, *pools}, key=prefix_key):
            yield AclRule(0, True, UDP, source=each, destination_ports=MLAG)


def _relays(config: DeviceConfig, family: Family) -> Iterator[AclRule]:
    """DHCP from hosts where it is relayed, and from the servers that it is relayed to."""
    client, server = _DHCP[family]
    relayed_to = {*chain.from_iterable(port.dhcp_servers for port in config.interfaces if port.vrf is None)}
    servers = _sources(relayed_to, family)
    if servers:
        source = _LINK_LOCAL if family == "ipv6" else None
        yield AclRule(0, True, UDP, source=source, source_ports=client, destination_ports=server)
    yield from (AclRule(0, True, UDP, source=each, destination_ports=server) for each in servers)


def _answers(base: BaseIntent, family: Family) -> Iterator[AclRule]:
    """Of servers that the switch asks by UDP in the default VRF. RADIUS: RFC 2865."""
    names, radius = base.dns and base.dns.servers, base.aaa and base.aaa.radius and base.aaa.radius.servers
    for servers, port in ((base.ntp, 123), (names, 53), (radius, 1812)):
        for each in _sources(map(str, servers or ()), family):
            yield AclRule(0, True, UDP, source=each, source_ports=(port, port))
