"""What first boots need of the lists of an out-of-band plane, while the intent says that day 0 is open.

Management ports may ask the server of day 0 for DHCP and, by the ports that it serves at, for their files. Gateways
relay DHCP to it where the plane names no DHCP servers. Nothing else is opened; with ``open: false`` all of it is gone.
"""

from dataclasses import replace
from ipaddress import ip_network

from nornir_tasks.design.capacity.servers_reached import Server, entry_words, group_of, is_reached
from nornir_tasks.design.config.access_lists import TCP
from nornir_tasks.design.model.flow_terms import Flow, Service
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.model.plane import Plane
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.core.findings import Finding
from nornir_tasks.intent.keys.day0 import Day0Intent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.oob_devices import SWITCHES


def opened(network: Network, intent: Intent) -> Network:
    """The network with what first boots need; as it is where day 0 is not open, or no list is in its way.

    Raises DesignError where the lists could not lead to the server: it is none of those who may enter the plane.
    """
    day0, plane = intent.day0, filtered_plane(network)
    if day0 is None or not day0.open or plane is None or day0.server.is_loopback:  # the lab's switches are there too
        return network
    group, address = group_of(network, plane, str(day0.server)), str(day0.server)
    if group is None:
        finding = Finding(
            ("day0", "server"),
            f"the lists of plane {plane.name} lead no factory switch to this server",
            f"an address of {entry_words(network, plane)}",
            address,
            "a group of its own will do: devices: {installer: {count: 1}}, and installer in entry",
            also=("planes", plane.name, "entry"),
        )
        raise DesignError(intent.marks.problem(finding))
    return replace(network, planes={**network.planes, plane.name: _with_server(plane, group, day0)})


def filtered_plane(network: Network) -> Plane | None:
    """The out-of-band plane, whose lists are on the way of first boots; None: there is none."""
    return next((each for each in network.planes.values() if each.entry and each.allowed is not None), None)


def _with_server(plane: Plane, group: str, day0: Day0Intent) -> Plane:
    address = str(day0.server)
    ports = dict.fromkeys((day0.http_port, day0.https_port))
    flow = Flow(SWITCHES, group, tuple(Service(TCP, (port, port)) for port in ports), str(ip_network(address)))
    allowed = plane.allowed and replace(plane.allowed, flows=(*plane.allowed.flows, flow), has_dhcp=True)
    return replace(plane, allowed=allowed, dhcp_servers=plane.dhcp_servers or frozenset({address}))


def warnings(intent: Intent) -> tuple[str, ...]:
    """One while day 0 is open, so that the operator does not forget to close it."""
    if intent.day0 is None or not intent.day0.open:
        return ()
    return ("day0.open: lists let management ports ask its server; say false when all switches have booted",)


def closed(network: Network, day0: Day0Intent) -> str | None:
    """The plane whose lists keep factory switches from the server; None: none does."""
    plane = filtered_plane(network)
    if plane is None or day0.server.is_loopback:
        return None
    servers = [Server((), str(day0.server), TCP, port, "") for port in (day0.http_port, day0.https_port)]
    has_way = (
        plane.allowed is not None
        and plane.allowed.has_dhcp
        and all(is_reached(network, plane, each) for each in servers)
    )
    return None if has_way else plane.name
