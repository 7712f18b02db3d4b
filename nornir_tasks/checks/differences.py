"""What a differing configuration breaks: from the fields that differ to the checks that fail because of them. Pure.

A line tells a reader what is wrong; what follows from it is told by the model that the line was read into. Of a line
that the model does not know, only this much is believed: on a port, that it may disturb what runs over that port.
"""

from collections.abc import Iterable, Iterator
from dataclasses import fields
from enum import Enum

from nornir_tasks.checks.evidence import Evidence
from nornir_tasks.design.device_config import Bgp, DeviceConfig, Interface

QOS = frozenset({"trust", "pfc", "watchdog", "ecn"})


class Breaks(Enum):
    """What is broken: checks that fail by it, and whether they fail at the link's other end as well."""

    LINK = (frozenset({"port", "lldp", "mtu", "ra", "vlan", "bgp", "load-balancing"}) | QOS, True)
    TRAFFIC = (frozenset({"lldp", "mtu", "ra", "vlan", "bgp", "load-balancing"}) | QOS, True)
    """A line on the port that the model does not know: anything but the link itself."""
    SESSION = (frozenset({"bgp"}), True)
    NEIGHBOUR = (frozenset({"lldp"}), True)
    MTU = (frozenset({"mtu"}), True)
    ADVERTISEMENTS = (frozenset({"ra", "bgp"}), True)
    QUEUES = (QOS | {"dscp"}, False)
    VLAN = (frozenset({"vlan", "port"}), False)
    BALANCING = (frozenset({"load-balancing"}), False)
    ROUTES = (frozenset({"ecmp"}), False)
    """Here and wherever a route comes through here: followed along the paths, not by port."""

    def __init__(self, checks: frozenset[str], at_both_ends: bool) -> None:
        self.checks = checks
        self.at_both_ends = at_both_ends


Broken = tuple[Breaks, str]
"""What, and on which port; an empty port where it is the switch's."""

_OF_INTERFACE = {
    "enabled": Breaks.LINK,
    "layer1": Breaks.LINK,
    "address": Breaks.SESSION,
    "mtu_bytes": Breaks.MTU,
    "qos_profile": Breaks.QUEUES,
    "ra_interval_ms": Breaks.ADVERTISEMENTS,
    "access_vlan": Breaks.VLAN,
    "edge": Breaks.VLAN,
}
_OF_SWITCH = {
    "services": (Breaks.NEIGHBOUR, Breaks.SESSION, Breaks.QUEUES, Breaks.ROUTES),
    "lldp": (Breaks.NEIGHBOUR,),
    "bfd": (Breaks.SESSION,),
    "qos": (Breaks.QUEUES,),
    "vlans": (Breaks.VLAN,),
    "load_balancing": (Breaks.BALANCING,),
    "routing_policy": (Breaks.ROUTES,),
    "static_routes": (Breaks.ROUTES,),
}
_OF_BGP = {
    "asn": (Breaks.SESSION, Breaks.ROUTES),
    "router_id": (Breaks.SESSION,),
    "maximum_paths": (Breaks.ROUTES,),
    "multipath_relax": (Breaks.ROUTES,),
    "networks": (Breaks.ROUTES,),
}
_WORDS = frozenset({"description"})
"""Fields that break nothing."""


def broken(evidence: Evidence, device: str) -> Iterator[Broken]:
    """All that the differences between what a switch runs and what it shall run break, with the port if it is one's."""
    running, wanted = evidence.running[device], evidence.wanted[device]
    yield from _interfaces(evidence, running, wanted)
    for name, kinds in _OF_SWITCH.items():
        if getattr(running, name) != getattr(wanted, name):
            yield from ((kind, "") for kind in kinds)
    if wanted.bgp is not None:
        yield from _bgp(evidence, device, running.bgp, wanted.bgp)


def _interfaces(evidence: Evidence, running: DeviceConfig, wanted: DeviceConfig) -> Iterator[Broken]:
    found = {each.name: each for each in running.interfaces}
    split_otherwise = running.breakouts != wanted.breakouts
    for port in wanted.interfaces:
        if split_otherwise and (wanted.name, port.name) not in evidence.port_states:
            yield Breaks.LINK, port.name
        yield from ((kind, port.name) for kind in _differing(found.get(port.name), port))


def _differing(found: Interface | None, wanted: Interface) -> Iterable[Breaks]:
    if found == wanted:
        return ()
    if found is None:
        return dict.fromkeys(_OF_INTERFACE.values())
    return {kind: None for name, kind in _OF_INTERFACE.items() if getattr(found, name) != getattr(wanted, name)}


def _bgp(evidence: Evidence, device: str, running: Bgp | None, wanted: Bgp) -> Iterator[Broken]:
    if running is None:
        yield Breaks.SESSION, ""
        yield Breaks.ROUTES, ""
        return
    for name, kinds in _OF_BGP.items():
        if getattr(running, name) != getattr(wanted, name):
            yield from ((kind, "") for kind in kinds)
    groups = {each.name: each for each in running.peer_groups}
    changed = {each.name for each in wanted.peer_groups if groups.get(each.name) != each}
    if changed:
        yield Breaks.ROUTES, ""
    found = {each.key: each for each in running.neighbors}
    for neighbor in wanted.neighbors:
        held = found.get(neighbor.key)
        if neighbor.peer_group in changed or held is None or _is_other(held, neighbor):
            yield Breaks.SESSION, evidence.port_of_neighbor(device, neighbor.key)
        if held is not None and held.route_map_in != neighbor.route_map_in:
            yield Breaks.ROUTES, ""


def _is_other(held: object, wanted: object) -> bool:
    """Do they differ in more than words?"""
    return any(
        getattr(held, each.name) != getattr(wanted, each.name)
        for each in fields(wanted)  # type: ignore[arg-type] # a dataclass
        if each.name not in _WORDS
    )


def is_known(evidence: Evidence, device: str, port: str) -> bool:
    """Does the model see what differs on this port, or is it a line that the model does not know?"""
    running, wanted = evidence.running[device], evidence.wanted[device]
    return _on_port(evidence, running, device, port) != _on_port(evidence, wanted, device, port)


def _on_port(evidence: Evidence, config: DeviceConfig, device: str, port: str) -> tuple[object, ...]:
    neighbors = config.bgp.neighbors if config.bgp else ()
    there = [each for each in neighbors if evidence.port_of_neighbor(device, each.key) == port]
    return (*(each for each in config.interfaces if each.name == port), *there)
