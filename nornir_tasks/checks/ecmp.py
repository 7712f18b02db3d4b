"""Routes: each prefix of the design is learned where it should be, over as many next hops, and nowhere else.

What is expected comes from ``design/routes.py``, whatever the number of tiers. A switch that is not pushed along
(``--limit``) still counts, for it is part of the fabric.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from ipaddress import IPv4Network, ip_network

from nornir_tasks.checks.about import About
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.design.network import Fabric, Plane
from nornir_tasks.design.routes import learned_paths

ABOUT = About(
    name="ecmp",
    each="prefix that each switch should learn, and switch: whether it learns anything else",
    uncounted="the prefixes that are of no pool of the design, as one finding of each switch that learns any",
    reads=("routes",),
    wanted="the paths of the cabling plan; bgp.networks of who announces, bgp.maximum_paths; the pools of the design",
    passes="a prefix has as many next hops as the design has paths for it; no other prefix of the pools is learned",
    fails="a prefix has more or fewer next hops, or none; or one of the pools is learned where it should not be",
    skipped="a prefix that is of no pool of the design: it is somebody else's",
)
MOST_NAMED = 8
"""Prefixes that a message names; the rest is a number."""


def check_ecmp(evidence: Evidence) -> list[Finding]:
    """One finding for each (switch, prefix that it should learn), and one for what it learns beside.

    What belongs to none of the design's pools is somebody else's: skipped, and said so. What belongs to a plane that
    rides on the same fabric and is not judged is left out.
    """
    network = evidence.network
    paths = learned_paths(network)
    judged = [plane for plane in network.planes.values() if evidence.is_judged(plane.name)]
    pools = _pools((*network.fabrics.values(), *judged))
    networks = announced(evidence)
    findings: list[Finding] = []
    for device, observed in evidence.observed.items():
        learned = dict(observed.routes)
        limit = path_limit(evidence, device)
        for owner, width in paths.of(device):
            expected = min(width, limit)
            findings += [_route(device, owner, prefix, expected, learned.pop(prefix, 0)) for prefix in networks[owner]]
        on_it = network.planes_on(network.device(device).fabric)
        theirs = _pools(plane for plane in on_it if not evidence.is_judged(plane.name))
        findings += _beside(device, [prefix for prefix in learned if not _is_in(prefix, theirs)], pools)
    return findings


def _pools(owners: Iterable[Fabric | Plane]) -> tuple[IPv4Network, ...]:
    return tuple(IPv4Network(pool) for each in owners for pool in each.pools.values())


def announced(evidence: Evidence) -> Mapping[str, tuple[str, ...]]:
    """Switch -> the prefixes that the design has it announce."""
    return {name: config.bgp.networks if config.bgp else () for name, config in evidence.wanted.items()}


def path_limit(evidence: Evidence, device: str) -> int:
    """Most next hops that the design lets this switch use."""
    return bgp.maximum_paths if (bgp := evidence.wanted[device].bgp) else 1


def _route(device: str, owner: str, prefix: str, expected: int, found: int) -> Finding:
    verdict = Verdict.PASS if found == expected else Verdict.FAIL
    message = f"{device}: {found} of {expected} next hops to {prefix} ({owner})"
    return Finding("ecmp", device, "", verdict, message, f"{expected} next hops", f"{found}", prefix)


def _beside(device: str, prefixes: Sequence[str], pools: Sequence[IPv4Network]) -> Iterator[Finding]:
    """What a switch learns and the design does not have it learn."""
    ours = [prefix for prefix in prefixes if _is_in(prefix, pools)]
    others = [prefix for prefix in prefixes if prefix not in set(ours)]
    found = _named(ours)
    message = f"{device}: " + (f"learns what it should not: {found}" if ours else "no other prefix of the design")
    verdict = Verdict.FAIL if ours else Verdict.PASS
    yield Finding("ecmp", device, "", verdict, message, "no other prefix of the design's pools", found, "others")
    if others:
        message = f"{device}: routes learned that are not of this design: {_named(others)}"
        yield Finding("ecmp", device, "", Verdict.SKIPPED, message, "", "", "not ours", counted=False)


def _is_in(prefix: str, pools: Sequence[IPv4Network]) -> bool:
    network = ip_network(prefix, strict=False)
    return isinstance(network, IPv4Network) and any(network.subnet_of(pool) for pool in pools)


def _named(prefixes: Sequence[str]) -> str:
    more = len(prefixes) - MOST_NAMED
    return ", ".join(prefixes[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
