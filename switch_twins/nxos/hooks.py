"""Side effects of lines on NX-OS: numbering, references, and lines that add or remove others."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import Any

from ..engine import Change, LineError, Node
from ..engine.lines import Lines
from ..engine.pattern import Match
from .channels import joined, mode_of_members, suspended
from .dlb import dlb_ports
from .password import make_hash
from .patch import LAYER_3
from .ports import broken_out, port_exists, speed_of_twisted_pair
from .words import is_network_qos_class, numbers, ranges

DEFAULT_POLICIES = frozenset(
    {"default-8q-out-policy", "default-out-policy", "default-in-policy", "default-8q-nq-policy", "default-nq-policy"}
)
"""Policies that always exist (roce_enable.py 0.22 leaves them when it removes its own)."""
JUMBO_MTU = "9216"
"""``system jumbomtu`` unless set (``show running-config all`` of a Nexus 7000, same page as layer_2_mtu's words)."""
# The wording of the refusals below is this lab's: no public source shows NX-OS's.


def _refused(node: Node, text: str) -> LineError:
    return LineError("reference", node.line, message=text)


# -- references ----------------------------------------------------------------------------------------------------


def class_exists(change: Change) -> None:
    """The class of a qos policy refers to a class-map."""
    name = change.node.params["name"]
    if change.removed or name == "class-default":
        return
    if not any(node.params.get("name") == name for node in change.tree.find("class-map type qos")):
        raise _refused(change.node, f"ERROR: class-map {name} does not exist")


def network_qos_class_exists(change: Change) -> None:
    """The class of a network-qos policy is built in or has a class-map."""
    name = change.node.params["name"]
    maps = {node.params.get("name") for node in change.tree.find("class-map type network-qos")}
    if not change.removed and not is_network_qos_class(name) and name not in maps:
        raise _refused(change.node, f"ERROR: class-map {name} does not exist")


def policy_exists(change: Change) -> None:
    """service-policy refers to a policy-map of its type."""
    kind, name = change.node.words.split()[2], change.node.params["name"]
    if change.removed or name in DEFAULT_POLICIES:
        return
    if change.tree.first(f"policy-map type {kind} {name}") is None:
        raise _refused(change.node, f"ERROR: policy-map type {kind} {name} does not exist")


def keep_class(change: Change) -> None:
    """A class-map that a policy-map uses cannot be removed."""
    kind, name = change.node.words.split()[2], change.node.params["name"]
    if not change.removed:
        return
    for policy in change.tree.find(f"policy-map type {kind}"):
        if any(child.params.get("name") == name for child in policy.find("class")):
            raise _refused(change.node, f"ERROR: class-map {name} is used by policy-map {policy.params['name']}")


def keep_policy(change: Change) -> None:
    """A policy-map that is attached cannot be removed."""
    kind, name = change.node.words.split()[2], change.node.params["name"]
    if not change.removed:
        return
    for place in [*change.tree.find("system qos"), *change.tree.find("interface")]:
        if any(use.params.get("name") == name for use in place.find(f"service-policy type {kind}")):
            raise _refused(change.node, f"ERROR: policy-map {name} is attached at {place.line}")


def groups_exist(change: Change) -> None:
    """AAA methods refer to existing server groups."""
    known = {node.params["name"] for node in change.tree.find("aaa group server")} | {"radius", "tacacs+", "local"}
    for group in change.node.params.get("groups", "").split():
        if not change.removed and group not in known:
            raise _refused(change.node, f"aaa server group {group} does not exist")


def keep_management_vrf(change: Change) -> None:
    """VRF management is built in."""
    if change.removed and change.node.params["name"] == "management":
        raise _refused(change.node, "ERROR: VRF management cannot be deleted")


# -- lines that bring others ---------------------------------------------------------------------------------------


def relay_by_default(change: Change) -> None:
    """With ``feature dhcp`` come the lines that a relay needs; they go with it, as they need it [M]."""
    if change.removed:
        return
    for line in ("service dhcp", "ip dhcp relay", "ipv6 dhcp relay"):
        word = line.partition(" ")[0]
        rule = next(each for each in change.tree.grammar.top.candidates(word) if each.name == line)
        change.session.store(change.tree.root, rule, Match(True, line, {}, ()))


# -- lines that take others with them ------------------------------------------------------------------------------


def one_user(change: Change) -> None:
    """Removing an account removes its user of SNMP, and the other way round.

    Source: Nexus 5000 CLI configuration guide, OL-16597-01, CLI and SNMP User Synchronization. With hashes and
    localized keys, which do not have the password, neither makes the other: a configuration of 10.3(4a), document
    70694988288.
    """
    if not change.removed:
        return
    name = change.node.params["user"]
    for child in list(change.tree.root.children.values()):
        is_of_it = child is not change.node and child.params.get("user") == name
        if is_of_it and child.words.startswith(("username ", "snmp-server user ")):
            change.session.remove(child)


def _drop(change: Change, leading: tuple[str, ...]) -> None:
    for child in list(change.parent.children.values()):
        if child is not change.node and child.words.startswith(leading):
            change.session.remove(child)


_OF_LAYER_2, _OF_LAYER_3 = ("switchport ", "spanning-tree "), ("vrf member", *LAYER_3)


def clear_layer(change: Change) -> None:
    """``switchport`` removes the layer-3 lines, ``no switchport`` the layer-2 ones."""
    is_layer_2 = not change.node.negated and not change.removed
    _drop(change, _OF_LAYER_3 if is_layer_2 else _OF_LAYER_2)


def clear_layer_of_all(change: Change) -> None:
    """Ports that do not say their mode take the new one and lose the lines of the other, as if typed there (M).

    All at once: no rule about a port and its members is asked in between.
    """
    change.tree.touched()
    for port in change.tree.find("interface"):
        if not port.line.startswith(("interface Ethernet", "interface port-channel")) or "." in port.line:
            continue
        other = _OF_LAYER_3 if change.tree.effective(port, "switchport") else _OF_LAYER_2
        for child in list(port.children.values()):
            if child.rule is not None and child.words.startswith(other):
                port.children.pop(child.rule.key(child.identity))


def clear_addresses(change: Change) -> None:
    """Moving an interface to another VRF removes its addresses."""
    _drop(change, LAYER_3)


def layer_2_mtu(change: Change) -> None:
    """A switched port has the MTU of the switch's jumbo frames, or no line of its own.

    Wording: typed on a Nexus 7000 (madnetworks.fr, "MTU-Nexus 7000").
    """
    if change.removed or change.tree.effective(change.parent, "no switchport"):
        return
    jumbo = change.tree.root.value("system jumbomtu", "bytes") or JUMBO_MTU
    if change.node.params["bytes"] not in ("1500", jumbo):
        port = change.parent.params["name"]
        text = f"ERROR: {port}: MTU on L2 interfaces can only be set to default or system-jumboMTU"
        raise LineError("conflict", change.node.line, message=text)


def rename_vdc(change: Change) -> None:
    """The default VDC has the switch's name."""
    for vdc in change.tree.find("vdc"):
        vdc.params = {**vdc.params, "name": change.node.params["name"]}
        vdc.words = f"vdc {change.node.params['name']} id 1"
    change.tree.root.children.forget()
    change.tree.touched()


def both_communities(change: Change) -> None:
    """``send-community both`` is stored as two lines."""
    if change.removed:
        return
    change.session.remove(change.node)
    for rule in change.parent.mode.candidates("send-community"):
        if rule.keywords in ("send-community", "send-community extended"):
            change.session.store(change.parent, rule, Match(True, rule.keywords))


# -- VLANs: one summary line and a block for each that has settings --------------------------------------------------


def all_vlans(change: Change) -> None:
    """``vlan 1,10-12`` creates every VLAN of the list."""
    if change.removed:
        return
    rule = next(r for r in change.tree.grammar.top.candidates("vlan") if r.mode is not None)
    for number in numbers(change.node.params["ids"], 1, 4094) or []:
        text = str(number)
        if (rule.position, text) not in change.parent.children:
            change.session.store(change.parent, rule, Match(True, f"vlan {text}", {"id": text}, (text,)))


def one_vlan(change: Change) -> None:
    """Keep the summary line consistent with the existing VLANs."""
    ids = sorted(int(node.params["id"]) for node in change.tree.find("vlan") if "id" in node.params)
    rule = next(r for r in change.tree.grammar.top.candidates("vlan") if r.slot == "vlans")
    text = ranges(ids)
    change.session.store(change.tree.root, rule, Match(True, f"vlan {text}", {"ids": text}))


# -- one-line forms that need working out --------------------------------------------------------------------------


def _next_number(parent: Node, step: int, param: str = "number") -> int:
    taken = [int(node.params[param]) for node in parent.children.values() if node.params.get(param, "").isdigit()]
    return max(taken, default=0) + step


def _numbered_entry(action: str) -> Callable[[dict[str, str], Node], str]:
    def rewrite(params: dict[str, str], parent: Node) -> str:
        return f"{_next_number(parent, 10)} {action} {params.get('rest', params.get('text', ''))}"

    return rewrite


def _numbered_prefix(action: str) -> Callable[[dict[str, str], Node], str]:
    def rewrite(params: dict[str, str], parent: Node) -> str:
        listed = {key: node for key, node in parent.children.items() if node.params.get("list") == params["list"]}
        own = Node(None, "", children=Lines(listed))
        return f"ip prefix-list {params['list']} seq {_next_number(own, 5, 'seq')} {action} {params['rest']}"

    return rewrite


def _length(mask: str) -> int:
    return ipaddress.ip_network(f"0.0.0.0/{mask}").prefixlen


def route_with_mask(params: dict[str, str], _: Node) -> str:
    """``ip route 10.0.0.0 255.255.255.0 ...`` with a prefix length."""
    return f"ip route {params['address']}/{_length(params['mask'])} {params['rest']}"


def address_with_mask(params: dict[str, str], _: Node) -> str:
    """``ip address 10.0.0.1 255.255.255.254`` with a prefix length."""
    return f"ip address {params['address']}/{_length(params['mask'])}"


def hash_password(params: dict[str, str], _: Node) -> str:
    """A password typed in clear is stored as its hash only."""
    return f"username {params['user']} password 5 {make_hash(params['plain'])} role {params['role']}"


HOOKS: dict[str, Callable[..., Any]] = {
    **{
        hook.__name__: hook
        for hook in (
            class_exists,
            network_qos_class_exists,
            policy_exists,
            keep_class,
            keep_policy,
            groups_exist,
            keep_management_vrf,
            relay_by_default,
            clear_layer,
            clear_layer_of_all,
            clear_addresses,
            layer_2_mtu,
            rename_vdc,
            both_communities,
            all_vlans,
            one_vlan,
            route_with_mask,
            address_with_mask,
            hash_password,
            one_user,
            broken_out,
            port_exists,
            speed_of_twisted_pair,
            dlb_ports,
            joined,
            mode_of_members,
            suspended,
        )
    },
    "number_permit": _numbered_entry("permit"),
    "number_deny": _numbered_entry("deny"),
    "number_remark": _numbered_entry("remark"),
    "prefix_permit": _numbered_prefix("permit"),
    "prefix_deny": _numbered_prefix("deny"),
}
