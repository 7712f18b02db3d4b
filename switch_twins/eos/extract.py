"""What an EOS configuration means for a switch's neighbours: its tree, read into a SwitchState."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Container, Iterator
from dataclasses import replace
from typing import Any

from ..engine import Node, Tree
from ..state import (
    LACP_MODES,
    BgpInstance,
    BgpNeighbor,
    InterfaceState,
    PrefixList,
    PrefixListEntry,
    RouteMap,
    RouteMapEntry,
    StaticRoute,
    SwitchState,
)
from .extract_pair import pair_state
from .extract_trees import trees
from .ports import Speed, dark_ports, speed_of

DEFAULT_MAXIMUM_ROUTES = 12000
"""Source: RUNALL, ``neighbor X maximum-routes 12000`` on every peer that has no line of its own."""


def switch_state(name: str, tree: Tree) -> SwitchState:
    """Read the whole configuration."""
    routing = tree.first("ip routing")
    hostname = tree.first("hostname")
    return SwitchState(
        name=name,
        os="eos",
        hostname=hostname.params["hostname"] if hostname else "localhost",
        interfaces=tuple(_interfaces(tree)),
        bgp=_bgp(tree),
        prefix_lists=tuple(_prefix_list(node) for node in tree.find("ip prefix-list")),
        route_maps=_route_maps(tree),
        static_routes=tuple(_static(node) for node in tree.find("ip route")),
        lldp_enabled=is_on(tree.root, "lldp run", True),
        is_routing=routing is not None and not routing.negated,
        missing_route_map_permits=True,
        pair=pair_state(tree),
        trees=tuple(trees(tree)),
    )


def is_on(node: Node, line: str, default: bool) -> bool:
    """Whether exactly this line stands under a node, ``no`` and default counted."""
    for child in node.children.values():
        if child.words == line:
            return not child.negated
    return default


# -- interfaces ----------------------------------------------------------------------------------------------------


def is_routed(node: Node) -> bool:
    """Whether an interface is a layer-3 one: by kind, or a port with ``no switchport``."""
    name = node.params["name"]
    is_port = name.startswith(("Ethernet", "Port-Channel")) and "." not in name
    return not is_port or not is_on(node, "switchport", True)


def is_admin_up(tree: Tree, node: Node) -> bool:
    """Up unless shut down; ``interface defaults / ethernet / shutdown`` turns the default of ports round."""
    return _is_up_by(tree.first("interface defaults"), node)


def _is_up_by(defaults: Node | None, node: Node) -> bool:
    ethernet = defaults.first("ethernet") if defaults is not None else None
    default_down = (
        ethernet is not None and node.params["name"].startswith("Ethernet") and is_on(ethernet, "shutdown", False)
    )
    return not is_on(node, "shutdown", default_down)


def mtu_bytes(tree: Tree, node: Node) -> int:
    """The MTU in force: the interface's own, else the default of ``interface defaults``, else 1500."""
    return _mtu_by(tree.first("interface defaults"), node)


def _mtu_by(defaults: Node | None, node: Node) -> int:
    own = node.value("mtu", "mtu")
    return int(own or (defaults.value("mtu", "mtu") if defaults else None) or 1500)


def _interfaces(tree: Tree) -> Iterator[InterfaceState]:
    nodes = [node for node in tree.find("interface") if "name" in node.params]
    dark = dark_ports(node for node in nodes if node.params["name"].startswith("Ethernet"))
    defaults = tree.first("interface defaults")  # looked up once: a switch has hundreds of lanes
    vlans = active_vlans(tree)
    for node in nodes:
        state = _interface(defaults, node, dark)
        yield _svi(state, node, vlans) if state.name.startswith("Vlan") else state


def _interface(defaults: Node | None, node: Node, dark: Container[str]) -> InterfaceState:
    name, is_layer_3 = node.params["name"], is_routed(node)
    speed, tag = speed_of(node), node.value("encapsulation dot1q vlan", "vlan")
    addresses = [line.params["address"] for line in node.find("ip address") if "address" in line.params]
    secondary = [line.params["address"] for line in node.find("ip address") if line.words.endswith(" secondary")]
    return InterfaceState(
        name=name,
        is_admin_up=_is_up_by(defaults, node),
        is_routed=is_layer_3,
        addresses=tuple(sorted(addresses, key=secondary.count)),
        mtu_bytes=_mtu_by(defaults, node),
        vrf=node.value("vrf", "vrf") or "default",
        description=node.value("description", "description") or "",
        is_loopback=name.startswith("Loopback"),
        lldp_transmit=is_on(node, "lldp transmit", True),
        lldp_receive=is_on(node, "lldp receive", True),
        speed=f"{speed.gbps:g}g" if speed is not None else None,
        fec=_fec(node),
        negotiate=_negotiates(node, speed),
        is_dark=name in dark,
        access_vlan=access_vlan(node) if not is_layer_3 else None,
        vlans=_carried(node) if not is_layer_3 else frozenset(),
        port=name.partition(".")[0] if "." in name else "",
        tag=int(tag) if tag else None,
        is_group=name.startswith("Port-Channel") and "." not in name,
        min_links=int(node.value("port-channel min-links", "links") or 1),
        over_both=node.value("mlag", "mlag") or "",
        **_membership(node),
    )


