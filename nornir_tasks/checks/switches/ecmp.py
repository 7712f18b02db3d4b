"""Routes: each prefix of the design is learned where it should be, over as many next hops, and nowhere else.

The expected routes come from ``design/addresses/routes.py``, for any number of tiers, per VRF. A switch that is not
selected (``--limit``) still counts, because it is part of the fabric.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from ipaddress import IPv4Network, ip_network

from nornir_tasks.checks.about import About
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.design.addresses.drained_routes import paths_with
from nornir_tasks.design.config.bgp import Bgp, BgpVrf
from nornir_tasks.design.config.vrfs import RouteKey, key_name
from nornir_tasks.design.model.network import Fabric
from nornir_tasks.design.model.plane import Plane

ABOUT = About(
    name="ecmp",
    each="prefix that each switch should learn in a VRF, and switch: whether it learns anything else",
    uncounted="the prefixes that are of no pool of the design, as one finding of each switch that learns any",
    reads=("routes",),
    wanted="the paths of the cabling plan, less those through drained switches; bgp.networks and bgp.maximum_paths, in "
    "each VRF; the pools of the design",
    passes="a prefix has as many next hops as the design has paths for it; no other prefix of the pools is learned",
    fails="a prefix has more or fewer next hops, or none; or one of the pools is learned where it should not be",
    skipped="a prefix that is of no pool of the design, on all but edge routers: it is another team's; VRFs "
    "that the intent does not want are not read",
)
MOST_NAMED = 8
"""Prefixes that a message names; the rest is a number."""


def check_ecmp(evidence: Evidence) -> list[Finding]:
    """One finding for each (switch, prefix that it should learn), and one for what it learns beside.

    Prefixes outside the design's pools belong to others: reported as skipped. Those of another plane on the same
    fabric that is not selected are left out.
    """
    network = evidence.network
    judged = [plane for plane in network.planes.values() if evidence.is_judged(plane.name)]
    if not judged:
        return []  # base configuration alone: nothing of it routes
    pools = _pools((*network.fabrics.values(), *judged))
    expected = {vrf: (paths_with(network, evidence.drained, vrf), announced(evidence, vrf)) for vrf in vrfs(evidence)}
    findings: list[Finding] = []
    for device, observed in evidence.observed.items():
        learned = {key: hops for key, hops in observed.routes if key[0] in expected}
        for vrf, (paths, networks) in expected.items():
            limit, shared = path_limit(evidence, device, vrf), shared_prefixes(networks)
            wanted = [
                (owner, prefix, width)
                for owner, width in paths.of(device)
                for prefix in networks[owner]
                if prefix not in shared
            ]
            for prefix, owners in shared.items():
                path = paths.to_any(device, owners)
                wanted += [] if path is None else [(", ".join(owners), prefix, path.width)]
            for owner, prefix, width in wanted:
                found = learned.pop((vrf, prefix), 0)
                findings.append(_route(device, owner, (vrf, prefix), min(width, limit), found))
        on_it = network.planes_on(network.device(device).fabric)
        theirs = _pools(plane for plane in on_it if not evidence.is_judged(plane.name))
        is_edge = network.edge is not None and network.device(device).fabric == network.edge.fabric
        beside = [key for key in learned if not _is_in(key, theirs) and (_is_in(key, pools) or not is_edge)]
        findings += _beside(device, beside, pools)
    return findings


Pools = Sequence[tuple[str | None, IPv4Network]]
"""(VRF, prefix)."""


def _pools(owners: Iterable[Fabric | Plane]) -> Pools:
    pools = ((each.vrf, pool) for each in owners for pool in each.pools.values() if ":" not in pool)
    return tuple((vrf, IPv4Network(pool)) for vrf, pool in pools)


def vrfs(evidence: Evidence) -> tuple[str | None, ...]:
    """The VRFs in which the design runs BGP on any switch, the default one first."""
    named = {each.name for config in evidence.wanted.values() if config.bgp for each in config.bgp.vrfs}
    return (None, *sorted(named))


def announced(evidence: Evidence, vrf: str | None) -> Mapping[str, tuple[str, ...]]:
    """Switch -> the prefixes that the design has it announce in this VRF."""
    found = {name: _in(config.bgp, vrf) for name, config in evidence.wanted.items()}
    return {name: process.networks if process else () for name, process in found.items()}


def shared_prefixes(networks: Mapping[str, Sequence[str]]) -> Mapping[str, tuple[str, ...]]:
    """Prefix -> the switches that announce it, of those that several do: both leaves of a pair."""
    owners: dict[str, list[str]] = {}
    for name, prefixes in networks.items():
        for prefix in prefixes:
            owners.setdefault(prefix, []).append(name)
    return {prefix: tuple(names) for prefix, names in owners.items() if len(names) > 1}


def path_limit(evidence: Evidence, device: str, vrf: str | None) -> int:
    """Most next hops that the design lets this switch use in this VRF."""
    process = _in(evidence.wanted[device].bgp, vrf)
    return process.maximum_paths if process else 1


def _in(bgp: Bgp | None, vrf: str | None) -> Bgp | BgpVrf | None:
    """The settings of the BGP process in a VRF."""
    return bgp if bgp is None or vrf is None else next((each for each in bgp.vrfs if each.name == vrf), None)


def _route(device: str, owner: str, key: RouteKey, expected: int, found: int) -> Finding:
    verdict, name = Verdict.PASS if found == expected else Verdict.FAIL, key_name(key)
    message = f"{device}: {found} of {expected} next hops to {name} ({owner})"
    return Finding("ecmp", device, "", verdict, message, f"{expected} next hops", f"{found}", name)


def _beside(device: str, keys: Sequence[RouteKey], pools: Pools) -> Iterator[Finding]:
    """Prefixes that a switch learns against the design."""
    ours = [key for key in keys if _is_in(key, pools)]
    others = [key for key in keys if key not in set(ours)]
    found = _named(ours)
    message = f"{device}: " + (f"learns what it should not: {found}" if ours else "no other prefix of the design")
    verdict = Verdict.FAIL if ours else Verdict.PASS
    yield Finding("ecmp", device, "", verdict, message, "no other prefix of the design's pools", found, "others")
    if others:
        message = f"{device}: routes learned that are not of this design: {_named(others)}"
        yield Finding("ecmp", device, "", Verdict.SKIPPED, message, "", "", "not ours", counted=False)


def _is_in(key: RouteKey, pools: Pools) -> bool:
    vrf, prefix = key
    network = ip_network(prefix, strict=False)
    return isinstance(network, IPv4Network) and any(vrf == of and network.subnet_of(pool) for of, pool in pools)


def _named(keys: Sequence[RouteKey]) -> str:
    more = len(keys) - MOST_NAMED
    return ", ".join(map(key_name, keys[:MOST_NAMED])) + (f" and {more} more" if more > 0 else "")
