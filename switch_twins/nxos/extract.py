"""What the NX-OS configuration tree means for neighbours: tree -> SwitchState."""

from __future__ import annotations

from typing import Any

from ..engine import Node, Tree
from ..state import (
    LACP_MODES,
    BgpInstance,
    BgpNeighbor,
    InterfaceState,
    SwitchState,
)
from .extract_hsrp import hsrp_groups
from .extract_pair import pair_state
from .extract_policy import prefix_lists, route_maps, static_routes
from .extract_trees import trees
from .password import password_in
from .ports import FIXED_FROM_GBPS, interfaces, map_of, part_gbps
from .words import numbers


def switch_state(tree: Tree, name: str) -> SwitchState:
    """The state of one switch."""
    has_lldp = tree.first("feature lldp") is not None
    ports = _interfaces(tree)
    statics = [*static_routes(tree.root, "default")]
    for vrf in tree.find("vrf context"):
        statics += static_routes(vrf, vrf.params["name"])
    return SwitchState(
        name=name,
        os="nxos",
        hostname=tree.root.value("hostname", "name") or "switch",
        interfaces=ports,
        bgp=tuple(_bgp(tree)),
        prefix_lists=tuple(prefix_lists(tree)),
        route_maps=tuple(route_maps(tree)),
        static_routes=tuple(statics),
        lldp_enabled=has_lldp,
        is_routing=True,
        missing_route_map_permits=False,
        pair=pair_state(tree, ports),
        trees=tuple(trees(tree, active_vlans(tree))),
    )


# -- interfaces ----------------------------------------------------------------------------------------------------


def vrf_of(interface: Node) -> str:
    """The VRF an interface is in."""
    return interface.value("vrf member", "vrf") or "default"


def is_admin_up(tree: Tree, interface: Node) -> bool:
    """Whether an interface is not shut down, its kind's default included."""
    return tree.effective(interface, "no shutdown")


def is_routed(tree: Tree, interface: Node) -> bool:
    """Whether an interface is layer 3."""
    return tree.effective(interface, "no switchport")


PEER_LINK_MTU = 9216
"""Of a vPC peer link, which takes no line of it (Cisco Nexus 9000 Interfaces Configuration Guide 10.6(x), vPCs)."""


def mtu_of(tree: Tree, interface: Node) -> int:
    """The configured MTU, 1500 by default."""
    channel = channel_of(tree, interface) or interface
    if channel.first("vpc peer-link") is not None:
        return PEER_LINK_MTU
    return int(interface.value("mtu", "bytes") or 1500)


def channel_of(tree: Tree, interface: Node) -> Node | None:
    """The port channel that a port is in."""
    number = interface.value("channel-group", "number")
    if number is None:
        return None
    name = f"port-channel{number}"
    return next((each for each in tree.find(f"interface {name}") if each.params["name"] == name), None)


def primary_address(interface: Node) -> str | None:
    """The IPv4 address with length, if one is set."""
    return next(
        (n.params["address"] for n in interface.find("ip address") if "address" in n.params and n.rule and n.rule.slot),
        None,
    )


def _addresses(interface: Node) -> tuple[str, ...]:
    first = primary_address(interface)
    secondary = [n.params["address"] for n in interface.find("ip address") if n.words.endswith(" secondary")]
    return tuple([first, *secondary] if first else secondary)


def _interfaces(tree: Tree) -> tuple[InterfaceState, ...]:
    vlans = active_vlans(tree)
    return tuple(_interface(tree, node, vlans) for node in interfaces(tree))


def active_vlans(tree: Tree) -> frozenset[int]:
    """VLANs that exist and are neither suspended nor shut."""
    nodes = (node for node in tree.find("vlan") if "id" in node.params)
    off = ("state suspend", "shutdown")
    return frozenset(int(node.params["id"]) for node in nodes if not any(node.first(word) for word in off))


def access_vlan(tree: Tree, interface: Node) -> int | None:
    """The untagged VLAN of an access port; None for a trunk or a routed port."""
    is_port = interface.params["name"].startswith(("Ethernet", "port-channel")) and "." not in interface.params["name"]
    if not is_port or is_routed(tree, interface) or interface.first("switchport mode trunk") is not None:
        return None
    return int(interface.value("switchport access vlan", "vlan") or 1)


def _carried(tree: Tree, interface: Node) -> frozenset[int]:
    """All VLANs of a switched port."""
    access = access_vlan(tree, interface)
    if access is not None:
        return frozenset({access})
    if interface.first("switchport mode trunk") is None:
        return frozenset()
    line = interface.first("switchport trunk allowed vlan")
    if line is not None and line.words.endswith(" none"):
        return frozenset()
    allowed = (line.params.get("vlans") if line is not None else None) or "1-4094"
    return frozenset(numbers(allowed, 1, 4094) or ())


