"""Rails: each interface has its name, link, MTU, address, routes, rule and kernel settings, and no others."""

from collections.abc import Mapping
from typing import Any

from nornir_tasks.checks.about import About
from nornir_tasks.checks.hosts.host_evidence import HostEvidence, HostFinding, Judge, Knob

FACT = "gpufabric_rails"
RULE_PRIORITY = 20000
"""Priority of rail 0's rule where rail_interfaces_rule_priority does not say another; before the main table's 32766."""
LOOSE = 2
"""Reverse path filter that accepts any return path; the kernel uses the larger of ``all`` and the interface's own
(Documentation/networking/ip-sysctl.rst), so that the rail's own suffices."""

AFTER_A_BOOT = "name after a boot"
LINK_LOCAL = "link-local address"
SHOW_NAMES = "grep -rsE 'set-name|NAME=|Name=' /etc/netplan /run/netplan /etc/udev/rules.d /etc/systemd/network"

Rail = Mapping[str, Any]

ABOUT = About(
    name="rails",
    each="rail: name, name after a boot, link, mtu_bytes, address, routes, rule, settings",
    reads=(FACT,),
    wanted=(
        "rail_interfaces_rails, rail_interfaces_plane_supernet, rail_interfaces_arp_strict, "
        "rail_interfaces_rule_priority, rail_interfaces_link_local"
    ),
    passes="the interface at the rail's place has all of it as wanted, and no other address, route or rule of its own",
    fails="there is no interface at the rail's place, several are, or something of it or its name's files differs",
    cannot_tell="the host does not show a setting, the rail was not looked for, or a file that names it cannot be read",
)


def check_rails(evidence: HostEvidence) -> list[HostFinding]:
    """Nine findings for each rail, twelve where hosts share its subnet; one more without link-local addresses."""
    judge = Judge(ABOUT.name, evidence)
    facts = evidence.facts.get(FACT)
    strict = bool(evidence.variables["rail_interfaces_arp_strict"])
    first = int(evidence.variables.get("rail_interfaces_rule_priority", RULE_PRIORITY))
    for rail in evidence.variables["rail_interfaces_rails"]:
        plane = rail.get("plane_supernet") or evidence.variables["rail_interfaces_plane_supernet"]
        wanted = _knobs(rail, plane, strict, first + rail["rail"])
        if not evidence.variables.get("rail_interfaces_link_local", True):
            shown_by = f"ip -6 -br address show {rail['name']} scope link"
            wanted[LINK_LOCAL] = Knob(rail["name"], LINK_LOCAL, "none", shown_by)
        if facts is None:
            for knob in wanted.values():
                judge.undecided(knob, evidence.why_unread(FACT))
        else:
            _judge_rail(judge, rail, first + rail["rail"], wanted, facts)
    return judge.findings


def _knobs(rail: Rail, plane: str, strict: bool, priority: int) -> dict[str, Knob]:
    """The settings of one rail and their expected values. ``priority``: its rule's."""
    name, near, via = rail["name"], rail.get("subnet"), f"via {rail['gateway']} dev {rail['name']}"
    table = rail["table"]
    settings = {"rp_filter": LOOSE, **({"arp_ignore": 1, "arp_announce": 2} if strict else {})}
    wanted = {
        "name": (
            name,
            f"ls -d /sys/bus/pci/devices/{_key(rail)}/{{,*/}}net/*" if rail["match"].get("pci") else "ip -br link",
        ),
        AFTER_A_BOOT: (name, SHOW_NAMES),
        "link": ("up, with carrier", f"ip -br link show {name}"),
        "mtu_bytes": (str(rail["mtu_bytes"]), f"ip link show {name}"),
        "address": (f"{rail['address']}/{rail['prefix_length']}", f"ip -4 -br address show {name}"),
        "route of the rail": (f"{rail['supernet']} {via}", f"ip route show {rail['supernet']}"),
        "route of its table": (f"{plane} {via}", f"ip route show table {table}"),
        **({"route of its subnet": (f"{near} dev {name}", f"ip route show table {table}")} if near else {}),
        "rule": (f"{priority}: from {rail['address']} lookup {table}", "ip -4 rule show"),
        **{knob: (str(value), f"sysctl net.ipv4.conf.{name}.{knob}") for knob, value in settings.items()},
    }
    # A rail, or a plane, that is one subnet: nothing is behind the leaf.
    for knob, far in (("route of the rail", rail["supernet"]), ("route of its table", plane)):
        if far == near:
            del wanted[knob]
    return {knob: Knob(name, knob, value, shown_by) for knob, (value, shown_by) in wanted.items()}


