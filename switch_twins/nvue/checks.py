"""What NVUE looks at when a revision is applied: references and rules that span objects.

Each finding is a location in NVUE's dotted spelling and a reason. The one published message is the router-id's
(Cumulus Linux docs, NVUE-API.md, "Configuration Fails Because of a Dependency"); the rules' sources stand at them, the
wording of the others is this twin's.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec import DeviceSpec
from . import ports
from .dialect import Dialect
from .tree import Tree, get_or

Finding = tuple[str, str]
_PROFILES = ("pfc", "mapping", "congestion-control", "egress-scheduler", "egress-shaper", "link-pause", "remark")
_BUILT_IN_PROFILES = ("default-global", "lossy-multi-tc-host-group", "lossy-multi-tc-network-group")


def findings(tree: Tree, dialect: Dialect, device: DeviceSpec) -> list[Finding]:
    """Everything in a configuration that its apply refuses."""
    return [
        *_breakouts(tree, device),
        *_bgp(tree, dialect),
        *_policy(tree),
        *_pools(tree),
        *_schedulers(tree),
        *_thresholds(tree),
        *_interface_qos(tree),
        *_interfaces(tree, dialect),
        *_bonds(tree),
        *_storms(tree),
        *_acls(tree),
        *_relays(tree),
    ]


def _breakouts(tree: Tree, device: DeviceSpec) -> Iterator[Finding]:
    for name, reason in ports.wrong_splits(device, tree):
        yield f"interface.{name}.link.breakout", reason
    for name, cage in ports.parts_without_cage(device, tree):
        yield f"interface.{name}", f"Interface {name} does not exist, {cage} is not split into so many ports.\n"


def _acls(tree: Tree) -> Iterator[Finding]:
    """ACLs have a type ("You must run this command when configuring other ACL settings"), and bound ones are there."""
    lists = tree.get("acl", {})
    for name, acl in lists.items():
        if "type" not in acl:
            yield f"acl.{name}.type", "ACL requires a type to be set.\n"
    for interface, content in tree.get("interface", {}).items():
        for name in get_or(content, {}, "acl"):
            if name not in lists:
                yield f"interface.{interface}.acl.{name}", f"ACL {name} does not exist.\n"


def _relays(tree: Tree) -> Iterator[Finding]:
    """514 DHCP-Relays.md: a group has a server and an upstream interface; a downstream interface names one that is."""
    for vrf, relay in get_or(tree, {}, "service", "dhcp-relay").items():
        groups = relay.get("server-group", {})
        for name, group in groups.items():
            for key in ("server", "upstream-interface"):
                if not group.get(key):
                    yield f"service.dhcp-relay.{vrf}.server-group.{name}", f"A server group requires a {key}.\n"
        for name, port in relay.get("downstream-interface", {}).items():
            group = port.get("server-group-name")
            if group is not None and group not in groups:
                where = f"service.dhcp-relay.{vrf}.downstream-interface.{name}.server-group-name"
                yield where, f"Server group {group} does not exist.\n"


def _bgp(tree: Tree, dialect: Dialect) -> Iterator[Finding]:
    for name, vrf in get_or(tree, {}, "vrf").items():
        bgp = get_or(vrf, None, "router", "bgp")
        if isinstance(bgp, dict) and _is_running(bgp, dialect):
            yield from _identity(tree, name, bgp, dialect)
            yield from _neighbors(tree, name, bgp, dialect)


def _is_running(bgp: Tree, dialect: Dialect) -> bool:
    """A VRF with anything of BGP in it runs BGP, unless it is switched off."""
    return dialect.is_on(bgp, bool(bgp))


def _identity(tree: Tree, vrf: str, bgp: Tree, dialect: Dialect) -> Iterator[Finding]:
    has_asn = _number(bgp.get("autonomous-system")) or _number(get_or(tree, None, "router", "bgp", "autonomous-system"))
    if not has_asn:
        yield f"vrf.{vrf}.router.bgp", "BGP requires autonomous-system to be set globally or in the VRF.\n"
    ids = (bgp.get("router-id"), get_or(tree, None, "router", "bgp", "router-id"))
    has_id = any(value not in (None, "auto", "none") for value in ids)
    has_loopback = bool(dialect.addresses_of(get_or(tree, {}, "interface", "lo"))) and vrf == "default"
    if not has_id and not has_loopback:  # "NVUE automatically assigns the loopback address ... to be the router ID"
        yield f"router.bgp.{dialect.switch}", "BGP requires router-id to be set globally or in the VRF.\n"


def _number(value: object) -> bool:
    return isinstance(value, int) or value in ("leaf", "spine")


def _neighbors(tree: Tree, vrf: str, bgp: Tree, dialect: Dialect) -> Iterator[Finding]:
    groups = bgp.get("peer-group", {})
    peers = [("neighbor", *item) for item in bgp.get("neighbor", {}).items()]
    peers += [("peer-group", *item) for item in groups.items()]
    for kind, name, peer in peers:
        where = f"vrf.{vrf}.router.bgp.{kind}.{name}"
        group = peer.get("peer-group", "none")
        if group != "none" and group not in groups:
            yield f"{where}.peer-group", f"Peer group {group} does not exist.\n"
        if kind == "neighbor" and not _has_remote_as(peer, groups.get(group, {})):
            yield f"{where}.remote-as", "BGP neighbor requires remote-as to be set on the neighbor or its peer group.\n"
        yield from _peer_references(tree, where, peer, dialect)
    for prefix, listen in get_or(bgp, {}, "dynamic-neighbor", "listen-range").items():  # "must already exist"
        group = listen.get("peer-group")
        if group not in groups:
            where = f"vrf.{vrf}.router.bgp.dynamic-neighbor.listen-range.{prefix}.peer-group"
            yield where, f"Peer group {group} does not exist.\n"


def _has_remote_as(peer: Tree, group: Tree) -> bool:
    return peer.get("remote-as") not in (None, "auto") or group.get("remote-as") is not None


def _peer_references(tree: Tree, where: str, peer: Tree, dialect: Dialect) -> Iterator[Finding]:
    policy = get_or(peer, {}, "address-family", "ipv4-unicast", "policy")
    for direction, rules in policy.items():
        for kind in ("route-map", "prefix-list"):
            place = f"{where}.address-family.ipv4-unicast.policy.{direction}.{kind}"
            yield from _reference(tree, place, kind, rules.get(kind))
    profile = get_or(peer, None, "bfd", "profile")
    if dialect.has_bfd_profiles and profile is not None and profile not in get_or(tree, {}, "router", "bfd", "profile"):
        yield f"{where}.bfd.profile", f"BFD profile {profile} does not exist.\n"  # "you must create a BFD profile"
    timers = peer.get("timers", {})
    keepalive, hold = timers.get("keepalive"), timers.get("hold")
    if isinstance(keepalive, int) and isinstance(hold, int) and keepalive * 3 > hold:  # "... to one third"
        yield f"{where}.timers.keepalive", "The keepalive interval must not be more than a third of the hold time.\n"


def _reference(tree: Tree, where: str, kind: str, name: object) -> Iterator[Finding]:
    if isinstance(name, str) and name != "none" and name not in get_or(tree, {}, "router", "policy", kind):
        yield where, f"{kind} {name} does not exist.\n"


def _policy(tree: Tree) -> Iterator[Finding]:
    for name, content in get_or(tree, {}, "router", "policy", "route-map").items():
        for number, rule in content.get("rule", {}).items():
            where = f"router.policy.route-map.{name}.rule.{number}"
            if "action" not in rule:
                yield f"{where}.action", "A route map rule requires an action.\n"
            listed = get_or(rule, None, "match", "ip-prefix-list")
            yield from _reference(tree, f"{where}.match.ip-prefix-list", "prefix-list", listed)
    for name, content in get_or(tree, {}, "router", "policy", "prefix-list").items():
        for number, rule in content.get("rule", {}).items():
            if "action" not in rule:
                where = f"router.policy.prefix-list.{name}.rule.{number}.action"
                yield where, "A prefix list rule requires an action.\n"


def _pools(tree: Tree) -> Iterator[Finding]:
    pools = get_or(tree, {}, "qos", "traffic-pool")
    if sum(pool.get("memory-percent", 0) for pool in pools.values()) > 100:
        yield "qos.traffic-pool", "The sum of memory-percent over all traffic pools is greater than 100.\n"
    lossless = [name for name in pools if name.endswith("lossless") and pools[name].get("memory-percent")]
    if len(lossless) > 1:  # "You can only have a single lossless pool configured on the switch at a time"
        yield "qos.traffic-pool", "Only a single lossless traffic pool can be configured.\n"


def _schedulers(tree: Tree) -> Iterator[Finding]:
    for name, profile in get_or(tree, {}, "qos", "egress-scheduler").items():
        classes = profile.get("traffic-class", {})
        if sum(entry.get("bw-percent", 0) for entry in classes.values() if entry.get("mode") != "strict") > 100:
            yield f"qos.egress-scheduler.{name}", "The sum of bw-percent over all classes is greater than 100.\n"


def _thresholds(tree: Tree) -> Iterator[Finding]:
    for name, profile in get_or(tree, {}, "qos", "congestion-control").items():
        for number, entry in profile.get("traffic-class", {}).items():
            low, high = entry.get("min-threshold"), entry.get("max-threshold")
            if low is not None and high is not None and low > high:
                where = f"qos.congestion-control.{name}.traffic-class.{number}.min-threshold"
                yield where, "min-threshold is greater than max-threshold.\n"


def _interface_qos(tree: Tree) -> Iterator[Finding]:
    for name, interface in get_or(tree, {}, "interface").items():
        qos = interface.get("qos", {})
        if "pfc-watchdog" in qos and not name.startswith("swp"):  # "only ... on a physical interface (swp)"
            yield f"interface.{name}.qos.pfc-watchdog", "PFC watchdog is only supported on physical interfaces.\n"
        off = get_or(tree, {}, "qos", "pfc", get_or(qos, "default-global", "pfc", "profile"))
        if "pfc-watchdog" in qos and {off.get("rx"), off.get("tx")} == {"disable"} and not qos.get("link-pause"):
            # "You can only configure PFC watchdog on a port with PFC (or link pause) configuration"
            yield f"interface.{name}.qos.pfc-watchdog", "PFC watchdog requires PFC or link pause on the interface.\n"
        if qos.get("pfc") and qos.get("link-pause"):
            yield f"interface.{name}.qos.link-pause", "Link pause and PFC cannot be configured on one interface.\n"
        for kind in _PROFILES:
            profile = get_or(qos, None, kind, "profile")
            known = (*_BUILT_IN_PROFILES, *get_or(tree, {}, "qos", kind))
            if profile is not None and profile not in known:
                yield f"interface.{name}.qos.{kind}.profile", f"Profile {profile} does not exist.\n"


def _interfaces(tree: Tree, dialect: Dialect) -> Iterator[Finding]:
    known = {"default", "mgmt", *get_or(tree, {}, "vrf")}
    for name, interface in get_or(tree, {}, "interface").items():
        vrf = dialect.vrf_of(interface)
        if vrf not in known:
            yield f"interface.{name}.{'.'.join(dialect.vrf)}", f"VRF {vrf} does not exist.\n"
        yield from _subinterface(tree, name, interface)
        if name == "lo" and "down" in get_or(interface, {}, "link", "state"):  # "must always be up"
            yield "interface.lo.link.state", "The loopback interface must always be up.\n"


def _storms(tree: Tree) -> Iterator[Finding]:
    """Of physical ports alone (tests/corpus/nvue/reject.txt, storm_control)."""
    for name, interface in get_or(tree, {}, "interface").items():
        if interface.get("storm-control") and interface.get("type", "swp") != "swp":
            yield f"interface.{name}.storm-control", "Storm control is only supported on physical ports.\n"


def _bonds(tree: Tree) -> Iterator[Finding]:
    """Bonding-Link-Aggregation.md: "An interface cannot belong to multiple bonds", "cannot enslave VLAN subinterfaces".

    LACP-Bypass.md: bypass is for bonds that are in a bridge.
    """
    holder: dict[str, str] = {}
    for name, interface in get_or(tree, {}, "interface").items():
        bond = interface.get("bond", {})
        for member in bond.get("member", {}):
            where = f"interface.{name}.bond.member.{member}"
            if holder.setdefault(member, name) != name:
                yield where, f"Interface {member} is a member of bond {holder[member]} already.\n"
            if "." in member:
                yield where, f"Subinterface {member} cannot be a member of a bond.\n"
        if bond.get("lacp-bypass") in ("on", "enabled") and not get_or(interface, None, "bridge", "domain"):
            yield f"interface.{name}.bond.lacp-bypass", "LACP bypass is only supported on bonds in a bridge.\n"


def _subinterface(tree: Tree, name: str, interface: Tree) -> Iterator[Finding]:
    """Interface-Configuration-and-Management/_index.md, Subinterfaces: none of VLAN 1.

    Linux has no VLAN device with a greater MTU than the device below (torvalds/linux, vlan_dev_change_mtu).
    """
    if interface.get("type") != "sub":
        return
    port, _, number = name.rpartition(".")
    if int(interface.get("vlan") or number) == 1:
        yield f"interface.{name}.vlan", "A routed subinterface for VLAN 1 is not supported.\n"
    below = get_or(tree, {}, "interface", interface.get("base-interface", port))
    mtu, most = get_or(interface, 0, "link", "mtu"), get_or(below, 9216, "link", "mtu")
    if mtu > most:
        yield f"interface.{name}.link.mtu", f"The MTU of {name} is greater than that of the interface below it.\n"
