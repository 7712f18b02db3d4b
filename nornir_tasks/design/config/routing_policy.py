"""Prefix lists and route maps in the common model."""

from dataclasses import dataclass, field
from typing import Literal

from nornir_tasks.design.config.merge_rules import KEYED_BY_SEQUENCE

GSHUT = "65535:0"
"""GRACEFUL_SHUTDOWN (RFC 8326), as a number; each platform has its OS's spelling."""


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

    @property
    def is_ipv6(self) -> bool:
        """Are its prefixes those of IPv6? All are of one family."""
        return any(":" in rule.prefix for rule in self.rules)


@dataclass(frozen=True, slots=True)
class AsPathRule:
    """One entry of a list of AS paths: those in which the regular expression finds something."""

    sequence: int
    permit: bool
    pattern: str
    """Of digits, brackets, bars and ``_`` (the ends of a number) alone: what all systems read alike."""


@dataclass(frozen=True, slots=True)
class AsPathList:
    """A named list of AS paths; what no rule permits is denied."""

    name: str
    rules: tuple[AsPathRule, ...] = field(metadata=KEYED_BY_SEQUENCE)


@dataclass(frozen=True, slots=True)
class RouteMapRule:
    """One entry of a route map. In a fabric ``prepend`` and ``communities`` are empty until a switch is drained."""

    sequence: int
    permit: bool
    match_prefix_list: str | None
    prepend: tuple[int, ...] = ()
    communities: tuple[str, ...] = ()
    match_as_path: str | None = None
    """Name of a list of AS paths; a rule with two matches is for what both permit."""
    match_origin: Literal["invalid"] | None = None
    """What validators say of the prefix's origin: it is another network's."""
    description: str | None = None
    """Of a drained switch: who drained it, until when and why (``design/model/drain.py``)."""


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
    as_path_lists: tuple[AsPathList, ...] = ()


NO_POLICY = RoutingPolicy((), ())
"""No list and no map."""
