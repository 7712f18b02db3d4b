"""Servers that switches ask by their management ports, against the lists of the out-of-band plane that these are on.

A list there lets pass what a flow names, and answers. A server of ``base`` that no flow leads to is one that no switch
ever reaches: no time, no log, and with TACACS+ or RADIUS a login that waits for each of them.
"""

from collections.abc import Iterator
from ipaddress import ip_network
from typing import NamedTuple

from nornir_tasks.design import managed_base
from nornir_tasks.design.config.access_lists import TCP, UDP, Family
from nornir_tasks.design.flows import Flow
from nornir_tasks.design.network import Network
from nornir_tasks.design.partial_config import BasePolicy
from nornir_tasks.design.plane import Plane
from nornir_tasks.intent.attached_rules import SWITCHES
from nornir_tasks.intent.base_model import BaseIntent
from nornir_tasks.intent.model import Intent


class Server(NamedTuple):
    """A server, and what it is asked by."""

    section: str
    place: str
    """Where the intent names it, in its base."""
    address: str
    protocol: int
    port: int

    @property
    def words(self) -> str:
        """``UDP port 123``."""
        return f"{'TCP' if self.protocol == TCP else 'UDP'} port {self.port}"


def servers_of(base: BaseIntent) -> Iterator[Server]:
    """Every server of the base. Ports: RFC 5905, 5426, 1035, 8907 and 2865."""
    sections: list[tuple[str, object, int, int]] = [
        ("ntp", base.ntp, UDP, 123),
        ("syslog", base.syslog, UDP, 514),
        ("dns.servers", base.dns and base.dns.servers, UDP, 53),
    ]
    if base.aaa is not None:
        tacacs, radius = base.aaa.tacacs, base.aaa.radius
        sections.append(("aaa.tacacs.servers", tacacs and tacacs.servers, TCP, 49))
        sections.append(("aaa.radius.servers", radius and radius.servers, UDP, 1812))
    for place, servers, protocol, port in sections:
        for number, each in enumerate(servers if isinstance(servers, tuple) else ()):
            yield Server(place.partition(".")[0], f"{place}[{number}]", str(each), protocol, port)


def warnings(intent: Intent, network: Network) -> tuple[str, ...]:
    """One for each server that the lists of an out-of-band plane keep switches from, or whose answers are refused."""
    return tuple(dict.fromkeys(_warnings(intent, network)))


def _warnings(intent: Intent, network: Network) -> Iterator[str]:
    for fabric in network.base:
        base = managed_base.of_fabric(intent, fabric)
        at = f"fabrics.{fabric}.base" if intent.has_own_base(fabric) else "base"
        for server in servers_of(base) if base is not None else ():
            for why in (*_not_reached(network, fabric, server), *_not_let_in(network.base[fabric], server)):
                yield f"{at}.{server.place}: {server.address}: {why}"


def _not_reached(network: Network, fabric: str, server: Server) -> Iterator[str]:
    for plane in network.planes.values() if network.base[fabric].vrf is not None else ():
        if not plane.entry or plane.allowed is None or not _are_on(network, fabric, plane):
            continue
        if not any(_leads_to(network, plane, flow, server) for flow in plane.allowed.flows):
            why = f"the lists of plane {plane.name} let no switch reach it by its management port"
            wanted = f"an address of {_entry(network, plane)}, and a flow from {SWITCHES} there with {server.words}"
            yield f"{why}; they do with {wanted}"


def _entry(network: Network, plane: Plane) -> str:
    """Who may enter the plane, whose addresses alone switches reach beyond their access switch."""
    known = network.ends_of_flows[plane.name]
    words = (f"{group} ({', '.join(map(str, known[group].prefixes['ipv4']))})" for group in sorted(plane.entry))
    return " or ".join(words)


def _are_on(network: Network, fabric: str, plane: Plane) -> bool:
    """Has a switch of the fabric its management port on this plane?"""
    here = [each.name for each in network.devices if each.fabric == fabric]
    pool = ip_network(plane.pools["hosts"])
    found = (network.management.get(name) for name in here)
    return any(each is not None and ip_network(each.address, strict=False).subnet_of(pool) for each in found)  # type: ignore[arg-type]


def _leads_to(network: Network, plane: Plane, flow: Flow, server: Server) -> bool:
    family: Family = "ipv6" if ":" in server.address else "ipv4"
    host = ip_network(server.address)
    prefixes = network.ends_of_flows[plane.name][flow.destination].prefixes[family]
    return (
        flow.source == SWITCHES
        and any(each is None or host.subnet_of(ip_network(each)) for each in prefixes)  # type: ignore[arg-type]
        and any(
            one.protocol == server.protocol and one.ports[0] <= server.port <= one.ports[1] for one in flow.services
        )
    )


def _not_let_in(policy: BasePolicy, server: Server) -> Iterator[str]:
    """Answers by UDP that the switches' own control list refuses: it knows those of time and name servers alone."""
    allowed = policy.reach.allowed
    if allowed is None or server.section != "aaa" or server.protocol != UDP or ":" in server.address:
        return
    if not any(ip_network(server.address).subnet_of(ip_network(each)) for each in allowed):  # type: ignore[arg-type]
        yield "the switches' own list (control_plane.allowed) refuses its answers; add its address there"
