"""Link aggregation groups: which members are bundled, judged from what the switches at both ends were given.

A member sends by LACP who it is: its switch and its group. Members of a group whose links are up and whose partners
are the same are bundled; if partners differ, the one with most members is taken, of equals that of the first port.
Between two switches both must choose one another. A static member (LACP off) asks nobody and is bundled while its link
is up, so static beside LACP is up at the static end only, as on a switch.

A host is not there and is played: it answers by LACP, as itself, on each of its ports. So a group of members that lead
to two hosts is found, and what a host's own bond is like is not.

Left out: how long LACP takes, priorities, bypass and fallback of a member that hears nothing (it is not bundled here),
and a pair of switches as one partner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from .spec import End
from .state import InterfaceState, SwitchState
from .wiring import Link, Wiring

Partner = tuple[str, str]
"""(device, group) as LACP shows them; (host, "") for a host."""


@dataclass(frozen=True, slots=True)
class Member:
    """One port of a group: whether it is bundled, else why not; ``partner``: from whom LACP is heard."""

    port: str
    is_bundled: bool
    reason: str = ""
    partner: Partner | None = None


class Groups:
    """The groups of a fabric. ``interfaces`` and ``links`` are the fabric's own and are read when asked."""

    def __init__(
        self, wiring: Wiring, interfaces: Mapping[End, InterfaceState], links: Mapping[str, Mapping[str, Link]]
    ) -> None:
        self._wiring, self._interfaces, self._links = wiring, interfaces, links
        self._ports: dict[str, dict[str, tuple[str, ...]]] = {}

    def learn(self, state: SwitchState) -> None:
        """A switch as it is now."""
        found: dict[str, tuple[str, ...]] = {}
        for each in state.interfaces:
            if each.group:
                found[each.group] = (*found.get(each.group, ()), each.name)
        self._ports[state.name] = found

    def is_up(self, device: str, group: InterfaceState) -> bool:
        """Whether a group has as many bundled members as it needs, and one at least."""
        bundled = sum(member.is_bundled for member in self.members(device, group.name))
        return group.is_admin_up and bundled >= max(1, group.min_links)

    def members(self, device: str, group: str) -> tuple[Member, ...]:
        """The ports that are configured as members, in order of the switch's interfaces."""
        heard = self._heard(device, group)
        chosen = _chosen(heard)
        return tuple(self._judged(device, group, member, chosen) for member in heard)

    def behind(self, ends: Iterable[End]) -> Iterator[End]:
        """Far ends of the other members of these ports' groups: what they bundle may change with these ports."""
        for end in ends:
            interface = self._interfaces.get(end)
            for port in self._members_of(end.device, interface.group) if interface is not None else ():
                far, _ = self._wiring.far(End(end.device, port))
                if far is not None and far.device in self._links:
                    yield far

    def _members_of(self, device: str, group: str) -> tuple[str, ...]:
        return self._ports.get(device, {}).get(group, ())

    def _heard(self, device: str, group: str) -> list[Member]:
        """What each member hears; not judged yet against the other members and the far end's choice."""
        owner = self._interfaces.get(End(device, group))
        return [self._hears(End(device, port), owner) for port in self._members_of(device, group)]

    def _hears(self, end: End, group: InterfaceState | None) -> Member:
        near, link = self._interfaces[end], self._links[end.device].get(end.port)
        if group is None or not group.is_admin_up:
            return Member(end.port, False, "its group is shut" if group is not None else "its group does not exist")
        if link is None or not link.is_up or link.peer is None:
            return Member(end.port, False, link.reason if link is not None else "there is no such port")
        if near.lacp_active is None:
            return Member(end.port, True)
        if link.peer in self._wiring.hosts:
            return Member(end.port, True, partner=(link.peer.device, ""))
        far = self._interfaces.get(link.peer)
        silent = self._why_silent(near, link.peer.device, far)
        if far is None or silent:
            return Member(end.port, False, silent)
        return Member(end.port, True, partner=(link.peer.device, far.group))

    def _why_silent(self, near: InterfaceState, device: str, far: InterfaceState | None) -> str:
        """Why no LACP comes from the far end, "" if it does."""
        if far is None or not far.group:
            return "the other end is in no group"
        owner = self._interfaces.get(End(device, far.group))
        if owner is None or not owner.is_admin_up:
            return "the other end's group is shut"
        if far.lacp_active is None:
            return "the other end's group is static"
        return "" if near.lacp_active or far.lacp_active else "both ends wait for the other (passive)"

    def _judged(self, device: str, group: str, member: Member, chosen: Partner | None) -> Member:
        if member.partner is None:
            return member
        if member.partner != chosen:
            return replace(member, is_bundled=False, reason="leads to another partner than the group's other members")
        far, its_group = member.partner
        if its_group and _chosen(self._heard(far, its_group)) != (device, group):
            return replace(member, is_bundled=False, reason="the other end's group has another partner")
        return member


def _chosen(heard: Iterable[Member]) -> Partner | None:
    """The partner of most members, of equals that of the first."""
    counted = Counter(member.partner for member in heard if member.partner is not None)
    return counted.most_common(1)[0][0] if counted else None
