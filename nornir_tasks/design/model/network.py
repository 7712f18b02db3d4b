"""The network as designed: fabrics, the planes on them, switches. Plain frozen data, fast look-ups.

fabric = switches, cables between them and the routing; plane = what hosts get on it; links: ``design/model/links.py``.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from nornir_tasks.design.model.capabilities import Capabilities, OsFacts
from nornir_tasks.design.model.catalogue import Slot, SwitchModel
from nornir_tasks.design.model.edge_policy import EdgeTerms
from nornir_tasks.design.model.flow_terms import Ends, ends
from nornir_tasks.design.model.links import Cable, Circuit, Endpoint, HostNic, Link, ManagementAddress, NicPort
from nornir_tasks.design.model.mlag import BondVlan, Pair, Segment, segment
from nornir_tasks.design.model.partial_config import ClassPolicy
from nornir_tasks.design.model.places import Place
from nornir_tasks.design.model.plane import Plane
from nornir_tasks.design.model.sizing import Layout, Sizing
from nornir_tasks.intent.keys.base import BaseIntent
from nornir_tasks.intent.rules.flow import OUTSIDE
from nornir_tasks.intent.rules.oob_devices import SWITCHES

ROLES = ("leaf", "spine", "core")
"""Level -> what the switches of a Clos fabric are called; hosts are cabled to level 0."""
EVERYWHERE = ("0.0.0.0/0", "::/0")
"""The default route of IPv4 and of IPv6."""


@dataclass(frozen=True, slots=True)
class Device:
    """One switch. Its name, addresses and ASN follow from its identity: fabric, level, group, rail or index."""

    name: str
    fabric: str
    level: int
    """0 where hosts are cabled, one more with each tier above."""
    role: str
    """What switches of this level are called, in names and messages."""
    index: int
    """Leaf group of a leaf, number of a spine; from 1."""
    rail: int | None
    """The rail a leaf serves, from 0, or its place in its pair; None for a leaf of all rails and other levels."""
    spine_group: int
    """Spines of one group and the leaves cabled to them, from 1; with three tiers the pod. Of a core: its plane, the
    spines of one position in all pods and the cores joined to them."""
    os: str
    release: str
    model: str
    capabilities: Capabilities
    asn: int = 0
    loopback: str = ""
    """IPv4 address without length; router-id as well."""
    copy: int | None = None
    """The copy of the fabric that it belongs to, from 1; None if there is only one. Groups, rails and indices are
    numbered in each copy."""
    pair: str | None = None
    """What both leaves of its pair are called together, ``leaf-g1``; None: it is in no pair."""
    slots: tuple[Slot, ...] = ()
    """Every port that the layout for ``hosts.max`` gives a cable, now or later."""

    @property
    def asic(self) -> str:
        """The ASIC, by the name that capabilities use."""
        return self.capabilities.asic


@dataclass(frozen=True, slots=True)
class FabricPart:
    """The leaves of one group of hosts on one plane."""

    plane: str
    group: str
    """The hosts are called after it."""
    sizing: Sizing
    """The layout that was chosen, what it costs, and the runner-up."""
    oversubscription: float
    """As built: host bandwidth over uplink bandwidth of a fully populated leaf."""

    @property
    def layout(self) -> Layout:
        """What was chosen."""
        return self.sizing.chosen.layout


@dataclass(frozen=True, slots=True)
class Fabric:
    """Switches, the cables between them and the routing over these. Planes ride on it, one or several."""

    name: str
    kind: str
    """What joins its switches: ``rail``, ``clos``, ``clos3``."""
    roles: tuple[str, ...]
    """Level -> what its switches are called, whether it has any or not."""
    pools: Mapping[str, str]
    """``loopback``, ``links`` -> prefix."""
    mtu_bytes: int
    """IP MTU asked of every switch's port; what a port holds: :mod:`nornir_tasks.design.addresses.mtu`."""
    classes: tuple[ClassPolicy, ...]
    """The traffic classes of its planes, by priority; each of its switches knows all of them."""
    load_balancing: Literal["static", "flowlet", "per_packet"]
    """How a switch spreads over equal-cost paths."""
    shuts_unused: bool
    """Are ports without a cable kept shut?"""
    parts: tuple[FabricPart, ...]
    """The leaves of each group of hosts on each plane, in one copy; they share the spines."""
    spines: int
    cores: int
    switches: int
    """Leaves, spines and cores that the layout has room for, in one copy."""
    declared_oversubscription: tuple[float, ...]
    """Level -> the most that was asked for between it and the one above; without an entry 1."""
    capacity_after_loss: float
    """Share of the declared bandwidth that each leaf keeps with one spine lost, as asked for."""
    max_paths: int
    """The widest ECMP group of any switch."""
    prefixes_from: tuple[int, ...]
    """Level -> the most prefixes that one switch of it announces; the limits of its sessions follow from this."""
    bfd: bool
    drain_prepend: int
    rail_spine_group: tuple[int, ...]
    """Rail -> its spine group; leaves of all rails: one entry for each rail all the same. With three tiers 1."""
    vrf: str | None = None
    """The VRF that its switches route in, loopbacks included; None: the default one."""
    copies: int = 1
    """Equal copies that it consists of; no two have a switch in common, and each NIC has a port on each."""
    copies_there: int = 1
    """Of these, the first so many are there now."""
    incast_ports: int | None = None
    """Ports of a switch that are congested at once in the worst case; None: not said."""
    lossless_memory_percent: int | None = None
    """Share of a switch's packet memory for lossless classes; None: the system's own."""
    counters: bool = False
    """Its switches count what they count only with a line for it."""
    vlans: frozenset[int] = frozenset()
    """VLANs of its own on its switches, beside those of planes and of pairs."""
    password: str | None = None
    """Placeholder of the secret that all sessions between its switches are signed with (TCP MD5)."""

    @property
    def has_pairs(self) -> bool:
        """Are its leaves pairs, with links to one another?"""
        return any(each.layout.peer_links > 0 for each in self.parts)

    @property
    def oversubscription(self) -> float:
        """As built, of the leaves where it is highest."""
        return max((each.oversubscription for each in self.parts), default=1.0)

    def parts_of(self, plane: str) -> tuple[FabricPart, ...]:
        """Those of one plane."""
        return tuple(each for each in self.parts if each.plane == plane)

    def reachable(self, rail: int, other: int) -> bool:
        """Can a copy of the fabric carry a packet between these rails (else: NVLink, as the intent declares)?

        No packet goes from one copy to another.
        """
        return self.rail_spine_group[rail] == self.rail_spine_group[other]


