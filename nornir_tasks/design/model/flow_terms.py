"""Flows in the terms of the intent: who may open connections to whom, and the addresses that names stand for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, collapse_addresses

from nornir_tasks.design.config.access_lists import (
    Family,
    PortRange,
)
from nornir_tasks.design.model.mlag import Segment


@dataclass(frozen=True, slots=True)
class Service:
    """Ports of TCP or UDP that servers listen on."""

    protocol: int
    ports: PortRange

    def takes(self, protocol: int, port: int) -> bool:
        """Is this port one of them?"""
        return protocol == self.protocol and self.ports[0] <= port <= self.ports[1]


@dataclass(frozen=True, slots=True)
class Flow:
    """Who opens connections to whom, for what."""

    source: str
    """Name of a group of hosts, of prefixes elsewhere, or of any address."""
    destination: str
    services: tuple[Service, ...]
    server: str | None = None
    """Of its destination, the one address that it leads to, as a prefix; None: to all of them."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """What may pass the gateways of a plane's VLANs; all else is refused there."""

    flows: tuple[Flow, ...]
    networks: Mapping[str, tuple[str, ...]]
    """Prefixes elsewhere that flows begin or end at, by name."""
    has_dhcp: bool
    """Do the gateways relay DHCP?"""


@dataclass(frozen=True, slots=True)
class Ends:
    """The addresses that a name of flows stands for."""

    prefixes: Mapping[Family, tuple[str | None, ...]]
    """None as the only one: any address. Without prefixes of a family no packet of it passes."""

    @classmethod
    def of(cls, prefixes: Iterable[str]) -> "Ends":
        """As few prefixes as hold just these."""
        every = tuple(prefixes)
        v4 = collapse_addresses(IPv4Network(each) for each in every if ":" not in each)
        v6 = collapse_addresses(IPv6Network(each) for each in every if ":" in each)
        return cls({"ipv4": tuple(map(str, v4)), "ipv6": tuple(map(str, v6))})


ANYWHERE = Ends({"ipv4": (None,), "ipv6": (None,)})


def ends(segments: Iterable[Segment], networks: Mapping[str, Sequence[str]], anywhere: str) -> dict[str, Ends]:
    """Name -> its addresses: groups of hosts by the subnets of their VLANs, networks by their prefixes."""
    subnets: dict[str, dict[str, None]] = {}
    for each in segments:
        for group in each.groups:
            found = subnets.setdefault(group, {})
            found.update(dict.fromkeys(filter(None, (each.subnet, each.subnet_v6))))
    of_groups = {group: Ends.of(found) for group, found in subnets.items()}
    return {**{name: Ends.of(each) for name, each in networks.items()}, **of_groups, anywhere: ANYWHERE}
