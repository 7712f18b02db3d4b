"""The boundary: what lies between the site and the outside world, and what may pass there.

Two firewalls stand between zones; a packet from one zone to another passes as a flow, as its answer, or not at all.
"""

from typing import Annotated, Literal

from pydantic import Field

from nornir_tasks.intent.core.address_fields import AnyPrefix, HostAddress, HostInterface, PortRanges, PrefixV6
from nornir_tasks.intent.core.fields import InterfaceName, Name, Prefix, SpeedGbps, Unit
from nornir_tasks.intent.core.intent_model import Part
from nornir_tasks.intent.keys.account import SecretName
from nornir_tasks.intent.keys.boundary_relay import RelaysIntent
from nornir_tasks.intent.keys.edge import AsNumber, EdgeIntent, ExemptIntent, TcpAoIntent

Port = Annotated[int, Field(ge=1, le=65535)]
Names = Annotated[tuple[Name, ...], Field(min_length=1)]


class ZoneIntent(Part):
    """Everything that the firewalls reach by one of their ports."""

    port: InterfaceName | None = None
    """Of both firewalls. A zone of an out-of-band plane has none: the firewalls pass nothing to it or from it."""
    link: Prefix | None = None
    """IPv4 subnet at that port: the first address is the one that the firewalls share, the next two are their own, and
    the others their neighbours'."""
    link_v6: PrefixV6 | None = None
    """The same of IPv6."""
    gateway: tuple[HostAddress, ...] = ()
    """The next hop to what lies behind the link, one of each family at most: the edge routers', the leaves'. The zone
    outside needs one of each family of its links, and so does that of a plane."""
    plane: Name | None = None
    """The plane whose hosts are in the zone: one with ``default_route``, or an out-of-band plane."""


class InboundIntent(Part):
    """What is taken from an upstream; all else that it announces is refused."""

    takes: Literal["default", "partial"]
    """``default``: its default route alone; ``partial``: routes of its own and its customers beside it."""
    max_prefixes: Annotated[int, Field(ge=1, le=100_000), Unit("routes")]
    """With more the session is closed."""


class UpstreamIntent(Part):
    """A network that the site reaches the outside world by."""

    asn: AsNumber
    """Its AS number."""
    local_asn: AsNumber
    """The site's AS number towards it."""
    peers: Annotated[tuple[HostAddress, ...], Field(min_length=1)]
    """Addresses of its routers."""
    inbound: InboundIntent | None = None
    """The filter of what it announces. An upstream without it is refused."""
    outbound: tuple[AnyPrefix, ...] = ()
    """The filter of what is announced to it: these prefixes and nothing else. An upstream without it is refused."""
    edge: Annotated[int, Field(ge=1, le=2)] | None = None
    """The edge router with the link to it, 1 or 2. ``edge``, ``port``, ``speed`` and ``addresses`` are there if and
    only if the boundary has edge routers. An upstream with a link to each of them is described twice, under two
    names."""
    port: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Number of its port there, as on the front panel."""
    addresses: tuple[HostInterface, ...] = ()
    """The site's own at that link, one for each of ``peers`` and in one subnet with it."""
    speed: SpeedGbps | None = None
    """Of the port there."""
    md5: SecretName | None = None
    """The secret whose value is the password of all sessions with it (TCP MD5, RFC 2385), itself."""
    ao: TcpAoIntent | None = None
    """The same by TCP-AO, which not every system has."""


class HealthIntent(Part):
    """How it is found out whether a server of a published service works."""

    check: Literal["tcp", "http"]
    """``tcp``: it takes a connection; ``http``: it answers ``path`` with a status of 200-399."""
    path: Annotated[str, Field(pattern=r"^/[!-~]{0,120}$")] | None = None
    """http: what is asked for."""
    interval_s: Annotated[int, Field(ge=1, le=300), Unit("seconds")] = 5
    """How often."""


class PublishedIntent(Part):
    """A service that every host outside may use."""

    addresses: Annotated[tuple[HostAddress, ...], Field(min_length=1)]
    """Where it is found, one of each family at most; on the link of a zone without a plane, beyond the addresses that
    the firewalls and the bastions have there."""
    tcp: PortRanges
    """Ports that it is found at."""
    servers: Name
    """The group of hosts that serves; it is on a zone's plane."""
    server_port: Port
    """The port that these listen on."""
    health: HealthIntent | None = None
    """Refused without it: clients would be sent to servers that do not answer."""
    tls: PortRanges = ()
    """Those of ``tcp`` at which the balancers end TLS, by the certificate that they are given under this name; what
    comes to the others goes to the servers as it is."""
    proxy: bool = False
    """Servers are told each client's address, by version 2 of the PROXY protocol, and must expect it; otherwise they
    see the balancer's."""


class BalancersIntent(Part):
    """The pair that has the addresses of what is published."""

    at: Literal["machines", "firewalls"] = "machines"
    """``machines``: two of their own, balancer-1 and balancer-2; ``firewalls``: firewall-1 and firewall-2."""
    zone: Name
    """Where they are; all published addresses are on its link."""
    port: InterfaceName | None = None
    """machines: their port there."""
    addresses: Annotated[tuple[HostAddress, ...], Field(max_length=4)] = ()
    """machines: their own, of each family of the link balancer-1's and then balancer-2's."""


class EgressIntent(Part):
    """Addresses that hosts have outside: IPv4 alone, as IPv6 is routed; unique local addresses get no answers there."""

    sources: Names
    """Groups of hosts, or zones. Each is in one rule; a group's comes before its zone's."""
    pool: Prefix
    """Addresses that stand for theirs, all of it; no two pools overlap. Edge routers send it to what translates."""


