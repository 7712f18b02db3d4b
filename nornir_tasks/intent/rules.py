"""Rules of the intent that concern several fields, each a generator of findings, so that all are told at once."""

import re
from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import TYPE_CHECKING

from nornir_tasks.intent.findings import Finding
from nornir_tasks.intent.unknown import independent

if TYPE_CHECKING:
    from nornir_tasks.intent import model

RESERVED = {
    IPv4Network("172.17.0.0/16"): "Docker's default bridge",
    IPv4Network("10.96.0.0/12"): "Kubernetes' default services",
    IPv4Network("10.244.0.0/16"): "the usual default of Kubernetes pods",
    IPv4Network("10.128.0.0/14"): "OpenShift's default pods",
    IPv4Network("169.254.0.0/16"): "link-local addresses",
}
"""Prefixes that software on the hosts takes without asking; a pool there breaks pods or the host itself."""

NOT_UNICAST = {
    IPv4Network("0.0.0.0/8"): "this network, no address of an interface (RFC 1122)",
    IPv4Network("127.0.0.0/8"): "loopback, never on a wire (RFC 1122)",
    IPv4Network("192.0.0.0/24"): "kept for protocols (RFC 6890)",
    IPv4Network("224.0.0.0/4"): "multicast (RFC 5771)",
    IPv4Network("240.0.0.0/4"): "reserved, with broadcast at its end (RFC 1112)",
}
"""Prefixes of which no interface can have an address (IANA IPv4 Special-Purpose Address Registry)."""

SWITCH_NAMES = ("leaf", "spine", "core")

ANSIBLE_NAMES = ("all", "ungrouped", "localhost")
"""What Ansible itself calls so; a group of hosts of that name would be another one."""

MAX_HOST_VLAN = 1005
"""Above, switches take VLANs for themselves: for routed ports from 1006 on, Cumulus Linux 3725-4064
(VLAN-aware-Bridge-Mode.md, Reserved VLAN Range), NX-OS 3968-4094 (batfish nxos_vlan_invalid)."""

RACK_UNITS = 60
"""More than any rack on the market has; above it stands a typing error."""

_RACK_UNIT = re.compile(r"[0-9]{1,2}")
_RACK_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,15}")

MAX_HOST_MTU_HINT = "packets of the hosts must fit through every switch"


def ecn_thresholds(ecn: "model.EcnThresholds") -> Iterator[Finding]:
    """Marking begins before it is at its full."""
    if ecn.min_bytes >= ecn.max_bytes:
        yield Finding(
            ("max_bytes",),
            "ECN's upper threshold is not above its lower one",
            f"more than min_bytes ({ecn.min_bytes})",
            str(ecn.max_bytes),
        )


def traffic_class(each: "model.TrafficClassIntent") -> Iterator[Finding]:
    """A class is either strict or has a weight; what is paused must not starve others."""
    return independent(_share(each), _paused(each), _best_effort(each))


def _share(each: "model.TrafficClassIntent") -> Iterator[Finding]:
    if each.strict and each.weight is not None:
        yield Finding(
            ("weight",), "a strict class has no weight", "strict: true, or weight, not both", str(each.weight)
        )
    if not each.strict and each.weight is None:
        yield Finding((), "a class without a share", "weight (percent), or strict: true")


def _paused(each: "model.TrafficClassIntent") -> Iterator[Finding]:
    if each.strict and each.lossless:
        yield Finding(
            ("lossless",),
            "a strict class cannot be lossless",
            "lossless only for a class with a weight",
            hint="a paused strict queue would hold up everything below it",
        )


def _best_effort(each: "model.TrafficClassIntent") -> Iterator[Finding]:
    if each.lossless and 0 in each.dscp:
        yield Finding(
            ("lossless",),
            "the best-effort class (DSCP 0) cannot be lossless",
            "a class of its own for what must not be lost",
            hint="every packet nobody marked would be able to pause the fabric",
        )


def mtu(each: "model.MtuIntent") -> Iterator[Finding]:
    """What a host sends fits through the fabric."""
    if each.host > each.fabric:
        yield Finding(
            ("host",),
            "hosts would send larger packets than the fabric carries",
            f"at most fabric ({each.fabric})",
            str(each.host),
            MAX_HOST_MTU_HINT,
        )


