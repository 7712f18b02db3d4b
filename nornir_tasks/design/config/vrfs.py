"""VRFs in the common model, and what identifies a session or route of one: its VRF comes first."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Vrf:
    """A routing table of its own, in which IPv4 is routed. Its ports, routes and sessions say its name."""

    name: str
    ipv6: bool = False
    """IPv6 is routed too, where the OS has a line for that (``Capabilities.ipv6_service``)."""


RouteKey = tuple[str | None, str]
"""(VRF, prefix) of a route; None is the default VRF."""

SessionKey = tuple[str | None, str]
"""(VRF, what the switch calls a BGP session there: the far end's address, or a port); None is the default VRF."""

_IN_VRF = " in VRF "


def key_name(key: SessionKey | RouteKey) -> str:
    """A session or route in messages: ``10.160.0.1``, or ``10.160.0.1 in VRF STORAGE``."""
    vrf, name = key
    return name if vrf is None else f"{name}{_IN_VRF}{vrf}"


def vrf_of(name: str) -> str | None:
    """The VRF of what ``key_name`` made."""
    return name.partition(_IN_VRF)[2] or None
