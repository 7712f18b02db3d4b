"""What the intent wishes one switch to be, before its OS and ASIC have their say: the input of ``realise``."""

from dataclasses import dataclass
from typing import Literal

from nornir_tasks.design.device_config import Bfd, Bgp, Breakout, Ecn, Interface, RoutingPolicy, StaticRoute, Vlan

LOSSLESS_PROFILE = "lossless"
"""Neutral name of the port profile; ``realise`` puts in the OS's own."""


@dataclass(frozen=True, slots=True)
class ClassWish:
    """One traffic class in the policy's own numbers."""

    name: str
    dscp: tuple[int, ...]
    """Over all classes the 64 code points stand exactly once."""
    priority: int
    lossless: bool
    strict: bool
    weight_percent: int | None
    ecn: Ecn | Literal["auto"] | None


@dataclass(frozen=True, slots=True)
class BalancingWish:
    """Equal-cost paths spread by load, on a switch that has such paths."""

    mode: Literal["flowlet", "per_packet"]
    ports: tuple[str, ...]
    """Every port towards another switch: all members of a set of paths take part, or none."""
    width: int
    """Paths of the widest set."""
    sets: int
    """Sets of next hops there can be, whatever links fail: one for each other switch of the layout."""


@dataclass(frozen=True, slots=True)
class Wish:
    """One switch as wished."""

    device: str
    hash_seed: int | None
    lldp: bool | None
    classes: tuple[ClassWish, ...]
    bfd: Bfd | None
    interfaces: tuple[Interface, ...]
    routing_policy: RoutingPolicy
    static_routes: tuple[StaticRoute, ...]
    bgp: Bgp | None
    breakouts: tuple[Breakout, ...] = ()
    vlans: tuple[Vlan, ...] = ()
    load_balancing: BalancingWish | None = None
