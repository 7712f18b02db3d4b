"""Prefix lists and route maps in the common model."""

from dataclasses import dataclass, field

from nornir_tasks.design.merge_rules import KEYED_BY_SEQUENCE


@dataclass(frozen=True, slots=True)
class PrefixRule:
    """One entry of a prefix list: exact match of one prefix, or of its longer ones."""

    sequence: int
    permit: bool
    prefix: str
    ge: int | None = None
    le: int | None = None


@dataclass(frozen=True, slots=True)
class PrefixList:
    """A named list of prefixes; what no rule permits is denied."""

    name: str
    rules: tuple[PrefixRule, ...] = field(metadata=KEYED_BY_SEQUENCE)


@dataclass(frozen=True, slots=True)
class RouteMapRule:
    """One entry of a route map. ``prepend`` and ``communities`` are empty until a switch is drained."""

    sequence: int
    permit: bool
    match_prefix_list: str | None
    prepend: tuple[int, ...] = ()
    communities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RouteMap:
    """A named policy; what no rule permits is denied."""

    name: str
    rules: tuple[RouteMapRule, ...] = field(metadata=KEYED_BY_SEQUENCE)


@dataclass(frozen=True, slots=True)
class RoutingPolicy:
    """What may be announced and accepted."""

    prefix_lists: tuple[PrefixList, ...]
    route_maps: tuple[RouteMap, ...]


NO_POLICY = RoutingPolicy((), ())
"""No list and no map."""
