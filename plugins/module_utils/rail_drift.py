"""Expected and found state of a host's rails in the same words: their difference is the drift.

Pure, standard library only (it runs on hosts, Python 3.9). A rail is one entry of the role's rail_interfaces_rails, the
facts are the result of rail_state.collect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

FIRST_PRIORITY = 1000
"""The rule of rail r has priority 1000 + r: before the main table, which the kernel consults at 32766."""
LAST_PRIORITY = 1999
RP_FILTER_LOOSE = 2
"""Accepts any return path (RFC 3704). The kernel applies the larger of `all` and the interface's (ip-sysctl.rst)."""
ARP_STRICT = {"arp_ignore": 1, "arp_announce": 2}

Rail = Mapping[str, Any]
Facts = Mapping[str, Any]


def priority_of(rail: Rail) -> int:
    """Priority of a rail's rule."""
    return FIRST_PRIORITY + int(rail["rail"])


def found_of(rail: Rail, facts: Facts) -> dict[str, Any]:
    """The facts of a rail's NIC port."""
    match = rail["match"]
    found: dict[str, Any] = facts["rails"][(match.get("pci") or match.get("mac")).lower()]
    return found


def wanted_routes(rail: Rail, far: str) -> dict[str, str | None]:
    """Destination -> gateway of one table: ``far`` through the leaf, a shared subnet of the leaf without gateway."""
    near = rail.get("subnet")
    return {far: rail["gateway"], **({near: None} if near else {})}


def wanted_lines(rail: Rail, plane_supernet: str, arp_strict: bool) -> list[str]:
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
        f"rule {priority_of(rail)}: from {rail['address']} lookup {rail['table']}",
        *(f"net.ipv4.conf.{name}.{knob} = {value}" for knob, value in settings.items()),
    ]


def found_lines(rail: Rail, facts: Facts, arp_strict: bool) -> list[str]:
    """The present state of a rail. Its interface has its future name, so that only real differences show.

    Of the main table the routes to the rail's supernet and its own subnet, of the rules those of its priority or table.
    """
    one, name, table = found_of(rail, facts), rail["name"], str(rail["table"])
    called = [one["netdev"], *one["altnames"]]
    knobs = ["rp_filter", *(ARP_STRICT if arp_strict else {})]
    settings = facts["sysctl"][one["netdev"]]
    main = [each for each in facts["routes"]["main"] if _is_ours(each, rail, one["netdev"])]
    rules = [each for each in facts["rules"] if each["table"] == table or each["priority"] == priority_of(rail)]
    return [
        f"rail {rail['rail']} is {' also '.join(called)}",
        f"{name} {'up' if one['up'] else 'down'}",
        f"{name} mtu {one['mtu_bytes']}",
        *(f"{name} address {each}" for each in one["addresses"] if ":" not in each),
        *(_route("main", each, one["netdev"], name) for each in main),
        *(_route(table, each, one["netdev"], name) for each in facts["routes"].get(table, [])),
        *(f"rule {each['priority']}: from {each['from']} lookup {each['table']}" for each in rules),
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


def common_lines(facts: Facts) -> tuple[str, str]:
    """(found, expected) state that concerns all rails at once."""
    knob = "net.ipv4.conf.all.rp_filter"
    return f"{knob} = {facts['sysctl']['all']['rp_filter']}", f"{knob} = {RP_FILTER_LOOSE}"


def stale_rules(rails: Sequence[Rail], facts: Facts) -> list[dict[str, Any]]:
    """Rules of a rail that is no longer wanted: ours by priority and table, but of none of the rails."""
    own = {priority_of(rail) for rail in rails}
    offset = int(rails[0]["table"]) - priority_of(rails[0]) if rails else 0
    return [
        each
        for each in facts["rules"]
        if FIRST_PRIORITY <= each["priority"] <= LAST_PRIORITY
        and each["priority"] not in own
        and str(each["table"]) == str(each["priority"] + offset)
    ]
