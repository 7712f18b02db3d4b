"""What a differing configuration breaks: from the fields that differ to the checks that fail because of them. Pure.

A line shows a reader what is wrong; its consequences follow from the model that the line is parsed into. A line
that the model does not know is assumed to affect its port, if it is on a port, and nothing else.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from enum import Enum

from nornir_tasks.checks.evidence import Evidence
from nornir_tasks.design.config.bgp import Bgp
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.model.device_config import DeviceConfig

QOS = frozenset({"trust", "pfc", "watchdog", "ecn"})


class Breaks(Enum):
    """What is broken. ``AT`` lists the checks that then fail, and whether they fail at the link's far end as well."""

    LINK = "a port is shut or cannot come up"
    """It still shows its MTU, its VLAN and other configured values."""
    PORT = "there is no such port"
    GROUP = "membership of a group"
    """The link itself is up."""
    TRAFFIC = "a line on the port that the model does not know"
    """Anything but the link itself."""
    SILENCE = "whatever the switch at the other end says"
    """The link itself is up."""
    SESSION = "BGP with a neighbour"
    NEIGHBOUR = "LLDP"
    MTU = "the MTU"
    ADVERTISEMENTS = "router advertisements"
    QUEUES = "QoS"
    VLAN = "the hosts' VLAN"
    CARRIED = "a VLAN on a port that carries it"
    """The port itself is as it was."""
    PAIR = "the pair of switches, at both of them"
    GATEWAY = "the redundant gateway of an SVI"
    TREE = "spanning tree, of the switch or of a port"
    BALANCING = "load balancing"
    TIME = "time servers"
    LOG = "log servers"
    ACCOUNTS = "local accounts"
    MANAGEMENT = "the management port or its VRF"
    POLICY = "what routes are accepted and handed on, here and wherever a path leads through here"
    ANNOUNCED = "the prefixes of this switch, everywhere"
    PATHS = "how many next hops this switch uses, for all that it learns"


_TRAFFIC = frozenset(
    {
        "lldp",
        "macs",
        "lacp",
        "partners",
        "mtu",
        "ra",
        "vlan",
        "trunks",
        "stp",
        "bgp",
        "load-balancing",
        "pairs",
        "gateways",
    }
)
_ROUTES = (frozenset[str](), False)
"""Followed along the paths of the design, not by port (``lost_routes.py``)."""
AT = {
    Breaks.LINK: (
        frozenset({"port", "lldp", "macs", "lacp", "partners", "trunks", "stp", "bgp", "pairs", "gateways"}),
        True,
    ),
    Breaks.GROUP: (frozenset({"lacp", "partners"}), True),
    Breaks.PORT: (frozenset({"port", *_TRAFFIC}) | QOS, True),
    Breaks.TRAFFIC: (_TRAFFIC | QOS, True),
    Breaks.SILENCE: (frozenset({"lldp", "lacp", "partners", "ra", "bgp", "pairs", "gateways"}), True),
    Breaks.SESSION: (frozenset({"bgp", "pairs", "gateways"}), True),
    Breaks.NEIGHBOUR: (frozenset({"lldp"}), True),
    Breaks.MTU: (frozenset({"mtu", "pairs"}), True),
    Breaks.ADVERTISEMENTS: (frozenset({"ra", "bgp"}), True),
    Breaks.QUEUES: (QOS | {"dscp"}, False),
    Breaks.VLAN: (frozenset({"vlan", "macs", "trunks", "stp", "port", "pairs", "gateways"}), False),
    Breaks.CARRIED: (frozenset({"vlan", "macs", "trunks", "stp", "pairs", "gateways"}), False),
    Breaks.PAIR: (frozenset({"pairs"}), False),
    Breaks.GATEWAY: (frozenset({"gateways"}), False),
    Breaks.TREE: (frozenset({"vlan", "stp"}), False),
    Breaks.BALANCING: (frozenset({"load-balancing"}), False),
    Breaks.TIME: (frozenset({"ntp"}), False),
    Breaks.LOG: (frozenset({"syslog"}), False),
    Breaks.ACCOUNTS: (frozenset({"accounts"}), False),
    Breaks.MANAGEMENT: (frozenset({"management"}), False),
    Breaks.POLICY: _ROUTES,
    Breaks.ANNOUNCED: _ROUTES,
    Breaks.PATHS: _ROUTES,
}

