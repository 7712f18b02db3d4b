"""DHCP relays of SVIs: which servers an SVI relays its hosts' requests to, and what an OS cannot be configured with.

An SVI puts its own address into a request it relays, so that the server knows the subnet and where to answer (RFC 2131,
4.1; RFC 8415, 19). Both leaves of a pair relay, each with its own; hosts then have two offers of one lease.
"""

from collections.abc import Iterable, Iterator, Mapping
from ipaddress import ip_address, ip_interface

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.partial_config import PartialPort
from nornir_tasks.errors import Problem


def in_order(servers: Iterable[str]) -> tuple[str, ...]:
    """Servers as ``Interface.dhcp_servers`` has them: in its order, written as switches print them (RFC 5952)."""
    addresses = sorted(map(ip_address, servers), key=lambda each: (each.version, int(each)))
    return tuple(map(str, addresses))


def within(port: PartialPort) -> tuple[str, ...]:
    """The servers of the families that an SVI has addresses of: hosts ask for no others."""
    families = {"ipv4": port.address, "ipv6": port.ipv6_address}
    return in_order(each for each in port.dhcp_servers or () if families[_family(each)] is not None)


def _family(address: str) -> Family:
    return "ipv6" if ":" in address else "ipv4"


def problems(device: str, ports: Mapping[str, PartialPort], known: Capabilities) -> Iterator[Problem]:
    """All problems with the wanted DHCP relays of one switch."""
    for name, port in ports.items():
        where = f"{device} {name}"
        if port.dhcp_servers and not name.startswith(known.svi_prefix):
            yield Problem(where, "DHCP is relayed by an SVI", f"{known.svi_prefix}<number>", name)
            continue
        for server in within(port):
            yield from _of_server(where, server, port, known)


def _of_server(where: str, server: str, port: PartialPort, known: Capabilities) -> Iterator[Problem]:
    family = _family(server)
    if family not in known.dhcp_relay:
        what = f"DHCP of {family.replace('ip', 'IP')} cannot be relayed: {known.dhcp_relay_gap}"
        hint = "name servers of the other family alone (dhcp_relay), or give these hosts leaves of another system"
        yield Problem(where, what, f"no server of {family.replace('ip', 'IP')}", server, hint)
    own = port.address if family == "ipv4" else port.ipv6_address
    if own is not None and ip_address(server) in ip_interface(own).network:
        hint = "a server hears the hosts of its own VLAN without a relay: leave it out, or put it elsewhere"
        yield Problem(where, "a DHCP server in the VLAN that it is relayed from", f"none in {own}", server, hint)
