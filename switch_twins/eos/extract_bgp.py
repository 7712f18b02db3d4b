"""BGP of an EOS configuration: its instances, and of each neighbour the lines in force."""

from __future__ import annotations

import ipaddress
import re

from ..engine import Node, Tree
from ..state import BgpInstance, BgpNeighbor
from .flags import is_on
from .session_password import password_in

DEFAULT_MAXIMUM_ROUTES = 12000
"""Source: RUNALL, ``neighbor X maximum-routes 12000`` on every peer that has no line of its own."""


def bgp(tree: Tree) -> tuple[BgpInstance, ...]:
    """Every BGP instance of a configuration."""
    process = tree.first("router bgp")
    if process is None:
        return ()
    asn = int(process.params["asn"])
    instances = [_instance(tree, process, "default", asn)]
    for node in process.find("vrf"):
        local = node.value("local-as", "asn")
        instances.append(_instance(tree, node, node.params["vrf"], int(local) if local else asn))
    return tuple(instances)


def _instance(tree: Tree, node: Node, vrf: str, asn: int) -> BgpInstance:
    family = node.first("address-family ipv4")
    nodes = [node, family] if family else [node]
    networks = {line.params["prefix"] for part in nodes for line in part.find("network")}
    connected = [line for part in nodes for line in part.find("redistribute connected")]
    peers = dict.fromkeys(line.params["peer"] for line in node.find("neighbor") if _is_address(line.params.get("peer")))
    return BgpInstance(
        asn=asn,
        router_id=node.value("router-id", "id") or _router_id(tree, vrf),
        vrf=vrf,
        neighbors=tuple(Peer(tree, node, family, peer).neighbor() for peer in peers),
        networks=tuple(sorted(networks)),
        redistribute_connected=bool(connected),
        redistribute_connected_route_map=connected[0].params.get("map") if connected else None,
        maximum_paths=int(node.value("maximum-paths", "paths") or 1),
        multipath_relax=is_on(node, "bgp bestpath as-path multipath-relax", True),
    )


def _is_address(peer: str | None) -> bool:
    return peer is not None and re.fullmatch(r"[\d.]+", peer) is not None


def _router_id(tree: Tree, vrf: str) -> str:
    """Without a line: the highest loopback address, else the highest of any interface."""
    found = []
    for node in tree.find("interface"):
        address = node.value("ip address", "address")
        if address and (node.value("vrf", "vrf") or "default") == vrf:
            is_loopback = node.params["name"].startswith("Loopback")
            found.append((is_loopback, ipaddress.IPv4Interface(address).ip))
    return str(max(found)[1]) if found else "0.0.0.0"  # noqa: S104  (what EOS prints for none)


class Peer:
    """One neighbour's lines, with its peer group's below them: these stand in the process, whatever VRF it is in."""

    def __init__(self, tree: Tree, process: Node, family: Node | None, address: str) -> None:
        self._process, self._family = process, family
        self._groups = tree.first("router bgp") or process
        self.address = address
        group = process.first(f"neighbor {address} peer group")
        self.group = group.params.get("group", "") if group else ""

    def line(self, words: str, where: Node | None = None) -> Node | None:
        """The neighbour's own line, positive or negated, else its group's."""
        node = where or self._process
        for name, at in ((self.address, node), (self.group, node), (self.group, where or self._groups)):
            found = at.first(f"neighbor {name} {words}") or at.first(f"no neighbor {name} {words}") if name else None
            if found is not None:
                return found
        return None

    def value(self, words: str, param: str) -> str | None:
        """A parameter of the line in force, None if there is none."""
        found = self.line(words)
        return found.params.get(param) if found is not None and not found.negated else None

    def number(self, words: str, param: str) -> int | None:
        """As value, as a number."""
        text = self.value(words, param)
        return int(text) if text is not None else None

    def is_on(self, words: str) -> bool:
        """Whether a flag's line stands and is not negated."""
        found = self.line(words)
        return found is not None and not found.negated

    def is_active(self) -> bool:
        """Whether IPv4 unicast is activated."""
        found = self.line("activate", self._family) if self._family is not None else None
        if found is not None:
            return not found.negated
        return is_on(self._process, "bgp default ipv4-unicast", True)

    def policy(self, words: str, direction: str, param: str) -> str | None:
        """A route map or prefix list in one direction; the address family's line wins."""
        places = [(name, at) for at in (self._family, self._process) for name in (self.address, self.group)]
        for name, at in (*places, (self.group, self._groups)):
            for line in at.find(f"neighbor {name} {words}") if name and at is not None else ():
                if line.words.endswith(f" {direction}"):
                    return line.params[param]
        return None

    def neighbor(self) -> BgpNeighbor:
        """All of it."""
        limit = self.number("maximum-routes", "routes")
        limit = DEFAULT_MAXIMUM_ROUTES if limit is None else limit
        limit_line = self.line("maximum-routes")
        keepalive, hold = self._timers()
        multihop = self.line("ebgp-multihop")
        return BgpNeighbor(
            address=self.address,
            remote_as=self.number("remote-as", "asn"),
            description=self.value("description", "description") or "",
            peer_group=self.group,
            is_shutdown=self.is_on("shutdown") or is_on(self._process, "shutdown", False),
            is_ipv4_active=self.is_active(),
            bfd=self.is_on("bfd"),
            ttl_security_hops=self.number("ttl maximum-hops", "hops") or None,
            ebgp_multihop=int(multihop.params.get("hops", 255)) if multihop is not None else None,
            has_password=self.is_on("password"),
            password=password_in(self.line("password")),
            route_map_in=self.policy("route-map", "in", "map"),
            route_map_out=self.policy("route-map", "out", "map"),
            prefix_list_in=self.policy("prefix-list", "in", "list"),
            prefix_list_out=self.policy("prefix-list", "out", "list"),
            prefix_limit=limit or None,
            prefix_limit_restart_s=self.number("idle-restart-timer", "seconds"),
            prefix_limit_warning_only=limit_line is not None and limit_line.words.endswith(" warning-only"),
            send_community=self.is_on("send-community"),
            allowas_in=self._allowas_in(),
            keepalive_s=keepalive,
            hold_s=hold,
        )

    def _timers(self) -> tuple[int, int]:
        own = self.line("timers") or self._process.first("timers bgp")
        return (int(own.params["keepalive"]), int(own.params["hold"])) if own is not None else (60, 180)

    def _allowas_in(self) -> int:
        found = self.line("allowas-in")
        return int(found.params.get("count", 3)) if found is not None else 0