OF_PORT = frozenset({Breaks.LINK, Breaks.PORT, Breaks.TRAFFIC})
"""What is broken of a port is broken of its subinterfaces as well."""

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
    "edge": Breaks.TREE,
    "vrf": Breaks.SESSION,
    "tagged_vlans": Breaks.VLAN,
    "native_vlan": Breaks.VLAN,
    "tag": Breaks.SESSION,
    "lag": Breaks.LINK,
    "member": Breaks.GROUP,
    "acls": Breaks.TRAFFIC,
    "gateway": Breaks.GATEWAY,
    "undisclosed": Breaks.NEIGHBOUR,
}
_OF_SWITCH = {
    "services": (Breaks.NEIGHBOUR, Breaks.SESSION, Breaks.QUEUES, Breaks.PATHS),
    "lldp": (Breaks.NEIGHBOUR,),
    "bfd": (Breaks.SESSION,),
    "qos": (Breaks.QUEUES,),
    "vlans": (Breaks.VLAN,),
    "pair": (Breaks.VLAN, Breaks.PAIR),
    "spanning_tree": (Breaks.PAIR, Breaks.TREE),
    "vrfs": (Breaks.SESSION, Breaks.ANNOUNCED),
    "load_balancing": (Breaks.BALANCING,),
    "routing_policy": (Breaks.POLICY,),
    "static_routes": (Breaks.ANNOUNCED,),
}
_OF_BASE = {
    "time_servers": (Breaks.TIME,),
    "log_servers": (Breaks.LOG,),
    "accounts": (Breaks.ACCOUNTS,),
    "management": (Breaks.MANAGEMENT, Breaks.TIME, Breaks.LOG),
}
_OF_BGP = {
    "asn": (Breaks.SESSION,),
    "router_id": (Breaks.SESSION,),
    "maximum_paths": (Breaks.PATHS,),
    "multipath_relax": (Breaks.PATHS,),
    "networks": (Breaks.ANNOUNCED,),
}
_OF_VRF = {
    "router_id": (Breaks.SESSION,),
    "maximum_paths": (Breaks.PATHS,),
    "networks": (Breaks.ANNOUNCED,),
}
"""Of BGP in one VRF; of the default one only where a session is there."""
_WORDS = frozenset({"description"})
"""Fields that break nothing."""


def broken(evidence: Evidence, device: str) -> Iterator[Broken]:
    """What the differences between running and wanted configuration break, each with its port, if any."""
    running, wanted = evidence.running[device], evidence.wanted[device]
    yield from _interfaces(evidence, running, wanted)
    yield from _fields(_OF_SWITCH, running, wanted)
    yield from _fields(_OF_BASE, running.base, wanted.base)
    if wanted.bgp is not None:
        yield from _bgp(evidence, device, running.bgp, wanted.bgp)


def _interfaces(evidence: Evidence, running: DeviceConfig, wanted: DeviceConfig) -> Iterator[Broken]:
    found = {each.name: each for each in running.interfaces}
    split_otherwise = running.breakouts != wanted.breakouts
    for port in wanted.interfaces:
        if split_otherwise and (wanted.name, port.name) not in evidence.port_states:
            yield Breaks.PORT, port.name
        yield from ((kind, port.name) for kind in _differing(found.get(port.name), port))


def _differing(found: Interface | None, wanted: Interface) -> Iterable[Breaks]:
    if found == wanted:
        return ()
    if found is None:
        return (Breaks.PORT,)
    return {kind: None for name, kind in _OF_INTERFACE.items() if getattr(found, name) != getattr(wanted, name)}


def _bgp(evidence: Evidence, device: str, running: Bgp | None, wanted: Bgp) -> Iterator[Broken]:
    if running is None:
        yield Breaks.SESSION, ""
        return
    idle = _OF_VRF if all(each.vrf for each in wanted.neighbors) else {}
    yield from _fields({name: kinds for name, kinds in _OF_BGP.items() if name not in idle}, running, wanted)
    inner = {each.name: each for each in running.vrfs}
    for vrf in wanted.vrfs:
        yield from _fields(_OF_VRF, inner.get(vrf.name), vrf)
    groups = {each.name: each for each in running.peer_groups}
    changed = {each.name for each in wanted.peer_groups if groups.get(each.name) != each}
    if changed:
        yield Breaks.POLICY, ""
    found = {each.key: each for each in running.neighbors}
    for neighbor in wanted.neighbors:
        running_value = found.get(neighbor.key)
        if neighbor.peer_group in changed or running_value is None or _is_other(running_value, neighbor):
            yield Breaks.SESSION, evidence.port_of_neighbor(device, neighbor.key)
        if running_value is not None and running_value.route_map_in != neighbor.route_map_in:
            yield Breaks.POLICY, ""


def _fields(table: Mapping[str, Iterable[Breaks]], found: object, wanted: object) -> Iterator[Broken]:
    """What the fields that differ break; all of them where nothing was found."""
    for name, kinds in table.items():
        if found is None or getattr(found, name) != getattr(wanted, name):
            yield from ((kind, "") for kind in kinds)


def _is_other(running_value: object, wanted: object) -> bool:
    """Do they differ in more than words?"""
    return any(
        getattr(running_value, each.name) != getattr(wanted, each.name)
        for each in fields(wanted)  # type: ignore[arg-type] # a dataclass
        if each.name not in _WORDS
    )


def is_known(evidence: Evidence, device: str, port: str) -> bool:
    """Does the model contain the difference on this port, or is it an unknown line?"""
    running, wanted = evidence.running[device], evidence.wanted[device]
    return _on_port(evidence, running, device, port) != _on_port(evidence, wanted, device, port)


def _on_port(evidence: Evidence, config: DeviceConfig, device: str, port: str) -> tuple[object, ...]:
    neighbors = config.bgp.neighbors if config.bgp else ()
    there = [each for each in neighbors if evidence.port_of_neighbor(device, each.key) == port]
    return (*(each for each in config.interfaces if each.name == port), *there)
