"""Who is where: groups of hosts on a plane, the networks they share, and where these meet a router.

Which cable leads to whom comes from the cabling; which VLAN, subnet and list a port has, from the switches' lines.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_network
from itertools import combinations
from typing import NamedTuple

from nornir_tasks.design.config.access_lists import AclBinding, Family
from nornir_tasks.design.demand.way_out import NEXT_HOP
from nornir_tasks.design.model.mlag import Segment
from nornir_tasks.design.model.network import Network
from nornir_tasks.proofs.routing import Router
from nornir_tasks.proofs.spans import Span
from nornir_tasks.proofs.subnets import subnets_of
from nornir_tasks.proofs.wires import HostEnd, Place, Wires, svi_vlan


class End(NamedTuple):
    """A group of hosts on one plane."""

    plane: str
    group: str

    def __str__(self) -> str:
        """In words: ``gpu on storage``."""
        return f"{self.group} on {self.plane}"


class Gate(NamedTuple):
    """An interface by which packets of a network come to a router, and go out to it."""

    router: Router
    interface: str
    acls: tuple[AclBinding, ...]
    is_planned: bool = True
    """The plan has it there; else a port or a cable was changed."""
    subnets: tuple[Span, ...] = ()
    """That its interfaces are in."""

    def leads_to(self, subnet: Span) -> bool:
        """Do packets to some of this subnet leave here, once they are at its router?"""
        return any(each.overlaps(subnet) for each in self.subnets)

    def line(self, by: str) -> str:
        """What decides here, in words: ``leaf-1 Vlan200: rule 20 of STORAGE-V200-IN``."""
        return f"{self.router.device} {self.interface}: {by}"


@dataclass(frozen=True, slots=True)
class Domain:
    """Hosts of a plane that share a network: a VLAN of a leaf or pair, or the rails of a leaf.

    What is attached to an access switch of an out-of-band plane is told apart by its addresses: a domain for each
    prefix of a group there.
    """

    plane: str
    groups: tuple[str, ...]
    name: str
    """``VLAN 200 of front-leaf-g1``."""
    subnets: Mapping[Family, str]
    gates: tuple[Gate, ...]
    """Of ports with the same lists and VRF one stands for all."""
    places: tuple[Place, ...]
    """Where the plan has it: the VLAN of each leaf, or each routed port."""
    is_way_out: bool = False
    """Has it the machines beyond a way out instead of hosts?"""

    def is_with(self, other: "Domain") -> bool:
        """Are both in one network, so that no router is between them?"""
        return (self.plane, self.name) == (other.plane, other.name)


class Joined(NamedTuple):
    """Two groups of hosts on one wire that the plan does not put there together."""

    one: End
    other: End
    by: str
    """The port by which the first came in, and its VLAN; or the cable that joins both."""


def domains(network: Network, wires: Wires) -> tuple[Domain, ...]:
    """Every network of hosts, in the order of the design."""
    return (*_of_segments(network, wires), *_of_leaves(network, wires))


def _of_segments(network: Network, wires: Wires) -> Iterator[Domain]:
    ends = _ends_of_segments(network, wires)
    for each in network.segments:
        subnets: dict[Family, str] = {"ipv4": _hosts(each.subnet, each)}
        if each.subnet_v6 is not None:
            subnets["ipv6"] = _hosts(each.subnet_v6, each)
        places = [(leaf, each.vlan) for leaf, _ in each.leaves]
        there = [end for place in places for end in ends.get((*place, each.plane), ())]
        name = f"VLAN {each.vlan} of {each.pair}"
        yield Domain(each.plane, each.groups, name, subnets, _gates(wires, places, there), (*places,), each.is_way_out)


def _hosts(subnet: str, segment: Segment) -> str:
    """Of a way out just the two addresses that its machines have themselves, right after the one that they share."""
    if not segment.is_way_out:
        return subnet
    network = ip_network(subnet)
    return f"{network[NEXT_HOP + 1]}/{network.max_prefixlen - 1}"


def _ends_of_segments(network: Network, wires: Wires) -> dict[tuple[str, int, str], list[Place]]:
    """(leaf, VLAN, plane) -> what the frames of its hosts come to there, by the lines of their ports."""
    found: dict[tuple[str, int, str], list[Place]] = defaultdict(list)
    vlans = {(leaf, f"{each.plane}-{each.name}"): each.vlan for each in network.segments for leaf, _ in each.leaves}
    for each in network.circuits:
        leaf, vlan = each.link.upper, vlans.get((each.link.upper.device, each.use.segment or ""))
        end = wires.end(leaf.device, leaf.port, each.use.tag) if vlan is not None else None
        if end is not None and vlan is not None and each.link.kind == "host":
            found[leaf.device, vlan, each.owner].append(end)
    return {key: list(dict.fromkeys(ends)) for key, ends in found.items()}


def _of_leaves(network: Network, wires: Wires) -> Iterator[Domain]:
    """Planes without bonds: hosts of a leaf, each on a routed port, or together in the leaf's VLAN."""
    groups: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    places: dict[tuple[str, str], dict[Place, None]] = defaultdict(dict)
    ends: dict[tuple[str, str, str], dict[Place, None]] = defaultdict(dict)
    for each in network.circuits:
        if each.link.kind == "host" and not network.planes[each.owner].is_bonded:
            leaf, host, vlan = each.link.upper, each.link.lower.device, network.planes[each.owner].host_vlan
            groups[leaf.device, each.owner][network.group_of(host)] = None
            places[leaf.device, each.owner][leaf.device, each.interface(leaf.device) if vlan is None else vlan] = None
            if (end := wires.end(leaf.device, leaf.port, each.use.tag)) is not None:
                ends[leaf.device, each.owner, network.group_of(host)][end] = None
    for (leaf_name, owner), its in groups.items():
        block, vlan = network.host_block(leaf_name, owner), network.planes[owner].host_vlan
        if block is None or leaf_name not in wires.configs:
            continue
        name = f"ports of {leaf_name}" if vlan is None else f"VLAN {vlan} of {leaf_name}"
        there = tuple(places[leaf_name, owner])
        attached = network.attached_prefixes.get((leaf_name, owner), {})
        for group, prefixes in ((each, attached[each]) for each in its if each in attached):
            gates = _gates(wires, there, ends[leaf_name, owner, group])
            yield from (Domain(owner, (group,), name, {"ipv4": each}, gates, there) for each in prefixes)
        if not attached:
            gates = _gates(wires, there, [end for group in its for end in ends[leaf_name, owner, group]])
            yield Domain(owner, tuple(its), name, {"ipv4": block}, gates, there)