class BastionUsersIntent(Part):
    """People with the same rights."""

    members: Names
    """Their accounts."""
    targets: Names
    """What they may reach from the bastions, by the names that the out-of-band plane's flows have for it."""


class BastionsIntent(Part):
    """The two hosts by which people reach the out-of-band plane; there is no other way."""

    device: Name
    """The group of the out-of-band plane's ``devices`` that they are; in its ``entry``, and at least two."""
    zone: Name
    """Where they are reached; the fourth and fifth address of its link are theirs."""
    clients: Names
    """``networks`` that may open SSH to them, or ``outside``."""
    tool_sources: tuple[AnyPrefix, ...] = ()
    """From here alone the account that Ansible comes in with is let in, by certificate; without it from
    ``firewalls.management.clients``."""
    users: Annotated[dict[Name, BastionUsersIntent], Field(min_length=1)]
    """Group -> its people."""


class ManagementPortIntent(Part):
    """How the firewalls themselves are reached."""

    port: InterfaceName
    """A port in no zone; nothing is forwarded from it or to it."""
    clients: Annotated[tuple[AnyPrefix, ...], Field(min_length=1)]
    """From here alone SSH to the firewalls passes; the machine that Ansible runs on is among them."""


class SyncIntent(Part):
    """The cable between both firewalls, by which each has the other's connections."""

    port: InterfaceName
    """A port in no zone."""
    link: Prefix
    """The two first addresses are the firewalls'."""


class FirewallsIntent(Part):
    """The pair of firewalls."""

    management: ManagementPortIntent
    """How they are reached."""
    sync: SyncIntent
    """How they are joined."""
    connections: Annotated[int, Field(ge=1024, le=16_777_216)] = 262_144
    """Connections that each of them holds at most. With more the kernel drops new ones before any rule sees them, and
    counts them itself (`drop` of `conntrack -S`)."""
    new_per_second: Annotated[int, Field(ge=1, le=1_000_000), Unit("connections a second")] = 200
    """New connections that one address outside may open, of IPv6 one /64; more are dropped and counted."""


class GatewaysIntent(Part):
    """Two machines of their own that translate, gateway-1 and gateway-2, between firewalls and edge routers."""

    inside: InterfaceName
    """Their port on the link of the zone outside. That zone's ``gateway`` is the address that they share there, and the
    two after it are their own."""
    port: InterfaceName
    """Their port towards the edge routers."""
    link: Prefix
    """IPv4 subnet at that port: the first address is the one that they share, the next two are their own."""
    link_v6: PrefixV6 | None = None
    """The same of IPv6; there where the zone outside has one."""
    gateway: Annotated[tuple[HostAddress, ...], Field(min_length=1, max_length=2)]
    """The edge routers', one of each family."""
    management: ManagementPortIntent
    """How they are reached."""
    sync: SyncIntent
    """How they are joined."""


class BoundaryServiceIntent(Part):
    """What a flow is for."""

    tcp: PortRanges = ()
    """Ports that servers listen on."""
    udp: PortRanges = ()
    """The same of UDP."""
    ping: bool = False
    """Echo requests of ICMP."""


class BoundaryFlowIntent(Part):
    """Who opens connections to whom across the firewalls, and for what. Answers pass as well."""

    source: Name
    """A zone, a group of hosts on a zone's plane, one of ``networks``, ``outside``: any address that is not the
    site's."""
    destination: Name
    """The same, in another zone."""
    services: Names
    """Some of ``services`` of the boundary."""


class BoundaryIntent(Part):
    """Between the site and the outside world. Compute, storage and out-of-band planes are never reached from there."""

    zones: dict[Name, ZoneIntent]
    """What the firewalls keep apart. One is called ``outside``: everything that is not the site's."""
    firewalls: FirewallsIntent
    """The pair of hosts between the zones, firewall-1 and firewall-2."""
    upstreams: dict[Name, UpstreamIntent] = Field(default_factory=dict)
    """By whom the site is joined to the outside world."""
    edge: EdgeIntent | None = None
    """The routers between firewalls and upstreams. Without them other machines must do that, which this tool does not
    configure."""
    exempt: ExemptIntent = ExemptIntent()
    """Of a laboratory: bogons that edge routers take all the same."""
    networks: dict[Name, Annotated[tuple[AnyPrefix, ...], Field(min_length=1)]] = Field(default_factory=dict)
    """Prefixes outside that flows begin or end at, by name."""
    services: dict[Name, BoundaryServiceIntent] = Field(default_factory=dict)
    """What flows may be for, by name."""
    flows: tuple[BoundaryFlowIntent, ...] = ()
    """All that may pass from a zone to another, beside published services and the way to the bastions; everything else
    is dropped and counted."""
    published: dict[Name, PublishedIntent] = Field(default_factory=dict)
    """Services for everybody outside, by name."""
    balancers: BalancersIntent | None = None
    """Who sends clients of published services to servers that work. Without it other machines must, which this tool
    does not configure."""
    egress: dict[Name, EgressIntent] = Field(default_factory=dict)
    """How hosts appear outside, by name. The gateways write down who had which address and port; a private address that
    is in none does not leave."""
    gateways: GatewaysIntent | None = None
    """Who translates for ``egress``. Without it the firewalls do."""
    bastions: BastionsIntent | None = None
    """The way to the out-of-band plane."""
    relays: RelaysIntent | None = None
    """Names, time and declared web pages for hosts that have no address outside."""
