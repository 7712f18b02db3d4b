"""Addresses that pods may get, against those that the cables leave for them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from nornir_tasks.checks.manifests.intended import Intended
from nornir_tasks.checks.manifests.judged import Asks, Sheet
from nornir_tasks.checks.manifests.objects import at, items
from nornir_tasks.intent.core.findings import Path

Range = tuple[IPv4Address, IPv4Address]
"""First and last address."""


@dataclass(frozen=True, slots=True)
class Given:
    """Addresses that one pool gives to pods."""

    ranges: tuple[Range, ...]
    hosts: frozenset[str] | None
    """Whose pods get them; None: any node's."""
    path: Path
    """Where they stand in the object."""


def network(text: object) -> IPv4Network | None:
    """A prefix, host bits and all; None for what is none of IPv4."""
    try:
        return IPv4Network(str(text), strict=False) if "/" in str(text) else None
    except ValueError:
        return None


def address(text: object) -> IPv4Address | None:
    """An address; a length behind it is left out."""
    try:
        return IPv4Address(str(text).partition("/")[0])
    except ValueError:
        return None


def span(text: object) -> Range | None:
    """``10.0.0.1-10.0.0.9``, or one address."""
    first, _, last = str(text).partition("-")
    found = address(first), address(last or first)
    return (found[0], found[1]) if found[0] and found[1] and found[0] <= found[1] else None


def without(ranges: Iterable[Range], taken: Sequence[Range]) -> tuple[Range, ...]:
    """The ranges without some others."""
    left = list(ranges)
    for first, last in taken:
        left = [
            part
            for low, high in left
            for part in (
                [(low, high)]
                if last < low or first > high
                else [
                    *([(low, first - 1)] if low < first else []),
                    *([(last + 1, high)] if last < high else []),
                ]
            )
        ]
    return tuple(left)


def usable(block: IPv4Network) -> Range:
    """Addresses of a prefix that hosts may have: without network and broadcast, but for a /31 and a /32."""
    if block.prefixlen >= 31:
        return block[0], block[-1]
    return block[1], block[-2]


def judge_given(sheet: Sheet, given: Given, rail: int | None, intended: Intended) -> None:
    """May pods have these addresses on this rail?"""
    shown = ", ".join(f"{first}-{last}" if first != last else f"{first}" for first, last in given.ranges[:4])
    if rail is None:
        what = "these addresses are of no rail: leaves do not route them"
        asks = Asks(f"addresses of {intended.whole}", intended.pool_at, "take those of nornir export k8s-rdma")
        sheet.failed("pool", given.path, what, shown or "no address", asks)
        return
    unknown = sorted((given.hosts or frozenset()) - intended.hosts)
    if unknown:
        asks = Asks("a host of the intent", intended.plane_at, "nodes are called as the intent calls its hosts")
        what = "no host of the intent has this name, so no leaf has these addresses for it"
        sheet.failed("host", given.path, what, ", ".join(unknown[:4]), asks)
    hosts = sorted(given.hosts & intended.hosts) if given.hosts is not None else sorted(_with_rail(intended, rail))
    if not given.ranges:
        asks = Asks(_free(hosts[:1], rail, intended), intended.pool_at, "take those of nornir export k8s-rdma")
        sheet.failed("pool", given.path, "no address is left for pods", "no address", asks)
        return
    wrong = next((host for host in hosts if not _within(given.ranges, intended.for_pods(host, rail))), None)
    if wrong is None:
        sheet.passed("pool", given.path, f"{shown}: free for pods on {intended.names([rail])}")
        return
    taken = _of_others(given.ranges, wrong, rail, intended)
    asks = Asks(_free([wrong], rail, intended), intended.pool_at, "take those of nornir export k8s-rdma")
    sheet.failed("pool", given.path, f"pods on {wrong} may get addresses that are not theirs{taken}", shown, asks)


def _with_rail(intended: Intended, rail: int) -> Iterator[str]:
    return (nic.host for nic in intended.rails[rail].nics)


def _within(ranges: Iterable[Range], allowed: Range | None) -> bool:
    return allowed is not None and all(allowed[0] <= first and last <= allowed[1] for first, last in ranges)


def _free(hosts: Sequence[str], rail: int, intended: Intended) -> str:
    """The addresses that pods of a host may have."""
    found = [(host, intended.for_pods(host, rail)) for host in hosts]
    words = [
        f"{free[0]}{f'-{free[1]}' if free[0] != free[1] else ''} on {host} {intended.names([rail])}"
        for host, free in found
        if free
    ]
    return ", ".join(words) or "none: no address of this rail is left for pods"


def _of_others(ranges: Iterable[Range], host: str, rail: int, intended: Intended) -> str:
    """Whose they are, where that is the leaf's or the host's own."""
    nic = intended.nics.get((host, rail))
    if nic is None:
        return f": {host} has no {intended.names([rail])}"
    ends = [(IPv4Address(nic.gateway), f"{intended.end(nic)} has {nic.gateway}")]
    if not intended.pods.is_p2p:
        ends.append((IPv4Address(nic.address), f"the host itself has {nic.address}"))
    found = [words for own, words in ends if any(first <= own <= last for first, last in ranges)]
    return f": {'; '.join(found)}" if found else ""


def judge_gateway(sheet: Sheet, path: Path, found: object, hosts: Iterable[str], rail: int, intended: Intended) -> None:
    """Is the gateway the leaf's end of these hosts' links?"""
    nics = [nic for host in hosts if (nic := intended.nics.get((host, rail)))]
    wrong = next((nic for nic in nics if str(found) != nic.gateway), None)
    if wrong is None:
        if nics:
            sheet.passed("gateway", path, f"{found} is {intended.end(nics[0])}")
        return
    what = f"nothing answers there for pods on {wrong.host}: {intended.end(wrong)} has {wrong.gateway}"
    asks = Asks(wrong.gateway, intended.pool_at, f"gateway: {wrong.gateway}")
    sheet.failed("gateway", path, what, found, asks)


def judge_routes(sheet: Sheet, path: Path, routes: object, intended: Intended) -> None:
    """Do routes over a rail stay within the plane? A default route there takes the pod's other traffic along."""
    for number, each in enumerate(items(routes)):
        found = network(at(each, "dst"))
        where = (*path, number, "dst")
        if found is not None and found.subnet_of(intended.whole):
            sheet.passed("route", where, f"{found} is within the plane's {intended.whole}")
            continue
        what = "a route over a rail to where no leaf leads: the leaves know this plane's hosts alone"
        remedy = f"dst: {intended.whole}, or the rail's own part of it"
        shown = at(each, "dst") if found is None else found
        sheet.failed("route", where, what, shown, Asks(f"within {intended.whole}", intended.pool_at, remedy))


def judge_reach(sheet: Sheet, path: Path, routes: object, rail: int, intended: Intended) -> None:
    """Do a pod's routes lead to all hosts of its rail?"""
    wanted = intended.supernets[rail]
    if any((found := network(at(each, "dst"))) and wanted.subnet_of(found) for each in items(routes)):
        return
    what = "packets to hosts of this rail at other links leave by the pod's default route, which is no rail's"
    asks = Asks(f"a route to {wanted}", intended.pool_at, f"routes: [{{dst: {wanted}}}]")
    sheet.failed("route", path, what, "none", asks)