def policy(each: "model.PolicyIntent") -> Iterator[Finding]:
    """The classes together: nothing twice, nothing missing."""
    return independent(_priorities(each), _code_points(each), _weights(each), _dcqcn(each))


def _priorities(each: "model.PolicyIntent") -> Iterator[Finding]:
    seen: dict[int, str] = {}
    for name, traffic in each.classes.items():
        if traffic.priority in seen:
            yield Finding(
                ("classes", name, "priority"),
                f"priority {traffic.priority} is used twice",
                "one priority for each class",
                f"also in class {seen[traffic.priority]}",
            )
        seen.setdefault(traffic.priority, name)


def _code_points(each: "model.PolicyIntent") -> Iterator[Finding]:
    seen: dict[int, str] = {}
    for name, traffic in each.classes.items():
        for point in traffic.dscp:
            if point in seen:
                yield Finding(
                    ("classes", name, "dscp"),
                    f"DSCP {point} is used twice",
                    "each code point in one class",
                    f"also in class {seen[point]}",
                )
            seen.setdefault(point, name)
    if 0 not in seen:
        yield Finding(
            ("classes",),
            "no class holds DSCP 0",
            "one class with dscp 0: best effort, which takes every code point no class names",
        )


def _weights(each: "model.PolicyIntent") -> Iterator[Finding]:
    shared = {name: traffic for name, traffic in each.classes.items() if not traffic.strict}
    weights = {name: traffic.weight for name, traffic in shared.items() if traffic.weight is not None}
    total = sum(weights.values())
    if weights and total != 100:
        yield Finding(
            ("classes",),
            "the weights do not sum to 100",
            "100, over all classes that are not strict",
            f"{' + '.join(f'{name} {weight}' for name, weight in weights.items())} = {total}",
        )


def _dcqcn(each: "model.PolicyIntent") -> Iterator[Finding]:
    marking = [name for name, traffic in each.classes.items() if traffic.ecn is not None]
    if not each.dcqcn:
        for name in marking:
            yield Finding(
                ("classes", name, "ecn"),
                "DCQCN is off, but this class marks",
                "no ecn while dcqcn is off",
                hint="half of DCQCN is worse than none: remove ecn, or set dcqcn: on",
            )
    elif not marking:
        yield Finding(
            ("dcqcn",),
            "DCQCN is on, but no class marks",
            "ecn: auto in the class that carries RDMA",
            hint="without marks the senders never slow down; set dcqcn: off if PFC alone is meant",
        )
    elif "cnp" not in each.classes:
        yield Finding(
            ("classes",),
            "DCQCN is on, but there is no class cnp",
            "a class named cnp for congestion notifications",
            hint="the hosts send them with this class's DSCP, as cnp: {dscp: 48, priority: 6, strict: true}",
        )


def pools(each: "model.PoolsIntent") -> Iterator[Finding]:
    """No pool overlaps another one of its plane, what hosts take for themselves, or what no interface can have."""
    ranges = {"loopback": each.loopback, "links": each.links, "hosts": each.hosts}
    rules = [_apart(name, pool, other, ranges[other]) for name, pool in ranges.items() for other in _before(name)]
    return independent(*rules, *(_free(name, pool) for name, pool in ranges.items()))


def _before(pool: str) -> tuple[str, ...]:
    return {"loopback": (), "links": ("loopback",), "hosts": ("loopback", "links")}[pool]


def _apart(name: str, pool: IPv4Network, other: str, taken: IPv4Network) -> Iterator[Finding]:
    if taken.overlaps(pool):
        yield Finding((name,), f"overlaps the pool {other}", f"addresses outside {taken}", str(pool))


def _free(name: str, pool: IPv4Network) -> Iterator[Finding]:
    hint = "10.160.0.0/12 is free of all reserved prefixes"
    for taken, use in NOT_UNICAST.items():
        if pool.overlaps(taken):
            yield Finding((name,), f"overlaps {taken}, {use}", "unicast addresses", str(pool), hint)
    for taken, use in RESERVED.items():
        if pool.overlaps(taken):
            expected = "a pool that hosts do not use for themselves"
            yield Finding((name,), f"overlaps {taken}, {use}", expected, str(pool), hint)


