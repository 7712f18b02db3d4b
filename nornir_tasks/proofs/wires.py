"""Who hears whose frames: VLANs, routed interfaces and hosts that the lines at both ends of each cable join.

A frame leaves a port with its VLAN's tag or without one, and at the other end the lines there say what it comes to. So
a VLAN is as far as its cables carry it, under whatever number, and whichever switches and VRFs it ends at.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.contribute.mlag_config import peer_ends
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.links import Link
from nornir_tasks.design.model.network import Network

Place = tuple[str, int | str]
"""(switch, VLAN), or (switch, routed interface)."""

Tag = int | None
"""Of a frame on a cable; None: it has none."""


class HostEnd(NamedTuple):
    """A host's cable, and the frames of one tag on it."""

    link: Link
    tag: Tag
    place: Place
    """What these come to."""

    @property
    def words(self) -> str:
        """``leaf-1 swp1, VLAN 320``."""
        leaf, inner = self.place
        where = f"VLAN {inner}" if isinstance(inner, int) else inner
        return f"{leaf} {self.link.upper.port}, {where}"


@dataclass
class Wires:
    """All places of a site, and which of them are one wire."""

    network: Network
    configs: Mapping[str, DeviceConfig]
    bridges: Sequence[tuple[str, Link, Link]] = ()
    """(host, cable of its BMC, cable of the port that this shares with its host)."""
    _parents: dict[Place, Place] = field(default_factory=dict)
    _seams: dict[Place, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Place -> the cables, in words, that join it to another VLAN than its own pair's."""

    def __post_init__(self) -> None:
        for link in self.network.links:
            here, there = (self._ends_at(end.device, end.port) for end in (link.upper, link.lower))
            for tag in here.keys() & there.keys():
                self._join(link, (link.upper.device, here[tag]), (link.lower.device, there[tag]))
        for host, one, other in self.bridges:
            first, second = (self.end(each.upper.device, each.upper.port, None) for each in (one, other))
            if first is not None and second is not None:
                self._seams[first].append(f"{_words(first)} and {_words(second)} are one by the BMC of {host}")
                self._unite(first, second)

    def wire(self, place: Place) -> Place:
        """The place that stands for all that are one wire with this one."""
        at = self._parents.get(place, place)
        while at != place:
            place, at = at, self._parents.get(at, at)
        return at

    def routed(self, wires: Iterable[Place]) -> list[tuple[str, Interface]]:
        """(switch, interface) of each that routes what is sent on these wires."""
        return [each for wire in dict.fromkeys(wires) for each in self._routed.get(wire, ())]

    def seams(self, wire: Place) -> list[str]:
        """The cables that make one wire of several networks, in words."""
        return self._seams_of.get(wire, [])

    @cached_property
    def hosts(self) -> dict[Place, list[HostEnd]]:
        """Wire -> the hosts' cables on it, by every tag that their port takes."""
        found: dict[Place, list[HostEnd]] = defaultdict(list)
        for link in self.network.links:
            leaf = link.upper.device
            for tag, inner in self._ends_at(leaf, link.upper.port).items() if link.kind == "host" else ():
                found[self.wire((leaf, inner))].append(HostEnd(link, tag, (leaf, inner)))
        return dict(found)

    def end(self, device: str, port: str, tag: Tag) -> Place | None:
        """What frames of this tag come to at a port; None: they are dropped."""
        inner = self._ends_at(device, port).get(tag)
        return None if inner is None else (device, inner)

    def ends(self, device: str, port: str) -> tuple[Place, ...]:
        """What frames of any tag come to at a port."""
        return tuple((device, inner) for inner in self._ends_at(device, port).values())

    def _join(self, link: Link, one: Place, other: Place) -> None:
        is_planned = link.kind == "host" or (link.kind == "peer" and one[1] == other[1])
        if not is_planned:
            words = f"{_words(one)} and {_words(other)} are one by {link.upper.device} {link.upper.port}"
            self._seams[one].append(words)
        self._unite(one, other)

    def _unite(self, one: Place, other: Place) -> None:
        first, second = self.wire(one), self.wire(other)
        if first != second:
            self._parents[second] = first

    def _ends_at(self, device: str, port: str) -> dict[Tag, int | str]:
        """Tag -> the VLAN or the routed interface that its frames come to at a port."""
        there = self._by_name.get(device, {})
        own = there.get(port)
        if own is None or not own.enabled:
            return {}
        if own.member is not None:  # what a group says goes for its members
            own = there.get(own.member.group, own)
        found = _taken(own) if own.enabled else {}
        for each in self._subinterfaces.get((device, own.name), ()):
            found[each.tag] = each.name
        return found

    @cached_property
    def _by_name(self) -> dict[str, dict[str, Interface]]:
        return {device: {each.name: each for each in config.interfaces} for device, config in self.configs.items()}

    @cached_property
    def _subinterfaces(self) -> dict[tuple[str, str], list[Interface]]:
        found: dict[tuple[str, str], list[Interface]] = defaultdict(list)
        for device, config in self.configs.items():
            for each in config.interfaces:
                if each.tag is not None and each.enabled:
                    found[device, each.name.rpartition(".")[0]].append(each)
        return dict(found)

    @cached_property
    def _routed(self) -> dict[Place, list[tuple[str, Interface]]]:
        found: dict[Place, list[tuple[str, Interface]]] = defaultdict(list)
        for device, config in self.configs.items():
            for each in config.interfaces:
                if each.enabled and is_routed(each) and (device, each.name) not in self._apart:
                    vlan = svi_vlan(each.name)
                    found[self.wire((device, each.name if vlan is None else vlan))].append((device, each))
        return dict(found)

    @cached_property
    def _apart(self) -> set[tuple[str, str]]:
        """The management ports that are in a VRF without other ports: what comes in there goes nowhere else."""
        found, switches = set(), self.configs
        ends = {
            (e.lower.device, e.lower.port)
            for e in self.network.links
            if e.kind == "host" and e.lower.device in switches
        }
        for device, config in self.configs.items():
            mine = [each for each in config.interfaces if (device, each.name) in ends]
            for port in mine:
                others = (each for each in config.interfaces if each.vrf == port.vrf and each not in mine)
                if not any(each.enabled and is_routed(each) and not _is_loopback(each.name) for each in others):
                    found.add((device, port.name))
        return found

    @cached_property
    def _seams_of(self) -> dict[Place, list[str]]:
        found: dict[Place, list[str]] = defaultdict(list)
        for place, words in self._seams.items():
            found[self.wire(place)] += words
        return dict(found)


def far_ends(network: Network, configs: Mapping[str, DeviceConfig]) -> dict[tuple[str, str], tuple[str, str]]:
    """(switch, port) -> the other end of each cable, and of each peer link's VLAN, between two of these switches."""
    ends = peer_ends(network).items()
    found = {near: (other, port) for near, (other, port, _) in ends if near[0] in configs and other in configs}
    for link in network.links:
        if link.upper.device in configs and link.lower.device in configs:
            here, there = (link.upper.device, link.upper.port), (link.lower.device, link.lower.port)
            found[here], found[there] = there, here
    return found


def svi_vlan(name: str) -> int | None:
    """The VLAN of a switch's routed VLAN interface; None for any other."""
    digits = name[4:] if name[:4] in ("Vlan", "vlan") else ""
    return int(digits) if digits.isdigit() else None


def _is_loopback(name: str) -> bool:
    return name.lower().startswith("lo")


def is_routed(port: Interface) -> bool:
    """Has it a router behind it: an SVI, or a port in no VLAN with addresses or neighbours of its own?"""
    if port.access_vlan is not None or port.tagged_vlans is not None or port.member is not None:
        return False
    has_peers = port.ra_interval_ms is not None
    return svi_vlan(port.name) is not None or bool(port.address or port.ipv6_address or has_peers)


def _taken(port: Interface) -> dict[Tag, int | str]:
    """What the frames of a port come to, by its own lines alone."""
    if port.tagged_vlans is not None:
        tagged: dict[Tag, int | str] = {each: each for each in port.tagged_vlans if each != port.native_vlan}
        return tagged | ({None: port.native_vlan} if port.native_vlan is not None else {})
    if port.access_vlan is not None:
        return {None: port.access_vlan}
    return {None: port.name} if is_routed(port) else {}


def _words(place: Place) -> str:
    device, inner = place
    return f"VLAN {inner} of {device}" if isinstance(inner, int) else f"{device} {inner}"
