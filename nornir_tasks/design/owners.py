"""The owners of a site, and what they claim of a switch: each line has one owner, whoever wrote it.

An owner is declared once, by the module of its kind. Here it is seen to that none can be taken for another.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from ipaddress import IPv4Network
from itertools import combinations

from nornir_tasks.design import front_panel
from nornir_tasks.design.claims import THE_SWITCH, Claim, Claims, Owner
from nornir_tasks.design.kinds import Kinds
from nornir_tasks.design.network import Device, Fabric, Network
from nornir_tasks.errors import DesignError, Problem


def declared(network: Network, kinds: Kinds) -> tuple[Owner, ...]:
    """All fabrics and planes of a site. Raises DesignError if one could be taken for another."""
    owners = tuple(owner for fabric in network.fabrics.values() for owner in owners_on(network, fabric, kinds))
    check_owners(owners)
    return owners


def owners_on(network: Network, fabric: Fabric, kinds: Kinds) -> tuple[Owner, ...]:
    """A fabric, and the planes that ride on it. Raises DesignError if two of them have one VLAN."""
    planes = (kinds.planes[plane.kind].owner(plane, fabric) for plane in network.planes_on(fabric.name))
    owners = (kinds.fabrics[fabric.kind].owner(fabric), *planes)
    check_vlans(owners)
    return owners


def claims_on(network: Network, device: Device, kinds: Kinds) -> Claims:
    """What each owner may call its own on one switch: the ports it uses, its pools, its names, its VLANs."""
    owners = owners_on(network, network.fabric_of(device), kinds)
    check_owners(owners)
    fabric, *_ = owners
    ports: dict[str, set[str]] = defaultdict(set)
    ports[fabric.key].add(device.capabilities.loopback_name)
    for circuit in network.circuits_of(device.name):
        user = fabric.key if circuit.is_underlay else circuit.owner
        port, interface = circuit.link.end(device.name).port, circuit.interface(device.name)
        ports[user].add(interface)
        if interface != port:
            ports[fabric.key].add(port)  # the port below is there for all that have subinterfaces of it
    has_hosts = device.host_block is not None
    claims = (Claim(each, frozenset(ports[each.key]), each.vlans if has_hosts else frozenset()) for each in owners)
    spare = frozenset(front_panel.spare_ports(network, device))
    return Claims(tuple(claims), spare, network.facts[device.os].split_part)


@lru_cache(maxsize=64)
def check_owners(owners: tuple[Owner, ...]) -> None:
    """Raises DesignError naming both of every two owners that could be taken for one another, all at once.

    They have names of their own, prefixes of which none begins like another, and pools that are disjoint in each VRF.
    """
    pairs = combinations((THE_SWITCH, *owners), 2)
    problems = [problem for one, other in pairs for problem in _alike(one, other)]
    if problems:
        raise DesignError(problems)


@lru_cache(maxsize=64)
def check_vlans(owners: tuple[Owner, ...]) -> None:
    """Raises DesignError naming both of every two owners that meet on switches and have one VLAN."""
    problems = [
        _problem(one, other, "both have this VLAN", "a VLAN for each", ", ".join(map(str, sorted(both))))
        for one, other in combinations(owners, 2)
        if (both := one.vlans & other.vlans)
    ]
    if problems:
        raise DesignError(problems)


def _alike(one: Owner, other: Owner) -> Iterator[Problem]:
    if one.key == other.key:
        yield _problem(one, other, "both have this name", "a name for each", one.name)
    elif _begin_alike(one, other):
        expected = "names of which none begins with another"
        yield _problem(one, other, "their prefixes begin alike", expected, f"{one.prefix}, {other.prefix}")
    if one.vrf == other.vrf:
        overlaps = [f"{a}, {b}" for a in one.pools for b in other.pools if IPv4Network(a).overlaps(IPv4Network(b))]
        if overlaps:
            yield _problem(one, other, "their pools overlap", "pools that are disjoint", "; ".join(overlaps))


def _begin_alike(one: Owner, other: Owner) -> bool:
    """But for a plane that is called like its fabric: of the names they share, the longer prefix decides."""
    if one.name == other.name and one.prefix != other.prefix:
        return False
    return one.prefix.startswith(other.prefix) or other.prefix.startswith(one.prefix)


def _problem(one: Owner, other: Owner, what: str, expected: str, found: str) -> Problem:
    hint = "else nobody could tell which of them a line of a switch belongs to"
    return Problem(f"{one} and {other}", what, expected, found, hint)
