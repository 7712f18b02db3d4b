"""The owners of a site, and their claims on a switch: each line has one owner, however it got there.

An owner is declared once, by the module of its kind. This module checks that owners cannot be confused.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_network
from itertools import combinations

from nornir_tasks.design.contribute import managed_accounts, managed_base, unused_ports
from nornir_tasks.design.contribute.bond_ports import numbers as group_numbers
from nornir_tasks.design.contribute.mlag_config import peer_link
from nornir_tasks.design.demand.kinds import Kinds
from nornir_tasks.design.model.claims import THE_SWITCH, Claim, Claims, Owner
from nornir_tasks.design.model.network import Device, Fabric, Network
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.core.findings import Finding, Marks, Path

NOWHERE = Marks()
"""For a network without a file: clashes are named by their path alone."""


def declared(network: Network, kinds: Kinds, marks: Marks = NOWHERE) -> tuple[Owner, ...]:
    """All fabrics and planes of a site. Raises DesignError if two of them could be confused.

    ``marks``: places in the intent, to name both.
    """
    on_fabrics = [_owners_on(network, fabric, kinds) for fabric in network.fabrics.values()]
    for owners in on_fabrics:
        check_vlans(owners, marks)
    every = tuple(owner for owners in on_fabrics for owner in owners)
    check_owners(every, marks)
    return every


def owners_on(network: Network, fabric: Fabric, kinds: Kinds) -> tuple[Owner, ...]:
    """A fabric, and the planes that use it. Raises DesignError if two of them could be confused."""
    owners = _owners_on(network, fabric, kinds)
    _checked(owners)
    return owners


def _owners_on(network: Network, fabric: Fabric, kinds: Kinds) -> tuple[Owner, ...]:
    planes = (kinds.planes[plane.kind].owner(plane, fabric) for plane in network.planes_on(fabric.name))
    return (kinds.fabrics[fabric.kind].owner(fabric), *planes)


def claims_on(network: Network, device: Device, kinds: Kinds) -> Claims:
    """Each owner's claim on one switch: the ports it uses, its pools, its names, its VLANs."""
    owners = owners_on(network, network.fabric_of(device), kinds)
    fabric, *planes = owners
    fabric = _with_peers(fabric, device)
    owners = (fabric, *planes)
    ports: dict[str, set[str]] = defaultdict(set)
    ports[fabric.key].add(device.capabilities.loopback_name)
    for circuit in network.circuits_of(device.name):
        port, interface = circuit.link.end(device.name).port, circuit.interface(device.name)
        ports[circuit.owner].add(interface)
        if interface != port:
            ports[fabric.key].add(port)  # all owners of its subinterfaces share the port itself
    if device.capabilities.pair is not None:
        peers = (each for each in network.links_of(device.name) if each.kind == "peer")
        ports[fabric.key] |= {each.end(device.name).port for each in peers}
    has_hosts = device.level == 0
    lags = _lags(network, device, owners)
    if has_hosts and (prefix := device.capabilities.lag_prefix):
        for owner in owners:
            ports[owner.key] |= {f"{prefix}{number}" for number in lags[owner.key]}
        if fabric.pair_vlan is not None:
            ports[fabric.key].add(peer_link(device))
    nothing = frozenset[int]()
    numbers = {each.key: (each.vlans, lags[each.key]) if has_hosts else (nothing, nothing) for each in owners}
    claims = (Claim(each, frozenset(ports[each.key]), *numbers[each.key]) for each in owners)
    spare = frozenset(unused_ports.spare_ports(network, device))
    base = network.base.get(device.fabric)
    return Claims(
        tuple(claims),
        spare,
        network.facts[device.os].split_part,
        base=managed_base.sections(base, network.management.get(device.name)),
        accounts=frozenset((base and base.accounts) or ()),
        kept_accounts=managed_accounts.kept(base, device.capabilities),
        management_vrf=managed_base.vrf_of(base, device.capabilities),
    )


