"""What only sessions with networks of others need of a switch's BGP, and whether its OS has it."""

from collections.abc import Iterator

from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.partial_config import PartialConfig
from nornir_tasks.errors import Problem


def problems(device: str, intended: PartialConfig, known: Capabilities) -> Iterator[Problem]:
    """One for a switch that is to have any of it and cannot."""
    needed = tuple(_needed(intended))
    if needed and not known.has_outside_bgp:
        what = f"{known.os} {known.release} is no edge router: {known.outside_gap}"
        hint = "give the edge routers another system (boundary.edge.platform)"
        yield Problem(device, what, "a system with such sessions", ", ".join(needed), hint)


def _needed(intended: PartialConfig) -> Iterator[str]:
    groups = (intended.peer_groups or {}).values()
    rules = [rule for each in (intended.route_maps or {}).values() for rule in each.rules]
    needs = {
        "IPv6 routes": any(each.family == "ipv6" for each in groups),
        "lists of IPv6 prefixes": any(each.is_ipv6 for each in (intended.prefix_lists or {}).values()),
        "lists of AS paths": bool(intended.as_path_lists) or any(rule.match_as_path for rule in rules),
        "aggregates": bool(intended.aggregates),
        "static routes behind an interface": any(each.interface for each in (intended.static_routes or {}).values()),
        "its own next hop": any(each.next_hop_self for each in groups),
    }
    return (name for name, is_needed in needs.items() if is_needed)
