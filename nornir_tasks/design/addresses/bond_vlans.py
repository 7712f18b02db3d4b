"""The VLANs and bonds of a plane whose hosts bond their ports, from the intent, and what the layout says."""

from collections.abc import Iterable, Iterator, Sequence
from ipaddress import IPv4Network, IPv6Network

from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.design.demand.way_out import VLAN, WayOut
from nornir_tasks.design.layout.sections import Section
from nornir_tasks.design.model.mlag import KEPT_ADDRESSES, BondTerms, BondVlan
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.core.address_fields import SUBNET_V6_LENGTH
from nornir_tasks.intent.core.findings import Finding, Marks, Path
from nornir_tasks.intent.keys.bonded_plane import BondIntent
from nornir_tasks.intent.rules.vlan import NEEDS_EVPN

REST = "hosts"
"""Name of the VLAN of groups that are in no other."""


def of_plane(demand: Demand) -> tuple[BondVlan, ...]:
    """In the order of the file, then that of all other groups; none where ports are not bonded."""
    if not demand.is_bonded or demand.plane.host_vlan is None:
        return ()
    own = tuple(
        _of_way_out(demand.way_out)
        if demand.way_out is not None and name == VLAN
        else BondVlan(name, each.id, each.groups, _text(each.hosts), _text(each.hosts_v6))
        for name, each in demand.plane.vlans.items()
    )
    return (*own, BondVlan(REST, demand.plane.host_vlan))


def _of_way_out(way: WayOut) -> BondVlan:
    subnets = (_text(way.subnet), _text(way.subnet_v6))
    return BondVlan(VLAN, way.number, (way.group,), *subnets, way.gateway, way.gateway_v6, way.next_hops)


def _text(prefix: IPv4Network | IPv6Network | None) -> str | None:
    return None if prefix is None else str(prefix)


def bonds(parts: Iterable[Demand]) -> tuple[BondTerms, ...]:
    """How each group of hosts bonds ports of its own on a plane."""
    own = (each for each in parts if each.is_bonded and each.nics.ports_of is None)
    terms = ((each.group, each.nics.bond or BondIntent()) for each in own)
    return tuple(BondTerms(group, bond.rate, bond.fallback, bond.min_links) for group, bond in terms)


def subnets(demand: Demand) -> dict[str, str]:
    """Name of a pool -> the subnet of a VLAN that has one of its own."""
    there = demand.plane.vlans.items() if demand.is_bonded else ()
    return {f"vlan {name}": str(each.hosts) for name, each in there if each.hosts is not None}


def check(parts: Sequence[Section], marks: Marks) -> None:
    """Raise DesignError for subnets on several pairs, those too small for their hosts, and too few IPv6 subnets."""
    of_hosts = [part for part in parts if part.demand.is_bonded and not part.demand.is_of_machines]
    findings = [finding for part in of_hosts for finding in _findings(part)]
    findings += _routed_v6([part for part in parts if part.demand.is_bonded])
    if findings:
        raise DesignError(marks.problems(dict.fromkeys(findings)))


def _findings(part: Section) -> Iterator[Finding]:
    demand, layout = part.demand, part.layout
    vlan = demand.plane.vlan_of(demand.group)
    if vlan is not None and demand.own_subnet is not None:
        path = demand.on_plane("vlans", vlan[0], "hosts")
        if layout.leaf_groups > 1:
            what = f"one subnet for hosts of {demand.group} on {layout.leaf_groups} pairs of leaves"
            expected = f"at most {layout.hosts_per_group} hosts in it; or no subnet: each pair has its own then"
            found, also = f"{demand.own_max} hosts", demand.on_hosts("max")
            yield Finding(path, what, expected, found, NEEDS_EVPN, also=also)
        else:
            yield from _too_small(path, demand.own_subnet, layout.hosts_per_group + KEPT_ADDRESSES)
    pool, last = demand.plane.pools.hosts_v6, layout.last_group
    length = SUBNET_V6_LENGTH - last.bit_length()
    if pool is not None and pool.prefixlen > length:
        expected = f"/{length} or larger: a /{SUBNET_V6_LENGTH} for each of {last} pairs"
        yield Finding(demand.on_plane("pools", "hosts_v6"), "too small", expected, str(pool))


def _routed_v6(parts: Sequence[Section]) -> Iterator[Finding]:
    """IPv6 of one plane on several pairs, the way out among them: no session between switches carries it."""
    found: dict[str, dict[Path, set[int]]] = {}
    for part in parts:
        path = _v6_of(part.demand)
        if path is not None:
            first = part.layout.groups_before + 1
            groups = range(first, first + part.layout.leaf_groups)
            found.setdefault(part.demand.plane_name, {}).setdefault(path, set()).update(groups)
    for plane, its in found.items():
        pairs = sorted(set().union(*its.values()))
        if len(pairs) > 1:
            path = max(its, key=lambda each: len(its[each]))
            what = f"IPv6 of plane {plane} on {len(pairs)} pairs of leaves, which route no IPv6 to one another"
            expected = "IPv6 on one pair: vlans: {NAME: {groups: [GROUP], hosts_v6: a /64}}, no pools.hosts_v6"
            others = [each for each in its if each != path]
            numbers = ", ".join(map(str, pairs))
            yield Finding(path, what, expected, f"leaf groups {numbers}", also=others[0] if others else ())


def _v6_of(demand: Demand) -> Path | None:
    """What says that these hosts, or the machines beyond the way out, have IPv6; None where they have none."""
    if demand.is_of_machines and demand.way_out is not None:
        return demand.on_plane("default_route") if demand.way_out.subnet_v6 is not None else None
    vlan = demand.plane.vlan_of(demand.group)
    if vlan is not None and vlan[1].hosts_v6 is not None:
        return demand.on_plane("vlans", vlan[0], "hosts_v6")
    has_own = vlan is not None and vlan[1].hosts is not None
    return None if has_own or demand.plane.pools.hosts_v6 is None else demand.on_plane("pools", "hosts_v6")


def _too_small(path: Path, subnet: IPv4Network, needed: int) -> Iterator[Finding]:
    if subnet.num_addresses < needed:
        length = 32 - (needed - 1).bit_length()
        expected = f"/{length} or larger: {needed} addresses for the hosts of a full pair and gateways"
        yield Finding(path, "too small", expected, str(subnet))
