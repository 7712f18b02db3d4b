"""What an EOS configuration says of routing beyond SwitchState, and its lines that FRR has no counterpart for.

The lines of BGP, of its policies and of static routes are listed: what is not here is refused. Of an interface, the
lines that decide who reaches whom are; all others (QoS, layer 1, services) change nothing in FRR.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator

from ..engine import Node, Tree
from ..routed.form import BfdTimes, Peer, Routing, Unplayed
from ..twin import Twin
from .extract import is_routed, switch_state
from .flags import is_on
from .twin import EosTwin

_BFD = BfdTimes(300, 300, 3)
"""Default of ``bfd interval``; source: the grammar, @define bfd_port."""
_BGP = re.compile(
    r"router-id|bgp asn notation|bgp log-neighbor-changes|bgp default ipv4-unicast|timers bgp|maximum-paths|shutdown"
    r"|(no )?graceful-restart(-helper)?( restart-time| stalepath-time)?|bgp bestpath as-path multipath-relax"
    r"|bgp convergence"
    r"|update wait-|bgp transport qos|network \S+$|redistribute connected( route-map \S+)?$|address-family ipv4$|vrf"
    r"|bgp enforce-first-as$|bgp bestpath ecmp-fast$|bgp additional-paths receive$|bgp redistribute-internal$"
    r"|bgp client-to-client|neighbor"
)
_PEER = re.compile(
    r"peer group|remote-as|shutdown|out-delay 0$|bfd|description|allowas-in|ebgp-multihop|ttl maximum-hops|timers"
    r"|route-map \S+ (in|out)$|prefix-list|send-community|maximum-routes|idle-restart-timer|activate"
    r"|graceful-restart-helper|additional-paths receive|route-to-peer|enforce-first-as$|next-hop-self$|rib-in "
)
_NO_PEER = re.compile(
    r"(bfd|shutdown|send-community|activate|description|graceful-restart-helper|rib-in|additional-paths)"
)
"""What may be negated, as the same without the line, or as what the line says otherwise."""
_FAMILIES = re.compile(
    r"(no )?address-family (ipv6|evpn|ipv4 multicast|ipv6 multicast|flow-spec|rt-membership|path-selection)"
)
_MAP = re.compile(
    r"match ip address prefix-list|set as-path prepend [\d ]+$"
    r"|set community (\d+:\d+ ?|GSHUT ?|no-export ?|no-advertise ?)+(additive)?$"
    r"|set local-preference|description"
)
_FORWARDING = re.compile(
    r"ip access-group|ip verify|ip ospf|isis|ip nat|service-policy type pbr|ipv6 (enable|address)|ip proxy-arp"
    r"|ip virtual-router|ip address virtual|mpls|pim"
)
_SWITCHED = re.compile(r"channel-group|switchport (mode|access|trunk)")
_TOP_REFUSED = re.compile(
    r"router (ospf|isis|rip|general|ospfv3|pim)|interface (Vxlan|Tunnel)|ip nat|policy-map type pbr"
)
_NO_LAYER_2 = "a routed lab has no VLAN and no bond"
_NO_PASSWORD = "FRR needs the password itself, a switch has its hash"  # noqa: S105


def routing(twin: Twin) -> Routing:
    """Read a twin's running configuration."""
    assert isinstance(twin, EosTwin)  # noqa: S101  (the caller looked this module up by the twin's system)
    return of_tree(twin.name, twin.configuration.running)


def of_tree(name: str, tree: Tree) -> Routing:
    """Read a configuration."""
    process = tree.first("router bgp")
    state = switch_state(name, tree)
    peers: dict[str, Peer] = {}
    for instance in state.bgp if process is not None else ():
        if instance.vrf == "default":
            peers = {
                each.address: Peer(_bfd_of(tree, process, each.address, each.peer_group)) for each in instance.neighbors
            }
    if not state.is_routing:
        return Routing(left_out=tuple(_left_out(tree)))
    helper = is_on(process, "graceful-restart-helper", True) if process is not None else True
    full = process is not None and is_on(process, "graceful-restart", False)
    restart = "on" if full else "helper" if helper else "off"
    return Routing(peers, restart, tuple(_refused(tree)), tuple(_left_out(tree)))  # type: ignore[arg-type]