def hosts(each: "model.HostsIntent") -> Iterator[Finding]:
    """Growth is inside the declared maximum; a host is never named like a switch."""
    return independent(_host_names(each), _host_vlan(each), _host_count(each))


def _host_names(each: "model.HostsIntent") -> Iterator[Finding]:
    if each.group in SWITCH_NAMES:
        yield Finding(
            ("group",), "hosts would be named like switches", f"any name but {', '.join(SWITCH_NAMES)}", each.group
        )
    if each.group in ANSIBLE_NAMES:
        yield Finding(("group",), "a name that Ansible keeps", f"any name but {', '.join(ANSIBLE_NAMES)}", each.group)


def _host_vlan(each: "model.HostsIntent") -> Iterator[Finding]:
    if each.vlan is not None and each.link != "svi":
        hint = "host ports of p2p and subnet/N are routed: they are in no VLAN"
        yield Finding(("vlan",), "a VLAN without link: svi", "link: svi beside it, or no vlan", str(each.vlan), hint)
    if each.vlan is not None and each.vlan > MAX_HOST_VLAN:
        hint = "a routed port has a VLAN inside the switch, which takes it from 1006 on; others are kept for VXLAN"
        expected = f"2-{MAX_HOST_VLAN}"
        yield Finding(("vlan",), "a VLAN that switches use themselves", expected, str(each.vlan), hint)


def _host_count(each: "model.HostsIntent") -> Iterator[Finding]:
    if each.count > each.max:
        yield Finding(("max",), "fewer hosts at most than there are now", f"at least {each.count}", str(each.max))


def _chooses(override: "model.SwitchChoice") -> Iterator[Finding]:
    fields = (override.platform, override.release, override.model, override.breakout, override.uplink_breakout)
    if all(field is None for field in fields):
        yield Finding((), "an override that changes nothing", "platform, release, model or a breakout")
    if override.platform is not None and (override.release is None or override.model is None):
        yield Finding((), "another platform without its release and model", "platform, release and model together")


def leaf_override(override: "model.LeafOverride") -> Iterator[Finding]:
    """An override names whom it means and what it changes."""
    return independent(_leaves_meant(override), _chooses(override))


def _leaves_meant(override: "model.LeafOverride") -> Iterator[Finding]:
    expected = "rails (from 0), groups (from 1), or both"
    if override.rails is None and override.groups is None:
        yield Finding((), "an override without switches", expected)
    for key, named in (("rails", override.rails), ("groups", override.groups)):
        if named is not None and not named:
            yield Finding((key,), "an empty list, so no leaf is meant", f"{expected}; or no {key} at all", "[]")


def spine_override(override: "model.SpineOverride") -> Iterator[Finding]:
    """An override changes something."""
    return _chooses(override)


def compute(plane: "model.ComputeIntent") -> Iterator[Finding]:
    """The tiers fit the hosts' rails; no switch is overridden twice; no device stands in two racks."""
    return independent(
        racks(plane),
        tiers(plane),
        _top_tier(plane),
        spine_groups(plane),
        _leaf_rails(plane),
        _leaves_twice(plane),
        _spines_twice(plane),
    )


def _leaf_rails(plane: "model.ComputeIntent") -> Iterator[Finding]:
    rails = plane.hosts.rails
    for position, override in enumerate(plane.leaf.overrides):
        path = ("leaf", "overrides", position, "rails")
        if override.rails is not None and plane.design == "clos":
            yield Finding(path, "a leaf has no rail here", "groups, or design: rail", f"design: {plane.design}")
        elif override.rails and max(override.rails) >= rails:
            yield Finding(path, "no such rail", f"0-{rails - 1}", str(max(override.rails)))