def _with_peers(fabric: Owner, device: Device) -> Owner:
    """The fabric with the VLAN and the addresses by which this switch's OS has both leaves of a pair route."""
    facts = device.capabilities.pair
    if fabric.pair_vlan is None or facts is None:
        return fabric
    subnet = () if facts.peer_subnet is None else (facts.peer_subnet,)
    return replace(fabric, vlans=fabric.vlans - {fabric.pair_vlan} | {facts.peer_vlan}, pools=(*fabric.pools, *subnet))


def _lags(network: Network, device: Device, owners: tuple[Owner, ...]) -> dict[str, frozenset[int]]:
    """Owner -> numbers of its groups on this switch: of all that it has those that no other plane uses alone here."""
    users: dict[int, set[str]] = defaultdict(set)
    number_of = group_numbers(network, device)
    for circuit in network.circuits_of(device.name):
        if circuit.link.name in number_of:
            users[number_of[circuit.link.name]].add(circuit.owner)
    every = frozenset(users)
    own = {each.key: {number for number in every if each.key in users[number]} for each in owners}
    return {each.key: each.lags - (every - own[each.key]) for each in owners}


@lru_cache(maxsize=64)
def _checked(owners: tuple[Owner, ...]) -> None:
    """Check the owners on one fabric, once for all its switches."""
    check_vlans(owners)
    check_owners(owners)


def check_owners(owners: tuple[Owner, ...], marks: Marks = NOWHERE) -> None:
    """Raises DesignError that names the places of both, for all pairs of owners that could be confused.

    Names are unique, no prefix begins with another one, and pools are disjoint within each VRF.
    """
    pairs = combinations((THE_SWITCH, *owners), 2)
    _refuse([finding for one, other in pairs for finding in _alike(one, other)], marks)


def check_vlans(owners: tuple[Owner, ...], marks: Marks = NOWHERE) -> None:
    """Raises DesignError that names the places of both, for all pairs of owners with one VLAN on a common switch."""
    pairs = ((one, other, one.vlans & other.vlans) for one, other in combinations(owners, 2))
    both = ((one, other, ", ".join(map(str, sorted(vlans)))) for one, other, vlans in pairs if vlans)
    _refuse([_finding(one, other, "have one VLAN", "a VLAN for each", vlans) for one, other, vlans in both], marks)


def _refuse(findings: list[Finding], marks: Marks) -> None:
    if findings:
        raise DesignError(marks.problems(findings))


def _alike(one: Owner, other: Owner) -> Iterator[Finding]:
    if one.key == other.key:
        yield _finding(one, other, "have one name", "a name for each", one.name)
    elif _begin_alike(one, other):
        expected = "names of which none begins with another"
        yield _finding(one, other, "begin alike on switches", expected, f"{one.prefix}, {other.prefix}")
    if one.vrf == other.vrf:
        overlaps = [f"{a}, {b}" for a in one.pools for b in other.pools if _overlap(ip_network(a), ip_network(b))]
        if overlaps:
            yield _finding(one, other, "have pools that overlap", "pools that are disjoint", "; ".join(overlaps))
        if one.routes & other.routes:
            found = ", ".join(sorted(one.routes & other.routes))
            yield _finding(one, other, "have one static route in one VRF", "routes of one of them", found)


def _overlap(one: IPv4Network | IPv6Network, other: IPv4Network | IPv6Network) -> bool:
    return one.version == other.version and one.overlaps(other)


def _begin_alike(one: Owner, other: Owner) -> bool:
    """Could one owner's names be the other's? Not if a plane has its fabric's name: there the longer prefix decides."""
    if one.name == other.name and one.prefix != other.prefix:
        return False
    return one.prefix.startswith(other.prefix) or other.prefix.startswith(one.prefix)


def _finding(one: Owner, other: Owner, what: str, expected: str, found: str) -> Finding:
    hint = "else the owner of a line on a switch would be ambiguous"
    return Finding(_place(other), f"{other} and {one} {what}", expected, found, hint, also=_place(one))


def _place(owner: Owner) -> Path:
    """Where the intent describes an owner; empty for the switch."""
    return (f"{owner.kind}s", owner.name) if owner.kind in ("fabric", "plane") else ()
