"""What an EOS configuration says of routing beyond SwitchState, and its lines that FRR has no counterpart for.

The lines of BGP, of its policies and of static routes are listed: what is not here is refused. Of an interface, the
lines that decide who reaches whom are; all others (QoS, layer 1, services) change nothing in FRR.
"""

from __future__ import annotations

import ipaddress
import itertools
import re
from collections.abc import Iterable, Iterator

from ..engine import Node, Tree
from ..routed.configured_lists import NO_COUNTERPART
from ..routed.form import NO_LAYER_2, NO_VRF, BfdTimes, Peer, Routing, Unplayed
from ..state import BgpInstance
from ..twin import Twin
from . import to_kernel
from .extract import active_vlans, is_routed, switch_state
from .flags import is_on
from .outside import outside, peers_v6, read_otherwise
from .session_password import password_in
from .twin import EosTwin

_BFD = BfdTimes(300, 300, 3)
"""Default of ``bfd interval``; source: the grammar, @define bfd_port."""
_BGP = re.compile(
    r"router-id|bgp asn notation|bgp log-neighbor-changes|bgp default ipv4-unicast|timers bgp|maximum-paths|shutdown"
    r"|(no )?graceful-restart(-helper)?( restart-time| stalepath-time)?|bgp bestpath as-path multipath-relax"
    r"|bgp convergence"
    r"|update wait-|bgp transport qos|network \S+$|redistribute connected( route-map \S+)?$|address-family ipv4$|vrf"
    r"|bgp enforce-first-as$|bgp bestpath ecmp-fast$|bgp additional-paths receive$|bgp redistribute-internal$"
    r"|bgp client-to-client|neighbor|rpki (cache|origin-validation)|aggregate-address \S+ summary-only$"
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
    r"(no )?address-family (evpn|ipv4 multicast|ipv6 multicast|flow-spec|rt-membership|path-selection)"
)
_MAP = re.compile(
    r"match ip(v6)? address prefix-list|match as-path|match origin-as|set as-path prepend [\d ]+$"
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
_NO_PASSWORD = "FRR needs the password itself, which this text is not of by its name"  # noqa: S105


def routing(twin: Twin, *, has_devices: bool = False) -> Routing:
    """Read a twin's running configuration. ``has_devices``: the kernel has VRFs, VLANs and bonds."""
    assert isinstance(twin, EosTwin)  # noqa: S101  (the caller looked this module up by the twin's system)
    return of_tree(twin.name, twin.configuration.running, has_devices=has_devices)


def of_tree(name: str, tree: Tree, *, has_devices: bool = False) -> Routing:
    """Read a configuration."""
    process = tree.first("router bgp")
    state = switch_state(name, tree)
    peers = {each.vrf: _peers(tree, process, each) for each in state.bgp} if process is not None else {}
    if process is not None:
        peers["default"] |= {
            each.address: _peer(tree, (process,), each.address, each.peer_group) for each in peers_v6(tree)
        }
    lists = to_kernel.lists(tree)
    refused: tuple[Unplayed, ...] = ()
    if state.is_routing:
        refused = (*_refused(tree, has_devices=has_devices), *read_otherwise(tree), *lists.unreadable)
    helper = is_on(process, "graceful-restart-helper", True) if process is not None else True
    full = process is not None and is_on(process, "graceful-restart", False)
    return Routing(
        peers.pop("default", {}),
        "on" if full else "helper" if helper else "off",
        (*refused, *((*_frames(tree), *_unrouted(tree)) if has_devices else ())),
        () if has_devices else tuple(_left_out(tree)),
        peers,
        active_vlans(tree),
        to_kernel.addresses_v6(tree),
        tuple(to_kernel.gateways(tree)),
        lists.lists,
        lists.bound,
        outside(tree),
    )


def _peers(tree: Tree, process: Node, instance: BgpInstance) -> dict[str, Peer]:
    scope = process if instance.vrf == "default" else process.first(f"vrf {instance.vrf}")
    return {each.address: _peer(tree, (scope, process), each.address, each.peer_group) for each in instance.neighbors}


def _peer(tree: Tree, scopes: tuple[Node | None, ...], address: str, group: str) -> Peer:
    return Peer(_bfd_of(tree, scopes, address, group), password=_password_of(scopes, address, group))


def _password_of(scopes: Iterable[Node | None], address: str, group: str) -> str | None:
    """The neighbour's own, else its group's; None where it cannot be known."""
    for name, scope in itertools.product((address, group), scopes):
        line = scope.first(f"neighbor {name} password") if scope is not None and name else None
        if line is not None:
            return password_in(line)
    return None


def _bfd_of(tree: Tree, scopes: Iterable[Node | None], address: str, group: str) -> BfdTimes:
    """The neighbour's own line, else its group's, else that of the interface, else the default."""
    for name, scope in itertools.product((address, group), scopes):
        line = scope.first(f"neighbor {name} bfd interval") if scope is not None and name else None
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


def _refused(tree: Tree, *, has_devices: bool) -> Iterator[Unplayed]:
    for node in tree.root.ordered():
        if _TOP_REFUSED.match(node.line):
            yield Unplayed(node.line, "FRR runs BGP and static routes here")
        elif node.words.startswith("router bgp "):
            yield from _of_process(node, has_devices=has_devices)
        elif node.words.startswith("route-map "):
            yield from _unknown(node.ordered(), _MAP, node.words)
        elif node.words.startswith("ip route ") and (has_devices or node.params.get("vrf", "default") == "default"):
            yield from _of_static(node)
        elif node.words.startswith("interface ") and not node.words.startswith("interface Management"):
            yield from _of_port(node, has_devices=has_devices)


def _of_process(process: Node, *, has_devices: bool) -> Iterator[Unplayed]:
    for node in process.ordered():
        if node.words.startswith("vrf ") and has_devices:
            yield from _of_process(node, has_devices=True)
        elif node.words.startswith("neighbor "):
            yield from _of_peer(node, process.words)
        elif node.words.startswith(("address-family ipv4", "address-family ipv6")) and not _FAMILIES.match(node.line):
            for line in node.ordered():
                yield from (
                    _of_peer(line, f"{process.words}, {node.words}")
                    if line.words.startswith("neighbor ")
                    else _unknown([line], _BGP, f"{process.words}, {node.words}")
                )
        elif _FAMILIES.match(node.line):
            yield from (Unplayed(each.line, "only unicast is routed", node.words) for each in node.ordered())
        else:
            yield from _unknown([node], _BGP, process.words)


def _of_peer(node: Node, where: str) -> Iterator[Unplayed]:
    words = node.words.split(" ", 2)[2]
    if words.startswith("password"):
        if password_in(node) is None and not node.negated:
            yield Unplayed("neighbor ... password", _NO_PASSWORD, where)
    elif not _PEER.match(words) or (node.negated and not _NO_PEER.match(words)):
        yield Unplayed(node.line, "no counterpart in FRR is known here", where)


def _of_static(node: Node) -> Iterator[Unplayed]:
    if "Nexthop-Group" in node.words or node.words.partition(node.params["prefix"])[2].count(" track "):
        yield Unplayed(node.line, "a next hop of this kind is not routed")


def _of_port(node: Node, *, has_devices: bool) -> Iterator[Unplayed]:
    """What a routed interface cannot be without; without VRFs in the kernel, one of the default VRF."""
    if not is_routed(node) or (node.first("vrf") is not None and not has_devices):
        return
    kind = node.params.get("name", "")
    is_plain = kind.startswith(("Ethernet", "Loopback")) and "." not in kind
    if node.first("ip address") is not None and not is_plain and not has_devices:
        yield Unplayed(node.line, NO_LAYER_2)
    for line in node.ordered():
        if not line.negated and _FORWARDING.match(line.words) and not _is_translated(line, has_devices=has_devices):
            yield Unplayed(line.line, NO_COUNTERPART, node.words)


def _is_translated(line: Node, *, has_devices: bool) -> bool:
    return line.words.startswith("ip access-group ") or (has_devices and to_kernel.is_translated(line.words))


def _frames(tree: Tree) -> Iterator[Unplayed]:
    """Lines of switched ports that decide where frames go, and have no counterpart."""
    for node in tree.find("interface"):
        if "name" in node.params and not is_routed(node):
            for line in node.ordered():
                if not line.negated and to_kernel.SWITCHED.match(line.words):
                    yield Unplayed(line.line, NO_COUNTERPART, node.words)


def _unrouted(tree: Tree) -> Iterator[Unplayed]:
    """VRFs that do not route between their interfaces: Linux routes in all of a switch or in none."""
    routed = {node.words.split()[-1] for node in tree.find("ip routing vrf") if not node.negated}
    for node in tree.find("vrf instance"):
        name = node.words.split()[-1]
        inside = [each for each in tree.find("interface") if each.value("vrf", "vrf") == name]
        if name not in routed and len([each for each in inside if each.first("ip address") is not None]) > 1:
            yield Unplayed(node.line, "it does not route between its interfaces, which the kernel would")


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
            yield Unplayed(vrf.line, NO_VRF, node.words)
        elif not is_routed(node):
            for line in node.ordered():
                if not line.negated and _SWITCHED.match(line.words):
                    yield Unplayed(line.line, NO_LAYER_2, node.words)
