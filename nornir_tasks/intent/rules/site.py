"""Rules of how a site's parts fit together: planes on fabrics, hosts on planes."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from nornir_tasks.intent.core.findings import Finding, Path, as_shown, dotted
from nornir_tasks.intent.core.unknown import independent
from nornir_tasks.intent.keys.fabric import FabricIntent
from nornir_tasks.intent.keys.plane import PlaneIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules import (
    bond,
    boundary,
    flow,
    host,
    oob_devices,
    policy,
    pool,
    rail_planes,
    sharing,
    traffic_class,
    vlan,
    way_out,
)
from nornir_tasks.intent.rules import name as name_rules
from nornir_tasks.intent.settings import Terms

MAX_HOST_VLAN = 1005
"""Above, switches take VLANs for themselves: for routed ports from 1006 on, Cumulus Linux 3725-4064
(VLAN-aware-Bridge-Mode.md, Reserved VLAN Range), NX-OS 3968-4094 (batfish nxos_vlan_invalid)."""

KEPT_NAMES = ("switch", "base", "gpufabric")
"""Who owns what is of no plane or fabric, and what such names on a switch begin with."""


def plane(each: PlaneIntent) -> Iterator[Finding]:
    """A VLAN belongs to an SVI; traffic classes of its own are complete."""
    return independent(_host_vlan(each), _tag(each), _own_classes(each), _storm_control(each))


def _host_vlan(each: PlaneIntent) -> Iterator[Finding]:
    if each.vlan is not None and each.link not in ("svi", "bond"):
        hint = "host ports of p2p and subnet/N are routed: they are in no VLAN"
        expected = "link: svi or bond beside it, or no vlan"
        yield Finding(("vlan",), "a VLAN without link: svi or bond", expected, str(each.vlan), hint)
    if each.vlan is not None and each.vlan > MAX_HOST_VLAN:
        hint = "a routed port has a VLAN inside the switch, which takes it from 1006 on; others are kept for VXLAN"
        expected = f"2-{MAX_HOST_VLAN}"
        yield Finding(("vlan",), "a VLAN that switches use themselves", expected, str(each.vlan), hint)


def _storm_control(each: PlaneIntent) -> Iterator[Finding]:
    if each.storm_control is not None and each.host_vlan is None:
        expected, hint = "link: svi or bond beside it, or no storm_control", "a router copies no broadcasts"
        yield Finding(("storm_control",), "storm control of routed host ports", expected, each.link, hint)


def _tag(each: PlaneIntent) -> Iterator[Finding]:
    if each.tag is not None and each.tag > MAX_HOST_VLAN:
        expected, found = f"2-{MAX_HOST_VLAN}", str(each.tag)
        yield Finding(("tag",), "a VLAN that switches use themselves", expected, found)


def _own_classes(each: PlaneIntent) -> Iterator[Finding]:
    if each.classes is not None:
        yield from policy.classes(_Classes(each.classes))


@dataclass(frozen=True, slots=True)
class _Classes:
    classes: policy.Classes
    congestion: str = ""


def site(intent: Intent) -> Iterator[Finding]:
    """Everything that concerns several parts."""
    return independent(
        _names(intent),
        _switch_names(intent),
        name_rules.names(intent),
        _racks(intent),
        _fabrics_of_planes(intent),
        _planes_of_fabrics(intent),
        _hosts_of_planes(intent),
        pool.pools(intent),
        host.groups(intent),
        sharing.sharing(intent),
        rail_planes.copies(intent),
        bond.bonds(intent),
        vlan.vlans(intent),
        way_out.ways_out(intent),
        flow.flows(intent),
        oob_devices.attached(intent),
        boundary.boundary(intent),
        _on_fabrics(intent),
        _on_hosts(intent),
        traffic_class.planes_on_fabrics(intent),
        traffic_class.lossless_memory(intent),
        _shared_switches(intent),
    )


def _names(intent: Intent) -> Iterator[Finding]:
    """What the names of a plane's or fabric's objects begin with tells whose they are."""
    found: list[tuple[Path, str]] = [(("fabrics", name), name) for name in intent.fabrics]
    found += [(("planes", name), name) for name in intent.planes]
    for path, name in found:
        if name in KEPT_NAMES or name.startswith("gpufabric-"):
            yield Finding(path, "a name reserved for the switch itself", "another name", name)
    for (before, one), (path, other) in combinations(found, 2):
        shorter, longer = sorted((f"{one}-", f"{other}-"), key=len)
        if one == other:
            yield from independent(_same_name(before, path, other, intent))
        elif longer.startswith(shorter):
            expected = "names of which none begins with another one and a dash"
            yield Finding(path, f"begins like {dotted(before)}", expected, other, _BY_PREFIX, also=before)


def _switch_names(intent: Intent) -> Iterator[Finding]:
    """What the names of a fabric's switches begin with tells whose they are."""
    seen: dict[str, str] = {}
    for name, each in intent.fabrics.items():
        before = seen.setdefault(each.name_prefix or "", name)
        if before != name:
            found = each.switch_name("spine-1")
            what, expected = f"its switches would be called like those of fabric {before}", "another name_prefix"
            also = ("fabrics", before, "name_prefix")
            yield Finding(("fabrics", name, "name_prefix"), what, expected, f"{found} in both", also=also)


