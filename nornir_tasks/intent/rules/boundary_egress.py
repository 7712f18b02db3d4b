"""Rules of source translation: whose pools they are, and who would leave with an address that no host could answer."""

from collections.abc import Iterator
from ipaddress import IPv4Network
from itertools import combinations

from nornir_tasks.intent.core.findings import Finding, Path, dotted
from nornir_tasks.intent.core.unknown import UNKNOWN, independent
from nornir_tasks.intent.keys.boundary import BoundaryFlowIntent, BoundaryIntent, EgressIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules import boundary_flow
from nornir_tasks.intent.rules.boundary_names import Network, all_links, groups_of, kept_apart
from nornir_tasks.intent.rules.flow import OUTSIDE

TOP: Path = ("boundary",)
PRIVATE = tuple(map(IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")))
"""RFC 1918 and RFC 6598: not routed outside."""


def egress(each: BoundaryIntent, intent: Intent) -> Iterator[Finding]:
    """Everything that concerns addresses that hosts have outside."""
    yield from independent(
        _outside_has_ipv4(each),
        *(_egress(name, rule, each, intent) for name, rule in each.egress.items()),
        _pools_apart(each),
        *(_leaves_private(number, flow, each, intent) for number, flow in enumerate(each.flows)),
    )


def _outside_has_ipv4(each: BoundaryIntent) -> Iterator[Finding]:
    if each.egress and OUTSIDE in each.zones and each.zones[OUTSIDE].link is None:
        also: Path = (*TOP, "zones", OUTSIDE)
        what, expected = "pools of IPv4 where none leaves", "a link of the zone outside, or no egress"
        yield Finding((*TOP, "egress"), what, expected, also=also)


def _leaves_private(number: int, flow: BoundaryFlowIntent, each: BoundaryIntent, intent: Intent) -> Iterator[Finding]:
    """Who opens connections to addresses of everybody has one that can be answered."""
    if OUTSIDE not in each.zones or each.zones[OUTSIDE].link is None or not _is_public(flow.destination, each):
        return
    covered = {source for rule in each.egress.values() for source in rule.sources}
    zone = boundary_flow.zone_of(flow.source, each, intent)
    bare = [name for name in _private_parts(flow.source, each, intent) if not {name, zone} & covered]
    if bare:
        path: Path = (*TOP, "flows", number, "source")
        expected = f"egress: {{NAME: {{sources: [{', '.join(bare)}], pool: ...}}}} of the boundary"
        hint = "no host outside could answer"
        yield Finding(path, "would leave with private addresses", expected, ", ".join(bare), hint)


def _is_public(name: str, each: BoundaryIntent) -> bool:
    """Is it everybody outside, or a network with addresses that are not private?"""
    if name == OUTSIDE:
        return True
    return any(prefix.version == 4 and not is_private(prefix) for prefix in each.networks.get(name, ()))


def is_private(prefix: Network) -> bool:
    """Is it of IPv4 that is not routed outside?"""
    return isinstance(prefix, IPv4Network) and any(prefix.subnet_of(one) for one in PRIVATE)


def _private_parts(name: str, each: BoundaryIntent, intent: Intent) -> Iterator[str]:
    """Groups of hosts that it stands for, or the zone itself, of those with private IPv4 addresses."""
    groups = groups_of(intent, each)
    if name in groups:
        yield from [name] if _has_private(each.zones[groups[name]].plane, intent) else []
    elif name in each.zones and name != OUTSIDE:
        zone = each.zones[name]
        if zone.plane is None:
            yield from [name] if zone.link is not None and is_private(zone.link) else []
        elif _has_private(zone.plane, intent):
            yield from (group for group, its in groups.items() if its == name)


def _has_private(plane: str | None, intent: Intent) -> bool:
    return any(
        path[:2] == ("planes", plane) and pool is not UNKNOWN and is_private(pool)
        for path, pool in kept_apart(intent, but=None)
    )


def _egress(name: str, rule: EgressIntent, each: BoundaryIntent, intent: Intent) -> Iterator[Finding]:
    path: Path = (*TOP, "egress", name)
    for number, source in enumerate(rule.sources):
        yield from boundary_flow.end(
            (*path, "sources", number), source, each, intent, without=(OUTSIDE, *each.networks)
        )
        before = next((one for one in each.egress if source in each.egress[one].sources), name)
        if before != name:
            also = (*TOP, "egress", before)
            yield Finding((*path, "sources", number), "in two rules", "each source in one", source, also=also)
    for there, pool in kept_apart(intent, but=None):
        if pool.version == 4 and rule.pool.overlaps(pool):
            what, expected = f"overlaps {dotted(there)}", f"addresses outside {pool}"
            yield Finding((*path, "pool"), what, expected, str(rule.pool), also=there)
    announced = [prefix for upstream in each.upstreams.values() for prefix in upstream.outbound]
    if announced and not any(one.version == 4 and rule.pool.subnet_of(one) for one in announced):
        expected = f"within {', '.join(dict.fromkeys(str(one) for one in announced if one.version == 4))}"
        yield Finding((*path, "pool"), "addresses that no upstream is told of", expected, str(rule.pool))


def _pools_apart(each: BoundaryIntent) -> Iterator[Finding]:
    pools = [((*TOP, "egress", name, "pool"), rule.pool) for name, rule in each.egress.items()]
    hint = "two inside hosts would have one address and port outside, and answers would go to the wrong one"
    for (before, one), (path, other) in combinations(pools, 2):
        if one.overlaps(other):
            what, expected = f"overlaps {dotted(before)}", f"addresses outside {one}"
            yield Finding(path, what, expected, str(other), hint, before)
    for path, pool in pools:
        for there, link in all_links(each):
            if link.version == 4 and pool.overlaps(link):
                what, expected = f"overlaps {dotted(there)}", f"addresses outside {link}"
                yield Finding(path, what, expected, str(pool), also=there)
