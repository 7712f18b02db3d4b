"""The relays of the boundary: names, time and web pages for hosts that have no address outside."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from nornir_tasks.intent.core.address_fields import HostAddress, PortRanges, destination
from nornir_tasks.intent.core.fields import InterfaceName, Name, Written
from nornir_tasks.intent.core.intent_model import Part

Destination = Annotated[
    str,
    BeforeValidator(destination),
    Written("name of a host, or `.name` for it and all below it", {"type": "string", "pattern": r"\."}),
]
Addresses = Annotated[tuple[HostAddress, ...], Field(min_length=1)]


class RelayDnsIntent(Part):
    """Names: clients ask the relays, and these ask servers outside."""

    forwarders: Addresses
    """Resolvers outside that the relays ask."""
    dnssec: bool = True
    """Signed answers are judged by the key of the root; one that is forged is refused. ``false`` where the forwarders
    pass no signatures on."""


class RelayNtpIntent(Part):
    """Time: the relays take it from outside, and clients from them."""

    servers: Addresses
    """Time servers outside."""


class RelayProxyIntent(Part):
    """Web pages: clients ask a proxy for what is declared here, and nothing else."""

    addresses: Annotated[tuple[HostAddress, ...], Field(min_length=1, max_length=2)]
    """Where it is found, one of each family of the link; it moves to the other relay if one fails."""
    destinations: Annotated[tuple[Destination, ...], Field(min_length=1)]
    """What may be reached; ``.example.net`` is ``example.net`` and all below it. Addresses may not be asked for."""
    ports: PortRanges = ((443, 443),)
    """Ports that tunnels (``CONNECT``) may be opened to, encrypted from end to end."""
    plain_ports: PortRanges = ()
    """Ports that plain HTTP is fetched from, as 80 of package mirrors that sign what they have."""


class RelaysIntent(Part):
    """Two machines of their own, relay-1 and relay-2, that ask outside what hosts without an address there need."""

    zone: Name
    """Where they are."""
    port: InterfaceName
    """Their port there."""
    addresses: Annotated[tuple[HostAddress, ...], Field(min_length=2, max_length=4)]
    """Their own, of each family of the link relay-1's and then relay-2's."""
    clients: Annotated[tuple[Name, ...], Field(min_length=1)]
    """Who may use them: zones, or groups of hosts on a zone's plane."""
    dns: RelayDnsIntent | None = None
    """Without it they answer no questions for names."""
    ntp: RelayNtpIntent | None = None
    """Without it they tell no time."""
    proxy: RelayProxyIntent | None = None
    """Without it they fetch nothing."""