def _native(tree: Tree, interface: Node) -> int | None:
    """The untagged VLAN of a trunk, 1 by default; none where trunks drop untagged frames."""
    if is_routed(tree, interface) or interface.first("switchport mode trunk") is None:
        return None
    if tree.first("vlan dot1q tag native") is not None:
        return None
    return int(interface.value("switchport trunk native vlan", "vlan") or 1)


def _interface(tree: Tree, node: Node, vlans: frozenset[int]) -> InterfaceState:
    name = node.params["name"]
    gbps, tag = speed_gbps(tree, node), node.value("encapsulation dot1q", "vlan")
    svi_vlan = int(name.removeprefix("Vlan")) if name.startswith("Vlan") else None
    return InterfaceState(
        name=name,
        is_admin_up=is_admin_up(tree, node),
        is_routed=is_routed(tree, node),
        addresses=_addresses(node),
        mtu_bytes=mtu_of(tree, node),
        vrf=vrf_of(node),
        description=node.value("description", "text") or "",
        is_loopback=name.startswith("loopback"),
        lldp_transmit=node.first("no lldp transmit") is None,
        lldp_receive=node.first("no lldp receive") is None,
        speed=f"{gbps}g" if gbps else None,
        fec=_fec(tree, node, gbps),
        negotiate=_negotiates(tree, node, gbps),
        access_vlan=access_vlan(tree, node),
        vlans=_carried(tree, node),
        native_vlan=_native(tree, node),
        svi_vlan=svi_vlan,
        has_vlan=svi_vlan is None or svi_vlan in vlans,
        autostate=svi_vlan is None or tree.effective(node, "autostate"),
        port=name.partition(".")[0] if "." in name else "",
        tag=int(tag) if tag else None,
        is_group=name.startswith("port-channel") and "." not in name,
        min_links=int(node.value("lacp min-links", "links") or 1),
        over_both=node.value("vpc", "number") or "",
        hsrp=hsrp_groups(node),
        **_membership(node),
    )


def _membership(node: Node) -> dict[str, Any]:
    """A port's group and LACP; without a mode it is off (Nexus 9000 Interfaces Configuration Guide, Port Channels)."""
    line = node.first("channel-group")
    if line is None:
        return {}
    words = line.words.split()
    return {
        "group": f"port-channel{line.params['number']}",
        "lacp_active": LACP_MODES[words[-1] if "mode" in words else "on"],
        "lacp_is_fast": node.first("lacp rate fast") is not None,
    }


def speed_gbps(tree: Tree, node: Node) -> int | None:
    """The speed a port is set to, by its own line or as part of a split cage; None: whatever the far end has."""
    own = node.value("speed", "speed")
    breakout = map_of(tree, node.params["name"])
    return int(own) // 1000 if own else part_gbps(breakout) if breakout else None


def _negotiates(tree: Tree, node: Node, gbps: int | None) -> bool | None:
    """False where switched off or where the hardware cannot; else as the medium has it."""
    is_part = map_of(tree, node.params["name"]) is not None
    cannot = gbps is not None and (gbps >= FIXED_FROM_GBPS or (gbps == 25 and is_part))
    return False if cannot or node.first("no negotiate auto") is not None else None


_FEC = {"rs-ieee": "rs", "kp-fec": "rs", "rs-cons16": "rs-cons16", "fc-fec": "fc", "off": "none"}
_PAM4_MAPS = frozenset({"50g-4x", "100g-2x-pam4", "100g-4x", "200g-2x", "400g-2x", "100g-8x"})
"""Maps that leave parts of cages with lanes of 50G or more."""


def _fec(tree: Tree, node: Node, gbps: int | None) -> str | None:
    """Which code a port uses; None: the one that speed and medium ask for, whatever it is.

    ``rs-fec`` is CL91 at 100G and the consortium's 1.5 at 25G and 50G (a Nexus 9508's help, CSCvy03375). Lanes of 50G
    use RS(544,514), which that help does not name.
    """
    word = node.value("fec", "fec") or ""
    if word != "rs-fec":
        return _FEC.get(word)
    if map_of(tree, node.params["name"]) in _PAM4_MAPS or (gbps or 0) > 100:
        return "rs-528"
    return "rs" if gbps == 100 else "rs-cons15"


# -- BGP -----------------------------------------------------------------------------------------------------------


def _bgp(tree: Tree) -> list[BgpInstance]:
    process = tree.first("router bgp")
    if process is None or process.first("shutdown") is not None:
        return []
    instances = [_instance(tree, process, process, "default")]
    instances += [_instance(tree, process, vrf, vrf.params["vrf"]) for vrf in process.find("vrf")]
    return instances


