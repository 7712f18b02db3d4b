"""Static routes of a switch, in the common model: discard routes, and routes to a next hop (the default route)."""

from dataclasses import dataclass

from nornir_tasks.design.config.vrfs import RouteKey


@dataclass(frozen=True, slots=True)
class StaticRoute:
    """One static route, IPv4 or IPv6.

    Without a next hop it is a discard route: it keeps the leaf's host block announced while single host ports flap.
    """

    prefix: str
    """``10.168.0.0/24``, ``2001:db8::/48``; the default route: ``0.0.0.0/0`` or ``::/0``. IPv6 as in RFC 5952."""
    vrf: str | None = None
    """None: the default one."""
    next_hops: tuple[str, ...] = ()
    """Addresses of the prefix's family, without length, ascending: packets are spread over all of them. Empty: packets
    that no longer prefix matches are dropped."""
    tag: int | None = None
    """Number by which route maps can choose it, 1 to 4294967295, the same for all next hops; None: none."""
    interface: str | None = None
    """The interface that the next hops are behind: the route stands while this is up, and never leads to them by way of
    another route, as of a default route. None: whatever route leads to them."""

    distance: int | None = None
    """Routes of the same prefix from elsewhere with a smaller one are preferred, 2 to 255. None: the system's own, 1,
    by which a static route goes before whatever a protocol has."""

    @property
    def key(self) -> RouteKey:
        """Which route of the switch it is."""
        return self.vrf, self.prefix

    @property
    def is_ipv6(self) -> bool:
        """Is it a route of IPv6?"""
        return ":" in self.prefix
