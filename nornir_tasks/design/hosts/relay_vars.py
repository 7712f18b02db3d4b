"""The variables of the relays' role and of their clients' hosts."""

from typing import Annotated, Any

from pydantic import Field

from nornir_tasks.design.demand.flows import FAMILIES
from nornir_tasks.design.hosts.boundary import PROXY, Boundary, Prefixes, boundary, of
from nornir_tasks.design.hosts.boundary_vars import NOT_FROM_OUTSIDE
from nornir_tasks.design.hosts.host_parts import Vars
from nornir_tasks.design.hosts.role_vars import as_ansible
from nornir_tasks.design.model.network import Network
from nornir_tasks.intent.keys.boundary import BoundaryIntent
from nornir_tasks.intent.keys.boundary_relay import Addresses, RelaysIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.boundary_names import groups_of, links_of

RELAYS = ("relay-1", "relay-2")
PRIORITIES = (150, 100)
"""Of VRRP. The first one begins; the one that has the proxy's addresses keeps them."""
ROUTER_ID = 102
"""Of VRRP, IPv4 and IPv6 alike; the balancers on the same link have 101, the firewalls count from 51."""
WITH_MAPPED, NOT_MAPPED = "::/8", "::/96"
"""The first one has IPv4 addresses written as IPv6 (::ffff:0:0/96), and squid writes all of IPv4 so."""


class RelayDnsVars(Vars):
    """Names."""

    forwarders: tuple[str, ...]
    dnssec: bool
    """Are signatures judged?"""


class RelayNtpVars(Vars):
    """Time."""

    servers: tuple[str, ...]


class RelayProxyVars(Vars):
    """Web pages."""

    shared: str
    """The IPv4 address that both share, with its length."""
    shared_v6: str | None
    destinations: tuple[str, ...]
    """``mirror.example.net``, or ``.example.net`` for it and all below it."""
    ports: tuple[str, ...]
    """``443``, ``8000-8100``: where tunnels may be opened to."""
    plain_ports: tuple[str, ...]
    """Where plain HTTP may be fetched from."""


class BoundaryRelayVars(Vars):
    """Role boundary_relay."""

    port: str
    router_id: int
    priority: Annotated[int, Field(ge=1, le=254)]
    address: str
    """Its own, with its length."""
    address_v6: str | None
    """None: the link has no IPv6."""
    gateway: str
    """The address that the firewalls share there: its default route."""
    gateway_v6: str | None
    clients: tuple[str, ...]
    """Who may use it."""
    clients_v6: tuple[str, ...]
    private: tuple[str, ...]
    """Addresses that no host outside has: a name outside that stands for one is not answered, nor fetched from."""
    private_v6: tuple[str, ...]
    dns: RelayDnsVars | None
    ntp: RelayNtpVars | None
    proxy: RelayProxyVars | None


class EgressClientVars(Vars):
    """Role egress_client."""

    nameservers: tuple[str, ...]
    """The relays, if they answer for names; half of the hosts have the second one first."""
    time_servers: tuple[str, ...]
    """The relays, if they tell the time."""
    proxy: str | None
    """URL of the proxy; None: there is none."""
    no_proxy: tuple[str, ...]
    """What is reached without it: the site's own prefixes."""


class BoundaryRelayHostVars(Vars):
    """All variables of one relay, by role."""

    boundary_relay: BoundaryRelayVars

    def ansible(self) -> dict[str, Any]:
        """``boundary_relay_clients`` and so on, as plain data."""
        return as_ansible(self)


class EgressClientHostVars(Vars):
    """What a host has beside its planes' roles, by role."""

    egress_client: EgressClientVars

    def ansible(self) -> dict[str, Any]:
        """``egress_client_nameservers`` and so on, as plain data."""
        return as_ansible(self)


def relay_host_vars(intent: Intent, network: Network) -> dict[str, BoundaryRelayHostVars]:
    """Relay -> its variables; empty where the intent describes none."""
    each, found = intent.boundary, boundary(intent, network)
    if each is None or each.relays is None or found is None:
        return {}
    return {
        name: BoundaryRelayHostVars(boundary_relay=_relay(place, each, each.relays, found))
        for place, name in enumerate(RELAYS)
    }


