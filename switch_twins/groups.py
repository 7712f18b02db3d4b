"""Link aggregation groups: which members are bundled, judged from what the switches at both ends were given.

A member sends by LACP who it is: its switch and its group. Members of a group whose links are up and whose partners
are the same are bundled; if partners differ, the one with most members is taken, of equals that of the first port.
Between two switches both must choose one another. A static member (LACP off) does not ask and is bundled while its link
is up, so static beside LACP is up at the static end only, as on a switch.

A host is not there and is played from what it was told of each port (spec.py). It sends LACP on members of its bonds
alone, and is in sync only with the partner of most of them that took it, as Linux is (torvalds/linux, drivers/net/
bonding/bond_3ad.c, AD_MUX_ATTACHED). A host of which nothing is said answers as itself wherever it is asked.

Both switches of a pair are one partner of a group over both. While the peer link is up they take one partner for it: of
two with as many members, that of the primary (IEEE 802.1AX: members of one aggregator have one partner).

A switch that hears its peer holds groups over both down, or suspends VLANs on them, where both have values otherwise
that its OS does not put up with (consistency.py).

Left out: how long LACP takes, priorities, bypass and fallback of a member that hears nothing (it is not bundled here),
and whether both of a pair have the same domain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from .consistency import Difference, conflicts, uncommon_vlans, why_down
from .spec import End, Host
from .state import InterfaceState, PairState, SwitchState
from .wiring import Link, Wiring

Partner = tuple[str, str]
"""(system, group) as LACP shows them: of a pair ("leaf-a+leaf-b", number), of a host (its name, its bond)."""


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
        self._pairs: dict[str, PairState | None] = {}
        self._over_both: dict[str, dict[str, str]] = {}
        self._conflicts: dict[tuple[str, str], tuple[Difference, ...]] = {}
        self._bonds: dict[Partner, tuple[End, ...]] = {}
        for end, host in wiring.hosts.items():
            bond = _bond_of(host)
            if bond:
                self._bonds[host.name, bond] = (*self._bonds.get((host.name, bond), ()), end)

    def learn(self, state: SwitchState) -> None:
        """A switch as it is now."""
        found: dict[str, tuple[str, ...]] = {}
        for each in state.interfaces:
            if each.group:
                found[each.group] = (*found.get(each.group, ()), each.name)
        self._ports[state.name], self._pairs[state.name] = found, state.pair
        self._over_both[state.name] = {each.over_both: each.name for each in state.interfaces if each.over_both}
        self._conflicts = {both: found for both, found in self._conflicts.items() if state.name not in both}

    def is_up(self, device: str, group: InterfaceState) -> bool:
        """Whether a group has as many bundled members as it needs, and one at least."""
        bundled = sum(member.is_bundled for member in self.members(device, group.name))
        return group.is_admin_up and bundled >= max(1, group.min_links)

    def members(self, device: str, group: str) -> tuple[Member, ...]:
        """The ports that are configured as members, in order of the switch's interfaces."""
        chosen = self._chosen(device, group)
        return tuple(self._judged(device, group, member, chosen) for member in self._heard(device, group))

    def behind(self, ends: Iterable[End]) -> set[End]:
        """Ports of switches at which it may change what is bundled, if it does at these ports of switches and hosts."""
        found: set[End] = set()
        todo = set(ends)
        while todo:
            end = todo.pop()
            found.add(end)
            todo.update(each for each in self._beside(end) if each not in found)
        return {end for end in found if end.device in self._links}

    def _beside(self, end: End) -> Iterator[End]:
        """Far ends of the other members of a port's group or a host's bond; for one over both, of the peer link too.

        What goes over the peer link may bring the groups over both down, or up.
        """
        host = self._wiring.hosts.get(end)
        interface = self._interfaces.get(end)
        if host is not None:
            ends: Iterable[End] = self._bonds.get((host.name, _bond_of(host)), ())
        else:
            names = self._with_peer_link(end.device, interface.group) if interface is not None else ()
            ends = [End(end.device, port) for name in names for port in self._members_of(end.device, name)]
            yield from ends
        for each in ends:
            far, _ = self._wiring.far(each)
            if far is not None:
                yield far

    def _with_peer_link(self, device: str, group: str) -> tuple[str, ...]:
        pair, over_both = self._pairs.get(device), self._over_both.get(device, {}).values()
        if pair is not None and group in (pair.peer_link, *over_both):
            return (pair.peer_link, *over_both)
        return (group,)

    def _members_of(self, device: str, group: str) -> tuple[str, ...]:
        return self._ports.get(device, {}).get(group, ())

    # -- what is heard ---------------------------------------------------------------------------------------------

    def _heard(self, device: str, group: str) -> list[Member]:
        """What each member hears; not judged yet against the other members and the far end's choice."""
        owner = self._interfaces.get(End(device, group))
        return [self._hears(End(device, port), owner) for port in self._members_of(device, group)]

    def _hears(self, end: End, group: InterfaceState | None) -> Member:
        near, link = self._interfaces[end], self._links[end.device].get(end.port)
        if shut := self._why_shut(end.device, group):
            return Member(end.port, False, f"its group {shut}")
        if link is None or not link.is_up or link.peer is None:
            return Member(end.port, False, link.reason if link is not None else "there is no such port")
        if near.lacp_active is None:
            return Member(end.port, True)
        host = self._wiring.hosts.get(link.peer)
        if host is not None:
            silent = _why_host_silent(near, host)
            return Member(end.port, not silent, silent, None if silent else (host.name, _bond_of(host)))
        far = self._interfaces.get(link.peer)
        silent = self._why_silent(near, link.peer.device, far)
        if far is None or silent:
            return Member(end.port, False, silent)
        return Member(end.port, True, partner=self.system(link.peer.device, far.group))

    def _why_shut(self, device: str, group: InterfaceState | None) -> str:
        """Why a switch uses no port of a group, "" if it may."""
        if group is None:
            return "does not exist"
        row = self.blocking_row(device, group)
        return f"is held down: both switches conflict in {row}" if row else "" if group.is_admin_up else "is shut"

    def _why_silent(self, near: InterfaceState, device: str, far: InterfaceState | None) -> str:
        """Why no LACP comes from the far end, "" if it does."""
        if far is None or not far.group:
            return "the other end is in no group"
        owner = self._interfaces.get(End(device, far.group))
        if self._why_shut(device, owner):
            return "the other end's group is shut"
        return _why_no_answer(near, far.lacp_active)

    # -- whom both ends take ---------------------------------------------------------------------------------------

    def _judged(self, device: str, group: str, member: Member, chosen: Partner | None) -> Member:
        if member.partner is None:
            return member
        if member.partner != chosen:
            return replace(member, is_bundled=False, reason="leads to another partner than the group's other members")
        if self._chosen_there(End(device, member.port)) != self.system(device, group):
            return replace(member, is_bundled=False, reason="the other end's group has another partner")
        return member

    def _chosen(self, device: str, group: str) -> Partner | None:
        """The partner of most members, of equals that of the first; of a group over both, with the other's members."""
        return _most(member.partner for end in self._both(device, group) for member in self._heard(*end))

    def _chosen_there(self, end: End) -> Partner | None:
        """Whom the group or bond at the far end of a member takes."""
        far, _ = self._wiring.far(end)
        host = self._wiring.hosts.get(far) if far is not None else None
        if far is None:
            return None
        if host is None:
            return self._chosen(far.device, self._interfaces[far].group)
        ends = self._bonds.get((host.name, _bond_of(host)), (far,))
        return _most(self._heard_by_host(each) for each in ends)

    def _heard_by_host(self, port: End) -> Partner | None:
        """From whom a host hears on one of its ports that it was taken for the partner."""
        end, _ = self._wiring.far(port)
        interface = self._interfaces.get(end) if end is not None else None
        if end is None or interface is None or not interface.group:
            return None
        partner = self._hears(end, self._interfaces.get(End(end.device, interface.group))).partner
        is_taken = partner is not None and partner == self._chosen(end.device, interface.group)
        return self.system(end.device, interface.group) if is_taken else None

    # -- pairs of switches -----------------------------------------------------------------------------------------

    def system(self, device: str, group: str) -> Partner:
        """Who sends LACP for a group."""
        owner, other = self._interfaces.get(End(device, group)), self.other(device)
        if owner is None or not owner.over_both or other is None:
            return device, group
        return "+".join(sorted((device, other))), owner.over_both

    def other(self, device: str) -> str | None:
        """The switch at the far end of the peer link's cables, if that is in a pair as well."""
        pair = self._pairs.get(device)
        for port in self._members_of(device, pair.peer_link) if pair is not None else ():
            far, _ = self._wiring.far(End(device, port))
            if far is not None and self._pairs.get(far.device) is not None:
                return far.device
        return None

    def _both(self, device: str, group: str) -> tuple[tuple[str, str], ...]:
        """A group, and the one with its number on the other switch while both talk: that of the primary first."""
        owner, other = self._interfaces.get(End(device, group)), self.other(device)
        if owner is None or not owner.over_both or other is None:
            return ((device, group),)
        there = self._over_both[other].get(owner.over_both)
        if there is None or not (self._hears_peer(device, other) and self._hears_peer(other, device)):
            return ((device, group),)
        found = ((device, group), (other, there))
        return found if self._rank(device) < self._rank(other) else found[::-1]

    def blocking_row(self, device: str, group: InterfaceState) -> str:
        """The row of the conflict by which a switch holds a group over both down; "" if it does not."""
        other = self.other(device) if group.over_both else None
        found = self._agreed(device, other) if other is not None else ()
        is_secondary = other is not None and self._rank(device) > self._rank(other)
        return why_down(found, group.over_both, is_secondary=is_secondary) if found else ""

    def suspended(self, device: str, group: InterfaceState) -> frozenset[int]:
        """The VLANs that a switch suspends on a group over both, as its peer has others."""
        other = self.other(device) if group.over_both else None
        found = self._agreed(device, other) if other is not None else ()
        return uncommon_vlans(found, group.over_both) & group.vlans if found else frozenset()

    def _agreed(self, device: str, other: str) -> tuple[Difference, ...]:
        """The conflicts of both switches of a pair while they hear one another, as the first sees them."""
        mine, its = self._pairs[device], self._pairs[other]
        if mine is None or its is None or (mine.needs_same_domain and mine.domain != its.domain):
            return ()
        if (device, other) not in self._conflicts:
            self._conflicts[device, other] = tuple(conflicts(mine, its))
        found = self._conflicts[device, other]
        return found if found and self._hears_peer(device, other) and self._hears_peer(other, device) else ()

    def _hears_peer(self, device: str, other: str) -> bool:
        """Does a member of the peer link bring what the other switch says? Not judged against the other members."""
        pair, its_pair = self._pairs[device], self._pairs[other]
        for member in self._heard(device, pair.peer_link) if pair is not None and its_pair is not None else ():
            far, _ = self._wiring.far(End(device, member.port))
            if member.is_bundled and far is not None and its_pair is not None:
                there = self._interfaces.get(far)
                if far.device == other and there is not None and there.group == its_pair.peer_link:
                    return True
        return False

    def _rank(self, device: str) -> tuple[int, str]:
        pair = self._pairs[device]
        return (pair.priority if pair is not None else 0), device


def _bond_of(host: Host) -> str:
    """The bond that a host has a port in; "" for none, and for a host of which nothing is said."""
    return host.end.bond.name if host.end is not None and host.end.bond is not None else ""


def _why_host_silent(near: InterfaceState, host: Host) -> str:
    if host.end is None:
        return ""
    return _why_no_answer(near, host.end.bond.lacp_active) if host.end.bond is not None else "the host has no bond here"


def _why_no_answer(near: InterfaceState, far_is_active: bool | None) -> str:
    """Why no LACP comes from the far end's group by the ends' modes, "" if it does."""
    if far_is_active is None:
        return "the other end's group is static"
    return "" if near.lacp_active or far_is_active else "both ends wait for the other (passive)"


def _most(partners: Iterable[Partner | None]) -> Partner | None:
    """The partner that is there most often, of equals the first."""
    counted = Counter(each for each in partners if each is not None)
    return counted.most_common(1)[0][0] if counted else None
