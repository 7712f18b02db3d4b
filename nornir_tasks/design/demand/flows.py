"""The allowed flows of a plane's VLANs as access lists on the gateways of a pair.

A list filters what a gateway takes from the hosts of its VLAN (``in``) and what it sends to them (``out``). A flow lets
its packets pass, and their answers: of TCP only those of connections that are open already. What every network needs
passes as well (ICMP that paths and neighbours depend on, DHCP where it is relayed); all else is refused and counted.
Of the switches' own addresses and of what is bridged within a VLAN: :mod:`nornir_tasks.design.demand.gateway_lists`.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from nornir_tasks.design.config.access_lists import (
    ICMP,
    MUST_PASS,
    TCP,
    UDP,
    AccessList,
    AclRule,
    Direction,
    Family,
    PortRange,
)
from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.design.demand.gateway_lists import Vlan, collapsed, elsewhere_last, of_switches
from nornir_tasks.design.model.flow_terms import Allowed, Ends, Flow, Service
from nornir_tasks.design.model.mlag import Segment
from nornir_tasks.intent.keys.plane import PlaneIntent

FAMILIES: tuple[Family, ...] = ("ipv4", "ipv6")
DIRECTIONS: tuple[Direction, ...] = ("in", "out")
STEP = 10
"""Between the sequence numbers of two rules."""

DHCP: dict[Family, tuple[int, int]] = {"ipv4": (68, 67), "ipv6": (546, 547)}
"""UDP ports of clients and of servers or relays (RFC 2131, RFC 8415)."""


HELLO: dict[Family, int] = {"ipv4": 1985, "ipv6": 2029}
"""UDP ports by which switches with HSRP say which of them answers a gateway's address (RFC 2281; IPv6: IANA)."""
HELLO_GROUP: dict[Family, str] = {"ipv4": "224.0.0.102/32", "ipv6": "ff02::66/128"}
"""Multicast groups of its version 2 (IANA: "HSRP", "HSRPv2 for IPv6")."""


def allowed(demand: Demand) -> Allowed | None:
    """What the intent lets pass on a plane; None where it filters nothing."""
    plane = demand.plane
    if not (demand.is_bonded or demand.attached) or plane.flows is None:
        return None
    services = services_of(plane)
    flows = tuple(
        Flow(each.source, each.destination, tuple(one for name in each.services for one in services[name]))
        for each in plane.flows
    )
    networks = {name: tuple(map(str, prefixes)) for name, prefixes in plane.networks.items()}
    return Allowed(flows, networks, has_dhcp=bool(plane.dhcp_relay))


def services_of(plane: PlaneIntent) -> dict[str, tuple[Service, ...]]:
    """What flows of a plane may be for, by name."""
    return {
        name: tuple(
            Service(protocol, ports) for protocol, ranges in ((TCP, each.tcp), (UDP, each.udp)) for ports in ranges
        )
        for name, each in plane.services.items()
    }


def access_lists(
    prefix: str,
    segment: Segment,
    flows: Sequence[Flow],
    known: Mapping[str, Ends],
    terms: "Terms",
) -> dict[tuple[Family, Direction], AccessList]:
    """The lists of one VLAN's gateway. ``prefix``: of its owner's names; ``known``: what the flows' names stand for."""
    found: dict[tuple[Family, Direction], AccessList] = {}
    for family in FAMILIES:
        vlan = vlan_of(segment, family, terms)
        if vlan is None:
            continue
        for direction in DIRECTIONS:
            rules = [*always(family, direction, vlan, has_dhcp=terms.has_dhcp)]
            if terms.has_hellos and direction == "in":
                hello = (HELLO[family],) * 2
                rules.append(_permit(UDP, destination=HELLO_GROUP[family], destination_ports=hello))
            rules += of_switches(vlan, direction)
            where = family, direction, vlan.subnet
            its = (each for flow in flows for each in _of_flow(flow, segment.groups, where, known))
            rules += elsewhere_last(its, vlan, terms.site[family])
            name = f"{prefix}V{segment.vlan}-{direction}".upper() + ("-V6" if family == "ipv6" else "")
            found[family, direction] = AccessList(name, family, numbered(rules))
    return found


