"""The input for one fabric: its intent, that of the plane on it, and of the plane's hosts.

The steps of the design take such a demand, never the whole intent. At present the layout of a fabric supports one plane
and one group of hosts; others are refused with their place in the file.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from ipaddress import IPv4Network
from typing import Any

from nornir_tasks.design.demand.kind_rules import by_kind
from nornir_tasks.design.demand.kinds import PlaneKind
from nornir_tasks.design.demand.way_out import MACHINES, PORTS, VLAN, WayOut, way_out
from nornir_tasks.errors import IntentError
from nornir_tasks.intent.core.findings import Finding, Path, dotted
from nornir_tasks.intent.core.unknown import UnknownValueError, independent
from nornir_tasks.intent.keys.fabric import FabricIntent
from nornir_tasks.intent.keys.host import HostGroupIntent, NicsIntent
from nornir_tasks.intent.keys.plane import PlaneIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.oob_devices import TREE, of_trees
from nornir_tasks.intent.settings import Terms


@dataclass(frozen=True, slots=True)
class Guest:
    """One group of hosts of several on the same leaves."""

    group: str
    count: int
    """Hosts that are there."""
    max: int
    """Places that are kept for them."""
    port_names: str
    """What they call their ports, without the number."""


@dataclass(frozen=True, slots=True)
class AttachedEnd:
    """One port on an out-of-band plane, and what it is a port of."""

    group: str
    """By the name that flows have for it: ``pdu``, ``gpu-bmc``, ``switches``."""
    device: str
    port: str
    number: int
    """In its group, from 1."""
    is_there: bool
    """Else its place is kept."""


@dataclass(frozen=True, slots=True)
class Attached:
    """All ports on an out-of-band plane."""

    rows: tuple[tuple[AttachedEnd | None, ...], ...]
    """Access switch by access switch, what has each of its places; None: nothing ever has."""

    @property
    def names(self) -> frozenset[str]:
        """Everything that has a place."""
        return frozenset(each.device for row in self.rows for each in row if each is not None)


@dataclass(frozen=True, slots=True)
class Demand:
    """One fabric, one plane on it, one group of hosts on that."""

    fabric_name: str
    fabric: FabricIntent
    plane_name: str
    plane: PlaneIntent
    kind: str
    """The file of ``design/contribute/planes/`` that makes the plane's contributions."""
    group: str
    """The prefix of the hosts' names."""
    hosts: HostGroupIntent
    nics: NicsIntent
    terms: Terms
    """The values that apply, from policy, fabric and plane."""
    sharers: int
    """Planes more that use the same NIC ports, each with a tag or a VLAN."""
    guests: tuple["Guest", ...] = ()
    """These hosts and other groups on the same leaves, in this order; empty: there are none. ``hosts`` counts all."""
    attached: Attached | None = None
    """Of an out-of-band plane: everything with a port on it, instead of hosts."""
    way_out: WayOut | None = None
    """Where the plane's hosts leave the site."""

    @property
    def is_of_machines(self) -> bool:
        """Is the group that of the machines beyond the way out, which are no hosts of the site?"""
        return self.way_out is not None and self.way_out.group == self.group

    @property
    def machines(self) -> tuple[str, ...]:
        """Their names; none if it is a group of hosts."""
        return tuple(f"{self.group}-{number}" for number in range(1, MACHINES + 1)) if self.is_of_machines else ()

    @property
    def has_leaves(self) -> bool:
        """Has it leaves of its own? Else it uses ports of another plane, or leaves of other hosts."""
        return self.nics.ports_of is None and self.nics.leaves_of is None

    @property
    def own_max(self) -> int:
        """Hosts of the group at most, without others on its leaves."""
        return self.guests[0].max if self.guests else self.hosts.max

    @property
    def is_bonded(self) -> bool:
        """Are all ports of a host one bond?"""
        return self.plane.link == "bond"

    @property
    def own_subnet(self) -> IPv4Network | None:
        """Of the hosts' VLAN, if it has one of its own; else they are in their pair's block."""
        found = self.plane.vlan_of(self.group) if self.is_bonded else None
        return None if found is None else found[1].hosts

    @property
    def places_before(self) -> int:
        """Places of the hosts of other groups before these, on leaves that they share."""
        before = 0
        for each in self.guests:
            if each.group == self.group:
                break
            before += each.max
        return before

    def has_host(self, host: str) -> bool:
        """Is this host one of the group?"""
        return self.attached is not None or host.rpartition("-")[0] == self.group

    def port_names_of(self, group: str) -> str:
        """What hosts of this group, on these leaves, call their ports, without the number."""
        return next((each.port_names for each in self.guests if each.group == group), self.nics.port_names)

    def hosts_at(self, first: int, most: int) -> Iterator[tuple[int, tuple[str, int]]]:
        """(place from 0, (group, number from 1)) of the hosts that are there, on ``most`` places from ``first`` on."""
        if not self.guests:
            for place in range(min(most, self.hosts.count - first)):
                yield place, (self.group, first + place + 1)
            return
        before = 0
        for each in self.guests:
            for number in range(each.count):
                if first <= before + number < first + most:
                    yield before + number - first, (each.group, number + 1)
            before += each.max

    def on_fabric(self, *path: str | int) -> Path:
        """A place in the fabric's part of the intent."""
        return ("fabrics", self.fabric_name, *path)

    def on_plane(self, *path: str | int) -> Path:
        """A place in the plane's part of the intent."""
        return ("planes", self.plane_name, *path)

    def on_hosts(self, *path: str | int) -> Path:
        """A place in the host group's part of the intent; of a tree, which has none, where its devices stand."""
        if self.is_of_machines:
            return self.on_plane("default_route")
        return self.on_plane("devices") if self.fabric.design == TREE else ("hosts", self.group, *path)

    @property
    def most(self) -> str:
        """The place of the number of hosts that the fabric is laid out for, for messages."""
        return dotted(self.on_hosts("max"))

    def on_nics(self, *path: str | int) -> Path:
        """A place in the part about the hosts' NICs on the plane; of a tree, what the plane says of ports itself."""
        if self.fabric.design == TREE:
            return self.on_plane("port_speed") if path == ("speed",) else self.on_plane()
        return self.on_hosts("nics", self.plane_name, *path)


