"""What LACP says of the far ends of a group's members: which system each is, and which rate it asks for.

The far end's rate is that of its own lines, a host's that of its bond, which is a system of its own (Linux gives a bond
its own address). A host of which nothing is said asks for the rate that it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .fabric import FabricSim
from .spec import End, Host


@dataclass(frozen=True, slots=True)
class Partner:
    """The far end of one member. ``system``: its MAC address, six octets."""

    port: str
    system: tuple[str, ...]
    is_fast: bool
    is_bundled: bool


def partners(fabric: FabricSim, device: str, group: str) -> Iterator[Partner]:
    """Of each member that hears LACP, in order of the switch's interfaces."""
    for member in fabric.members(device, group):
        if member.partner is None:
            continue
        near = End(device, member.port)
        far, _ = fabric.wiring.far(near)
        host = fabric.wiring.hosts.get(far) if far is not None else None
        name, bond = member.partner
        system = fabric.lacp_system(near, name if host is None else f"{name} {bond}")
        yield Partner(member.port, system, _is_fast(fabric, near, far, host), member.is_bundled)


def _is_fast(fabric: FabricSim, near: End, far: End | None, host: Host | None) -> bool:
    if host is not None and host.end is not None and host.end.bond is not None:
        return host.end.bond.lacp_is_fast
    end = far if far is not None and host is None else near
    return any(each.name == end.port and each.lacp_is_fast for each in fabric.state(end.device).interfaces)