@dataclass(frozen=True, slots=True)
class Terms:
    """What lists depend on beside the flows."""

    site: Mapping[Family, Sequence[str]]
    """The site's own prefixes, which ``outside`` does not stand for."""
    has_dhcp: bool
    """Do the gateways relay DHCP?"""
    dhcp_servers: Collection[str] = ()
    """Whom they relay to."""
    has_hellos: bool = False
    """Do both leaves say in the VLAN which of them answers?"""
    whole_icmp: Collection[Family] = ()
    """Families in whose lists the switch knows no single types of ICMP; all of it passes there."""
    takes_bridged: bool = False
    """Does a list on the VLAN's interface meet what is only bridged in it?"""


def always(family: Family, direction: Direction, vlan: Vlan, *, has_dhcp: bool) -> Iterator[AclRule]:
    """What passes a list in one direction whatever else does; where bridged packets meet it, what does in either."""
    for way in DIRECTIONS if vlan.takes_bridged else (direction,):
        yield from needed(family, way, has_dhcp=has_dhcp, has_whole_icmp=vlan.whole_icmp)


def vlan_of(segment: Segment, family: Family, terms: Terms) -> Vlan | None:
    """A segment as its lists see it; None if it has no addresses of the family."""
    subnet, gateway, leaves = segment.subnet, segment.gateway, segment.leaves
    if family == "ipv6":
        if segment.subnet_v6 is None or segment.gateway_v6 is None:
            return None
        subnet, gateway, leaves = segment.subnet_v6, segment.gateway_v6, segment.leaves_v6
    gateways = (gateway, *(own for _, own in leaves))
    servers = collapsed(each for each in terms.dhcp_servers if (":" in each) == (family == "ipv6"))
    _, port = DHCP[family]
    return Vlan(family, subnet, gateways, terms.takes_bridged, family in terms.whole_icmp, servers, port)


def numbered(rules: Iterable[AclRule]) -> tuple[AclRule, ...]:
    """Each rule once, and at the end one that denies everything."""
    numbers = (replace(each, sequence=STEP * number) for number, each in enumerate(dict.fromkeys(rules), start=1))
    found = tuple(numbers)
    return (*found, AclRule(STEP * (len(found) + 1), permit=False))


def needed(family: Family, direction: Direction, *, has_dhcp: bool, has_whole_icmp: bool) -> Iterator[AclRule]:
    """What passes every list of a gateway: ICMP that paths and neighbours depend on, DHCP where it is relayed."""
    types: tuple[int | None, ...] = (None,) if has_whole_icmp else MUST_PASS[family]
    for kind in types:
        yield _permit(ICMP[family], icmp_type=kind)
    if has_dhcp:
        client, server = DHCP[family]
        sender, receiver = (client, server) if direction == "in" else (server, client)
        yield _permit(UDP, source_ports=(sender, sender), destination_ports=(receiver, receiver))


def _of_flow(
    flow: Flow, groups: Sequence[str], where: tuple[Family, Direction, str], known: Mapping[str, Ends]
) -> Iterator[AclRule]:
    """The flow's own packets where they leave its source or reach its destination, and answers the other way."""
    family, direction, subnet = where
    there = [(flow.destination, direction == "in")] if flow.source in groups else []
    there += [(flow.source, direction == "out")] if flow.destination in groups else []
    for name, opens in there:
        for far in known[name].prefixes[family]:
            source, destination = (subnet, far) if direction == "in" else (far, subnet)
            for service in flow.services:
                yield opening(service, source, destination) if opens else answer(service, source, destination)


def opening(service: Service, source: str | None, destination: str | None) -> AclRule:
    """Packets from who uses a service to who offers it."""
    return _permit(service.protocol, source, destination, destination_ports=service.ports)


def answer(service: Service, source: str | None, destination: str | None) -> AclRule:
    """Packets from who offers a service to who uses it: of TCP those of connections that are open already."""
    is_open = service.protocol == TCP
    return _permit(service.protocol, source, destination, source_ports=service.ports, established=is_open)


def _permit(
    protocol: int,
    source: str | None = None,
    destination: str | None = None,
    *,
    source_ports: PortRange | None = None,
    destination_ports: PortRange | None = None,
    established: bool = False,
    icmp_type: int | None = None,
) -> AclRule:
    """A rule without its number yet."""
    return AclRule(0, True, protocol, source, destination, source_ports, destination_ports, established, icmp_type)