def _key(rail: Rail) -> str:
    """The key of a rail in the facts."""
    return str(rail["match"].get("pci") or rail["match"].get("mac") or "").lower()


def _judge_rail(judge: Judge, rail: Rail, priority: int, wanted: Mapping[str, Knob], facts: Mapping[str, Any]) -> None:
    found = facts["rails"].get(_key(rail))
    if found is None:
        for knob in wanted.values():
            judge.undecided(knob, f"{_key(rail)} was not looked for")
        return
    netdev = found["netdev"]
    if netdev is None:
        several = ", ".join(found.get("candidates") or ())
        what = f"several interfaces: {several}" if several else "no interface"
        for knob in wanted.values():
            judge.decide(knob, False, what, why=f"at {_key(rail)}; lspci -D, ip link")
        return
    settings = facts["sysctl"].get(netdev, {})
    own = facts["routes"].get(str(rail["table"]), ())
    values: dict[str, object] = {
        "name": netdev,
        "link": ("up" if found["up"] else "down") + (", with carrier" if found["carrier"] else ", no carrier"),
        "mtu_bytes": found["mtu_bytes"],
        "address": sorted(address for address in found["addresses"] if ":" not in address),
        LINK_LOCAL: (", ".join(found["link_local"]) or "none") if LINK_LOCAL in wanted else "",
        "route of the rail": [_route(each) for each in facts["routes"]["main"] if each["to"] == rail["supernet"]],
        "route of its table": [_route(each) for each in own if each["to"] != rail.get("subnet")],
        "route of its subnet": [_route(each) for each in own if each["to"] == rail.get("subnet")],
        "rule": [_rule(each) for each in facts["rules"] if _concerns(each, rail, priority)],
    }
    for name, knob in wanted.items():
        if name == AFTER_A_BOOT:
            _judge_later_name(judge, knob, facts, netdev)
        else:
            judge.compare(knob, values[name] if name in values else settings.get(name))


def _judge_later_name(judge: Judge, knob: Knob, facts: Mapping[str, Any], netdev: str) -> None:
    """Does nothing but the rail's own files name its interface at the next boot?"""
    others = [each for each in facts["names"] if netdev in each["netdevs"] and each["name"] != knob.wanted]
    lost = [_named(each) for each in others if each["certain"]]
    unsure = [*facts["names_unread"], *(_named(each) for each in others)]
    if lost or not unsure:
        judge.compare(knob, lost or knob.wanted, why="set rail_interfaces_take_over_names: true, or take it away")
    else:
        judge.undecided(knob, "; ".join(unsure))


def _named(setting: Mapping[str, Any]) -> str:
    """What names an interface beside the rail's own files: the name and the place."""
    place = setting["file"] + (f", line {setting['line']}" if setting["line"] else "")
    return f"{setting['name'] or 'taken'} by {setting['by']} ({place}, {setting['key']})"


def _route(route: Mapping[str, Any]) -> str:
    return f"{route['to']} " + (f"via {route['via']} " if route["via"] else "") + f"dev {route['dev']}"


def _rule(rule: Mapping[str, Any]) -> str:
    return f"{rule['priority']}: from {rule['from'].removesuffix('/32')} lookup {rule['table']}"


def _concerns(rule: Mapping[str, Any], rail: Rail, priority: int) -> bool:
    """Is this a rule of the rail, by its address and table, or one that takes all of its packets before that?"""
    if rule["from"].removesuffix("/32") != rail["address"] or rule["selectors"]:
        return False
    return str(rule["table"]) == str(rail["table"]) or bool(rule["priority"] < priority)