def _racks(intent: Intent) -> Iterator[Finding]:
    """A rack may hold devices of several fabrics, each in one place; within a fabric its own rule says so."""
    places: dict[str, Path] = {}
    taken: dict[tuple[str, int], Path] = {}
    for name, fabric in intent.fabrics.items():
        for rack, units in fabric.racks.items():
            for unit, device in ((unit, device) for unit, device in units.items() if unit.isdecimal()):
                path: Path = ("fabrics", name, "racks", rack, unit)
                before, other = places.setdefault(device, path), taken.setdefault((rack, int(unit)), path)
                if before[1] != name:
                    yield Finding(path, f"{device} has two places", "each device once", also=before)
                if other[1] != name:
                    what = "a unit that another fabric has a device in"
                    yield Finding(path, what, "each unit once", device, also=other)


_BY_PREFIX = "objects on switches are distinguished by the prefix of their names"


def _same_name(before: Path, path: Path, name: str, intent: Intent) -> Iterator[Finding]:
    """A plane may be called like the fabric it rides on, and like no other."""
    if intent.planes[name].fabric != name and intent.planes[name].fabric in intent.fabrics:
        what, expected = f"called like {dotted(before)}, and on another fabric", "another name"
        yield Finding(path, what, expected, name, _BY_PREFIX, also=before)


def _fabrics_of_planes(intent: Intent) -> Iterator[Finding]:
    for name, each in intent.planes.items():
        yield from independent(_fabric_of(name, each, intent))


def _fabric_of(name: str, each: PlaneIntent, intent: Intent) -> Iterator[Finding]:
    if each.fabric not in intent.fabrics:
        known = as_shown(", ".join(intent.fabrics)) or "a fabric that is described under fabrics"
        yield Finding(("planes", name, "fabric"), "no such fabric to ride on", known, each.fabric)


def _planes_of_fabrics(intent: Intent) -> Iterator[Finding]:
    used = {each.fabric for each in intent.planes.values()}
    for name in intent.fabrics:
        if name not in used:
            expected = f"planes.<name>.fabric: {as_shown(name)}, or no such fabric"
            yield Finding(("fabrics", name), "no plane rides on this fabric", expected)


def _hosts_of_planes(intent: Intent) -> Iterator[Finding]:
    used = {name for group in intent.hosts.values() for name in group.nics} | oob_devices.of_trees(intent).keys()
    for name in intent.planes:
        if name not in used:
            expected = f"hosts.<group>.nics.{as_shown(name)}: {{rails: ..., speed: ...}}, or no such plane"
            yield Finding(("planes", name), "no host has a NIC on this plane", expected)


def _on_fabrics(intent: Intent) -> Iterator[Finding]:
    """What planes ask of their fabrics' switches."""
    for name, each in intent.planes.items():
        yield from independent(_on_fabric(name, each, intent))


def _on_fabric(name: str, each: PlaneIntent, intent: Intent) -> Iterator[Finding]:
    if each.fabric in intent.fabrics:
        terms = Terms(intent.policy, each.fabric, intent.fabrics[each.fabric], name, each)
        yield from independent(_mtu(terms), _congestion(terms))


