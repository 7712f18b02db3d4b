"""Static routes of EOS and NX-OS, which have a line for each next hop: the lines of one prefix are one route."""

from collections.abc import Iterable
from dataclasses import dataclass

from nornir_tasks.design.config.static_routes import StaticRoute


@dataclass(frozen=True, slots=True)
class Hop:
    """One line."""

    vrf: str | None
    prefix: str
    next_hop: str | None
    """None: the packets are dropped."""
    tag: int | None
    interface: str | None = None
    """What the next hop is behind; None: whatever route leads to it."""
    distance: int | None = None
    """None: the system's own."""

    @property
    def alike(self) -> tuple[int | None, str | None, int | None]:
        """What all lines of one route have in common."""
        return self.tag, self.interface, self.distance


def gathered(hops: Iterable[Hop]) -> tuple[tuple[StaticRoute, ...], tuple[Hop, ...]]:
    """The routes, and the lines that fit none: unlike the route's first line, or a discard beside a hop."""
    routes: dict[tuple[str | None, str], list[Hop]] = {}
    odd: list[Hop] = []
    for hop in hops:
        there = routes.setdefault((hop.vrf, hop.prefix), [])
        fits = not there or (there[0].alike == hop.alike and None not in {there[0].next_hop, hop.next_hop})
        (there if fits else odd).append(hop)
    return tuple(_route(each) for each in routes.values()), tuple(odd)


def _route(hops: list[Hop]) -> StaticRoute:
    first = hops[0]
    next_hops = tuple(each.next_hop for each in hops if each.next_hop is not None)
    return StaticRoute(first.prefix, first.vrf, next_hops, first.tag, first.interface, first.distance)
