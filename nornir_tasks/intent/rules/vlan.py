"""Rules of VLANs of bonds: numbers, the groups in them, and that each is on one pair of leaves."""

from collections.abc import Iterator, Mapping
from ipaddress import IPv6Network
from itertools import combinations

from nornir_tasks.intent.core.address_fields import SUBNET_V6_LENGTH
from nornir_tasks.intent.core.findings import Finding, Path, as_shown, dotted
from nornir_tasks.intent.core.unknown import UNKNOWN, independent
from nornir_tasks.intent.keys.bonded_plane import DefaultRouteIntent, StormControlIntent, VlanIntent
from nornir_tasks.intent.keys.plane import PlaneIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.oob_devices import TREE

MAX_VLAN = 1005
"""As of hosts in a VLAN without a bond (site_rules.MAX_HOST_VLAN)."""

NEEDS_EVPN = "a VLAN on two pairs of leaves needs EVPN, which is not offered; between leaves everything is routed"

OF_BONDS = ("vlans", "default_route")
"""Keys of a plane that need a gateway of a pair."""
OF_FILTERS = ("services", "networks", "flows", "dhcp_relay")
"""Keys of a plane that need a gateway that filters: of a pair, or of an access switch of an out-of-band plane."""


def vlan(each: VlanIntent) -> Iterator[Finding]:
    """A number that switches leave free; an IPv6 subnet in which hosts can make addresses."""
    if each.id > MAX_VLAN:
        yield Finding(("id",), "a VLAN that switches use themselves", f"2-{MAX_VLAN}", str(each.id))
    if each.hosts_v6 is not None and each.hosts_v6.prefixlen != SUBNET_V6_LENGTH:
        yield Finding(("hosts_v6",), "not the subnet of one VLAN", f"a /{SUBNET_V6_LENGTH}", str(each.hosts_v6))


def default_route(each: DefaultRouteIntent) -> Iterator[Finding]:
    """A number that switches leave free; ports on leaves of hosts, or on their own."""
    if each.vlan > MAX_VLAN:
        yield Finding(("vlan",), "a VLAN that switches use themselves", f"2-{MAX_VLAN}", str(each.vlan))
    if each.leaves_of is None and each.speed is None:
        yield Finding((), "which leaves these machines are cabled to is not said", "leaves_of: GROUP, or speed: 25G")
    elif each.leaves_of is not None and each.speed is not None:
        what, expected = "these ports are as fast as those of the group", "no speed beside leaves_of"
        yield Finding(("speed",), what, expected, f"{each.speed}G", also=("leaves_of",))


def storm_control(each: StormControlIntent) -> Iterator[Finding]:
    """It limits something."""
    if (each.broadcast_pps, each.multicast_pps, each.unknown_unicast_pps) == (None, None, None):
        expected = "broadcast_pps, multicast_pps or unknown_unicast_pps, or no storm_control"
        yield Finding((), "storm control without a limit", expected)


def vlans(intent: Intent) -> Iterator[Finding]:
    """The VLANs of every plane, of planes on one fabric, and IPv6 prefixes."""
    for name in intent.planes:
        yield from independent(_of_bonds(name, intent), _groups(name, intent), _one_pair(name, intent))
    for fabric in intent.fabrics:
        yield from independent(_numbers(fabric, intent))
    yield from independent(_apart_v6(intent), _one_default_route(intent))


def _of_bonds(name: str, intent: Intent) -> Iterator[Finding]:
    plane = intent.planes[name]
    is_tree = plane.fabric in intent.fabrics and intent.fabrics[plane.fabric].design == TREE
    for key in () if plane.link == "bond" else OF_BONDS if is_tree else (*OF_BONDS, *OF_FILTERS):
        if getattr(plane, key) not in (None, (), {}, False):
            what, expected = f"{key} of a plane without bonds", f"link: bond, or no {key}"
            yield Finding(("planes", name, key), what, expected, plane.link, also=("planes", name, "link"))
    if plane.link != "bond" and plane.pools.hosts_v6 is not None:
        what, expected = "IPv6 of a plane without bonds is not built", "link: bond, or no hosts_v6"
        yield Finding(("planes", name, "pools", "hosts_v6"), what, expected, str(plane.pools.hosts_v6))