def _mtu(terms: Terms) -> Iterator[Finding]:
    if terms.plane.mtu is None and terms.fabric.mtu is None:
        return  # the policy's own rule says it
    if terms.host_mtu_bytes > terms.fabric_mtu_bytes:
        expected = f"at most {dotted(terms.fabric_mtu_at)} ({terms.fabric_mtu_bytes})"
        what, found = "hosts would send larger packets than the fabric carries", str(terms.host_mtu_bytes)
        yield Finding(terms.host_mtu_at, what, expected, found, policy.MAX_HOST_MTU_HINT, also=terms.fabric_mtu_at)


def _congestion(terms: Terms) -> Iterator[Finding]:
    if terms.plane.classes is None and terms.plane.congestion is None:
        return  # the policy's own rule says it
    for finding in policy.congestion(_Classes(terms.classes, terms.congestion)):
        key, *below = finding.path
        above = terms.classes_at if key == "classes" else terms.congestion_at
        other = terms.congestion_at if key == "classes" else terms.classes_at
        yield Finding((*above, *below), finding.what, finding.expected, finding.found, finding.hint, also=other)


def _shared_switches(intent: Intent) -> Iterator[Finding]:
    for one, other in combinations(intent.planes, 2):
        yield from independent(_shared(one, other, intent))


def _shared(one: str, other: str, intent: Intent) -> Iterator[Finding]:
    """Two planes on one fabric: what its links have once must be the same for both."""
    first, second = intent.planes[one], intent.planes[other]
    if first.fabric == second.fabric and first.vrf != second.vrf:
        what = f"not the VRF of plane {one}, on the same fabric"
        hint = "links between switches are untagged and carry one VRF; put the planes on fabrics of their own"
        expected, found = (each.vrf or "the default one" for each in (first, second))
        yield Finding(("planes", other, "vrf"), what, expected, found, hint, also=("planes", one, "vrf"))


def _on_hosts(intent: Intent) -> Iterator[Finding]:
    """What fabrics say of rails, where hosts have so many."""
    for name in intent.fabrics:
        yield from independent(_on_leaves(name, intent))
    for group, each in intent.hosts.items():
        yield from independent(*(_on_spines(group, name, intent) for name in each.nics))


def _on_leaves(name: str, intent: Intent) -> Iterator[Finding]:
    """Of several groups of hosts and planes on a fabric, the one with the most rails counts."""
    rails = [
        (nics.rails, ("hosts", group, "nics", plane, "rails"))
        for group, each in intent.hosts.items()
        for plane, nics in each.nics.items()
        if plane in intent.planes and intent.planes[plane].fabric == name
    ]
    if rails:
        yield from _rails_of_leaves(("fabrics", name), intent.fabrics[name], *max(rails, key=lambda each: each[0]))


def _on_spines(group: str, name: str, intent: Intent) -> Iterator[Finding]:
    if name in intent.planes and intent.planes[name].fabric in intent.fabrics:
        each = intent.planes[name]
        above: Path = ("fabrics", each.fabric)
        yield from _rails_of_spines(above, intent.fabrics[each.fabric], each, intent.hosts[group].nics[name].rails)


def _rails_of_leaves(above: Path, fabric: FabricIntent, rails: int, rails_at: Path) -> Iterator[Finding]:
    for position, override in enumerate(fabric.leaf.overrides):
        if fabric.design != "clos" and override.rails and max(override.rails) >= rails:
            path = (*above, "leaf", "overrides", position, "rails")
            yield Finding(path, "no such rail", f"0-{rails - 1}", str(max(override.rails)), also=rails_at)


def _rails_of_spines(above: Path, fabric: FabricIntent, plane: PlaneIntent, rails: int) -> Iterator[Finding]:
    """Groups of spines are groups of rails; what they part, NVLink joins."""
    groups, path = fabric.spine.groups, (*above, "spine", "groups")
    if groups is None or groups == 1 or fabric.design != "rail":
        return
    if rails % groups:
        even = ", ".join(str(n) for n in range(1, rails + 1) if rails % n == 0)
        yield Finding(path, f"{rails} rails do not fall into so many groups", f"one of {even}", str(groups))
    elif plane.cross_rail != "nvlink":
        hint = "NICs of hosts in different groups could not reach one another, without any warning"
        expected = "the plane's cross_rail: nvlink, or groups: 1"
        yield Finding(path, "groups share no switch", expected, str(groups), hint)