def _leaves_twice(plane: "model.ComputeIntent") -> Iterator[Finding]:
    for position, override in enumerate(plane.leaf.overrides):
        for before, other in enumerate(plane.leaf.overrides[:position]):
            if _meet(override.rails, other.rails) and _meet(override.groups, other.groups):
                yield Finding(
                    ("leaf", "overrides", position),
                    "some leaves are overridden twice",
                    "each leaf in one override",
                    f"also in overrides[{before}]",
                )


def _spines_twice(plane: "model.ComputeIntent") -> Iterator[Finding]:
    for position, spine in enumerate(plane.spine.overrides):
        for before, earlier in enumerate(plane.spine.overrides[:position]):
            if _meet(spine.index, earlier.index):
                yield Finding(
                    ("spine", "overrides", position),
                    "some spines are overridden twice",
                    "each spine in one override",
                    f"also in overrides[{before}]",
                )


def tiers(plane: "model.ComputeIntent") -> Iterator[Finding]:
    """Cores and pods belong to three tiers."""
    if plane.design == "clos3" and plane.core is None:
        yield Finding(
            ("design",), "three tiers, but no core", "core: {platform: ..., release: ..., model: ...}", "clos3"
        )
    if plane.design != "clos3" and plane.core is not None:
        yield Finding(("core",), "a core without three tiers", "design: clos3, or no core", f"design: {plane.design}")
    if plane.design != "clos3" and plane.spine.pod_leaf_groups is not None:
        yield Finding(
            ("spine", "pod_leaf_groups"), "pods without three tiers", "design: clos3", f"design: {plane.design}"
        )


def _top_tier(plane: "model.ComputeIntent") -> Iterator[Finding]:
    """Nothing goes up from the highest tier, so nothing splits there."""
    top = "core" if plane.design == "clos3" else "spine"
    tier = plane.core if plane.design == "clos3" else plane.spine
    if tier is not None and tier.uplink_breakout is not None:
        what, expected = "no port goes up from the highest tier", "breakout, for the ports that go down"
        yield Finding((top, "uplink_breakout"), what, expected, str(tier.uplink_breakout))


def spine_groups(plane: "model.ComputeIntent") -> Iterator[Finding]:
    """Groups of spines are groups of rails; what they part, NVLink joins."""
    groups, path = plane.spine.groups, ("spine", "groups")
    if groups is None or groups == 1:
        return
    if plane.design != "rail":
        yield Finding(path, "spine groups follow the rails", "design: rail, or no groups", f"design: {plane.design}")
    elif plane.hosts.rails % groups:
        even = ", ".join(str(n) for n in range(1, plane.hosts.rails + 1) if plane.hosts.rails % n == 0)
        yield Finding(path, f"{plane.hosts.rails} rails do not fall into so many groups", f"one of {even}", str(groups))
    elif plane.cross_rail != "nvlink":
        hint = "two hosts' NICs of different groups could not talk to one another, and nobody would have said so"
        yield Finding(path, "groups share no switch", "cross_rail: nvlink beside them, or groups: 1", str(groups), hint)


def racks(plane: "model.ComputeIntent") -> Iterator[Finding]:
    """A rack's name fits on a cable's flag, a unit is a number, and nothing stands in two places."""
    seen: dict[str, str] = {}
    for rack, units in plane.racks.items():
        if not _RACK_NAME.fullmatch(rack):
            yield Finding(("racks", rack), "not a rack's name", "1-16 letters, digits, dots or dashes, as A01", rack)
        taken: dict[int, str] = {}
        for unit, device in units.items():
            path, place = ("racks", rack, unit), f"rack {rack}, unit {unit}"
            if not (_RACK_UNIT.fullmatch(unit) and 1 <= int(unit) <= RACK_UNITS):
                yield Finding(path, "not a rack unit", f"1-{RACK_UNITS}: the lowest unit the device takes", unit)
            elif int(unit) in taken:
                yield Finding(path, "a unit that stands twice", "each unit once", f"also as {taken[int(unit)]}")
            else:
                taken[int(unit)] = unit
            if device in seen:
                yield Finding(path, f"{device} stands in two places", "each device once", f"also in {seen[device]}")
            seen.setdefault(device, place)


def _meet(some: tuple[int, ...] | None, others: tuple[int, ...] | None) -> bool:
    return some is None or others is None or bool(set(some) & set(others))
