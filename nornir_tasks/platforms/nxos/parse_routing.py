"""NX-OS BGP, prefix lists and route maps parsed.

NX-OS has one connect retry per process (``reconnect-interval``), so every peer group has the same value; the route
settings of a template or neighbour are in its address family, of which it has one.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from nornir_tasks.design.config.bgp import Bgp, BgpVrf, Neighbor, PeerGroup
from nornir_tasks.design.config.routing_policy import (
    AsPathList,
    AsPathRule,
    PrefixList,
    PrefixRule,
    RouteMap,
    RouteMapRule,
    RoutingPolicy,
)
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.lines import Block, Fields, Table, number, row, table, text, yes
from nornir_tasks.platforms.nxos import communities
from nornir_tasks.platforms.nxos.reading import Handlers, Remainder

ADDRESS_FAMILY, ADDRESS_FAMILY_6 = "address-family ipv4 unicast", "address-family ipv6 unicast"
_ANY_FAMILY = r"address-family ipv[46] unicast"

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
    row(r"aggregate-address (\S+) summary-only", "aggregates", text, single=r"aggregate-address \S+", many=True),
)
_PROCESS_FAMILY_6 = _PROCESS_FAMILY[1:]
_TEMPLATE = (
    row(
        r"timers (\d+) (\d+)",
        "timers",
        lambda found: (int(found[1]), int(found[2])),
        single="timers",
        hidden=("timers 60 180",),
    ),
    row(r"bfd", "bfd", yes),
    row(r"password 7 (\S+)", "password", text, single="password"),
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
    row(r"next-hop-self", "next_hop_self", yes),
    row(r"advertisement-interval (\d+)", "advertisement_s", number, single="advertisement-interval"),
)
_ROUTE_MAP = (
    row(r"description (.+)", "description", text, single="description"),
    row(r"match as-path (\S+)", "match_as_path", text, single="match as-path"),
    row(r"match ip address prefix-list (\S+)", "match", text, single="match ip address prefix-list"),
    row(r"match ipv6 address prefix-list (\S+)", "match_6", text, single="match ipv6 address prefix-list"),
    row(
        r"set as-path prepend (\d+(?: \d+)*)",
        "prepend",
        lambda found: tuple(map(int, found[1].split())),
        single="set as-path prepend",
    ),
    row(
        rf"set community ({communities.WORD}(?: {communities.WORD})*)",
        "communities",
        lambda found: communities.from_words(found[1]),
        single="set community",
    ),
)


def _prefix_rule(found: re.Match[str]) -> tuple[str, PrefixRule]:
    ge, le = (int(each) if each else None for each in (found[5], found[6]))
    return found[1], PrefixRule(int(found[2]), found[3] == "permit", found[4], ge, le)


def _as_path_rule(found: re.Match[str]) -> tuple[str, AsPathRule]:
    return found[1], AsPathRule(int(found[2]), found[3] == "permit", found[4])


LIST_RULES = (
    *(
        row(
            rf"{word} prefix-list (\S+) seq (\d+) (permit|deny) ({prefix})(?: ge (\d+))?(?: le (\d+))?",
            field,
            _prefix_rule,
            single=rf"{word} prefix-list \S+ seq \d+",
            many=True,
        )
        for word, field, prefix in (
            ("ip", "prefix_rules", r"[\d.]+/\d+"),
            ("ipv6", "prefix_rules_6", r"[0-9a-f:.]+/\d+"),
        )
    ),
    row(
        r'ip as-path access-list (\S+) seq (\d+) (permit|deny) "([^"]+)"',
        "as_path_rules",
        _as_path_rule,
        single=r"ip as-path access-list \S+ seq \d+",
        many=True,
    ),
)
"""Entries of lists, each with its list's name."""

_ABOVE = (r"router bgp ",)
BLOCKS = (
    Block(_ABOVE, _PROCESS),
    Block((*_ABOVE, rf"{ADDRESS_FAMILY}$"), _PROCESS_FAMILY),
    Block((*_ABOVE, rf"{ADDRESS_FAMILY_6}$"), _PROCESS_FAMILY_6),
    Block((*_ABOVE, r"vrf "), _PROCESS),
    Block((*_ABOVE, r"vrf ", rf"{ADDRESS_FAMILY}$"), _PROCESS_FAMILY),
    Block((*_ABOVE, r"vrf ", r"neighbor "), _NEIGHBOR),
    Block((*_ABOVE, r"vrf ", r"neighbor ", rf"{ADDRESS_FAMILY}$"), _PEER_FAMILY),
    Block((*_ABOVE, r"template peer "), _TEMPLATE),
    Block((*_ABOVE, r"neighbor "), _NEIGHBOR),
    Block((*_ABOVE, r"(?:template peer|neighbor) ", rf"{_ANY_FAMILY}$"), _PEER_FAMILY),
    Block((r"route-map ",), _ROUTE_MAP),
)
"""Which lines of routing replace each other, and which are hidden."""

