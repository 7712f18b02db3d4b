"""Pools that hand out addresses: nv-ipam's CIDRPool and IPPool, Spiderpool's SpiderIPPool."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from nornir_tasks.checks.manifests.addresses import (
    Given,
    Range,
    judge_gateway,
    judge_given,
    judge_reach,
    judge_routes,
    network,
    span,
    usable,
    without,
)
from nornir_tasks.checks.manifests.intended import Intended
from nornir_tasks.checks.manifests.judged import Asks, Judged, Sheet
from nornir_tasks.checks.manifests.objects import Manifest, as_number, at, items, texts
from nornir_tasks.intent.core.findings import Path

SPEC: Path = ("spec",)
NV_IPAM = ("CIDRPool", "IPPool")
SPIDER = "SpiderIPPool"
KINDS = (*NV_IPAM, SPIDER)


@dataclass(frozen=True, slots=True)
class Pool:
    """A pool, and what its addresses are of."""

    manifest: Manifest
    rail: int | None
    """None: of no rail of this plane."""


Pools = Mapping[tuple[str, str], Pool]
"""(kind, name) -> pool."""


def find_pools(manifests: Iterable[Manifest], intended: Intended) -> Pools:
    """All pools by kind and name."""
    return {
        (each.kind, each.name): Pool(each, None if block is None else intended.rail_of(block))
        for each in manifests
        if each.kind in KINDS
        for block in (network(each.value("spec", "cidr" if each.kind == "CIDRPool" else "subnet")),)
    }


def judge_pools(pools: Pools, intended: Intended) -> Iterator[Judged]:
    """Every pool: its prefix, its gateways, the addresses that it gives to pods of each node."""
    for (kind, _), pool in pools.items():
        sheet = Sheet(pool.manifest)
        key = "cidr" if kind == "CIDRPool" else "subnet"
        block = network(pool.manifest.value("spec", key))
        if block is None:
            sheet.skipped("pool", ("spec", key), "no prefix of IPv4, and rails have no other")
        elif pool.rail is None and not block.overlaps(intended.whole):
            sheet.skipped("pool", ("spec", key), f"{block} has no address of plane {intended.pods.plane}")
        elif kind == SPIDER and pool.manifest.value("spec", "disable") is True:
            sheet.skipped("pool", ("spec", "disable"), "the pool is disabled")
        else:
            {"CIDRPool": _cidr_pool, "IPPool": _ip_pool, SPIDER: _spider_pool}[kind](sheet, block, pool.rail, intended)
            routes = pool.manifest.value("spec", "routes")
            judge_routes(sheet, ("spec", "routes"), routes, intended)
            if kind in NV_IPAM and pool.rail is not None:
                judge_reach(sheet, ("spec", "routes"), routes, pool.rail, intended)
            _no_default(sheet, intended)
        yield from sheet.results


def _no_default(sheet: Sheet, intended: Intended) -> None:
    if sheet.manifest.value("spec", "defaultGateway") is True:
        what = "a pod would send all its traffic over the rail, whose leaf knows this plane's hosts alone"
        asks = Asks(False, intended.plane_at, "defaultGateway: false")
        sheet.failed("route", ("spec", "defaultGateway"), what, True, asks)


def _exclusions(sheet: Sheet) -> list[Range]:
    return [
        found
        for each in items(sheet.manifest.value("spec", "exclusions"))
        if (found := span(f"{at(each, 'startIP')}-{at(each, 'endIP')}"))
    ]


def _by_index(sheet: Sheet, block: IPv4Network) -> list[Range]:
    """What ``perNodeExclusions`` takes of one node's block."""
    found = []
    for each in items(sheet.manifest.value("spec", "perNodeExclusions")):
        first, last = as_number(at(each, "startIndex")), as_number(at(each, "endIndex"))
        if first is not None and last is not None and 0 <= first <= last and first < block.num_addresses:
            found.append((block[first], block[min(last, block.num_addresses - 1)]))
    return found


