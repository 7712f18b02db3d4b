"""What an NX-OS configuration says of routing beyond SwitchState, and its lines that FRR has no counterpart for.

The lines of BGP, of its policies and of static routes are listed: what is not here is refused. Of an interface, the
lines that decide who reaches whom are; all others (QoS, layer 1, services) change nothing in FRR.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator
from typing import Literal

from ..engine import Node, Tree
from ..routed.configured_lists import NO_COUNTERPART
from ..routed.form import NO_LAYER_2, NO_VRF, BfdTimes, Peer, Routing, Unplayed
from ..twin import Twin
from . import to_kernel
from .extract import active_vlans, is_routed, primary_address, vrf_of
from .outside import outside
from .password import password_in
from .ports import interfaces
from .twin import NxosTwin

_BFD = BfdTimes(50, 50, 3)
"""Default of ``bfd interval``; source: the grammar, 2_services, @section bfd."""
_PROCESS = re.compile(
    r"router-id|timers (bgp|bestpath-limit|prefix-peer-timeout)|graceful-restart|bestpath as-path multipath-relax$"
    r"|bestpath compare-routerid$|enforce-first-as$|suppress-fib-pending|reconnect-interval|log-neighbor-changes"
    r"|event-history|graceful-shutdown aware|fast-external-fallover|shutdown$|maxas-limit|template peer |neighbor |vrf "
    r"|address-family |neighbor-down"
)
_FAMILY = re.compile(
    r"network \S+$|aggregate-address \S+ summary-only$|maximum-paths (ibgp )?\d+$|redistribute direct route-map"
    r"|client-to-client|dampen-igp-metric"
    r"|distance 20 200 220$|nexthop trigger-delay|wait-igp-convergence"
)
_PEER = re.compile(
    r"inherit peer |bfd( singlehop)?$|remote-as|description|ebgp-multihop|dynamic-capability|log-neighbor-changes"
    r"|shutdown|ttl-security hops|timers|low-memory exempt|address-family |affinity-group"
)
_IPV4 = frozenset({"address-family ipv4 unicast"})
_FAMILIES = _IPV4 | {"address-family ipv6 unicast"}
"""In the default VRF both; of others IPv4 alone."""
_PEER_FAMILY = re.compile(
    r"allowas-in|advertisement-interval 0$|send-community|maximum-prefix|next-hop-third-party|prefix-list \S+ (in|out)$"
    r"|route-map \S+ (in|out)$|soft-reconfiguration inbound|disable-peer-as-check|next-hop-self$"
)
_MAP = re.compile(
    r"match (ip|ipv6) address prefix-list \S+$|match as-path \S+$|set as-path prepend [\d ]+$|set local-preference"
    r"|description"
    r"|set community (\d+:\d+ ?|graceful-shutdown ?|no-export ?|no-advertise ?)+(additive)?$"
)
_FORWARDING = re.compile(
    r"ip access-group|ip verify|ip (router|ospf|policy|nat|pim)|ipv6 (address|link-local|router)|isis|hsrp|vrrp|mpls"
)
_SWITCHED = re.compile(r"channel-group|switchport (mode|access|trunk)")
_TOP = re.compile(r"router (ospf|isis|eigrp|rip|ospfv3)|interface (nve|Tunnel)|ip nat")
_NO_PASSWORD = "FRR needs the password itself, which only type 7 says"  # noqa: S105
_NOT_PLAYED = "only unicast is routed, that of IPv6 between addresses of IPv6 in the default VRF alone"
_UNKNOWN = "no counterpart in FRR is known here"


def routing(twin: Twin, *, has_devices: bool = False) -> Routing:
    """Read a twin's running configuration. ``has_devices``: the kernel has VRFs, VLANs and bonds."""
    assert isinstance(twin, NxosTwin)  # noqa: S101  (the caller looked this module up by the twin's system)
    return of_tree(twin.store.running, has_devices=has_devices)


def of_tree(tree: Tree, *, has_devices: bool = False) -> Routing:
    """Read a configuration."""
    process = tree.first("router bgp")
    vrfs = process.find("vrf") if process is not None else []
    lists = to_kernel.lists(tree)
    return Routing(
        _peers(tree, process, process) if process is not None else {},
        _graceful_restart(process) if process is not None else "helper",
        (*_refused(tree, has_devices=has_devices), *lists.unreadable, *(_frames(tree) if has_devices else ())),
        () if has_devices else tuple(_left_out(tree)),
        {each.params["vrf"]: _peers(tree, process, each) for each in vrfs if process is not None},
        active_vlans(tree),
        to_kernel.addresses_v6(tree),
        tuple(to_kernel.gateways(tree)),
        lists.lists,
        lists.bound,
        outside=outside(tree),
    )


def _peers(tree: Tree, process: Node, scope: Node) -> dict[str, Peer]:
    retry_s = int(process.value("reconnect-interval", "seconds") or 60)
    return {
        node.params["peer"]: Peer(_bfd_of(tree, node.params["peer"]), retry_s, _password(process, node))
        for node in scope.find("neighbor")
    }


def _password(process: Node, peer: Node) -> str | None:
    """A neighbour's own, or its template's; None where it cannot be known (type 3)."""
    template = process.first(f"template peer {peer.value('inherit peer', 'template')}")
    for level in (peer, template):
        line = level.first("password") if level is not None else None
        if line is not None:
            return password_in(line)
    return None