_PROCESS_LINES, _PROCESS_FAMILY_LINES, _PEER_FAMILY_LINES = (
    table(*_PROCESS),
    table(*_PROCESS_FAMILY),
    table(*_PEER_FAMILY),
)
_TEMPLATE_LINES, _NEIGHBOR_LINES, _ROUTE_MAP_LINES = table(*_TEMPLATE), table(*_NEIGHBOR), table(*_ROUTE_MAP)
_PROCESS_FAMILY_6_LINES = table(*_PROCESS_FAMILY_6)
_FAMILY_HEAD, _FAMILY_6_HEAD = re.compile(ADDRESS_FAMILY), re.compile(ADDRESS_FAMILY_6)
_PEER_FAMILY_HEAD = re.compile(r"address-family (?P<family>ipv[46]) unicast")
_VRF_HEAD, _TEMPLATE_HEAD = re.compile(r"vrf (?P<name>\S+)"), re.compile(r"template peer (?P<name>\S+)")
_NEIGHBOR_HEAD = re.compile(r"neighbor (?P<address>[\d.]+|[0-9a-f:.]*:[0-9a-f:.]*)")


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
            read = self._peer(child, over, _TEMPLATE_LINES, None)
            if "maximum_prefix" not in read:
                return False
            groups.append((line["name"], read))
            return None

        def vrf(line: re.Match[str], child: ConfigTree, over: Path) -> None:
            inside = (*over, child.text)
            inner.append((line["name"], *self._scope(child, inside), inside))

        def family_6(_: re.Match[str], child: ConfigTree, over: Path) -> None:
            of_6.append(self.remainder.read(child, (*over, child.text), _PROCESS_FAMILY_6_LINES))

        of_6: list[Fields] = []
        heads = ((_TEMPLATE_HEAD, template), (_VRF_HEAD, vrf), (_FAMILY_6_HEAD, family_6))
        process, neighbors = self._scope(node, here, heads)
        for each in of_6:
            process |= {key: [*process.get(key, ()), *found] for key, found in each.items()}
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
        if of_6 and not self.bgp.has_ipv6:
            self.remainder.tree.add_path((*here, ADDRESS_FAMILY_6))
        elif self.bgp.has_ipv6 and not of_6:
            self.remainder.missing(*here, ADDRESS_FAMILY_6)

    def _scope(self, node: ConfigTree, here: Path, more: Handlers = ()) -> tuple[Fields, list[Neighbor]]:
        """The process, or one VRF of it: its settings, those of its address family, and its sessions."""
        announced: Fields = {}
        neighbors: list[Neighbor] = []

        def family(_: re.Match[str], child: ConfigTree, over: Path) -> None:
            announced.update(self.remainder.read(child, (*over, child.text), _PROCESS_FAMILY_LINES))

        def neighbor(line: re.Match[str], child: ConfigTree, over: Path) -> bool | None:
            own = "ipv6" if ":" in line["address"] else "ipv4"
            read = self._peer(child, over, _NEIGHBOR_LINES, own)
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

    def _peer(self, node: ConfigTree, above: Path, lines: Table, wanted: str | None) -> Fields:
        """The settings of a template or neighbour, its address family included: ``wanted``, or the first that it has.

        A block that is not fully understood is reported as a whole; its lines must not appear twice.
        """
        here = (*above, node.text)
        own = Remainder()
        family: Fields = {}

        def enter(found: re.Match[str], child: ConfigTree, over: Path) -> bool | None:
            if family or found["family"] != (wanted or found["family"]):
                return False
            family["family"] = found["family"]
            family.update(own.read(child, (*over, child.text), _PEER_FAMILY_LINES))
            return None

        read = own.read(node, here, lines, ((_PEER_FAMILY_HEAD, enter),)) | family
        if {"remote_as", "peer_group"} <= read.keys() or "maximum_prefix" in read:
            self.remainder.tree.merge(own.tree)
            if "family" not in read:
                self.remainder.missing(*here, ADDRESS_FAMILY_6 if wanted == "ipv6" else ADDRESS_FAMILY)
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
        aggregates=tuple(process.get("aggregates", ())),
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
        family=read.get("family", "ipv4"),
        next_hop_self=read.get("next_hop_self", False),
        password=read.get("password"),
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
    matches: list[tuple[str, str, Path]] = field(default_factory=list)
    """Each word for a family, with the prefix list that it stands before and the place of the line."""

    def route_map(self, found: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``route-map <name> permit <n>`` and the lines below."""
        here = (*above, node.text)
        read = self.remainder.read(node, here, _ROUTE_MAP_LINES)
        prefixes = {word: read[key] for word, key in (("ip", "match"), ("ipv6", "match_6")) if key in read}
        self.matches += [(word, name, here) for word, name in prefixes.items()]
        rule = RouteMapRule(
            sequence=int(found["sequence"]),
            permit=found["action"] == "permit",
            match_prefix_list=next(iter(prefixes.values()), None),
            match_as_path=read.get("match_as_path"),
            prepend=read.get("prepend", ()),
            communities=read.get("communities", ()),
            description=read.get("description"),
        )
        self.maps.setdefault(found["name"], []).append(rule)

    def finish(self, values: Fields) -> RoutingPolicy:
        """The section; ``values``: the entries of lists (``LIST_RULES``)."""
        lists, lists_6 = _by_name(values.get("prefix_rules", ())), _by_name(values.get("prefix_rules_6", ()))
        seen: set[Path] = set()
        for word, name, here in self.matches:
            if here in seen or (name in (lists_6 if word == "ip" else lists)):
                self.remainder.tree.add_path((*here, f"match {word} address prefix-list {name}"))
            seen.add(here)
        return RoutingPolicy(
            tuple(PrefixList(name, tuple(rules)) for name, rules in (*lists.items(), *lists_6.items())),
            tuple(RouteMap(name, tuple(rules)) for name, rules in self.maps.items()),
            tuple(AsPathList(name, tuple(rules)) for name, rules in _by_name(values.get("as_path_rules", ())).items()),
        )


_Rule = TypeVar("_Rule")


def _by_name(rules: Iterable[tuple[str, _Rule]]) -> dict[str, list[_Rule]]:
    found: dict[str, list[_Rule]] = {}
    for name, rule in rules:
        found.setdefault(name, []).append(rule)
    return found