def _groups(name: str, intent: Intent) -> Iterator[Finding]:
    plane, there = intent.planes[name], [group for group, hosts in intent.hosts.items() if name in hosts.nics]
    seen: dict[str, str] = {}
    for key, each in plane.vlans.items():
        for number, group in enumerate(each.groups):
            path: Path = ("planes", name, "vlans", key, "groups", number)
            if group not in there:
                what = "no group of hosts with NIC ports on this plane"
                yield Finding(path, what, as_shown(", ".join(there)), group)
            elif seen.setdefault(group, key) != key:
                what, also = f"group {group} is in two VLANs of the plane", ("planes", name, "vlans", seen[group])
                yield Finding(path, what, "each group in one", f"also in {seen[group]}", also=also)


def _one_pair(name: str, intent: Intent) -> Iterator[Finding]:
    """Groups of one subnet are on the same leaves; groups on the same leaves without one are in the same VLAN."""
    plane = intent.planes[name]
    leaves = {group: hosts.nics[name].leaves_of or group for group, hosts in intent.hosts.items() if name in hosts.nics}
    for key, each in plane.vlans.items():
        path: Path = ("planes", name, "vlans", key)
        there = [group for group in each.groups if group in leaves]
        if each.hosts is not None and len({leaves[group] for group in there}) > 1:
            what = f"one subnet for groups on different leaves: {', '.join(there)}"
            expected = f"leaves_of: {there[0]} of the others, or a VLAN and subnet for each"
            yield Finding((*path, "hosts"), what, expected, str(each.hosts), NEEDS_EVPN)
    yield from _without_subnet(name, plane, leaves)


def _without_subnet(name: str, plane: PlaneIntent, leaves: Mapping[str, str]) -> Iterator[Finding]:
    of_leaves: dict[str, tuple[str, Path]] = {}
    for group, owner in leaves.items():
        found = plane.vlan_of(group)
        if found is None or found[1].hosts is None:
            key = found[0] if found else "vlan"
            path: Path = ("planes", name, "vlans", key) if found else ("planes", name, "vlan")
            before, other = of_leaves.setdefault(owner, (key, path))
            if before != key:
                what = f"a second VLAN without a subnet of its own on the leaves of group {owner}"
                hint = "a pair has one subnet of pools.hosts for each plane"
                yield Finding(path, what, "hosts: its subnet, in one of both VLANs", key, hint, also=other)


def _numbers(fabric: str, intent: Intent) -> Iterator[Finding]:
    found: list[tuple[Path, int]] = []
    for name, plane in intent.planes.items():
        if plane.fabric == fabric and plane.link == "bond":
            found += [(("planes", name, "vlans", key, "id"), each.id) for key, each in plane.vlans.items()]
            if plane.default_route is not None:
                found.append((("planes", name, "default_route", "vlan"), plane.default_route.vlan))
            if _has_default_vlan(name, plane, intent):
                found.append((("planes", name, "vlan"), plane.host_vlan or 0))
    for (before, one), (path, other) in combinations(found, 2):
        if one == other and (before[:2] == path[:2] or len(before) > 3 or len(path) > 3):
            what, expected = f"the number of {dotted(before)}, on the same fabric", "another number"
            yield Finding(path, what, expected, str(other), also=before)


def _has_default_vlan(name: str, plane: PlaneIntent, intent: Intent) -> bool:
    return any(name in hosts.nics and plane.vlan_of(group) is None for group, hosts in intent.hosts.items())


def _apart_v6(intent: Intent) -> Iterator[Finding]:
    found: list[tuple[Path, IPv6Network]] = []
    for name, plane in intent.planes.items():
        if plane.pools is not UNKNOWN and plane.pools.hosts_v6 is not None:
            found.append((("planes", name, "pools", "hosts_v6"), plane.pools.hosts_v6))
        for key, each in plane.vlans.items():
            if each.hosts_v6 is not None:
                found.append((("planes", name, "vlans", key, "hosts_v6"), each.hosts_v6))
    for (before, one), (path, other) in combinations(found, 2):
        if one.overlaps(other):
            what, expected = f"overlaps {dotted(before)}", f"addresses outside {one}"
            yield Finding(path, what, expected, str(other), also=before)


def _one_default_route(intent: Intent) -> Iterator[Finding]:
    for hosts in intent.hosts.values():
        there = [name for name in hosts.nics if name in intent.planes and intent.planes[name].default_route]
        for name in there[1:]:
            what = f"hosts would have a second default route beside that of plane {there[0]}"
            path, also = ("planes", name, "default_route"), ("planes", there[0], "default_route")
            yield Finding(path, what, "default_route on one plane of a host", also=also)
