"""The input for hosts' bonds beyond that for switches: NIC places, LACP, which planes ride on a bond."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.design.model.mlag import bond_of
from nornir_tasks.errors import IntentError
from nornir_tasks.intent.core.findings import Finding, Marks
from nornir_tasks.intent.keys.bonded_plane import BondIntent

MAX_NAME = 15
"""Characters of an interface's name: IFNAMSIZ of the Linux kernel (include/uapi/linux/if.h), less the NUL."""

TAKEN = ("all", "default", "lo")
"""The loopback interface, and what the kernel calls the settings of all interfaces (/proc/sys/net/ipv4/conf)."""


@dataclass(frozen=True, slots=True)
class BondedPlane:
    """One plane on a bond."""

    plane: str
    has_default_route: bool
    """Is the default route of these hosts by its gateway?"""
    networks: tuple[str, ...]
    """Prefixes elsewhere that the plane's flows begin or end at; reached by its gateway."""


@dataclass(frozen=True, slots=True)
class BondNeeds:
    """One bond of a group's hosts."""

    group: str
    """The prefix of the hosts' names."""
    bond: str
    """What the hosts call it."""
    places: tuple[str, ...]
    """Place of the NIC port of each member, in the order of their numbers."""
    exceptions: Mapping[str, Mapping[int, str]]
    """Host -> number of a member -> its place in this host."""
    rate: Literal["fast", "slow"]
    """How often LACP sends: each second, or every 30 seconds."""
    min_links: int
    """Members that must be up for the bond to be."""
    interfaces: Mapping[str, tuple[str, ...]]
    """Plane that is not described -> the hosts' interfaces on it."""
    planes: tuple[BondedPlane, ...]
    """First the one that the ports are of, untagged; then those that share them."""

    def is_of(self, host: str) -> bool:
        """Is this host one of the group?"""
        return host.rpartition("-")[0] == self.group


def bond_needs(demands: Iterable[Demand], marks: Marks) -> tuple[BondNeeds, ...]:
    """All bonds of all groups of hosts.

    Raises IntentError for all values that are missing and all that hosts cannot have. Only configuring hosts needs it.
    """
    bonded = [each for each in demands if each.is_bonded and not each.is_of_machines]
    findings = [finding for each in bonded for finding in _findings(each)]
    findings += [finding for one, other in combinations(bonded, 2) for finding in _two_ways(one, other)]
    if findings:
        raise IntentError(marks.problems(findings))
    return tuple(_needs(each, bonded) for each in bonded if each.nics.ports_of is None)


def _needs(owner: Demand, bonded: Sequence[Demand]) -> BondNeeds:
    nics, bond = owner.nics, owner.nics.bond or BondIntent()
    sharing = (each for each in bonded if (each.group, each.nics.ports_of) == (owner.group, owner.plane_name))
    return BondNeeds(
        group=owner.group,
        bond=bond_of(nics.port_names),
        places=nics.at or (),
        exceptions=nics.exceptions,
        rate=bond.rate,
        min_links=bond.min_links,
        interfaces=owner.hosts.interfaces,
        planes=tuple(
            BondedPlane(each.plane_name, each.way_out is not None, _networks(each)) for each in (owner, *sharing)
        ),
    )


def _networks(demand: Demand) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(prefix) for prefixes in demand.plane.networks.values() for prefix in prefixes))


def _findings(demand: Demand) -> Iterator[Finding]:
    nics = demand.nics
    if nics.ports_of is not None:
        yield from _name_of_vlan(demand, nics.ports_of)
        return
    if nics.at is None:
        what, example = "the places of these NICs are not declared", "at: [PCI address of rail 0, ...]"
        yield Finding(demand.on_nics(), what, example)
    name = bond_of(nics.port_names)
    if name in TAKEN:
        what, expected = "the kernel has this name already", f"any but {', '.join(TAKEN)}"
        yield Finding(demand.on_nics("port_names"), what, expected, name, "the bond of these ports is called so")
    for plane, interfaces in demand.hosts.interfaces.items():
        if name in interfaces:
            what, also = f"the bond of these ports would be called like an interface on plane {plane}", ("interfaces",)
            path = demand.on_nics("port_names")
            yield Finding(path, what, "other port_names", name, also=demand.on_hosts(*also, plane))


def _name_of_vlan(demand: Demand, owner: str) -> Iterator[Finding]:
    """Ports called so that the VLAN's interface would have a name which is too long."""
    vlan = demand.plane.vlan_of(demand.group)
    number = demand.plane.host_vlan if vlan is None else vlan[1].id
    stem = demand.hosts.nics[owner].port_names
    name = f"{bond_of(stem)}.{number}"
    if len(name) > MAX_NAME:
        path = demand.on_hosts("nics", owner, "port_names")
        what, most = f"the interface {name} of plane {demand.plane_name} would have too long a name", MAX_NAME - 1
        yield Finding(path, what, f"at most {most - len(str(number))} characters", stem, also=demand.on_nics())


def _two_ways(one: Demand, other: Demand) -> Iterator[Finding]:
    """Networks that a host would reach by the gateways of two planes."""
    if one.group != other.group:
        return
    for demand, against in ((one, other), (other, one)):
        taken = [against.plane.pools.hosts, *(each for part in against.plane.networks.values() for each in part)]
        for name, prefixes in demand.plane.networks.items():
            for number, prefix in enumerate(prefixes):
                if demand.way_out is None and any(prefix.overlaps(each) for each in taken):
                    path = demand.on_plane("networks", name, number)
                    what = f"hosts of {demand.group} would reach it by plane {against.plane_name} as well"
                    expected = "a network that one plane of a host leads to"
                    yield Finding(path, what, expected, str(prefix), also=against.on_plane())
