"""The site's edge routers: two switches between the firewalls and the upstreams."""

from typing import Annotated, Literal

from pydantic import Field

from nornir_tasks.intent.core.address_fields import AnyPrefix, HostAddress
from nornir_tasks.intent.core.fields import MAX_ASN, OwnName, Prefix, SpeedGbps, System, Unit
from nornir_tasks.intent.core.intent_model import Part
from nornir_tasks.intent.keys.account import SecretName

AoAlgorithm = Literal["hmac-sha-1-96", "aes-128-cmac-96"]
AsNumber = Annotated[int, Field(ge=1, le=MAX_ASN)]


class TcpAoIntent(Part):
    """TCP-AO (RFC 5925) of the sessions with one upstream: of the segments of both sides, by one key."""

    key: SecretName
    """The secret whose value is the key, in the form that the routers store."""
    key_id: Annotated[int, Field(ge=0, le=255)]
    """Its number at both ends."""
    algorithm: AoAlgorithm = "aes-128-cmac-96"
    """How segments are signed."""


class ValidatorIntent(Part):
    """A server that says which AS may announce which prefix (RPKI to router, RFC 8210)."""

    address: HostAddress
    """Reached in the VRF of management, where ``base`` names one."""
    port: Annotated[int, Field(ge=1, le=65535)] = 323
    """TCP, in clear text: IANA's port."""


class EdgeIntent(Part):
    """Two routers, called ``edge-1`` and ``edge-2``, with BGP to the upstreams.

    firewall-1's port outside is cabled to the first, firewall-2's to the second; both routers answer at the
    ``gateway`` of the zone ``outside``, and the two addresses after it are their own.
    """

    platform: System
    """Their OS."""
    release: str
    """Release of the OS, one we know; in quotes where YAML would take it for a number."""
    model: str
    """Of both, as in the catalogue."""
    name_prefix: OwnName = "edge"
    """What they are called, before a dash and their number, and what the names of their objects begin with."""
    loopback: Prefix
    """Their router-ids, the first two addresses."""
    vlan: Annotated[int, Field(ge=2, le=4093)]
    """VLAN of the link to the firewalls, on both."""
    firewall_speed: SpeedGbps
    """Of the ports to the firewalls."""
    peer_links: Annotated[int, Field(ge=2, le=8), Unit("links")] = 2
    """Between both routers, one group: the firewalls find one another by it, and a router without its upstreams the
    other's. Never one: while none is up, whatever comes in by the router without the active firewall is dropped, as
    its VLAN is up by the other firewall's port, and so it goes on announcing."""
    peer_speed: SpeedGbps
    """Of each of these links."""
    validators: Annotated[tuple[ValidatorIntent, ...], Field(max_length=4)] = ()
    """Who is asked for the origins of prefixes: one that is announced by another AS than it may be is refused. While
    none of them answers, nothing is known to be so."""


class ExemptIntent(Part):
    """Of a laboratory: what no network may use on the Internet, and is used here on purpose."""

    prefixes: tuple[AnyPrefix, ...] = ()
    """Prefixes that are taken and announced though they are documentation's, private or reserved."""
    asns: tuple[AsNumber, ...] = ()
    """AS numbers that paths may have though they are private or reserved."""
