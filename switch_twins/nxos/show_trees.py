"""show spanning-tree, show spanning-tree root.

Text: a pair's published outputs (tests/recorded/nxos_show/spanning_tree_text.txt). Its data has a source for one VLAN
alone, so there is none here. Ports that are down are left out (M); costs and numbers of ports are not worked out.
"""

from __future__ import annotations

from ..state import InterfaceState
from ..trees import Bridge, Tree, trees
from .reply import Reply, View, short_name

_TIMES = "             Hello Time  2  sec  Max Age 20 sec  Forward Delay 15 sec"
_HEAD = "Interface        Role Sts Cost      Prio.Nbr Type"
_RULE = "---------------- ---- --- --------- -------- --------------------------------"


def spanning_tree(view: View) -> Reply:
    """``show spanning-tree``: each tree, its bridges and its ports."""
    found = trees(view.fabric, view.device.name)
    return Reply("\n" + "\n\n".join("\n".join(_block(view, each)) + "\n" for each in found))


def root(view: View) -> Reply:
    """``show spanning-tree root``: the root of each tree, and the way there."""
    lines = [
        "                                        Root  Hello Max Fwd",
        "Vlan                   Root ID          Cost  Time  Age Dly  Root Port",
        "---------------- -------------------- ------- ----- --- ---  ----------------",
    ]
    for each in trees(view.fabric, view.device.name):
        is_root = each.root == each.own
        port = "This bridge is root" if is_root else f"{_peer_link(view):>17}"
        bridge = f"{_priority(each, each.root):>5} {_mac(each.root)}"
        lines.append(f"{each.lines.name:<15} {bridge}{int(not is_root):>8}    2   20  15  {port}")
    return Reply("\n".join(["", *lines, ""]))


def _block(view: View, tree: Tree) -> list[str]:
    link, is_root = _peer_link(view), tree.root == tree.own
    way = [] if is_root else ["             Cost        1", f"             Port        4096 ({link})"]
    return [
        tree.lines.name,
        f"  Spanning tree enabled protocol {'rstp' if tree.lines.vlan is not None else 'mstp'}",
        f"  Root ID    Priority    {_priority(tree, tree.root)}",
        f"             Address     {_mac(tree.root)}",
        *(["             This bridge is the root"] if is_root else way),
        _TIMES,
        "",
        f"  Bridge ID  Priority    {_priority(tree, tree.own):<6} "
        f"(priority {tree.own.priority} sys-id-ext {tree.lines.vlan or 0})",
        f"             Address     {_mac(tree.own)}",
        _TIMES,
        "",
        _HEAD,
        _RULE,
        *(_port(each, link, is_root=is_root) for each in _ports(view, tree.lines.vlan)),
    ]


def _peer_link(view: View) -> str:
    pair = view.fabric.state(view.device.name).pair
    return pair.peer_link if pair is not None else ""


def _ports(view: View, vlan: int | None) -> list[InterfaceState]:
    name = view.device.name
    return [
        each
        for each in view.fabric.state(name).interfaces
        if not each.group
        and (vlan in each.vlans if vlan is not None else each.vlans)
        and view.fabric.is_up(name, each.name)
    ]


def _port(port: InterfaceState, link: str, *, is_root: bool) -> str:
    is_link = port.name == link
    role = "Root" if is_link and not is_root else "Desg"
    kind = "(vPC peer-link) Network P2p" if is_link else "(vPC) P2p" if port.over_both else "P2p"
    return f"{short_name(port.name):<16} {role} FWD {1:<9} {'128.4096':<8} {kind} "


def _priority(tree: Tree, bridge: Bridge) -> int:
    return bridge.priority + (tree.lines.vlan or 0)


def _mac(bridge: Bridge) -> str:
    digits = bridge.shared or f"02005e{bridge.serial}"
    return f"{digits[:4]}.{digits[4:8]}.{digits[8:]}"
