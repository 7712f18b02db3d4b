"""What the lists of a VLAN do to its hosts among themselves, and to what is for the switches in it.

Hosts ping their gateways and trace the way to them, and reach nothing else of a switch by its addresses there. Where a
list on a VLAN's interface meets what is only bridged (``AclFacts``), hosts of the VLAN reach one another through it,
and what one switch of a pair routes to the VLAN reaches the hosts that are cabled to the other.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Interface, IPv6Interface, ip_interface

from nornir_tasks.design.config.access_lists import ICMP, UDP, Direction, Family
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.system_facts import AclFacts
from nornir_tasks.proofs.breach import Breach
from nornir_tasks.proofs.ends import Domain, Gate
from nornir_tasks.proofs.filters import Lists, Passed, decided, passed
from nornir_tasks.proofs.packets import Packets, addresses, example, without_all
from nornir_tasks.proofs.wires import svi_vlan

GATEWAYS = "gateways"
"""What the switches of a VLAN are called, as an end."""
_ECHO: dict[Family, int] = {"ipv4": 8, "ipv6": 128}
_PROBES = (33434, 33523)
"""UDP ports of traceroute(8): 3 probes at each of 30 hops."""


@dataclass(frozen=True)
class Vlan:
    """A network of hosts on a VLAN whose lists say who may come, with the switches' lines, in one family."""

    domain: Domain
    family: Family
    configs: Mapping[str, DeviceConfig]
    facts: Mapping[str, AclFacts]
    """Of each switch with lists."""
    lists_of: Callable[[str], Lists]
    needed: tuple[Packets, ...]
    """What every list lets pass."""
    relayed: tuple[Packets, ...] = ()
    """Answers of servers to whom switches of the VLAN relay, to any address."""

    @cached_property
    def gates(self) -> tuple[Gate, ...]:
        """Of VLANs that the plan has there: an interface of a VLAN, with lists or without."""
        return tuple(each for each in self.domain.gates if each.is_planned and svi_vlan(each.interface) is not None)

    @cached_property
    def to_switches(self) -> tuple[Packets, ...]:
        """All that hosts can send to the addresses that switches have in the VLAN."""
        found = sorted({int(each.ip) for gate in self.gates for each in self._at(gate)})
        ranges: list[tuple[int, int]] = []
        for each in found:  # neighbours are one range: judged once
            first = ranges.pop()[0] if ranges and ranges[-1][1] == each - 1 else each
            ranges.append((first, each))
        return tuple(self._every._replace(destination=each) for each in ranges)

    def to_gateways(self) -> Iterator[Breach]:
        """Each kind of breach of what is for switches once."""
        for gate in self.gates:
            facts = self.facts.get(gate.router.device)
            knows_types = facts is None or self.family in facts.icmp_types
            for to_one in self.to_switches:
                yield from self._to(to_one, gate, knows_types=knows_types)
                for each in self._relayed(to_one):
                    yield from self._blocked(gate, "in", [each])
                    yield from self._blocked(gate, "out", [each])

    def among_hosts(self) -> Iterator[Breach]:
        """What is only bridged must pass where lists meet it."""
        for gate in self.gates:
            facts = self.facts.get(gate.router.device)
            if facts is None or not facts.svi_takes_bridged:
                continue
            directions: tuple[Direction, ...] = ("in", "out")
            for direction in directions:
                yield from self._blocked(gate, direction, self._to_hosts([self._every]))
            for other in self.gates:
                routed = (each.packets for each in self._passed(other, "out", self._from_anywhere))
                if other.router.device != gate.router.device:
                    yield from self._blocked(gate, "in", self._to_hosts(routed))

    # -- parts ------------------------------------------------------------------------------------------------------

    @cached_property
    def _every(self) -> Packets:
        # what is attached to an access switch has a domain for each group, all in the subnet of one interface
        found = [str(each.network) for gate in self.gates for each in self._at(gate)]
        own = addresses((found or [self.domain.subnets[self.family]])[0], self.family)
        return Packets(own, own)

    @cached_property
    def _from_anywhere(self) -> Packets:
        return self._every._replace(source=addresses(None, self.family))

    def _at(self, gate: Gate) -> Iterator[IPv4Interface | IPv6Interface]:
        """The addresses of a gate, its own and the one that it shares."""
        for port in self.configs[gate.router.device].interfaces:
            if port.name != gate.interface:
                continue
            if self.family == "ipv4":
                found = (port.address, port.gateway and port.gateway.address)
            else:
                found = (port.ipv6_address, port.gateway and port.gateway.ipv6_address)
            yield from (ip_interface(each) for each in found if each)

    def _to(self, to_one: Packets, gate: Gate, *, knows_types: bool) -> Iterator[Breach]:
        echo = to_one._replace(protocol=(ICMP[self.family],) * 2, icmp_type=(_ECHO[self.family],) * 2)
        probes = to_one._replace(protocol=(UDP, UDP), destination_port=_PROBES)
        yield from self._blocked(gate, "in", [echo, probes])
        icmp = echo if knows_types else echo._replace(icmp_type=(0, 255))
        for each in self._passed(gate, "in", to_one):
            if more := without_all(each.packets, (icmp, probes, *self.needed, *self._relayed(to_one))):
                yield Breach("open", (gate.line(each.by),), example(more, self.family))

    def _relayed(self, to_one: Packets) -> Iterator[Packets]:
        """Answers to the relay at this address, which the other switch of a pair may have got."""
        yield from (each._replace(destination=to_one.destination) for each in self.relayed)

    def _to_hosts(self, every: Iterable[Packets]) -> list[Packets]:
        """Those that are not for a switch."""
        anybody = addresses(None, self.family)
        switches = [each._replace(source=anybody) for each in self.to_switches]
        return [left for each in every for left in without_all(each, switches)]

    def _passed(self, gate: Gate, direction: Direction, packets: Packets) -> Iterator[Passed]:
        return passed(self.lists_of(gate.router.device), gate.acls, (self.family, direction), packets)

    def _blocked(self, gate: Gate, direction: Direction, wanted: list[Packets]) -> Iterator[Breach]:
        for each in wanted:
            through = [found.packets for found in self._passed(gate, direction, each)]
            if missing := without_all(each, through):
                packet = example(missing, self.family)
                where = self.family, direction
                by = decided(self.lists_of(gate.router.device), gate.acls, where, packet)
                yield Breach("blocked", (gate.line(f"{direction}, {by}"),), packet)
                return
