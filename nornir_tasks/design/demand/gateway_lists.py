"""Rules of a VLAN's access lists that are about the switches' own addresses in it, and about hosts of the VLAN itself.

Hosts may ping their gateways and trace the way to them; nothing else is for a switch's own address, whatever a flow
says. Where a system's list on a VLAN's interface meets what is only bridged in the VLAN (``AclFacts``), hosts of one
VLAN must reach one another through it, and what the other switch of a pair has routed to a host here must reach that.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from ipaddress import IPv4Network, IPv6Network, collapse_addresses, ip_network

from nornir_tasks.design.config.access_lists import ICMP, UDP, AclRule, Direction, Family

ECHO: dict[Family, int] = {"ipv4": 8, "ipv6": 128}
"""ICMP echo request (RFC 792, RFC 4443)."""
ANSWERS: dict[Family, tuple[int, ...]] = {"ipv4": (0, 11), "ipv6": (1, 3, 129)}
"""ICMP types by which a gateway answers ping and traceroute, beside those that every list lets through: echo reply,
time exceeded, and of IPv6 destination unreachable (RFC 792, RFC 4443)."""
TRACEROUTE = (33434, 33523)
"""UDP ports that traceroute(8) probes: its first, and one more for each of 3 probes at each of 30 hops."""


@dataclass(frozen=True, slots=True)
class Vlan:
    """A VLAN as its lists see it, in one family."""

    family: Family
    subnet: str
    gateways: tuple[str, ...]
    """Addresses that switches have in it, shared ones too, without length."""
    takes_bridged: bool
    """Does the list meet what is only bridged?"""
    whole_icmp: bool
    """Does the switch know no single types of ICMP in lists of this family? Then all of it passes anyhow."""
    dhcp_servers: tuple[str, ...] = ()
    """Prefixes of single servers that both leaves of a pair relay to. One answers the address of the leaf that asked
    (RFC 2131, 4.1; RFC 8415, 19), and the answer may come to the other leaf, which hands it on in the VLAN."""
    relay_port: int = 0
    """UDP port of servers and relays."""

    @property
    def switches(self) -> tuple[str, ...]:
        """As few prefixes as hold just the gateways."""
        return collapsed(self.gateways)


def collapsed(prefixes: Iterable[str]) -> tuple[str, ...]:
    """As few prefixes as hold just these."""
    every = [ip_network(each) for each in prefixes]
    v4 = collapse_addresses(each for each in every if isinstance(each, IPv4Network))
    v6 = collapse_addresses(each for each in every if isinstance(each, IPv6Network))
    return (*map(str, v4), *map(str, v6))


def of_switches(vlan: Vlan, direction: Direction) -> Iterator[AclRule]:
    """What is for the switches' own addresses, or from them; and where bridged packets are met, what is for hosts here.

    Where they are, what comes in for a host of the VLAN is from another one, or the other leaf's list has let it out.
    """
    family = vlan.family
    if not vlan.whole_icmp and (direction == "in" or vlan.takes_bridged):
        echo = AclRule(0, permit=True, protocol=ICMP[family], source=vlan.subnet, icmp_type=ECHO[family])
        yield from (replace(echo, destination=each) for each in vlan.switches)
    if direction == "in":
        probe = AclRule(0, permit=True, protocol=UDP, source=vlan.subnet, destination_ports=TRACEROUTE)
        yield from (replace(probe, destination=each) for each in vlan.switches)
    elif not vlan.whole_icmp and not vlan.takes_bridged:
        answer = AclRule(0, permit=True, protocol=ICMP[family], destination=vlan.subnet)
        yield from (replace(answer, source=each, icmp_type=kind) for each in vlan.switches for kind in ANSWERS[family])
    ports = (vlan.relay_port,) * 2
    for server in vlan.dhcp_servers:
        relayed = AclRule(0, permit=True, protocol=UDP, source=server, source_ports=ports, destination_ports=ports)
        yield from (replace(relayed, destination=each) for each in vlan.switches)
    yield from (AclRule(0, permit=False, destination=each) for each in vlan.switches)
    if vlan.takes_bridged:
        yield AclRule(0, permit=True, source=None if direction == "in" else vlan.subnet, destination=vlan.subnet)


def elsewhere_last(rules: Iterable[AclRule], vlan: Vlan, own: Collection[str]) -> Iterator[AclRule]:
    """The rules of flows in such an order that ``outside`` is not this site: its own prefixes are refused first.

    ``own``: the site's prefixes of the family.
    """
    every = list(rules)
    anywhere = [each for each in every if each.source is None or each.destination is None]
    yield from (each for each in every if each not in anywhere)
    if any(each.destination is None for each in anywhere):
        yield from (AclRule(0, permit=False, source=vlan.subnet, destination=each) for each in own)
    if any(each.source is None for each in anywhere):
        yield from (AclRule(0, permit=False, source=each, destination=vlan.subnet) for each in own)
    yield from anywhere
