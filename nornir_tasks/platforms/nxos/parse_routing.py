"""NX-OS BGP, prefix lists and route maps parsed.

NX-OS has one connect retry per process (``reconnect-interval``), so every peer group has the same value; the route
settings of a template or neighbour are in its ``address-family ipv4 unicast``.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from nornir_tasks.design.config.bgp import Bgp, BgpVrf, Neighbor, PeerGroup
from nornir_tasks.design.config.routing_policy import PrefixList, PrefixRule, RouteMap, RouteMapRule, RoutingPolicy
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.lines import Block, Fields, Table, number, row, table, text, yes
from nornir_tasks.platforms.nxos.reading import Handlers, Remainder

ADDRESS_FAMILY = "address-family ipv4 unicast"

_DEFAULT_TIMERS_S = (60, 180)
DEFAULT_RECONNECT_S = 60
"""Cisco Nexus 9000 Unicast Routing Configuration Guide; cisco-network-node-utils cmd_ref/bgp.yaml."""


_PROCESS = (
    row(r"router-id (\S+)", "router_id", text, single="router-id"),
    row(r"bestpath as-path multipath-relax", "relax", yes),
    # cisco-network-node-utils cmd_ref/bgp.yaml: graceful restart is on unless set.
    row(r"no graceful-restart", "no_graceful_restart", yes, hidden=("graceful-restart",)),
    row(r"graceful-restart-helper", "helper", yes),
    # Cisco Nexus 9000 Unicast Routing Configuration Guide, "Configuring Basic BGP": keepalive 60 s, hold 180 s,
    # reconnect-interval 60 s unless set.
    row(
        r"reconnect-interval (\d+)",
        "reconnect_s",
        number,
        single="reconnect-interval",
        hidden=("reconnect-interval 60",),
    ),
    row(r"log-neighbor-changes", "log", yes),
)
_PROCESS_FAMILY = (
    # DME 10.5(3), bgpDomAf maxEcmp: 1 unless set.
    row(r"maximum-paths (\d+)", "maximum_paths", number, single="maximum-paths", hidden=("maximum-paths 1",)),
    row(r"network (\S+)", "networks", text, single=r"network \S+", many=True),
)
_TEMPLATE = (
    row(
        r"timers (\d+) (\d+)",
        "timers",
        lambda found: (int(found[1]), int(found[2])),
        single="timers",
        hidden=("timers 60 180",),
    ),
    row(r"bfd", "bfd", yes),
    row(r"ttl-security hops 1", "ttl_security", yes, single="ttl-security hops"),
)
_NEIGHBOR = (
    row(r"inherit peer (\S+)", "peer_group", text, single="inherit peer"),
    row(r"remote-as (\d+)", "remote_as", number, single="remote-as"),
    row(r"description (.+)", "description", text, single="description"),
)
_ROUTE_MAP_USED = r"route-map(?= \S+ (in|out)$)"
_PEER_FAMILY = (
    row(r"route-map (\S+) in", "route_map_in", text, single=_ROUTE_MAP_USED),
    row(r"route-map (\S+) out", "route_map_out", text, single=_ROUTE_MAP_USED),
    row(
        r"maximum-prefix (\d+)(?: restart (\d+))?",
        "maximum_prefix",
        lambda found: (int(found[1]), int(found[2]) if found[2] else None),
        single="maximum-prefix",
    ),
    row(r"send-community", "send_community", yes),
    row(r"advertisement-interval (\d+)", "advertisement_s", number, single="advertisement-interval"),
)
_ROUTE_MAP = (
    row(r"match ip address prefix-list (\S+)", "match", text, single="match ip address prefix-list"),
    row(
        r"set as-path prepend (\d+(?: \d+)*)",
        "prepend",
        lambda found: tuple(map(int, found[1].split())),
        single="set as-path prepend",
    ),
    row(
        r"set community (\d+:\d+(?: \d+:\d+)*)",
        "communities",
        lambda found: tuple(found[1].split()),
        single="set community",
    ),
)


def _prefix_rule(found: re.Match[str]) -> tuple[str, PrefixRule]:
    ge, le = (int(each) if each else None for each in (found[5], found[6]))
    return found[1], PrefixRule(int(found[2]), found[3] == "permit", found[4], ge, le)


PREFIX_RULE = row(
    r"ip prefix-list (\S+) seq (\d+) (permit|deny) (\S+)(?: ge (\d+))?(?: le (\d+))?",
    "prefix_rules",
    _prefix_rule,
    single=r"ip prefix-list \S+ seq \d+",
    many=True,
)

_ABOVE = (r"router bgp ",)
BLOCKS = (
    Block(_ABOVE, _PROCESS),
    Block((*_ABOVE, rf"{ADDRESS_FAMILY}$"), _PROCESS_FAMILY),
    Block((*_ABOVE, r"vrf "), _PROCESS),
    Block((*_ABOVE, r"vrf ", rf"{ADDRESS_FAMILY}$"), _PROCESS_FAMILY),
    Block((*_ABOVE, r"vrf ", r"neighbor "), _NEIGHBOR),
    Block((*_ABOVE, r"vrf ", r"neighbor ", rf"{ADDRESS_FAMILY}$"), _PEER_FAMILY),
    Block((*_ABOVE, r"template peer "), _TEMPLATE),
    Block((*_ABOVE, r"neighbor "), _NEIGHBOR),
    Block((*_ABOVE, r"(?:template peer|neighbor) ", rf"{ADDRESS_FAMILY}$"), _PEER_FAMILY),
    Block((r"route-map ",), _ROUTE_MAP),
)
"""Which lines of routing replace each other, and which are hidden."""

_PROCESS_LINES, _PROCESS_FAMILY_LINES, _PEER_FAMILY_LINES = (
    table(*_PROCESS),
    table(*_PROCESS_FAMILY),
    table(*_PEER_FAMILY),
)
_TEMPLATE_LINES, _NEIGHBOR_LINES, _ROUTE_MAP_LINES = table(*_TEMPLATE), table(*_NEIGHBOR), table(*_ROUTE_MAP)
_FAMILY_HEAD, _VRF_HEAD = re.compile(ADDRESS_FAMILY), re.compile(r"vrf (?P<name>\S+)")
_TEMPLATE_HEAD, _NEIGHBOR_HEAD = re.compile(r"template peer (?P<name>\S+)"), re.compile(r"neighbor (?P<address>[\d.]+)")


@dataclass(slots=True)
class BgpReader:
    """Reads ``router bgp``; one per switch."""

    remainder: Remainder
    bgp: Bgp | None = None

    def router(self, found: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``router bgp <asn>``."""
        groups: list[tuple[str, Fields]] = []
        inner: list[tuple[str, Fields, list[Neighbor], Path]] = []
        here = (*above, node.text)

        def template(line: re.Match[str], child: ConfigTree, over: Path) -> bool | None:
            read = self._peer(child, over, _TEMPLATE_LINES)
            if "maximum_prefix" not in read:
                return False
            groups.append((line["name"], read))
            return None

        def vrf(line: re.Match[str], child: ConfigTree, over: Path) -> None:
            inside = (*over, child.text)
            inner.append((line["name"], *self._scope(child, inside), inside))

        process, neighbors = self._scope(node, here, ((_TEMPLATE_HEAD, template), (_VRF_HEAD, vrf)))
        for name, values, sessions, inside in inner:
            self._compare(process, values, inside)
            neighbors += [replace(each, vrf=name) for each in sessions]
        self.bgp = replace(
            _bgp(int(found["asn"]), process, groups, neighbors),
            vrfs=tuple(
                BgpVrf(
                    name, values.get("router_id", ""), values.get("maximum_paths", 1), tuple(values.get("networks", ()))
                )
                for name, values, _, _ in inner
            ),
        )

    def _scope(self, node: ConfigTree, here: Path, more: Handlers = ()) -> tuple[Fields, list[Neighbor]]:
        """The process, or one VRF of it: its settings, those of its address family, and its sessions."""
        announced: Fields = {}
        neighbors: list[Neighbor] = []

        def family(_: re.Match[str], child: ConfigTree, over: Path) -> None:
            announced.update(self.remainder.read(child, (*over, child.text), _PROCESS_FAMILY_LINES))

        def neighbor(line: re.Match[str], child: ConfigTree, over: Path) -> bool | None:
            read = self._peer(child, over, _NEIGHBOR_LINES)
            if not {"remote_as", "peer_group"} <= read.keys():
                return False
            neighbors.append(_neighbor(line["address"], read))
            return None

        handlers = ((_NEIGHBOR_HEAD, neighbor), (_FAMILY_HEAD, family), *more)
        process = self.remainder.read(node, here, _PROCESS_LINES, handlers) | announced
        if process.get("no_graceful_restart", False) != process.get("helper", False):
            self.remainder.missing(
                *here, "graceful-restart-helper" if not process.get("helper") else "no graceful-restart"
            )
        return process, neighbors

    def _compare(self, process: Fields, vrf: Fields, here: Path) -> None:
        """Report settings of a VRF that differ from the process's: ours are always equal."""
        lines = {
            "relax": "bestpath as-path multipath-relax",
            "helper": "graceful-restart-helper",
            "log": "log-neighbor-changes",
        }
        for name, line in lines.items():
            if vrf.get(name, False) and not process.get(name, False):
                self.remainder.tree.add_path((*here, line))
            elif process.get(name, False) and not vrf.get(name, False):
                self.remainder.missing(*here, line)
        if vrf.get("reconnect_s", DEFAULT_RECONNECT_S) != process.get("reconnect_s", DEFAULT_RECONNECT_S):
            self.remainder.tree.add_path((*here, f"reconnect-interval {vrf.get('reconnect_s', DEFAULT_RECONNECT_S)}"))

    def _peer(self, node: ConfigTree, above: Path, lines: Table) -> Fields:
        """The settings of a template or neighbour, its address family included.

        A block that is not fully understood is reported as a whole; its lines must not appear twice.
        """
        here = (*above, node.text)
        own = Remainder()
        family: Fields = {}

        def enter(_: re.Match[str], child: ConfigTree, over: Path) -> None:
            family["family"] = True
            family.update(own.read(child, (*over, child.text), _PEER_FAMILY_LINES))

        read = own.read(node, here, lines, ((_FAMILY_HEAD, enter),)) | family
        if {"remote_as", "peer_group"} <= read.keys() or "maximum_prefix" in read:
            self.remainder.tree.merge(own.tree)
            if "family" not in read:
                self.remainder.missing(*here, ADDRESS_FAMILY)
        return read