def _cidr_pool(sheet: Sheet, block: IPv4Network, rail: int | None, intended: Intended) -> None:
    """Each node has a block of its own; which one, only a static allocation says."""
    if rail is not None:
        what = "not all addresses of the rail, so hosts of it may be left without"
        asks = Asks(str(intended.supernets[rail]), intended.pool_at, f"cidr: {intended.supernets[rail]}")
        sheet.compare("pool", ("spec", "cidr"), str(block), what, asks)
    else:
        what = "no rail has these addresses: the leaves route others, or several rails share them"
        asks = Asks(" or ".join(map(str, intended.supernets[:2])), intended.pool_at, "one pool for each rail")
        sheet.failed("pool", ("spec", "cidr"), what, block, asks)
    allocations = items(sheet.manifest.value("spec", "staticAllocations"))
    seen = {str(at(each, "nodeName")) for each in allocations}
    if rail is not None:
        _length(sheet, rail, intended)
        _gateway_index(sheet, rail, intended)
        missing = sorted(nic.host for nic in intended.rails[rail].nics if nic.host not in seen)
        _missing(sheet, missing, rail, intended)
    for number, each in enumerate(allocations):
        _allocation(sheet, ("spec", "staticAllocations", number), each, rail, intended)


def _length(sheet: Sheet, rail: int, intended: Intended) -> None:
    """Is a node's block as long as its link's?"""
    wanted = intended.rails[rail].nics[0].prefix_length
    path = ("spec", "perNodeNetworkPrefix")
    what = "a node's block is not its link: its leaf has another prefix there"
    asks = Asks(wanted, intended.link_at, f"perNodeNetworkPrefix: {wanted}")
    sheet.compare("pool", path, as_number(sheet.manifest.value(*path)), what, asks)


def _gateway_index(sheet: Sheet, rail: int, intended: Intended) -> None:
    """Which address of a node's block is the leaf's?"""
    path = ("spec", "gatewayIndex")
    found, nic = sheet.manifest.value(*path), intended.rails[rail].nics[0]
    if found is None:
        return
    block = IPv4Network(f"{nic.address}/{nic.prefix_length}", strict=False)
    wanted = int(IPv4Address(nic.gateway)) - int(block.network_address)
    what = f"address {found} of a block is not the leaf's: {intended.end(nic)} has {nic.gateway} of {block}"
    sheet.compare("gateway", path, as_number(found), what, Asks(wanted, intended.pool_at, f"gatewayIndex: {wanted}"))


def judge_users(pools: Pools, networks: Mapping[str, frozenset[int]], intended: Intended) -> Iterator[Judged]:
    """Are the networks that Spiderpool's pools are kept for of the same rail? ``networks``: by namespace and name."""
    for pool in pools.values():
        sheet = Sheet(pool.manifest)
        named = texts(pool.manifest.value("spec", "multusName")) if pool.rail is not None else ()
        for number, each in enumerate(named):
            name, path = each if "/" in each else f"default/{each}", ("spec", "multusName", number)
            rails = networks.get(name)
            if not rails:
                sheet.unclear("rail", path, f"network {name} is not among these objects, or of no rail that is known")
                continue
            what = f"pods of {intended.names(rails)} would get addresses of another rail"
            asks = Asks(intended.names([pool.rail or 0]), intended.pool_at, "name the rail's own network")
            sheet.compare("rail", path, intended.names(rails), what, asks)
        yield from sheet.results


def _missing(sheet: Sheet, hosts: list[str], rail: int, intended: Intended) -> None:
    if not hosts:
        return
    path: Path = ("spec", "staticAllocations")
    what = f"nv-ipam gives {', '.join(hosts[:4])}{' ...' if hosts[4:] else ''} any free block, and the leaf has another"
    nic = intended.nics[hosts[0], rail]
    example = f"{{nodeName: {nic.host}, prefix: {nic.gateway}/{nic.prefix_length}, gateway: {nic.gateway}}}"
    asks = Asks(
        f"{len(intended.rails[rail].nics)} static allocations", intended.link_at, f"staticAllocations: [{example}]"
    )
    sheet.failed("pool", path, what, f"none for {len(hosts)}", asks)


