"""Servers that switches ask by their management ports, and managers that ask them, against the out-of-band lists.

A list there lets pass what a flow names, and answers. A server of ``base`` that no flow leads to is one that no switch
ever reaches: no time, no log, and with TACACS+ or RADIUS a login that waits for each of them. Managers of SNMP
that no flow lets in see every switch as down.
"""

from collections.abc import Iterator
from ipaddress import ip_network
from typing import NamedTuple

from nornir_tasks.design.config.access_lists import TCP, UDP, Family
from nornir_tasks.design.demand.flows import services_of
from nornir_tasks.design.model.flow_terms import Flow
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.model.plane import Plane
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.core.findings import Finding, Path
from nornir_tasks.intent.keys.base import BaseIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.oob_devices import SWITCHES

_SNMP = 161


class Server(NamedTuple):
    """A server, and what it is asked by."""

    place: Path
    """Where the intent names it, in its base."""
    address: str
    protocol: int
    port: int
    service: str
    """What a service of a plane with this port may be called."""

    @property
    def words(self) -> str:
        """``UDP port 123``."""
        return f"{'TCP' if self.protocol == TCP else 'UDP'} port {self.port}"


def servers_of(base: BaseIntent) -> Iterator[Server]:
    """Every server of the base. Ports: RFC 5905, 5426, 1035, 3417, 8907 and 2865."""
    sections: list[tuple[Path, object, int, int, str]] = [
        (("ntp",), base.ntp, UDP, 123, "ntp"),
        (("syslog",), base.syslog, UDP, 514, "syslog"),
        (("dns", "servers"), base.dns and base.dns.servers, UDP, 53, "dns"),
    ]
    if base.snmp is not None and base.snmp.traps is not None:
        sections.append((("snmp", "traps", "to"), base.snmp.traps.to, UDP, 162, "snmp-trap"))
    if base.aaa is not None:
        tacacs, radius = base.aaa.tacacs, base.aaa.radius
        sections.append((("aaa", "tacacs", "servers"), tacacs and tacacs.servers, TCP, 49, "tacacs"))
        sections.append((("aaa", "radius", "servers"), radius and radius.servers, UDP, 1812, "radius"))
    for place, servers, protocol, port, service in sections:
        for number, each in enumerate(servers if isinstance(servers, tuple) else ()):
            yield Server((*place, number), str(each), protocol, port, service)


def check(network: Network, intent: Intent) -> None:
    """Raise DesignError for each server that lists keep switches from, or whose answers are refused."""
    findings = dict.fromkeys(_findings(intent, network))
    if findings:
        raise DesignError(intent.marks.problems(findings))


def _findings(intent: Intent, network: Network) -> Iterator[Finding]:
    for fabric, base in network.base.items():
        at: Path = (*(("fabrics", fabric) if intent.has_own_base(fabric) else ()), "base")
        for server in servers_of(base):
            yield from _not_reached(network, fabric, server, at, intent)
            yield from _not_let_in(base, server, at)
        for number, each in enumerate((base.snmp and base.snmp.managers) or ()):
            yield from _managers_kept_away(network, fabric, str(each), (*at, "snmp", "managers", number))


def _planes_of(network: Network, fabric: str) -> Iterator[Plane]:
    """The out-of-band planes with lists that have management ports of this fabric's switches."""
    planes = network.planes.values() if network.base[fabric].management_vrf is not None else ()
    for plane in planes:
        if plane.entry and plane.allowed is not None and _are_on(network, fabric, plane):
            yield plane


def _managers_kept_away(network: Network, fabric: str, manager: str, at: Path) -> Iterator[Finding]:
    """Managers whose requests end at a list. One prefix may hold more than managers: one address of it is enough."""
    family: Family = "ipv6" if ":" in manager else "ipv4"
    for plane in _planes_of(network, fabric):
        ends = network.ends_of_flows[plane.name]
        sources = (
            prefix
            for flow in (plane.allowed.flows if plane.allowed else ())
            if flow.destination == SWITCHES and any(each.takes(UDP, _SNMP) for each in flow.services)
            for prefix in ends[flow.source].prefixes[family]
        )
        if not any(each is None or ip_network(each).overlaps(ip_network(manager)) for each in sources):
            yield Finding(
                at,
                f"the lists of plane {plane.name} let no switch be asked by these managers",
                f"addresses of {entry_words(network, plane)}, and a flow from them with UDP port {_SNMP}",
                manager,
                f"add {{source: {sorted(plane.entry)[0]}, destination: {SWITCHES}, services: [snmp]}} to flows of "
                f"plane {plane.name}, and snmp: {{udp: {_SNMP}}} to its services if it is not there",
                also=("planes", plane.name, "flows"),
            )