def demands(intent: Intent, kinds: Mapping[str, PlaneKind]) -> tuple[Demand, ...]:
    """One for each plane and group of hosts on it, fabric by fabric in the order of the file.

    Hosts have none on an out-of-band plane (:mod:`nornir_tasks.design.layout.oob_ports`). ``kinds``: of planes, those
    that there are, by name.

    Raises IntentError for an unknown kind of plane, DesignError for what the layout does not support yet.
    """
    unknown = list(independent(_unknown_kinds(intent, kinds), by_kind(intent, kinds)))
    if unknown:
        raise IntentError(intent.marks.problems(unknown))
    trees = {plane.fabric for plane in of_trees(intent).values()}
    return tuple(each for name in intent.fabrics if name not in trees for each in _on_fabric(intent, name))


def _on_fabric(intent: Intent, name: str) -> Iterator[Demand]:
    fabric = intent.fabrics[name]
    on_it = [(plane_name, plane) for plane_name, plane in intent.planes.items() if plane.fabric == name]
    ways = {plane_name: way_out(intent, plane_name, plane) for plane_name, plane in on_it}
    there = [
        Demand(
            *(name, fabric, plane_name, _with_vlan(plane, ways[plane_name]), kind_of(plane_name, plane)),
            *(group, hosts, nics, terms, sharers),
            way_out=ways[plane_name],
        )
        for plane_name, plane in on_it
        for group, hosts in (*intent.hosts.items(), *_machines(intent, ways[plane_name]))
        if plane_name in hosts.nics
        for nics in (hosts.nics[plane_name],)
        for terms in (Terms(intent.policy, name, fabric, plane_name, plane),)
        for sharers in (sum(each.ports_of == plane_name for each in hosts.nics.values()),)
    ]
    if not there:
        raise UnknownValueError  # never in an intent without mistakes
    yield from (_with_guests(each, there) for each in there)


def _with_vlan(plane: PlaneIntent, way: WayOut | None) -> PlaneIntent:
    return plane if way is None else plane.model_copy(update={"vlans": {**plane.vlans, VLAN: way.intended()}})


def _machines(intent: Intent, way: WayOut | None) -> Iterator[tuple[str, HostGroupIntent]]:
    """The group of machines beyond a way out, with ports like those of the hosts whose leaves they are cabled to."""
    if way is None:
        return
    own: dict[str, Any] = {"port_names": way.port_names, "leaves_of": way.leaves_of}
    if way.leaves_of is None:
        nics = NicsIntent.model_construct(rails=PORTS, speed=way.speed_gbps, **own)
    elif (owner := intent.hosts.get(way.leaves_of)) is not None and way.plane in owner.nics:
        none: dict[str, Any] = {"model": None, "at": None, "exceptions": {}, "bond": None, "first_group": None}
        nics = owner.nics[way.plane].model_copy(update={**own, **none})
    else:
        return
    yield way.group, HostGroupIntent.model_construct(count=MACHINES, max=MACHINES, nics={way.plane: nics})


def _with_guests(demand: Demand, there: Sequence[Demand]) -> Demand:
    """With the places of all groups of hosts on its leaves."""
    also = [each for each in there if (each.plane_name, each.nics.leaves_of) == (demand.plane_name, demand.group)]
    if not also or not demand.has_leaves:
        return demand
    guests = tuple(
        Guest(each.group, each.hosts.count, each.hosts.max, each.nics.port_names) for each in (demand, *also)
    )
    totals = {"count": sum(each.count for each in guests), "max": sum(each.max for each in guests)}
    return replace(demand, hosts=demand.hosts.model_copy(update=totals), guests=guests)


def kind_of(name: str, plane: PlaneIntent) -> str:
    """The plane's kind: as declared, else its name."""
    return name if plane.kind is None else plane.kind


def _unknown_kinds(intent: Intent, kinds: Collection[str]) -> Iterator[Finding]:
    known = sorted(kinds)
    for name, plane in intent.planes.items():
        kind = kind_of(name, plane)
        if kind not in known:
            close = get_close_matches(kind, known, n=1)
            hint = f"did you mean {close[0]}?" if close else ""
            what = (
                "no such kind of plane"
                if plane.kind is not None
                else "no kind of plane has this name: declare its kind"
            )
            yield Finding(("planes", name, "kind"), what, f"one of {', '.join(known)}", kind, hint)
