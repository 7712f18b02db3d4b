"""BGP, prefix lists and route maps read back.

NX-OS holds the connect retry once per process (``reconnect-interval``), so every peer group bears the same value; the
settings of a template's or neighbour's routes stand in its ``address-family ipv4 unicast``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nornir_tasks.design.device_config import (
    Bgp,
    Neighbor,
    PeerGroup,
    PrefixList,
    PrefixRule,
    RouteMap,
    RouteMapRule,
    RoutingPolicy,
)
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.nxos.reading import Handler, Remainder, Table, table

ADDRESS_FAMILY = "address-family ipv4 unicast"

DEFAULT_KEEPALIVE_S, DEFAULT_HOLD_S = 60, 180
DEFAULT_RECONNECT_S = 60
"""Cisco Nexus 9000 Unicast Routing Configuration Guide; cisco-network-node-utils cmd_ref/bgp.yaml."""


def _keep(store: dict[str, Any], key: str, convert: type | None = None) -> Handler:
    """A handler that stores the named group ``value`` (or True) and declines lines with something below."""

    def handler(found: re.Match[str], node: ConfigTree, _: Path) -> bool:
        if node:
            return False
        value = found.groupdict().get("value")
        store[key] = True if value is None else (convert(value) if convert is not None else value)
        return True

    return handler


@dataclass(slots=True)
class BgpReader:
    """Reads ``router bgp``; one per switch."""

    remainder: Remainder
    bgp: Bgp | None = None

    def router(self, found: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``router bgp <asn>``."""
        process: dict[str, Any] = {}
        networks: list[str] = []
        groups: list[tuple[str, dict[str, Any]]] = []
        neighbors: list[Neighbor] = []
        here = (*above, node.text)

        def family(_: re.Match[str], child: ConfigTree, over: Path) -> None:
            self.remainder.read(child, (*over, child.text), _process_family(process, networks))

        def template(line: re.Match[str], child: ConfigTree, over: Path) -> bool | None:
            read = self._peer(child, over, _template_lines)
            if "max_prefixes" not in read:
                return False
            groups.append((line["name"], read))
            return None

        def neighbor(line: re.Match[str], child: ConfigTree, over: Path) -> bool | None:
            read = self._peer(child, over, _neighbor_lines)
            if not {"remote_as", "peer_group"} <= read.keys():
                return False
            neighbors.append(_neighbor(line["address"], read))
            return None

        self.remainder.read(node, here, _process_lines(process, family, template, neighbor))
        if process.pop("no_graceful_restart", False) != process.get("helper", False):
            self.remainder.missing(
                *here, "graceful-restart-helper" if not process.get("helper") else "no graceful-restart"
            )
        self.bgp = _bgp(int(found["asn"]), process, groups, networks, neighbors)

    def _peer(self, node: ConfigTree, above: Path, lines: Any) -> dict[str, Any]:  # noqa: ANN401 - a table factory
        read: dict[str, Any] = {}
        here = (*above, node.text)

        def family(_: re.Match[str], child: ConfigTree, over: Path) -> None:
            read["family"] = True
            self.remainder.read(child, (*over, child.text), _peer_family(read))

        # A block that is not understood as a whole is shown as a whole; its lines must not stand there twice.
        probe = Remainder()
        held, self.remainder = self.remainder, probe
        try:
            probe.read(node, here, lines(read, family))
        finally:
            self.remainder = held
        if {"remote_as", "peer_group"} <= read.keys() or "max_prefixes" in read:
            held.tree.merge(probe.tree)
            if "family" not in read:
                held.missing(*here, ADDRESS_FAMILY)
        return read


def _process_lines(process: dict[str, Any], family: Handler, template: Handler, neighbor: Handler) -> Table:
    return table(
        (r"router-id (?P<value>\S+)", _keep(process, "router_id")),
        (r"bestpath as-path multipath-relax", _keep(process, "relax")),
        (r"no graceful-restart", _keep(process, "no_graceful_restart")),
        (r"graceful-restart-helper", _keep(process, "helper")),
        (r"reconnect-interval (?P<value>\d+)", _keep(process, "reconnect_s", int)),
        (r"log-neighbor-changes", _keep(process, "log")),
        (ADDRESS_FAMILY, family),
        (r"template peer (?P<name>\S+)", template),
        (r"neighbor (?P<address>[\d.]+)", neighbor),
    )


def _process_family(process: dict[str, Any], networks: list[str]) -> Table:
    def network(line: re.Match[str], child: ConfigTree, _: Path) -> bool:
        networks.append(line["prefix"])
        return not child

    return table(
        (r"maximum-paths (?P<value>\d+)", _keep(process, "maximum_paths", int)),
        (r"network (?P<prefix>\S+)", network),
    )