def _graceful_restart(process: Node) -> Literal["on", "helper", "off"]:
    """On unless the process says ``no``; then what it says of helping others (defaults: the grammar, 4_bgp)."""
    lines = {node.line for node in process.find("no graceful-restart") + process.find("graceful-restart-helper")}
    if "no graceful-restart" not in lines:
        return "on"
    return "helper" if "graceful-restart-helper" in lines else "off"


def _bfd_of(tree: Tree, address: str) -> BfdTimes:
    """The line of the interface, else the switch's, else the default."""
    for node in interfaces(tree):
        own, line = primary_address(node), node.first("bfd interval")
        if own and line is not None and ipaddress.ip_address(address) in ipaddress.ip_interface(own).network:
            return _bfd_times(line)
    line = tree.first("bfd ipv4 interval") or tree.first("bfd interval")
    return _bfd_times(line) if line is not None else _BFD


def _bfd_times(line: Node) -> BfdTimes:
    return BfdTimes(*(int(line.params[name]) for name in ("tx", "rx", "multiplier")))


# -- what FRR is not told ------------------------------------------------------------------------------------------


def _refused(tree: Tree, *, has_devices: bool) -> Iterator[Unplayed]:
    for node in tree.root.ordered():
        if _TOP.match(node.line):
            yield Unplayed(node.line, "FRR runs BGP and static routes here")
        elif node.words.startswith("router bgp "):
            yield from _of_process(node, has_devices=has_devices)
        elif node.words.startswith("route-map "):
            yield from _unknown(node.ordered(), _MAP, node.words)
        elif node.words.startswith("ip route ") and " track " in node.words:
            yield Unplayed(node.line, "a next hop of this kind is not routed")
    for node in interfaces(tree):
        if node.params["name"] != "mgmt0":
            yield from _of_port(tree, node, has_devices=has_devices)


def _of_process(process: Node, *, has_devices: bool) -> Iterator[Unplayed]:
    yield from _unknown(process.ordered(), _PROCESS, process.words)
    for node in process.ordered():
        where = f"{process.words}, {node.words}"
        if node.words.startswith("vrf ") and has_devices:
            yield from _of_process(node, has_devices=True)
        elif node.words.startswith("address-family "):
            yield from _of_family(node, _FAMILY, where, _FAMILIES if process.words.startswith("router ") else _IPV4)
        elif node.words.startswith(("template peer ", "neighbor ")):
            for line in node.ordered():
                if line.words.startswith("password"):
                    if password_in(line) is None:
                        yield Unplayed("password", _NO_PASSWORD, where)
                elif line.words.startswith("address-family "):
                    yield from _of_family(line, _PEER_FAMILY, f"{where}, {line.words}", _families_of(process, node))
                else:
                    yield from _unknown([line], _PEER, where)


def _families_of(process: Node, peer: Node) -> frozenset[str]:
    """Those in which a neighbour can be: in the default VRF its address's; a template is for either."""
    if process.words.startswith("vrf "):
        return _IPV4
    return _FAMILIES if "peer" not in peer.params else _FAMILIES - _IPV4 if ":" in peer.params["peer"] else _IPV4


def _of_family(node: Node, known: re.Pattern[str], where: str, played: frozenset[str]) -> Iterator[Unplayed]:
    if node.words in played:
        yield from _unknown(node.ordered(), known, where)
    elif node.children:
        yield Unplayed(node.line, _NOT_PLAYED, where)


def _of_port(tree: Tree, node: Node, *, has_devices: bool) -> Iterator[Unplayed]:
    """What a routed interface cannot be without; without VRFs in the kernel, one of the default VRF."""
    if not is_routed(tree, node) or (vrf_of(node) != "default" and not has_devices):
        return
    name = node.params["name"]
    is_plain = name.startswith(("Ethernet", "loopback")) and "." not in name
    if primary_address(node) and not is_plain and not has_devices:
        yield Unplayed(node.line, NO_LAYER_2)
    for line in node.ordered():
        if not line.negated and _FORWARDING.match(line.words) and not _is_translated(line, has_devices=has_devices):
            yield Unplayed(line.line, NO_COUNTERPART, node.words)


def _is_translated(line: Node, *, has_devices: bool) -> bool:
    if line.words.startswith("hsrp version "):
        return has_devices
    return line.words.startswith("ip access-group ") or (has_devices and to_kernel.is_translated(line))


def _frames(tree: Tree) -> Iterator[Unplayed]:
    """Lines of switched ports that decide where frames go, and have no counterpart."""
    for node in interfaces(tree):
        if not is_routed(tree, node):
            for line in node.ordered():
                if not line.negated and to_kernel.SWITCHED.match(line.words):
                    yield Unplayed(line.line, NO_COUNTERPART, node.words)


def _unknown(nodes: Iterable[Node], known: re.Pattern[str], where: str) -> Iterator[Unplayed]:
    for node in nodes:
        if not known.match(node.words):
            yield Unplayed(node.line, _UNKNOWN, where)


def _left_out(tree: Tree) -> Iterator[Unplayed]:
    for node in interfaces(tree):
        if node.params["name"] == "mgmt0":
            continue
        if vrf_of(node) != "default":
            yield Unplayed(f"vrf member {vrf_of(node)}", NO_VRF, node.words)
        elif not is_routed(tree, node):
            for line in node.ordered():
                if not line.negated and _SWITCHED.match(line.words):
                    yield Unplayed(line.line, NO_LAYER_2, node.words)
