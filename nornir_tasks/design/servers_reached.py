"""Servers that switches ask by their management ports, against the lists of the out-of-band plane that these are on.

A list there lets pass what a flow names, and answers. A server of ``base`` that no flow leads to is one that no switch
ever reaches: no time, no log, and with TACACS+ or RADIUS a login that waits for each of them.
"""

from collections.abc import Iterator
from ipaddress import ip_network
from typing import NamedTuple

from nornir_tasks.design.config.access_lists import TCP, UDP, Family
from nornir_tasks.design.flows import Flow
from nornir_tasks.design.network import Network
from nornir_tasks.design.partial_config import BasePolicy
from nornir_tasks.design.plane import Plane
from nornir_tasks.intent.attached_rules import SWITCHES
from nornir_tasks.intent.base_model import BaseIntent
from nornir_tasks.intent.findings import Finding, Path


class Server(NamedTuple):
    """A server, where the intent names it, and what it is asked by."""

    path: Path
    address: str
    protocol: int
    port: int

    @property
    def words(self) -> str:
        """``UDP port 123``."""
        return f"{'TCP' if self.protocol == TCP else 'UDP'} port {self.port}"


def servers_of(base: BaseIntent) -> Iterator[Server]:
    """Every server of the base. Ports: RFC 5905, 5426, 1035, 8907 and 2865."""
    sections: list[tuple[Path, object, int, int]] = [
        (("ntp",), base.ntp, UDP, 123),
        (("syslog",), base.syslog, UDP, 514),
        (("dns", "servers"), base.dns and base.dns.servers, UDP, 53),
    ]
    if base.aaa is not None:
        tacacs, radius = base.aaa.tacacs, base.aaa.radius
        sections.append((("aaa", "tacacs", "servers"), tacacs and tacacs.servers, TCP, 49))
        sections.append((("aaa", "radius", "servers"), radius and radius.servers, UDP, 1812))
    for path, servers, protocol, port in sections:
        for number, each in enumerate(servers if isinstance(servers, tuple) else ()):
            yield Server((*path, number), str(each), protocol, port)


def findings(network: Network, policy: BasePolicy, base: BaseIntent, at: Path, fabric: str) -> Iterator[Finding]:
    """One for each server that the lists of the switches' out-of-band plane keep them from. ``at``: of the base."""
    if policy.vrf is None:
        return
    for plane in network.planes.values():
        if not plane.entry or plane.allowed is None or not _are_on(network, fabric, plane):
            continue
        for each in servers_of(base):
            if not any(_leads_to(network, plane, flow, each) for flow in plane.allowed.flows):
                yield Finding(
                    (*at, *each.path),
                    f"the lists of plane {plane.name}, which the management ports are on, let no switch reach it",
                    f"an address of {_entry(network, plane)}, and a flow from {SWITCHES} there with {each.words}",
                    each.address,
                    f"have one of those who may enter planes.{plane.name} relay it, and name that address here",
                    also=("planes", plane.name, "flows"),
                )
    yield from _not_let_in(policy, base, at)


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


def _not_let_in(policy: BasePolicy, base: BaseIntent, at: Path) -> Iterator[Finding]:
    """Answers by UDP that the switches' own control list refuses: it knows those of time and name servers alone."""
    allowed = policy.reach.allowed
    for each in servers_of(base) if allowed is not None else ():
        if each.path[0] != "aaa" or each.protocol != UDP or ":" in each.address:
            continue
        if not any(ip_network(each.address).subnet_of(ip_network(one)) for one in allowed or ()):  # type: ignore[arg-type]
            yield Finding(
                (*at, *each.path),
                "the switches' own control list refuses the answers of this server",
                f"a prefix of control_plane.allowed that holds {each.address}",
                each.address,
                also=(*at, "control_plane", "allowed"),
            )
