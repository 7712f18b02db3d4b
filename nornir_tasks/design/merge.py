"""Planes say what they want of a switch piece by piece; merge joins the pieces and refuses a clash.

Two planes may want the same (router-id, QoS classes) if they want it alike. They never overwrite one another.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nornir_tasks.design.device_config import Bgp, PrefixList, RouteMap, RoutingPolicy
from nornir_tasks.design.wish import Wish
from nornir_tasks.errors import DesignError, Problem


@dataclass(frozen=True, slots=True)
class Contribution:
    """One piece of one switch, wanted by one plane."""

    device: str
    section: str
    """A field of DeviceConfig."""
    key: str
    """What within the section: an interface's name, a route map's name, a scalar's name."""
    value: Any
    plane: str


Sections = Mapping[str, Mapping[str, Any]]
"""section -> key -> value."""


def merge(device: str, contributions: Iterable[Contribution]) -> Sections:
    """Join all planes' pieces of one switch. Raises DesignError naming both planes of every clash."""
    held: dict[tuple[str, str], Contribution] = {}
    clashes: list[Problem] = []
    for each in contributions:
        other = held.setdefault((each.section, each.key), each)
        if other.value != each.value:
            clashes.append(_clash(device, other, each))
    if clashes:
        raise DesignError(clashes)
    sections: dict[str, dict[str, Any]] = {}
    for (section, key), each in held.items():
        sections.setdefault(section, {})[key] = each.value
    return sections


def _clash(device: str, one: Contribution, other: Contribution) -> Problem:
    return Problem(
        where=f"{device} {one.section}.{one.key}",
        what=f"planes {one.plane} and {other.plane} want different things",
        expected=f"{one.plane}: {one.value}",
        found=f"{other.plane}: {other.value}",
        hint="give each plane its own ports, addresses and names, or the same value to both",
    )


def assemble(device: str, sections: Sections) -> Wish:
    """One switch's wish from its joined pieces."""
    return Wish(
        device=device,
        hash_seed=sections.get("hashing", {}).get("seed"),
        lldp=sections.get("lldp", {}).get("enabled"),
        classes=sections.get("qos", {}).get("classes", ()),
        bfd=sections.get("bfd", {}).get("intervals"),
        interfaces=tuple(sections.get("interfaces", {}).values()),
        routing_policy=RoutingPolicy(
            tuple(_of_type(sections, "routing_policy", PrefixList)),
            tuple(_of_type(sections, "routing_policy", RouteMap)),
        ),
        static_routes=tuple(sections.get("static_routes", {}).values()),
        bgp=_bgp(sections["bgp"]) if "bgp" in sections else None,
        breakouts=tuple(sections.get("breakouts", {}).values()),
        vlans=tuple(sections.get("vlans", {}).values()),
        load_balancing=sections.get("load_balancing", {}).get("paths"),
    )


def _of_type(sections: Sections, section: str, kind: type) -> Iterator[Any]:
    return (value for value in sections.get(section, {}).values() if isinstance(value, kind))


BGP_SCALARS = (
    "asn",
    "router_id",
    "maximum_paths",
    "multipath_relax",
    "graceful_restart_helper_only",
    "log_neighbor_changes",
)
"""Keys of the section ``bgp`` that stand once; all others are ``network X``, ``peer-group X``, ``neighbor X``."""


def _bgp(pieces: Mapping[str, Any]) -> Bgp:
    def many(kind: str) -> tuple[Any, ...]:
        return tuple(value for key, value in pieces.items() if key.startswith(f"{kind} "))

    return Bgp(
        **{name: pieces[name] for name in BGP_SCALARS},
        networks=many("network"),
        peer_groups=many("peer-group"),
        neighbors=many("neighbor"),
    )