def _not_reached(network: Network, fabric: str, server: Server, at: Path, intent: Intent) -> Iterator[Finding]:
    for plane in _planes_of(network, fabric):
        if not is_reached(network, plane, server):
            yield Finding(
                (*at, *server.place),
                f"the lists of plane {plane.name} let no switch reach this server by its management port",
                f"an address of {entry_words(network, plane)}, and a flow to it with {server.words}",
                server.address,
                _hint(network, plane, server, intent),
                also=("planes", plane.name, "flows"),
            )


def _hint(network: Network, plane: Plane, server: Server, intent: Intent) -> str:
    """The flow that would let it pass, and what is missing for it."""
    group = group_of(network, plane, server.address)
    services = services_of(intent.planes[plane.name])
    name = next(
        (name for name, each in services.items() if any(one.takes(server.protocol, server.port) for one in each)), None
    )
    to, transport = group or sorted(plane.entry)[0], "tcp" if server.protocol == TCP else "udp"
    steps = [] if group else [f"give it an address of {to}"]
    steps += [] if name else [f"add {server.service}: {{{transport}: {server.port}}} to services of plane {plane.name}"]
    flow = f"{{source: {SWITCHES}, destination: {to}, services: [{name or server.service}]}}"
    return "; ".join([*steps, f"add {flow} to flows of plane {plane.name}"])


def group_of(network: Network, plane: Plane, address: str) -> str | None:
    """The group of those who may enter an out-of-band plane that has this address; None: none of them."""
    family: Family = "ipv6" if ":" in address else "ipv4"
    ends, host = network.ends_of_flows[plane.name], ip_network(address)
    return next((each for each in sorted(plane.entry) if _holds(ends[each].prefixes[family], host)), None)


def _holds(prefixes: tuple[str | None, ...], host: object) -> bool:
    return any(each is None or host.subnet_of(ip_network(each)) for each in prefixes)  # type: ignore[attr-defined]


def entry_words(network: Network, plane: Plane) -> str:
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


def is_reached(network: Network, plane: Plane, server: Server) -> bool:
    """Does a flow of an out-of-band plane lead from management ports to this server?"""
    return any(_leads_to(network, plane, flow, server) for flow in (plane.allowed.flows if plane.allowed else ()))


def _leads_to(network: Network, plane: Plane, flow: Flow, server: Server) -> bool:
    family: Family = "ipv6" if ":" in server.address else "ipv4"
    prefixes = network.ends_of_flows[plane.name][flow.destination].prefixes[family]
    return (
        flow.source == SWITCHES
        and _holds(prefixes, ip_network(server.address))
        and any(each.takes(server.protocol, server.port) for each in flow.services)
    )


def _not_let_in(base: BaseIntent, server: Server, at: Path) -> Iterator[Finding]:
    """Answers by UDP that the switches' own control list refuses: it knows those of time and name servers alone.

    That of the default VRF lets in the answers of each server that switches ask there (``fabric_list.py``).
    """
    allowed = base.control_plane.allowed if base.control_plane and base.management_vrf else None
    if allowed is None or server.service != "radius" or ":" in server.address:
        return
    if not any(ip_network(server.address).subnet_of(each) for each in allowed):  # type: ignore[arg-type]
        yield Finding(
            (*at, *server.place),
            "the switches' own list refuses the answers of this server",
            f"a prefix of control_plane.allowed that holds {server.address}",
            ", ".join(map(str, allowed)),
            f"add {server.address}/32 to control_plane.allowed",
            also=(*at, "control_plane", "allowed"),
        )