def _allocation(sheet: Sheet, path: Path, each: object, rail: int | None, intended: Intended) -> None:
    """One node's block."""
    host, block = str(at(each, "nodeName")), network(at(each, "prefix"))
    nic = intended.nics.get((host, rail)) if rail is not None else None
    if block is None or nic is None or rail is None:
        ranges = () if block is None else (usable(block),)
        judge_given(sheet, Given(ranges, frozenset({host}), path), rail, intended)
        return
    wanted = IPv4Network(f"{nic.address}/{nic.prefix_length}", strict=False)
    other = intended.rail_of(block)
    if block != wanted:
        whose = "" if other is None or other == rail else f"; it is of {intended.names([other])}"
        what = f"{intended.end(nic)} has {wanted} for {host}{whose}"
        asks = Asks(str(wanted), intended.pool_at, f"prefix: {nic.gateway}/{nic.prefix_length}")
        sheet.failed("pool", (*path, "prefix"), what, block, asks)
        return
    gateway = at(each, "gateway")
    if gateway is None:
        index = as_number(sheet.manifest.value("spec", "gatewayIndex"))
        gateway = None if index is None or not 0 <= index < block.num_addresses else block[index]
    taken = [*_by_index(sheet, block), *_exclusions(sheet)]
    if gateway is not None:
        judge_gateway(sheet, (*path, "gateway"), gateway, [host], rail, intended)
        own = span(gateway)
        taken += [own] if own else []
    judge_given(sheet, Given(without([usable(block)], taken), frozenset({host}), (*path, "prefix")), rail, intended)


def _ip_pool(sheet: Sheet, block: IPv4Network, rail: int | None, intended: Intended) -> None:
    """Nodes get blocks of one subnet in no order: right only where all of them are at one leaf."""
    own = span(sheet.manifest.value("spec", "gateway"))
    taken = [*_exclusions(sheet), *([own] if own else [])]
    given = Given(without([usable(block)], taken), None, ("spec", "subnet"))
    judge_given(sheet, given, rail, intended)
    if own and rail is not None:
        hosts = [nic.host for nic in intended.rails[rail].nics]
        judge_gateway(sheet, ("spec", "gateway"), own[0], hosts, rail, intended)


def _spider_pool(sheet: Sheet, block: IPv4Network, rail: int | None, intended: Intended) -> None:
    spec = sheet.manifest.value("spec")
    nodes = texts(at(spec, "nodeName"))
    hosts = frozenset(nodes) if nodes else None
    ranges = [found for each in items(at(spec, "ips")) if (found := span(each))]
    broken = [str(each) for each in items(at(spec, "ips")) if span(each) is None]
    if broken:
        asks = Asks("10.0.0.4-10.0.0.7", intended.pool_at, "ips: from the first to the last address")
        sheet.failed("pool", ("spec", "ips"), "no range of addresses", broken[0], asks)
        return
    taken = [found for each in items(at(spec, "excludeIPs")) if (found := span(each))]
    judge_given(sheet, Given(without(ranges, taken), hosts, ("spec", "ips")), rail, intended)
    if rail is None:
        return
    known = sorted((hosts or frozenset(nic.host for nic in intended.rails[rail].nics)) & intended.hosts)
    _subnet(sheet, block, known, rail, intended)
    gateway = at(spec, "gateway")
    if gateway is None:
        what = "no gateway: pods of this rail reach no other leaf"
        nic = intended.nics.get((known[0], rail)) if known else None
        wanted = nic.gateway if nic else "the leaf's address"
        sheet.failed(
            "gateway", ("spec", "gateway"), what, "nothing", Asks(wanted, intended.pool_at, f"gateway: {wanted}")
        )
    else:
        judge_gateway(sheet, ("spec", "gateway"), gateway, known, rail, intended)


def _subnet(sheet: Sheet, block: IPv4Network, hosts: list[str], rail: int, intended: Intended) -> None:
    """Is the subnet the one that these hosts' leaf has?"""
    for host in hosts:
        nic = intended.nics.get((host, rail))
        if nic is None:
            continue
        wanted = IPv4Network(f"{nic.address}/{nic.prefix_length}", strict=False)
        if block != wanted:
            what = f"{intended.end(nic)} has {wanted} for {host}: the pod takes others for neighbours"
            sheet.failed(
                "pool", ("spec", "subnet"), what, block, Asks(str(wanted), intended.link_at, f"subnet: {wanted}")
            )
            return
    if hosts:
        sheet.passed("pool", ("spec", "subnet"), f"{block} is the leaf's")