def egress_client_host_vars(intent: Intent, network: Network) -> dict[str, EgressClientHostVars]:
    """Host -> what it is to ask the relays for; of hosts whose group or whose plane's zone is a client of theirs."""
    each, found = intent.boundary, boundary(intent, network)
    if each is None or each.relays is None or found is None:
        return {}
    own = each.relays
    groups = {group for group, zone in groups_of(intent, each).items() if group in own.clients or zone in own.clients}
    hosts = [host for host in network.hosts if host.rpartition("-")[0] in groups]
    return {host: EgressClientHostVars(egress_client=_client(host, own, found)) for host in hosts}


def _client(host: str, own: RelaysIntent, found: Boundary) -> EgressClientVars:
    relays = [str(each) for each in own.addresses if each.version == 4]
    if int(host.rpartition("-")[2]) % 2 == 0:
        relays.reverse()
    shared = [str(each) for each in (() if own.proxy is None else own.proxy.addresses) if each.version == 4]
    return EgressClientVars(
        nameservers=tuple(relays if own.dns else ()),
        time_servers=tuple(relays if own.ntp else ()),
        proxy=f"http://{shared[0]}:{PROXY}" if shared else None,
        no_proxy=tuple(prefix for family in FAMILIES for prefix in found.own[family]) if shared else (),
    )


def _relay(place: int, each: BoundaryIntent, own: RelaysIntent, found: Boundary) -> BoundaryRelayVars:
    addresses = _placed(each, own, own.addresses, place)
    gateways = {link.version: str(link[1]) for link in links_of(each.zones[own.zone])}
    clients = of(prefix for name in own.clients for prefixes in found.ends[name].values() for prefix in prefixes)
    private = _private(found)
    return BoundaryRelayVars(
        port=own.port,
        router_id=ROUTER_ID,
        priority=PRIORITIES[place],
        address=addresses[4],
        address_v6=addresses.get(6),
        gateway=gateways[4],
        gateway_v6=gateways.get(6),
        clients=clients["ipv4"],
        clients_v6=clients["ipv6"],
        private=private["ipv4"],
        private_v6=private["ipv6"],
        dns=None if own.dns is None else RelayDnsVars(forwarders=_texts(own.dns.forwarders), dnssec=own.dns.dnssec),
        ntp=None if own.ntp is None else RelayNtpVars(servers=_texts(own.ntp.servers)),
        proxy=_proxy(each, own),
    )


def _proxy(each: BoundaryIntent, own: RelaysIntent) -> RelayProxyVars | None:
    if own.proxy is None:
        return None
    shared = _placed(each, own, own.proxy.addresses, 0)
    return RelayProxyVars(
        shared=shared[4],
        shared_v6=shared.get(6),
        destinations=own.proxy.destinations,
        ports=tuple(map(_written, own.proxy.ports)),
        plain_ports=tuple(map(_written, own.proxy.plain_ports)),
    )


def _placed(each: BoundaryIntent, own: RelaysIntent, addresses: Addresses, place: int) -> dict[int, str]:
    """Version of IP -> the address at a place among those of its family, with the link's length."""
    return {
        link.version: f"{[one for one in addresses if one.version == link.version][place]}/{link.prefixlen}"
        for link in links_of(each.zones[own.zone])
    }


def _private(found: Boundary) -> Prefixes:
    own = found.own
    every = [prefix for family in FAMILIES for prefix in (*own[family], *NOT_FROM_OUTSIDE[family])]
    return of(NOT_MAPPED if prefix == WITH_MAPPED else prefix for prefix in every)


def _texts(addresses: Addresses) -> tuple[str, ...]:
    return tuple(map(str, addresses))


def _written(ports: tuple[int, int]) -> str:
    first, last = ports
    return str(first) if first == last else f"{first}-{last}"
