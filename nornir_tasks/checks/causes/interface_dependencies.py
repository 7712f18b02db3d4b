"""What stands on what: a group on its members and on the far end's group, an SVI on its VLAN's ports. Pure.

An interface that stands on others is down with them, so its failure is explained by theirs.
"""

from functools import cache

from nornir_tasks.checks.evidence import End, Evidence
from nornir_tasks.design.config.interfaces import Interface

_SVI = "vlan"
"""How the name of an SVI begins, on any system; the number of its VLAN follows."""


class Standing:
    """Of the ports of the design; worked out for a switch when one of its interfaces is asked about."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._members = cache(self._members_of)

    def height(self, end: End) -> int:
        """0: a port or anything else that stands on nothing; 1: a group; 2: an SVI, which may stand on groups."""
        port = self._evidence.interfaces.get(end)
        return 0 if port is None else 1 if port.lag is not None else 2 if self.is_svi(end) else 0

    def is_svi(self, end: End) -> bool:
        """Is it the interface by which a VLAN is routed?"""
        return _vlan_of(end[1]) is not None

    def beneath(self, end: End) -> tuple[End, ...]:
        """What it stands on: a group's members, then the groups at their far ends; the ports of an SVI's VLAN."""
        device, name = end
        members = self._members(device).get(name, ())
        if members:
            return (*((device, port) for port in members), *self._far_groups(device, members))
        vlan = _vlan_of(name)
        ports = self._evidence.wanted[device].interfaces if vlan is not None else ()
        return tuple((device, port.name) for port in ports if _carries(port, vlan))

    def in_vlan(self, device: str, vlan: int) -> tuple[str, ...]:
        """The ports and groups of a switch that carry a VLAN, and its SVI."""
        ports = self._evidence.wanted[device].interfaces
        return tuple(port.name for port in ports if _carries(port, vlan) or _vlan_of(port.name) == vlan)

    def group(self, member: End) -> tuple[End, ...]:
        """The group of a port; none, if it is no member."""
        port = self._evidence.interfaces.get(member)
        return ((member[0], port.member.group),) if port is not None and port.member is not None else ()

    def _members_of(self, device: str) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for port in self._evidence.wanted[device].interfaces:
            if port.member is not None:
                found[port.member.group] = (*found.get(port.member.group, ()), port.name)
        return found

    def _far_groups(self, device: str, members: tuple[str, ...]) -> tuple[End, ...]:
        found: dict[End, None] = {}
        for far in (self._evidence.far.get((device, port)) for port in members):
            port = self._evidence.interfaces.get((far.device, far.port)) if far is not None else None
            if far is not None and port is not None and port.member is not None:
                found[far.device, port.member.group] = None
        return tuple(found)


def _vlan_of(name: str) -> int | None:
    number = name.lower().removeprefix(_SVI)
    return int(number) if number.isdecimal() and number != name else None


def _carries(port: Interface, vlan: int | None) -> bool:
    return port.member is None and vlan in (port.access_vlan, port.native_vlan, *(port.tagged_vlans or ()))