def _bfd_of(tree: Tree, process: Node | None, address: str, group: str) -> BfdTimes:
    """The neighbour's own line, else its group's, else that of the interface, else the default."""
    for name in (address, group):
        line = process.first(f"neighbor {name} bfd interval") if process is not None and name else None
        if line is not None:
            return _bfd_times(line)
    for node in tree.find("interface"):
        own = node.value("ip address", "address")
        line = node.first("bfd interval")
        if own and line is not None and _is_in(address, own):
            return _bfd_times(line)
    return _BFD


def _bfd_times(line: Node) -> BfdTimes:
    return BfdTimes(*(int(line.params[name]) for name in ("interval", "min_rx", "multiplier")))


def _is_in(address: str, network: str) -> bool:
    return ipaddress.ip_address(address) in ipaddress.ip_interface(network).network


# -- what FRR is not told ------------------------------------------------------------------------------------------


def _refused(tree: Tree) -> Iterator[Unplayed]:
    for node in tree.root.ordered():
        if _TOP_REFUSED.match(node.line):
            yield Unplayed(node.line, "FRR runs BGP and static routes here")
        elif node.words.startswith("router bgp "):
            yield from _of_process(node)
        elif node.words.startswith("route-map "):
            yield from _unknown(node.ordered(), _MAP, node.words)
        elif node.words.startswith("ip route ") and node.params.get("vrf", "default") == "default":
            yield from _of_static(node)
        elif node.words.startswith("interface ") and not node.words.startswith("interface Management"):
            yield from _of_port(node)


def _of_process(process: Node) -> Iterator[Unplayed]:
    for node in process.ordered():
        if node.words.startswith("neighbor "):
            yield from _of_peer(node, process.words)
        elif node.words.startswith("address-family ipv4") and not _FAMILIES.match(node.line):
            for line in node.ordered():
                yield from (
                    _of_peer(line, f"{process.words}, {node.words}")
                    if line.words.startswith("neighbor ")
                    else _unknown([line], _BGP, f"{process.words}, {node.words}")
                )
        elif _FAMILIES.match(node.line):
            yield from (Unplayed(each.line, "only IPv4 unicast is routed", node.words) for each in node.ordered())
        else:
            yield from _unknown([node], _BGP, process.words)


def _of_peer(node: Node, where: str) -> Iterator[Unplayed]:
    words = node.words.split(" ", 2)[2]
    if words.startswith("password"):
        yield Unplayed("neighbor ... password", _NO_PASSWORD, where)
    elif not _PEER.match(words) or (node.negated and not _NO_PEER.match(words)):
        yield Unplayed(node.line, "no counterpart in FRR is known here", where)


def _of_static(node: Node) -> Iterator[Unplayed]:
    if "Nexthop-Group" in node.words or node.words.partition(node.params["prefix"])[2].count(" track "):
        yield Unplayed(node.line, "a next hop of this kind is not routed")


def _of_port(node: Node) -> Iterator[Unplayed]:
    """What a routed interface of the default VRF cannot be without."""
    if node.first("vrf") is not None or not is_routed(node):
        return
    kind = node.params.get("name", "")
    if node.first("ip address") is not None and not kind.startswith(("Ethernet", "Loopback")):
        yield Unplayed(node.line, _NO_LAYER_2)
    if node.first("ip address") is not None and "." in kind:
        yield Unplayed(node.line, _NO_LAYER_2)
    for line in node.ordered():
        if not line.negated and _FORWARDING.match(line.words):
            yield Unplayed(line.line, "it decides what is forwarded, and has no counterpart here", node.words)


def _unknown(nodes: Iterable[Node], known: re.Pattern[str], where: str) -> Iterator[Unplayed]:
    for node in nodes:
        if not known.match(node.words):
            yield Unplayed(node.line, "no counterpart in FRR is known here", where)


def _left_out(tree: Tree) -> Iterator[Unplayed]:
    for node in tree.find("interface"):
        if node.words.startswith("interface Management"):
            continue
        vrf = node.first("vrf")
        if vrf is not None:
            yield Unplayed(vrf.line, "a routed lab has no VRF", node.words)
        elif not is_routed(node):
            for line in node.ordered():
                if not line.negated and _SWITCHED.match(line.words):
                    yield Unplayed(line.line, _NO_LAYER_2, node.words)