def _gates(wires: Wires, places: Sequence[Place], ends: Iterable[Place] = ()) -> tuple[Gate, ...]:
    """The routers that hear what is sent at these places, or where the ports of its hosts end by their lines."""
    names: dict[tuple[Router, tuple[AclBinding, ...], bool], str] = {}
    subnets: dict[tuple[Router, tuple[AclBinding, ...], bool], list[Span]] = defaultdict(list)
    planned = frozenset(places)
    for device, port in wires.routed(map(wires.wire, (*places, *ends))):
        router, vlan = Router(device, port.vrf), svi_vlan(port.name)
        key = router, port.acls, (device, port.name if vlan is None else vlan) in planned
        names.setdefault(key, port.name)
        subnets[key] += subnets_of(port)
    return tuple(
        Gate(router, name, acls, is_planned, tuple(subnets[router, acls, is_planned]))
        for (router, acls, is_planned), name in names.items()
    )


def joined(network: Network, wires: Wires, known: Iterable[Domain]) -> Iterator[Joined]:
    """Groups that a port or a cable puts into a network which the plan does not give them."""
    at: dict[Place, list[Domain]] = defaultdict(list)
    for domain in known:
        for wire in dict.fromkeys(map(wires.wire, domain.places)):
            at[wire].append(domain)
    planned: dict[Place, set[str]] = defaultdict(set)
    for domain in known:
        for place in domain.places:
            planned[place].update(domain.groups)
    planes = _planes(network)
    for wire, ends in wires.hosts.items():
        foreign: dict[End, str] = {}
        for each in ends:
            if network.group_of(each.link.lower.device) in planned.get(each.place, ()):
                continue
            if (end := _end(each, planes, network)) is not None:
                foreign.setdefault(end, each.words)
        yield from _on(foreign, at.get(wire, []), wires.seams(wire))
    for wire in at.keys() - wires.hosts.keys():
        yield from _on({}, at[wire], wires.seams(wire))


def _on(foreign: Mapping[End, str], there: list[Domain], seams: list[str]) -> Iterator[Joined]:
    """Who is together on one wire that should not be."""
    for one, other in ((one, other) for one, other in combinations(there, 2) if not one.is_with(other)):
        for end in _ends(one):
            yield from (Joined(end, far, seams[0] if seams else other.name) for far in _ends(other))
    for number, (end, by) in enumerate(foreign.items()):
        beside = [far for domain in there for far in _ends(domain)]
        yield from (Joined(end, far, by) for far in (*beside, *list(foreign)[:number]) if far != end)


def _ends(domain: Domain) -> list[End]:
    return [End(domain.plane, group) for group in domain.groups]


def _planes(network: Network) -> dict[str, dict[int | None, str]]:
    """Link -> tag of a host's frames on it -> plane."""
    found: dict[str, dict[int | None, str]] = defaultdict(dict)
    for each in network.circuits:
        if each.link.kind == "host":
            found[each.link.name][each.use.tag] = each.owner
    return dict(found)


def _end(at: HostEnd, planes: Mapping[str, Mapping[int | None, str]], network: Network) -> End | None:
    """Whose frames these are; of a tag that no plane of the host has, its first plane's. None: of no plane at all."""
    there = planes.get(at.link.name, {})
    plane = there.get(at.tag) or next(iter(there.values()), None)
    return None if plane is None else End(plane, network.group_of(at.link.lower.device))
