"""What the edge routers are for, as the design gives it: links, upstreams, what is taken and announced."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.config.bgp import TcpAo

EDGE = "edge"
"""The kind of fabric that edge routers are."""


@dataclass(frozen=True, slots=True)
class OutsideSession:
    """One BGP session with an upstream's router."""

    address: str
    """The site's own there, with its length."""
    peer: str
    family: Family
    announced: tuple[str, ...]
    """Prefixes of this family that it is told of, and no other."""
    password: str | None = None
    """Placeholder of the secret that both ends sign with (TCP MD5)."""
    ao: TcpAo | None = None
    """TCP-AO, instead of it."""


@dataclass(frozen=True, slots=True)
class OutsideLink:
    """The link to one upstream."""

    name: str
    """What the intent calls the upstream."""
    device: str
    """The router that it ends on."""
    port: str
    asn: int
    takes: Literal["default", "partial"]
    max_prefixes: int
    sessions: tuple[OutsideSession, ...]


@dataclass(frozen=True, slots=True)
class InsideLink:
    """One family of the VLAN between both routers and both firewalls."""

    family: Family
    subnet: str
    firewalls: str
    """The address that the firewalls share: the next hop to all that is behind them."""
    gateway: str
    """The address that the routers share."""
    own: tuple[str, str]
    """Those of the first and the second router, without length."""


@dataclass(frozen=True, slots=True)
class EdgeTerms:
    """The pair of edge routers."""

    fabric: str
    """What the network calls the fabric that they are."""
    asn: int
    vlan: int
    firewall_port: str
    """What the firewalls call their port there."""
    loopbacks: tuple[str, ...]
    """The routers' own addresses, whatever port is down; IPv4, without length."""
    inside_links: tuple[InsideLink, ...]
    inside: tuple[str, ...]
    """Prefixes behind the firewalls that lie in what is announced."""
    aggregates: tuple[str, ...]
    """What is announced, to any upstream."""
    outside_links: tuple[OutsideLink, ...]
    bogons: tuple[str, ...]
    """Prefixes that are taken from no neighbour, with everything in them."""
    exempt: tuple[str, ...]
    """Prefixes that are taken though they lie in bogons."""
    bad_asns: tuple[tuple[int, int], ...]
    """Ranges of AS numbers that no path may have."""
    good_asns: frozenset[int]
    """Those of them that it may."""
    validators: tuple[tuple[str, int], ...] = ()
    """Address and port of each server that is asked for the origins of prefixes."""

    def on(self, device: str) -> Iterator[OutsideLink]:
        """The links of one router."""
        return (each for each in self.outside_links if each.device == device)

    def inside_of(self, family: Family) -> InsideLink | None:
        """The VLAN's addresses of one family."""
        return next((each for each in self.inside_links if each.family == family), None)


def family_of(prefix: str) -> Family:
    """Of an address or prefix."""
    return "ipv6" if ":" in prefix else "ipv4"
