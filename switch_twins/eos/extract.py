"""What an EOS configuration means for a switch's neighbours: its tree, read into a SwitchState."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace
from typing import Any

from ..engine import Node, Tree
from ..state import (
    LACP_MODES,
    InterfaceState,
    PrefixList,
    PrefixListEntry,
    RouteMap,
    RouteMapEntry,
    StaticRoute,
    SwitchState,
)
from .control_plane import control_lists
from .extract_bgp import bgp
from .extract_pair import pair_state
from .extract_trees import trees
from .flags import is_on
from .ports import Speed, dark_ports, speed_of


def switch_state(name: str, tree: Tree) -> SwitchState:
    """Read the whole configuration."""
    routing = tree.first("ip routing")
    hostname = tree.first("hostname")
    return SwitchState(
        name=name,
        os="eos",
        hostname=hostname.params["hostname"] if hostname else "localhost",
        interfaces=tuple(_interfaces(tree)),
        bgp=bgp(tree),
        prefix_lists=tuple(prefix_list(node) for node in tree.find("ip prefix-list")),
        route_maps=_route_maps(tree),
        static_routes=tuple(static(node) for node in tree.find("ip route")),
        lldp_enabled=is_on(tree.root, "lldp run", True),
        is_routing=routing is not None and not routing.negated,
        missing_route_map_permits=True,
        pair=pair_state(tree),
        trees=tuple(trees(tree)),
        control=control_lists(tree),
    )


def routing_model(tree: Tree) -> str:
    """The routing agents that are configured; multi-agent is the default of the releases that the lab knows."""
    line = tree.first("service routing protocols model")
    return line.words.split()[-1] if line is not None and not line.negated else "multi-agent"


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
        native_vlan=_native(node) if not is_layer_3 else None,
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


def _native(node: Node) -> int | None:
    """The untagged VLAN of a trunk; 1 by default, none with the word ``tag`` (um-eos, switchport trunk native vlan)."""
    if access_vlan(node) is not None:
        return None
    line = node.first("switchport trunk native vlan")
    number = line.params.get("vlan") if line is not None and not line.negated else "1"
    return int(number) if number else None


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


def prefix_list(node: Node) -> PrefixList:
    """Of either family."""
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
        entries = maps.setdefault(node.params["map"], [])
        # no cache of origins answers in the lab: all are "not-found" (RFC 6811), so what is for others matches nothing
        validity = node.first("match origin-as validity")
        if validity is None or validity.words.endswith(" not-found"):
            entries.append(_route_map_entry(node))
    return tuple(RouteMap(name, tuple(entries)) for name, entries in maps.items())


def _route_map_entry(node: Node) -> RouteMapEntry:
    lists = node.value("match ip address prefix-list", "list") or node.value("match ipv6 address prefix-list", "list")
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


def static(node: Node) -> StaticRoute:
    """Of either family."""
    params = node.params
    return StaticRoute(
        prefix=params["prefix"],
        next_hop=params.get("hop") or params.get("via"),
        interface=params.get("interface"),
        vrf=params.get("vrf", "default"),
        distance=int(params.get("distance") or 1),
    )