def _membership(node: Node) -> dict[str, Any]:
    """A port's group and LACP: ``lacp timer normal``, the default, asks for one every 30 s (um-eos, Port Channels)."""
    line = node.first("channel-group")
    if line is None or line.negated:
        return {}
    return {
        "group": f"Port-Channel{line.params['group']}",
        "lacp_active": LACP_MODES[line.words.split()[-1]],
        "lacp_is_fast": is_on(node, "lacp timer fast", False),
    }


def active_vlans(tree: Tree) -> frozenset[int]:
    """VLANs that exist and are not suspended; VLAN 1 always does."""
    found = {1}
    for node in tree.find("vlan"):
        if "vlans" in node.params and not node.negated and node.first("state suspend") is None:
            found.update(numbers(node.params["vlans"]))
    return frozenset(found)


def numbers(text: str) -> Iterator[int]:
    """``10,20-22`` as numbers."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def access_vlan(node: Node) -> int | None:
    """The untagged VLAN of an access port; None for a trunk."""
    mode = node.first("switchport mode")
    if mode is not None and not mode.words.endswith(" access"):
        return None
    return int(node.value("switchport access vlan", "vlan") or 1)


def _carried(node: Node) -> frozenset[int]:
    """All VLANs of a switched port."""
    access = access_vlan(node)
    if access is not None:
        return frozenset({access})
    allowed = node.value("switchport trunk allowed vlan", "vlans") or "all"
    return frozenset(range(1, 4095)) if allowed == "all" else frozenset(numbers(allowed) if allowed != "none" else ())


def _svi(state: InterfaceState, node: Node, vlans: frozenset[int]) -> InterfaceState:
    number = int(state.name.removeprefix("Vlan"))
    autostate = is_on(node, "autostate", True)
    return replace(state, svi_vlan=number, has_vlan=number in vlans, autostate=autostate)


def _negotiates(node: Node, speed: Speed | None) -> bool | None:
    """A speed without ``auto`` is forced, unless the lanes are trained (AMD's example of a DAC)."""
    if node.first("phy link training") is not None:
        return True
    return speed.negotiate if speed is not None else None


def _fec(node: Node) -> str | None:
    line = node.first("error-correction encoding")
    if line is None:
        return "none" if node.first("no error-correction encoding") else None
    return "rs" if "reed-solomon" in line.words else "fc"


# -- policy and static routes --------------------------------------------------------------------------------------


def _prefix_list(node: Node) -> PrefixList:
    entries = []
    for line in node.find("seq"):
        ge, le = (int(line.params[word]) if word in line.params else None for word in ("ge", "le"))
        if "eq" in line.params:
            ge = le = int(line.params["eq"])
        permit = line.words.split()[2] == "permit"
        entries.append(PrefixListEntry(int(line.params["seq"]), permit, line.params["prefix"], ge, le))
    return PrefixList(node.params["list"], tuple(entries))


def _route_maps(tree: Tree) -> tuple[RouteMap, ...]:
    maps: dict[str, list[RouteMapEntry]] = {}
    for node in tree.find("route-map"):
        maps.setdefault(node.params["map"], []).append(_route_map_entry(node))
    return tuple(RouteMap(name, tuple(entries)) for name, entries in maps.items())


def _route_map_entry(node: Node) -> RouteMapEntry:
    lists = node.value("match ip address prefix-list", "list")
    community = node.first("set community")
    matched = node.value("match community", "lists")
    preference = node.value("set local-preference", "value")
    communities = community.params.get("communities", "").split() if community else []
    return RouteMapEntry(
        sequence=int(node.params["seq"]),
        permit=node.words.split()[2] == "permit",
        match_prefix_lists=(lists,) if lists else (),
        match_communities=tuple(matched.split()) if matched else (),
        prepend=tuple(int(asn) for asn in (node.value("set as-path prepend", "asns") or "").split()),
        communities=tuple("65535:0" if text == "GSHUT" else text for text in communities),
        communities_additive=community is not None and community.words.endswith(" additive"),
        local_preference=int(preference) if preference else None,
    )


def _static(node: Node) -> StaticRoute:
    params = node.params
    return StaticRoute(
        prefix=params["prefix"],
        next_hop=params.get("hop") or params.get("via"),
        interface=params.get("interface"),
        vrf=params.get("vrf", "default"),
    )


# -- BGP -----------------------------------------------------------------------------------------------------------


def _bgp(tree: Tree) -> tuple[BgpInstance, ...]:
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
        neighbors=tuple(_Peer(tree, node, family, peer).neighbor() for peer in peers),
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


class _Peer:
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