def _bgp(
    asn: int,
    process: Mapping[str, Any],
    groups: list[tuple[str, Fields]],
    neighbors: list[Neighbor],
) -> Bgp:
    retry_s = process.get("reconnect_s", DEFAULT_RECONNECT_S)
    return Bgp(
        asn=asn,
        router_id=process.get("router_id", ""),
        maximum_paths=process.get("maximum_paths", 1),
        multipath_relax=process.get("relax", False),
        graceful_restart_helper_only=process.get("helper", False),
        log_neighbor_changes=process.get("log", False),
        networks=tuple(process.get("networks", ())),
        peer_groups=tuple(_group(name, read, retry_s) for name, read in groups),
        neighbors=tuple(neighbors),
    )


def _group(name: str, read: Mapping[str, Any], retry_s: int) -> PeerGroup:
    keepalive_s, hold_s = read.get("timers", _DEFAULT_TIMERS_S)
    max_prefixes, restart_min = read["maximum_prefix"]
    return PeerGroup(
        name=name,
        keepalive_s=keepalive_s,
        hold_s=hold_s,
        connect_retry_s=retry_s,
        advertisement_interval_s=read.get("advertisement_s"),
        bfd=read.get("bfd", False),
        ttl_security=read.get("ttl_security", False),
        send_community=read.get("send_community", False),
        max_prefixes=max_prefixes,
        prefix_restart_min=restart_min,
        route_map_in=read.get("route_map_in"),
        route_map_out=read.get("route_map_out"),
    )