def _template_lines(read: dict[str, Any], family: Handler) -> Table:
    def timers(line: re.Match[str], child: ConfigTree, _: Path) -> bool:
        read["keepalive_s"], read["hold_s"] = int(line["keepalive"]), int(line["hold"])
        return not child

    return table(
        (r"timers (?P<keepalive>\d+) (?P<hold>\d+)", timers),
        (r"bfd", _keep(read, "bfd")),
        (r"ttl-security hops 1", _keep(read, "ttl_security")),
        (ADDRESS_FAMILY, family),
    )


def _neighbor_lines(read: dict[str, Any], family: Handler) -> Table:
    return table(
        (r"inherit peer (?P<value>\S+)", _keep(read, "peer_group")),
        (r"remote-as (?P<value>\d+)", _keep(read, "remote_as", int)),
        (r"description (?P<value>.+)", _keep(read, "description")),
        (ADDRESS_FAMILY, family),
    )


def _peer_family(read: dict[str, Any]) -> Table:
    def limit(line: re.Match[str], child: ConfigTree, _: Path) -> bool:
        read["max_prefixes"] = int(line["limit"])
        read["restart_min"] = int(line["restart"]) if line["restart"] else None
        return not child

    return table(
        (r"route-map (?P<value>\S+) in", _keep(read, "route_map_in")),
        (r"route-map (?P<value>\S+) out", _keep(read, "route_map_out")),
        (r"maximum-prefix (?P<limit>\d+)(?: restart (?P<restart>\d+))?", limit),
        (r"send-community", _keep(read, "send_community")),
        (r"advertisement-interval (?P<value>\d+)", _keep(read, "advertisement_s", int)),
    )


def _bgp(
    asn: int,
    process: Mapping[str, Any],
    groups: list[tuple[str, dict[str, Any]]],
    networks: list[str],
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
        networks=tuple(networks),
        peer_groups=tuple(_group(name, read, retry_s) for name, read in groups),
        neighbors=tuple(neighbors),
    )


def _group(name: str, read: Mapping[str, Any], retry_s: int) -> PeerGroup:
    return PeerGroup(
        name=name,
        keepalive_s=read.get("keepalive_s", DEFAULT_KEEPALIVE_S),
        hold_s=read.get("hold_s", DEFAULT_HOLD_S),
        connect_retry_s=retry_s,
        advertisement_interval_s=read.get("advertisement_s"),
        bfd=read.get("bfd", False),
        ttl_security=read.get("ttl_security", False),
        send_community=read.get("send_community", False),
        max_prefixes=read["max_prefixes"],
        prefix_restart_min=read["restart_min"],
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
    """Reads prefix lists and route maps."""

    remainder: Remainder
    lists: dict[str, list[PrefixRule]] = field(default_factory=dict)
    maps: dict[str, list[RouteMapRule]] = field(default_factory=dict)

    def prefix_rule(self, found: re.Match[str], node: ConfigTree, _: Path) -> bool:
        """``ip prefix-list <name> seq <n> permit <prefix> [ge n] [le n]``."""
        rule = PrefixRule(
            sequence=int(found["sequence"]),
            permit=found["action"] == "permit",
            prefix=found["prefix"],
            ge=int(found["ge"]) if found["ge"] else None,
            le=int(found["le"]) if found["le"] else None,
        )
        self.lists.setdefault(found["name"], []).append(rule)
        return not node

    def route_map(self, found: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``route-map <name> permit <n>`` and what stands below."""
        read: dict[str, Any] = {}
        shapes = table(
            (r"match ip address prefix-list (?P<value>\S+)", _keep(read, "match")),
            (r"set as-path prepend (?P<value>\d+(?: \d+)*)", _keep(read, "prepend")),
            (r"set community (?P<value>\d+:\d+(?: \d+:\d+)*)", _keep(read, "communities")),
        )
        self.remainder.read(node, (*above, node.text), shapes)
        rule = RouteMapRule(
            sequence=int(found["sequence"]),
            permit=found["action"] == "permit",
            match_prefix_list=read.get("match"),
            prepend=tuple(int(asn) for asn in read.get("prepend", "").split()),
            communities=tuple(read.get("communities", "").split()),
        )
        self.maps.setdefault(found["name"], []).append(rule)

    def finish(self) -> RoutingPolicy:
        """The section."""
        return RoutingPolicy(
            tuple(PrefixList(name, tuple(rules)) for name, rules in self.lists.items()),
            tuple(RouteMap(name, tuple(rules)) for name, rules in self.maps.items()),
        )