def _instance(tree: Tree, process: Node, scope: Node, vrf: str) -> BgpInstance:
    family = scope.first("address-family ipv4 unicast")
    networks = [node.params["prefix"] for node in family.find("network")] if family else []
    direct = family.first("redistribute direct") if family else None
    return BgpInstance(
        asn=int(scope.value("local-as", "asn") or process.params["asn"]),
        router_id=scope.value("router-id", "id") or _router_id(tree, vrf),
        vrf=vrf,
        neighbors=tuple(
            neighbor(process, scope, node) for node in scope.find("neighbor") if ":" not in node.params["peer"]
        ),
        networks=tuple(networks),
        redistribute_connected=direct is not None,
        redistribute_connected_route_map=direct.params.get("map") if direct else None,
        maximum_paths=_maximum_paths(family),
        multipath_relax=scope.first("bestpath as-path multipath-relax") is not None,
    )


def _maximum_paths(family: Node | None) -> int:
    found = [node for node in family.find("maximum-paths") if node.words.split()[1].isdigit()] if family else []
    return int(found[0].params["n"]) if found else 1


def _router_id(tree: Tree, vrf: str) -> str:
    """Without a configured one: loopback0's address, else the lowest other loopback's, else the first address."""
    candidates = [
        (not name.startswith("loopback"), name, address)
        for node in interfaces(tree)
        if vrf_of(node) == vrf and (address := primary_address(node)) and (name := node.params["name"]) != "mgmt0"
    ]
    return min(candidates)[2].partition("/")[0] if candidates else "0.0.0.0"  # noqa: S104


def neighbor(process: Node, scope: Node, node: Node, family_name: str = "ipv4") -> BgpNeighbor:
    """A neighbour, with its policies of one address family."""
    template_name = node.value("inherit peer", "template")
    template = process.first(f"template peer {template_name}") if template_name else None
    peer = _Inherited([node, template])
    words = f"address-family {family_name} unicast"
    families = [level.first(words) for level in (node, template) if level is not None]
    family = _Inherited(families)
    vrf_timers = scope.first("timers bgp")
    timers = peer.first("timers") or vrf_timers
    limit = family.first("maximum-prefix")
    restart = limit.params.get("minutes") if limit else None
    hops = peer.value("ttl-security hops", "hops")
    multihop = peer.value("ebgp-multihop", "ttl")
    times = family.first("allowas-in")
    return BgpNeighbor(
        address=node.params["peer"],
        remote_as=_remote_as(peer.first("remote-as")),
        description=peer.value("description", "text") or "",
        peer_group=template_name or "",
        is_shutdown=peer.first("shutdown") is not None,
        is_ipv4_active=any(family is not None for family in families),
        bfd=peer.is_on("bfd"),
        ttl_security_hops=int(hops) if hops else None,
        ebgp_multihop=int(multihop) if multihop else None,
        has_password=peer.first("password") is not None,
        password=password_in(peer.first("password")),
        route_map_in=family.directed("route-map", "map", "in"),
        route_map_out=family.directed("route-map", "map", "out"),
        prefix_list_in=family.directed("prefix-list", "list", "in"),
        prefix_list_out=family.directed("prefix-list", "list", "out"),
        prefix_limit=int(limit.params["limit"]) if limit else None,
        prefix_limit_restart_s=float(restart) * 60 if restart else None,
        prefix_limit_warning_only=bool(limit and limit.words.endswith("warning-only")),
        send_community=any(n.words == "send-community" for n in family.find("send-community")),
        allowas_in=int(times.params.get("times", "3")) if times else 0,
        keepalive_s=int(timers.params["keepalive"]) if timers else 60,
        hold_s=int(timers.params["hold"]) if timers else 180,
    )


class _Inherited:
    """A neighbour's lines with those of its template behind them."""

    def __init__(self, levels: list[Node | None]) -> None:
        self.levels = [level for level in levels if level is not None]

    def find(self, leading: str) -> list[Node]:
        return [node for level in self.levels for node in level.find(leading)]

    def first(self, leading: str) -> Node | None:
        return next(iter(self.find(leading)), None)

    def value(self, leading: str, param: str) -> str | None:
        node = self.first(leading)
        return node.params.get(param) if node else None

    def is_on(self, leading: str) -> bool:
        """The nearest level that says ``X`` or ``no X`` decides."""
        for level in self.levels:
            if level.first(f"no {leading}") is not None:
                return False
            if level.first(leading) is not None:
                return True
        return False

    def directed(self, leading: str, param: str, direction: str) -> str | None:
        nodes = [node for node in self.find(leading) if node.words.split()[-1] == direction]
        return nodes[0].params[param] if nodes else None


def _remote_as(node: Node | None) -> int | None:
    if node is None:
        return None
    word = node.words.split()[1]
    return int(word) if word.isdigit() else word  # type: ignore[return-value]
