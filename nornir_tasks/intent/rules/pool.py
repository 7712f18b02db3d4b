"""Rules of address pools: no two of a VRF overlap, and none holds what hosts have, or what no interface can have."""

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network
from itertools import combinations
from typing import TypeVar

from nornir_tasks.intent.core.address_fields import NOT_UNICAST
from nornir_tasks.intent.core.fields import AsnRange
from nornir_tasks.intent.core.findings import Finding, Path, dotted
from nornir_tasks.intent.core.unknown import UNKNOWN, independent
from nornir_tasks.intent.keys.site import Intent

RESERVED = {
    IPv4Network("172.17.0.0/16"): "Docker's default bridge",
    IPv4Network("10.96.0.0/12"): "Kubernetes' default services",
    IPv4Network("10.244.0.0/16"): "the usual default of Kubernetes pods",
    IPv4Network("10.128.0.0/14"): "OpenShift's default pods",
    IPv4Network("169.254.0.0/16"): "link-local addresses",
}
"""Prefixes that software on the hosts takes without asking; a pool there breaks pods or the host itself."""


def pools(intent: Intent) -> Iterator[Finding]:
    """Every pool of every fabric and plane. All are in one VRF as yet: the default one."""
    prefixes = list(_prefixes(intent))
    asns = list(_asns(intent))
    rules = [_apart(one, other) for one, other in combinations(prefixes, 2)]
    rules += [_asns_apart(one, other) for one, other in combinations(asns, 2)]
    return independent(*rules, *(_free(path, pool) for path, pool in prefixes))


def _prefixes(intent: Intent) -> Iterator[tuple[Path, IPv4Network]]:
    for name, fabric in _known(intent.fabrics):
        if fabric.pools is not UNKNOWN:
            yield ("fabrics", name, "pools", "loopback"), fabric.pools.loopback
            yield ("fabrics", name, "pools", "links"), fabric.pools.links
    for name, plane in _known(intent.planes):
        if plane.pools is not UNKNOWN:
            yield ("planes", name, "pools", "hosts"), plane.pools.hosts
        for vlan, each in _known(plane.vlans):
            if each.hosts is not None and each.hosts is not UNKNOWN:
                yield ("planes", name, "vlans", vlan, "hosts"), each.hosts


def _asns(intent: Intent) -> Iterator[tuple[Path, AsnRange]]:
    for name, fabric in _known(intent.fabrics):
        if fabric.pools is not UNKNOWN and fabric.pools.asn is not UNKNOWN:
            yield ("fabrics", name, "pools", "asn"), fabric.pools.asn


Item = TypeVar("Item")


def _known(parts: Mapping[str, Item]) -> Iterator[tuple[str, Item]]:
    if parts is not UNKNOWN:
        yield from ((name, part) for name, part in parts.items() if part is not UNKNOWN)


def _apart(one: tuple[Path, IPv4Network], other: tuple[Path, IPv4Network]) -> Iterator[Finding]:
    (before, taken), (path, pool) = one, other
    if taken.overlaps(pool):
        what, expected = f"overlaps {dotted(before)}", f"addresses outside {taken}"
        yield Finding(path, what, expected, str(pool), also=before)


def _asns_apart(one: tuple[Path, AsnRange], other: tuple[Path, AsnRange]) -> Iterator[Finding]:
    (before, taken), (path, asns) = one, other
    if taken.first <= asns.last and asns.first <= taken.last:
        yield Finding(path, f"overlaps {dotted(before)}", f"ASNs outside {taken}", str(asns), also=before)


def _free(path: Path, pool: IPv4Network) -> Iterator[Finding]:
    hint = "10.160.0.0/12 is free of all reserved prefixes"
    for taken, use in NOT_UNICAST.items():
        if pool.overlaps(taken):
            yield Finding(path, f"overlaps {taken}, {use}", "unicast addresses", str(pool), hint)
    for taken, use in RESERVED.items():
        if pool.overlaps(taken):
            expected = "a pool that hosts do not use for themselves"
            yield Finding(path, f"overlaps {taken}, {use}", expected, str(pool), hint)
