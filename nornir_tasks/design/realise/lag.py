"""Link aggregation groups of one switch: what they may be, and what their members have of them on this OS.

An owner says everything of the group but layer 1, state and description of its members. Queues and PFC are a physical
port's, so members carry the group's profile; VLANs and MTU stand where ``Capabilities.lag_repeated`` says, and the
group has the profile as well where ``Capabilities.lag_profile_on`` says so.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from nornir_tasks.design.addresses.mtu import PortMtu, of_group
from nornir_tasks.design.config.lag import LacpRate, Lag, LagMember
from nornir_tasks.design.contribute.merge import Contribution
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.partial_config import PartialConfig, PartialPort
from nornir_tasks.errors import Problem

_OF_GROUP = (
    *("address", "mtu_bytes", "profile", "ra_interval_ms", "access_vlan", "edge", "vrf"),
    *("tagged_vlans", "native_vlan", "tag", "lag", "acls", "ipv6_address", "gateway", "storm"),
)
"""What is said of a group, and of no member."""
_UNSAID_RATE: LacpRate = "slow"
"""IEEE 802.1AX: LACP_Timeout is long unless administered otherwise."""


def members_of(group: str, ports: Mapping[str, PartialPort]) -> tuple[str, ...]:
    """The ports that are to be members of this group."""
    return tuple(name for name, port in ports.items() if port.member_of == group)


def disagreements(device: str, contributions: Iterable[Contribution]) -> Iterator[Problem]:
    """Owners that put different ports into one group: its far ends would be two hosts, of which one gets no packet."""
    found: dict[str, dict[str, set[str]]] = {}
    for each in contributions:
        for name, port in (each.config.ports or {}).items():
            if port.member_of is not None:
                found.setdefault(port.member_of, {}).setdefault(each.owner.key, set()).add(name)
    for group, owners in sorted(found.items()):
        first, *others = sorted(owners)
        for other in (each for each in others if owners[each] != owners[first]):
            yield Problem(
                f"{device} {group}",
                f"{first} and {other} put different ports into one link aggregation group",
                f"{first}: {', '.join(sorted(owners[first]))}",
                f"{other}: {', '.join(sorted(owners[other]))}",
                "give each owner numbers of its own, or the same ports to both",
            )


def problems(device: str, intended: PartialConfig, known: Capabilities) -> Iterator[Problem]:
    """All problems with the wanted groups of one switch."""
    ports = intended.ports or {}
    for name, port in ports.items():
        where = f"{device} {name}"
        if port.lag is None and port.member_of is None:
            continue
        if not known.lag_prefix:
            gap = known.lag_gap or f"{known.os} {known.release} has none"
            yield Problem(where, f"no link aggregation group can be configured: {gap}", "single ports")
        elif port.lag is not None:
            yield from _of_group(where, name, port, port.lag, len(members_of(name, ports)), known)
        if port.member_of is not None:
            yield from _of_member(where, port, ports.get(port.member_of))


def _of_group(
    where: str, name: str, port: PartialPort, lag: Lag, members: int, known: Capabilities
) -> Iterator[Problem]:
    number, peer_link = name.removeprefix(known.lag_prefix), known.pair.peer_link if known.pair else ""
    is_numbered = name.startswith(known.lag_prefix) and number.isdecimal() and 1 <= int(number) <= known.max_lag
    if not is_numbered and (not peer_link or name != peer_link):
        expected = f"{known.lag_prefix}1 to {known.lag_prefix}{known.max_lag}"
        yield Problem(where, "no link aggregation group can be called so", expected, name)
    if members == 0:
        hint = "an owner that wants a group says of each member which one it is in"
        yield Problem(where, "a link aggregation group has no members", found=name, hint=hint)
    if port.mtu_bytes is None:
        yield Problem(where, "a link aggregation group has no MTU", "the largest of all that runs over it")
    if port.layer1 is not None:
        yield Problem(where, "a link aggregation group has a layer 1 of its own", "that of its members")
    if lag.individual and port.access_vlan is None and port.tagged_vlans is None:
        what = "members of a routed link aggregation group cannot work individually"
        yield Problem(where, what, "a group in a VLAN, or no individual operation")
    if lag.min_links is not None:
        yield from _of_min_links(where, lag.min_links, members, known)


def _of_min_links(where: str, wanted: int, members: int, known: Capabilities) -> Iterator[Problem]:
    if known.max_min_links is None:
        what = f"a group's least number of members cannot be configured: {known.min_links_gap}"
        yield Problem(where, what, "no min-links", str(wanted))
    elif not 1 <= wanted <= min(members, known.max_min_links):
        expected = f"1 to {min(members, known.max_min_links)}"
        yield Problem(where, "a group would never have so many active members", expected, str(wanted))


def _of_member(where: str, port: PartialPort, group: PartialPort | None) -> Iterator[Problem]:
    if group is None or group.lag is None:
        hint = "an owner that makes a port a member of a group must declare the group"
        what = "a port is a member of a group that no owner declares"
        yield Problem(where, what, found=port.member_of or "", hint=hint)
    own = [field for field in _OF_GROUP if getattr(port, field) is not None]
    if own:
        what = "a member has settings that are its group's"
        yield Problem(where, what, f"them on {port.member_of}", ", ".join(own))


def spread(ports: Mapping[str, PartialPort], known: Capabilities) -> dict[str, PartialPort]:
    """The same ports, with what members have of their groups on this OS. For ports without ``problems``."""
    found = dict(ports)
    for name, port in ports.items():
        if port.lag is not None:
            profile = None if known.lag_profile_on == "members" else port.profile
            found[name] = replace(port, profile=profile, storm=None if _on_members(known) else port.storm)
        elif port.member_of is not None and (group := ports.get(port.member_of)) is not None:
            found[name] = _with_group(port, group, known)
    return found


def _on_members(known: Capabilities) -> bool:
    return known.storm_control is not None and known.storm_control.is_on_members


def group_mtus(ports: Mapping[str, PartialPort], known: Capabilities) -> dict[str, PortMtu]:
    """Group -> its MTU: as of any port that is routed, or switched into VLANs."""
    found = {name: _mtu(port, known) for name, port in ports.items() if port.lag is not None}
    return {name: mtu for name, mtu in found.items() if mtu is not None}


def _mtu(group: PartialPort, known: Capabilities) -> PortMtu | None:
    is_switched = group.access_vlan is not None or group.tagged_vlans is not None
    return None if group.mtu_bytes is None else of_group(group.mtu_bytes, known, is_switched=is_switched)


def _with_group(port: PartialPort, group: PartialPort, known: Capabilities) -> PartialPort:
    member = replace(port, profile=group.profile, storm=group.storm if _on_members(known) else None)
    may_be_alone = group.lag is not None and group.lag.individual
    if known.lag_repeated == "always":
        mtu = _mtu(group, known)
        member = replace(member, mtu_bytes=None if mtu is None else mtu.configured_bytes)
    elif known.lag_repeated == "never" or not may_be_alone:
        return member
    member = replace(
        member, access_vlan=group.access_vlan, tagged_vlans=group.tagged_vlans, native_vlan=group.native_vlan
    )
    # spanning tree runs on the group, and on a member only while it works individually
    return replace(member, edge=group.edge) if known.lag_repeated == "individual" else member


def lag(port: PartialPort, known: Capabilities) -> Lag | None:
    """A group's own settings in the terms of this OS."""
    if port.lag is None:
        return None
    wait_s = known.individual_after_s if port.lag.individual_after_s is None else port.lag.individual_after_s
    return replace(
        port.lag,
        lacp_rate=_rate(port.lag) if known.lacp_rate_on == "group" else None,
        individual_after_s=wait_s if port.lag.individual and known.individual_after_s is not None else None,
        min_links=known.default_min_links if port.lag.min_links is None else port.lag.min_links,
    )


def member(port: PartialPort, ports: Mapping[str, PartialPort], known: Capabilities) -> LagMember | None:
    """A port's membership in the terms of this OS."""
    if port.member_of is None:
        return None
    group = ports[port.member_of].lag if port.member_of in ports else None
    return LagMember(port.member_of, _rate(group) if group and known.lacp_rate_on == "members" else None)


def _rate(group: Lag) -> LacpRate:
    return group.lacp_rate or _UNSAID_RATE
