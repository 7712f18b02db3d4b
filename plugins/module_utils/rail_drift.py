"""Expected and found state of a host's rails in the same words: their difference is the drift.

Pure, standard library only (it runs on hosts, Python 3.9). A rail is one entry of the role's rail_interfaces_rails, the
facts are the result of rail_state.collect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from ipaddress import ip_address, ip_network
from typing import Any

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.networkd_others import NOW
except ImportError:  # in a test
    from networkd_others import NOW

FORMER_PRIORITY = 1000
"""Rules stood at 1000 + rail before their priority was a variable, where others have theirs: the kernel's of VRFs
(drivers/net/vrf.c, FIB_RULE_PREF) and Spiderpool's."""
RAILS = 1000
"""Rules of a host have priorities from the first one on, and there are fewer rails than this."""
RP_FILTER_LOOSE = 2
"""Accepts any return path (RFC 3704). The kernel applies the larger of `all` and the interface's (ip-sysctl.rst), so
that of the rail suffices, whatever `all` is."""
ARP_STRICT = {"arp_ignore": 1, "arp_announce": 2}

Rail = Mapping[str, Any]
Facts = Mapping[str, Any]


def rule_of(rail: Rail, first_priority: int) -> dict[str, Any]:
    """The rule of a rail. ``first_priority``: that of rail 0."""
    priority = first_priority + int(rail["rail"])
    return {"priority": priority, "from": rail["address"], "table": str(rail["table"])}


def rule_line(rule: Mapping[str, Any]) -> str:
    """A rule as a fact."""
    return f"rule {rule['priority']}: from {rule['from']} lookup {rule['table']}"


def is_rule_of(rule: Mapping[str, Any], rail: Rail) -> bool:
    """Is a rule this rail's, at whatever priority? By `from` and table, and without any other selector."""
    return (rule["from"], str(rule["table"])) == (rail["address"], str(rail["table"])) and not rule["selectors"]


def found_of(rail: Rail, facts: Facts) -> dict[str, Any]:
    """The facts of a rail's NIC port."""
    match = rail["match"]
    found: dict[str, Any] = facts["rails"][(match.get("pci") or match.get("mac")).lower()]
    return found


def wanted_routes(rail: Rail, far: str) -> dict[str, str | None]:
    """Destination -> gateway of one table: ``far`` through the leaf, a shared subnet of the leaf without gateway."""
    near = rail.get("subnet")
    return {far: rail["gateway"], **({near: None} if near else {})}


def wanted_lines(rail: Rail, plane_supernet: str, arp_strict: bool, first_priority: int) -> list[str]:
    """The expected state of a rail, one fact per line."""
    name, far = rail["name"], rail.get("plane_supernet") or plane_supernet
    settings = {"rp_filter": RP_FILTER_LOOSE, **(ARP_STRICT if arp_strict else {})}
    return [
        f"rail {rail['rail']} is {name}",
        f"{name} up",
        f"{name} mtu {rail['mtu_bytes']}",
        f"{name} address {rail['address']}/{rail['prefix_length']}",
        *(_line("main", to, via, name) for to, via in wanted_routes(rail, rail["supernet"]).items()),
        *(_line(rail["table"], to, via, name) for to, via in wanted_routes(rail, far).items()),
        rule_line(rule_of(rail, first_priority)),
        *(f"net.ipv4.conf.{name}.{knob} = {value}" for knob, value in settings.items()),
    ]


def found_lines(rail: Rail, facts: Facts, arp_strict: bool, link_local: bool = True) -> list[str]:
    """The present state of a rail. Its interface has its future name, so that only real differences show.

    ``link_local``: it may have such an IPv6 address, which is no difference then. Of the main table the routes to the
    rail's supernet and its own subnet, of the rules those by `from` and table.
    """
    one, name, table = found_of(rail, facts), rail["name"], str(rail["table"])
    called = [one["netdev"], *one["altnames"]]
    knobs = ["rp_filter", *(ARP_STRICT if arp_strict else {})]
    settings = facts["sysctl"][one["netdev"]]
    main = [each for each in facts["routes"]["main"] if _is_ours(each, rail, one["netdev"])]
    return [
        f"rail {rail['rail']} is {' also '.join(called)}",
        f"{name} {'up' if one['up'] else 'down'}",
        f"{name} mtu {one['mtu_bytes']}",
        *(f"{name} address {each}" for each in one["addresses"] if ":" not in each),
        *(() if link_local else (f"{name} address {each}" for each in one["link_local"])),
        *(_route("main", each, one["netdev"], name) for each in main),
        *(_route(table, each, one["netdev"], name) for each in facts["routes"].get(table, [])),
        *(rule_line(each) for each in facts["rules"] if is_rule_of(each, rail)),
        *(f"net.ipv4.conf.{name}.{knob} = {settings[knob]}" for knob in knobs),
    ]


def _is_ours(route: Mapping[str, Any], rail: Rail, now: str) -> bool:
    """Is this route of the main table one of this rail's? Rails of one leaf share a subnet; each has its own route."""
    near = route["to"] == rail.get("subnet") and route["dev"] == now
    return near or (route["to"] == rail["supernet"] and route["to"] != rail.get("subnet"))


def _route(table: str, route: Mapping[str, Any], now: str, name: str) -> str:
    return _line(table, route["to"], route["via"], name if route["dev"] == now else route["dev"])


def _line(table: object, to: str, via: str | None, dev: str) -> str:
    return f"table {table}: {to} " + (f"via {via} " if via else "") + f"dev {dev}"


def stale_rules(rails: Sequence[Rail], facts: Facts, plane_supernet: str, first_priority: int) -> list[dict[str, Any]]:
    """Rules of rails that are no longer wanted. Others may have rules of any priority and any table, and keep them.

    Such a rule is from one address of a plane of these rails, of no rail, to the table that a rail at its priority has.
    """
    if not rails:
        return []
    planes = {ip_network(each.get("plane_supernet") or plane_supernet) for each in rails}
    first_table = int(rails[0]["table"]) - int(rails[0]["rail"])
    places = {
        (first + number, str(first_table + number))
        for first in (first_priority, FORMER_PRIORITY)
        for number in range(RAILS)
    }
    return [
        each
        for each in facts["rules"]
        if (each["priority"], str(each["table"])) in places
        and not each["selectors"]
        and _is_address(each["from"])
        and any(ip_address(each["from"]) in plane for plane in planes)
        and not any(is_rule_of(each, rail) for rail in rails)
    ]


def _is_address(source: str) -> bool:
    """One address, neither a prefix nor `all`."""
    return source != "all" and "/" not in source


def needs_manager(
    rails: Sequence[Rail], facts: Facts, plane_supernet: str, arp_strict: bool, link_local: bool = True
) -> list[str]:
    """What the network manager alone puts right: what differs, but rules and kernel settings. All rails are found."""
    return [
        line
        for rail in rails
        for line in sorted(
            set(found_lines(rail, facts, arp_strict, link_local))
            ^ set(wanted_lines(rail, plane_supernet, arp_strict, 0))
        )
        if not line.startswith(("net.", "rule "))
    ]


def at_risk(rails: Sequence[Rail], facts: Facts) -> list[str]:
    """Rules of others that systemd-networkd would take away as soon as it is told to configure an interface.

    Empty where it does not run these interfaces or leaves rules of others alone.
    """
    if facts["networkd_leaves_others"] in ("", NOW):
        return []
    return [
        f"{each['priority']}: from {each['from']} lookup {each['table']}"
        for each in facts["others_rules"]
        if not any(is_rule_of(each, rail) for rail in rails)
    ]
