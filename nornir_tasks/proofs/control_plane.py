"""What comes to a switch itself in the default VRF: its list lets in what its own lines need, and nothing else.

Needed is read off the lines of the switch, and of the other leaf of its pair: sessions, BFD, MLAG, relays, servers that
it asks. What else passes is open, but for the sessions' ports from where links have their addresses: a new leaf should
change no list.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_address, ip_interface, ip_network

from nornir_tasks.design.config.access_lists import ICMP, TCP, UDP, AclBinding, Family
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.reach import FABRIC_LISTS
from nornir_tasks.design.demand.flows import FAMILIES
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.network import Network
from nornir_tasks.intent.keys.base import BaseIntent
from nornir_tasks.proofs.breach import Breach, Judged
from nornir_tasks.proofs.ends import End
from nornir_tasks.proofs.filters import decided, lists_of, passed
from nornir_tasks.proofs.packets import Packets, Range, addresses, example, without_all

_NEW, _OPEN = (0, 0), (1, 1)
_ANY = (0, 65535)
_LINK_LOCAL = "fe80::/10"
_BGP, _MLAG, _TRACEROUTE = (179, 179), (4432, 4432), (33434, 33523)
_BFD = ((3784, 3784), (4784, 4784))
_MESSAGES: Mapping[Family, tuple[int, ...]] = {
    "ipv4": (0, 3, 8, 11),
    "ipv6": (1, 2, 3, 4, 128, 129, 133, 134, 135, 136),
}


def judged(network: Network, configs: Mapping[str, DeviceConfig]) -> Iterator[Judged]:
    """Two for each switch that should have such lists: what it needs, and what others send."""
    for device in network.devices:
        base, config = network.base.get(device.fabric), configs.get(device.name)
        if base is None or not base.has_fabric_list or config is None or not device.capabilities.takes_fabric_list:
            continue
        pools = network.fabric_of(device).pools
        found = _Switch(config, configs, base, tuple(pools[each] for each in ("links", "loopback") if each in pools))
        here = End(device.fabric, device.name)
        for name, breaches in (("what it needs", found.blocked()), ("others", found.open())):
            yield Judged(End(device.fabric, name), here, tuple(dict.fromkeys(breaches)))


@dataclass(frozen=True, slots=True)
class _Switch:
    config: DeviceConfig
    configs: Mapping[str, DeviceConfig]
    settings: BaseIntent
    pools: tuple[str, ...]

    def blocked(self) -> Iterator[Breach]:
        """What is needed and refused."""
        for family in FAMILIES:
            for why, wanted in self._needs(family):
                if left := without_all(wanted, self._passing(family, wanted)):
                    packet = example(left, family)
                    yield Breach("blocked", (self._line(family, f"{why}: {self._decides(family, left)}"),), packet)

    def open(self) -> Iterator[Breach]:
        """What passes and is not needed."""
        for family in FAMILIES:
            everything = Packets(addresses(None, family), addresses(None, family))
            known = [*self._from_pools(family), *(wanted for _, wanted in self._needs(family))]
            for part in self._passing(family, everything):
                if left := without_all(part, known):
                    yield Breach("open", (self._line(family, self._decides(family, left)),), example(left, family))

    def _line(self, family: Family, by: str) -> str:
        return f"{self.config.name} control plane, {family.replace('ip', 'IP')}: {by}"

    def _passing(self, family: Family, packets: Packets) -> list[Packets]:
        lists = lists_of(self.config.base.reach.fabric, denies_rest=True)
        return [each.packets for each in passed(lists, self._bound, (family, "in"), packets)]

    def _decides(self, family: Family, left: list[Packets]) -> str:
        lists = lists_of(self.config.base.reach.fabric, denies_rest=True)
        return decided(lists, self._bound, (family, "in"), example(left, family))

    @property
    def _bound(self) -> tuple[AclBinding, ...]:
        there = {each.family for each in self.config.base.reach.fabric}
        return tuple(AclBinding(family, "in", name) for family, name in FABRIC_LISTS.items() if family in there)

    # -- what is needed ------------------------------------------------------------------------------------------------

    def _needs(self, family: Family) -> Iterator[tuple[str, Packets]]:
        anybody = addresses(None, family)
        for kind in _MESSAGES[family]:
            yield f"ICMP type {kind}", Packets(anybody, anybody, (ICMP[family],) * 2, icmp_type=(kind, kind))
        yield "answers", Packets(anybody, anybody, (TCP, TCP), established=_OPEN)
        yield "traceroute", _udp(anybody, anybody, _ANY, _TRACEROUTE)
        yield from self._sessions(family)
        yield from self._mlag() if family == "ipv4" else ()
        yield from self._relayed(family)
        if self.settings.management_vrf is None:
            yield from self._in_band(family)

    def _sessions(self, family: Family) -> Iterator[tuple[str, Packets]]:
        bgp = self.config.bgp
        with_bfd = {each.name for each in bgp.peer_groups if each.bfd} if bgp is not None else set()
        for each in bgp.neighbors if bgp is not None else ():
            ends = self._ends(each.address) if each.vrf is None else None
            if ends is None or (":" in ends[0]) != (family == "ipv6"):
                continue
            source, here = (addresses(end, family) for end in ends)
            yield f"BGP from {each.peer}", Packets(source, here, (TCP, TCP), _ANY, _BGP)
            if each.peer_group in with_bfd:
                yield from ((f"BFD from {each.peer}", _udp(source, here, _ANY, port)) for port in _BFD)

    def _ends(self, address: str | None) -> tuple[str, str] | None:
        """A neighbour's address and ours towards it; None: no port of ours is in its network."""
        if address is None:
            return _LINK_LOCAL, _LINK_LOCAL
        for port in self._routed():
            for own in (port.address, port.ipv6_address):
                if own is not None and ip_address(address) in ip_interface(own).network:
                    return address, own.partition("/")[0]
        return None

    def _routed(self) -> Iterator[Interface]:
        return (each for each in self.config.interfaces if each.vrf is None)

    def _mlag(self) -> Iterator[tuple[str, Packets]]:
        pair = self.config.pair
        if pair is None or pair.peer_address is None:
            return
        peer, here = addresses(pair.peer_address, "ipv4"), addresses(None, "ipv4")
        yield "MLAG by TCP", Packets(peer, here, (TCP, TCP), _ANY, _MLAG)
        yield "MLAG by UDP", _udp(peer, here, _ANY, _MLAG)
        for source in self._beats(pair.keepalive_address) if pair.keepalive_vrf is None else ():
            yield f"MLAG's heartbeat from {source}", _udp(addresses(source, "ipv4"), here, _ANY, _MLAG)

    def _beats(self, keepalive: str) -> list[str]:
        """The addresses by which the other leaf may send it: its loopback, and of ports to neighbours."""
        at = f"{keepalive}/32"
        other = next(
            (each for each in self.configs.values() if any(port.address == at for port in each.interfaces)), None
        )
        if other is None or other.bgp is None:
            return [keepalive]
        peers = [ip_address(each.address) for each in other.bgp.neighbors if each.address and each.vrf is None]
        nets = ((port.address, ip_interface(port.address).network) for port in other.interfaces if port.address)
        return [keepalive, *(own.partition("/")[0] for own, net in nets if any(each in net for each in peers))]

    def _relayed(self, family: Family) -> Iterator[tuple[str, Packets]]:
        anybody, is_six = addresses(None, family), family == "ipv6"
        client, server = ((546, 546), (547, 547)) if is_six else ((68, 68), (67, 67))
        for port in self._routed():
            servers = [each for each in port.dhcp_servers if (":" in each) == is_six]
            hosts = addresses(_LINK_LOCAL, family) if is_six else anybody
            if servers:
                yield f"DHCP from hosts of {port.name}", _udp(hosts, anybody, client, server)
            for each in servers:
                yield f"DHCP from {each}", _udp(addresses(each, family), anybody, _ANY, server)

    def _in_band(self, family: Family) -> Iterator[tuple[str, Packets]]:
        """Who manages it by these ports, and servers that it asks there."""
        anybody, base = addresses(None, family), self.config.base
        control, snmp = (self.settings.control_plane, self.settings.snmp) if family == "ipv4" else (None, None)
        for prefix in control.allowed if control else ():
            yield f"management from {prefix}", Packets(addresses(str(prefix), family), anybody)
        for prefix in (snmp and snmp.managers) or ():
            yield f"SNMP from {prefix}", _udp(addresses(str(prefix), family), anybody, _ANY, (161, 161))
        answering = [("NTP", each.address, 123) for each in base.time_servers if each.vrf is None]
        answering += [("DNS", each.address, 53) for each in base.name_servers if each.vrf is None]
        if base.radius is not None and base.radius.vrf is None:
            answering += [("RADIUS", each, 1812) for each in base.radius.servers]
        for name, server, port in answering:
            if (":" in server) == (family == "ipv6"):
                yield f"{name} from {server}", _udp(addresses(server, family), anybody, (port, port), _ANY)

    def _from_pools(self, family: Family) -> Iterator[Packets]:
        """Ports of sessions, from wherever links have their addresses."""
        anybody = addresses(None, family)
        for pool in (each for each in self.pools if ip_network(each).version == (6 if family == "ipv6" else 4)):
            source = addresses(pool, family)
            yield Packets(source, anybody, (TCP, TCP), _ANY, _BGP)
            yield from (_udp(source, anybody, _ANY, each) for each in (*_BFD, _MLAG))
        for session in self._neighbors(family):
            source = addresses(session, family)
            yield Packets(source, anybody, (TCP, TCP), _ANY, _BGP)
            yield from (_udp(source, anybody, _ANY, each) for each in _BFD)

    def _neighbors(self, family: Family) -> Iterable[str]:
        found = self.config.bgp.neighbors if self.config.bgp is not None else ()
        ends = (_LINK_LOCAL if each.address is None else each.address for each in found if each.vrf is None)
        return dict.fromkeys(each for each in ends if (":" in each) == (family == "ipv6"))


def _udp(source: Range, here: Range, source_port: Range, port: Range) -> Packets:
    return Packets(source, here, (UDP, UDP), source_port, port)