def _neighbor(address: str, read: Mapping[str, Any]) -> Neighbor:
    return Neighbor(
        address=address,
        remote_as=read["remote_as"],
        peer_group=read["peer_group"],
        description=read.get("description", ""),
        route_map_in=read.get("route_map_in"),
    )


@dataclass(slots=True)
class PolicyReader:
    """Reads route maps, and assembles prefix lists."""

    remainder: Remainder
    maps: dict[str, list[RouteMapRule]] = field(default_factory=dict)

    def route_map(self, found: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``route-map <name> permit <n>`` and the lines below."""
        read = self.remainder.read(node, (*above, node.text), _ROUTE_MAP_LINES)
        rule = RouteMapRule(
            sequence=int(found["sequence"]),
            permit=found["action"] == "permit",
            match_prefix_list=read.get("match"),
            prepend=read.get("prepend", ()),
            communities=read.get("communities", ()),
        )
        self.maps.setdefault(found["name"], []).append(rule)

    def finish(self, prefix_rules: Iterable[tuple[str, PrefixRule]]) -> RoutingPolicy:
        """The section; ``prefix_rules`` each with the name of its list."""
        lists: dict[str, list[PrefixRule]] = {}
        for name, rule in prefix_rules:
            lists.setdefault(name, []).append(rule)
        return RoutingPolicy(
            tuple(PrefixList(name, tuple(rules)) for name, rules in lists.items()),
            tuple(RouteMap(name, tuple(rules)) for name, rules in self.maps.items()),
        )
