"""Prefixes as numbers: of these there are many, and networks of ``ipaddress`` are slow as keys."""

from functools import cache
from ipaddress import ip_network
from typing import NamedTuple


class Span(NamedTuple):
    """A prefix as its addresses."""

    version: int
    first: int
    last: int

    @property
    def length(self) -> int:
        """Its prefix length."""
        return (32 if self.version == 4 else 128) - (self.last - self.first).bit_length()

    def holds(self, other: "Span") -> bool:
        """Is all of the other in it?"""
        return self.version == other.version and self.first <= other.first and other.last <= self.last

    def overlaps(self, other: "Span") -> bool:
        """Have both an address in common?"""
        return self.version == other.version and self.first <= other.last and other.first <= self.last


@cache
def span(prefix: str) -> Span:
    """The addresses of a prefix, or of the subnet that an address with its length is in."""
    network = ip_network(prefix, strict=False)
    return Span(network.version, int(network.network_address), int(network.broadcast_address))