@dataclass(frozen=True)
class Network:
    """Everything designed for one site. Sequences are in the order of declared identity."""

    site: str
    """The site's name."""
    fabrics: Mapping[str, Fabric]
    planes: Mapping[str, Plane]
    devices: tuple[Device, ...]
    links: tuple[Link, ...]
    circuits: tuple[Circuit, ...]
    """What runs over the links, in their order."""
    host_blocks: Mapping[tuple[str, str], str]
    """(leaf, plane) -> the prefix that holds all addresses that the plane's hosts have at that leaf."""
    cables: tuple[Cable, ...]
    nics: tuple[NicPort, ...]
    facts: Mapping[str, OsFacts]
    models: Mapping[str, SwitchModel] = field(default_factory=dict)
    """By name, those that are used."""
    places: Mapping[str, Place] = field(default_factory=dict)
    """Device -> where it stands; devices without a declared place are not in it."""
    base: Mapping[str, BaseIntent] = field(default_factory=dict)
    """Fabric -> what is managed of the base configuration of its switches; the others' is not managed."""
    beyond: tuple[NicPort, ...] = ()
    """Ports of the machines beyond ways out, which are no hosts of the site."""
    attached: tuple[NicPort, ...] = ()
    """Ports on the out-of-band plane: of BMCs, of power distribution, and the management ports of switches."""
    attached_prefixes: Mapping[tuple[str, str], Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    """(access switch, plane) -> group -> as few prefixes as hold just the addresses kept for it there."""
    management: Mapping[str, ManagementAddress] = field(default_factory=dict)
    """Switch -> the address of its management port; empty where the site describes no out-of-band plane."""
    tool: str = ""
    """The attached device that the switches are pushed from; empty where nothing is attached."""
    edge: EdgeTerms | None = None
    """What the edge routers are for; None: the site has none."""

    def device(self, name: str) -> Device:
        """The switch of this name; KeyError if there is none."""
        return self._devices[name]

    @cached_property
    def _devices(self) -> dict[str, Device]:
        return {device.name: device for device in self.devices}

    def fabric_of(self, device: Device) -> Fabric:
        """The fabric that a switch belongs to."""
        return self.fabrics[device.fabric]

    def planes_on(self, fabric: str) -> tuple[Plane, ...]:
        """The planes that ride on this fabric."""
        return tuple(plane for plane in self.planes.values() if plane.fabric == fabric)

    def host_block(self, device: str, plane: str) -> str | None:
        """The prefix of this plane's hosts at a leaf; None where the plane has no hosts at that switch."""
        return self.host_blocks.get((device, plane))

    def blocks_at(self, device: str) -> Mapping[str, str]:
        """Plane -> the prefix of its hosts at this switch."""
        return self._blocks.get(device, {})

    def __contains__(self, name: object) -> bool:
        return name in self._devices

    def links_of(self, device: str) -> tuple[Link, ...]:
        """All links of a switch or host, without that of a switch's management port; empty for an unknown name."""
        return tuple(self._links.get(device, ()))

    def link_at(self, device: str, port: str) -> Link | None:
        """The link on this port."""
        return self._ports.get((device, port))

    def cable_m(self, link: Link) -> int | None:
        """Length of its cable by the cabling plan; None where the intent does not say it."""
        return self._lengths.get(link.name)

    def far_end(self, device: str, port: str) -> Endpoint | None:
        """What is cabled to this port."""
        link = self._ports.get((device, port))
        return link.far(device) if link else None

    def circuits_of(self, device: str) -> tuple[Circuit, ...]:
        """What runs over the links of a switch or host, in their order; empty for an unknown name."""
        return tuple(self._circuits.get(device, ()))

    def circuits_on(self, link: Link) -> tuple[Circuit, ...]:
        """What runs over one link; none where it is cabled and not used."""
        return self._on_links.get(link.name, ())

    def rails_of(self, host: str, plane: str) -> tuple[HostNic, ...]:
        """The NIC ports of one host that carry a rail of this plane, by rail, then by copy of the fabric."""
        mtu_bytes, ports = self.planes[plane].mtu_bytes, {nic.link.name: nic for nic in self.nics_by_host.get(host, ())}
        own = (each for each in self.circuits_of(host) if each.owner == plane)
        found = (HostNic(ports[e.link.name], e, e.use.rail, mtu_bytes) for e in own if e.use.rail is not None)
        return tuple(sorted(found, key=lambda nic: (nic.rail, nic.copy)))

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Every pair of leaves, in the order of its first."""
        found: dict[str, list[Device]] = defaultdict(list)
        for device in (each for each in self.devices if each.pair is not None):
            found[device.pair or ""].append(device)
        links: dict[str, list[Link]] = defaultdict(list)
        for link in (each for each in self.links if each.kind == "peer"):
            links[link.upper.device].append(link)
        both = found.items()
        return tuple(Pair(name, a.fabric, a.index, (a.name, b.name), tuple(links[a.name])) for name, (a, b) in both)

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """The VLANs of bonds, pair by pair, and the subnets of each."""
        bonded = [each for each in self.planes.values() if each.is_bonded]
        return tuple(
            each
            for pair in self.pairs
            for plane in bonded
            if plane.fabric == pair.fabric
            for each in self._at(pair, plane)
        )

    def segments_at(self, device: str, plane: str) -> tuple[Segment, ...]:
        """The VLANs of a plane's bonds at a leaf."""
        return tuple(each for each in self._segments.get(device, ()) if each.plane == plane)

    @cached_property
    def ends_of_flows(self) -> dict[str, dict[str, Ends]]:
        """Plane whose VLANs are filtered -> what the names of its flows stand for."""
        found = {}
        for name, plane in self.planes.items():
            if plane.allowed is not None:
                its = (each for each in self.segments if each.plane == name and not each.is_way_out)
                found[name] = {**ends(its, plane.allowed.networks, OUTSIDE), **self._attached_ends(name)}
        return found

    def _attached_ends(self, plane: str) -> dict[str, Ends]:
        """Of an out-of-band plane: group -> the addresses kept for it."""
        there = [groups for (_, name), groups in self.attached_prefixes.items() if name == plane]
        return {name: Ends.of(each for its in there for each in its.get(name, ())) for its in there for name in its}

    def group_of(self, name: str) -> str:
        """The group of a host or of something attached, by its name: ``gpu`` of ``gpu-12``; of switches all are one."""
        return SWITCHES if name in self._devices else name.rpartition("-")[0]

    def segment_of(self, circuit: Circuit) -> Segment:
        """The VLAN of a pair that a bond's port is switched into."""
        leaf, owner = circuit.link.upper.device, circuit.owner
        return next(each for each in self.segments_at(leaf, owner) if f"{owner}-{each.name}" == circuit.use.segment)

    def prefixes_at(self, device: str) -> tuple[tuple[str, str], ...]:
        """(plane, prefix) of what a leaf announces for hosts: blocks, subnets of bonds, a way out's default route."""
        blocks = (each for each in self.blocks_at(device).items() if not self.planes[each[0]].is_bonded)
        there = self._segments.get(device, ())
        subnets = ((each.plane, each.subnet) for each in there)
        return (*blocks, *subnets, *((each.plane, EVERYWHERE[0]) for each in there if each.is_way_out))

    def _at(self, pair: Pair, plane: Plane) -> Iterator[Segment]:
        """The VLANs of one plane at one pair."""
        found: dict[BondVlan, list[str]] = {}
        for part in self.fabrics[pair.fabric].parts_of(plane.name):
            vlan = plane.vlan_of(part.group)
            if vlan is not None and part.layout.has_group(pair.number):
                found.setdefault(vlan, []).append(part.group)
        block = self.host_block(pair.leaves[0], plane.name)
        for vlan, groups in found.items():
            if vlan.subnet is not None:
                yield segment(plane.name, vlan, pair, tuple(groups), (vlan.subnet, vlan.subnet_v6))
            elif block is not None:
                v6 = vlan.subnet_v6 or plane.subnet_v6(pair.number)
                yield segment(plane.name, vlan, pair, tuple(groups), (block, v6))

    @cached_property
    def _segments(self) -> dict[str, list[Segment]]:
        found: dict[str, list[Segment]] = defaultdict(list)
        for each in self.segments:
            for leaf, _ in each.leaves:
                found[leaf].append(each)
        return dict(found)

    @property
    def attached_devices(self) -> tuple[str, ...]:
        """Names of what is attached to the out-of-band plane and is no switch, in order."""
        return tuple(each.host for each in self.attached if each.host not in self)

    @property
    def hosts(self) -> tuple[str, ...]:
        """Names of the hosts that are there, in order."""
        return tuple(self.nics_by_host)

    @cached_property
    def _blocks(self) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = defaultdict(dict)
        for (device, plane), block in self.host_blocks.items():
            found[device][plane] = block
        return dict(found)

    @cached_property
    def _links(self) -> dict[str, list[Link]]:
        found: dict[str, list[Link]] = defaultdict(list)
        for link in self.links:
            found[link.upper.device].append(link)
            if not self._is_management(link):
                found[link.lower.device].append(link)
        return dict(found)

    def _is_management(self, link: Link) -> bool:
        """Does it end at the management port of a switch? What runs over it is none of that switch's business."""
        return link.kind == "host" and link.lower.device in self._devices

    @cached_property
    def _circuits(self) -> dict[str, list[Circuit]]:
        found: dict[str, list[Circuit]] = defaultdict(list)
        for circuit in self.circuits:
            found[circuit.link.upper.device].append(circuit)
            if not self._is_management(circuit.link):
                found[circuit.link.lower.device].append(circuit)
        return dict(found)

    @cached_property
    def _on_links(self) -> dict[str, tuple[Circuit, ...]]:
        found: dict[str, tuple[Circuit, ...]] = defaultdict(tuple)
        for circuit in self.circuits:
            found[circuit.link.name] += (circuit,)
        return dict(found)

    @cached_property
    def _lengths(self) -> dict[str, int | None]:
        return {link: cable.length_m for cable in self.cables for link in cable.links}

    @cached_property
    def _ports(self) -> dict[tuple[str, str], Link]:
        return {(end.device, end.port): link for link in self.links for end in (link.upper, link.lower)}

    @cached_property
    def nics_by_host(self) -> dict[str, list[NicPort]]:
        """Host -> the ports of its NICs, in order."""
        found: dict[str, list[NicPort]] = defaultdict(list)
        for nic in self.nics:
            found[nic.host].append(nic)
        return dict(found)


DRAIN_PREPEND = 3
"""A path through a drained switch is this much longer: more than any detour in a fabric of three tiers is."""
