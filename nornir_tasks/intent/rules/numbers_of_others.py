"""Addresses and AS numbers of a site that another network on the Internet has: a warning, as many networks do use them.

That network cannot be reached from the site, and its own packets and announcements go astray where they leave it.
"""

from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network, ip_network

from nornir_tasks.intent.core.findings import Finding
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.boundary_names import kept_apart

Prefix = IPv4Network | IPv6Network

_FOR_ANYBODY: tuple[Prefix, ...] = tuple(
    map(
        ip_network,
        (
            *("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"),  # RFC 1918: private
            "100.64.0.0/10",  # RFC 6598: shared by carriers' NAT
            "198.18.0.0/15",  # RFC 2544: benchmarks
            *("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"),  # RFC 5737: documentation
            "fc00::/7",  # RFC 4193: unique local
            *("2001:db8::/32", "3fff::/20"),  # RFC 3849, RFC 9637: documentation
        ),
    )
)
_ASNS_FOR_ANYBODY = (
    (64496, 65551),  # RFC 5398: documentation; RFC 6996: private to 65534; RFC 7300: the next one is reserved
    (4200000000, 4294967294),  # RFC 6996: private
)


def warnings(intent: Intent) -> tuple[str, ...]:
    """Each with its place, in the order of the file."""
    found = intent.marks.problems([*_pools(intent), *_asns(intent), *_open_to_all(intent)])
    return tuple(f"{each.where}: {each.what}: {each.found}; {each.hint}" for each in found)


def _pools(intent: Intent) -> Iterator[Finding]:
    """Pools that are not for the public. No pool is announced to upstreams, so none is shown to be the site's own."""
    exempt = () if intent.boundary is None else intent.boundary.exempt.prefixes
    own = (*_FOR_ANYBODY, *exempt)
    hint = "take private ones (RFC 1918, RFC 6598, RFC 4193), unless these are yours"
    for path, pool in kept_apart(intent, None):
        if not any(_is_within(pool, each) for each in own):
            yield Finding(path, "public addresses, which others may have", "", str(pool), hint)


def _is_within(pool: Prefix, other: Prefix) -> bool:
    if isinstance(pool, IPv4Network):
        return isinstance(other, IPv4Network) and pool.subnet_of(other)
    return isinstance(other, IPv6Network) and pool.subnet_of(other)


def _asns(intent: Intent) -> Iterator[Finding]:
    upstreams = () if intent.boundary is None else intent.boundary.upstreams.values()
    own = (*_ASNS_FOR_ANYBODY, *((each.local_asn, each.local_asn) for each in upstreams))
    hint = "take private ones (RFC 6996: 4200000000-4294967294, 64512-65534), unless these are yours"
    for name, fabric in intent.fabrics.items():
        asns = fabric.pools.asn
        if not any(first <= asns.first and asns.last <= last for first, last in own):
            what = "public AS numbers, which others may have"
            yield Finding(("fabrics", name, "pools", "asn"), what, "", str(asns), hint)


def _open_to_all(intent: Intent) -> Iterator[Finding]:
    """Machines of the boundary that all of the Internet may manage. Networks and other lists that wide are refused."""
    boundary = intent.boundary
    if boundary is None:
        return
    hint = "name the networks that people come from"
    machines = {"firewalls": boundary.firewalls, "gateways": boundary.gateways}
    for kind, pair in machines.items():
        for number, prefix in enumerate(() if pair is None else pair.management.clients):
            if not prefix.prefixlen:
                path = ("boundary", kind, "management", "clients", number)
                yield Finding(path, f"everybody may try to log in to the {kind}", "", str(prefix), hint)
