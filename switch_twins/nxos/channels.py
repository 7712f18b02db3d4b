"""Port channels on NX-OS: what a port must have to join one, and what cannot change while there are members.

Refusals: cisco.nxos pull request 923 and issue 742, cisco-network-node-utils pull request 489 (CSCvb64317). That a
channel with members passes its lines on to them is left out: what is pushed says them on both.
"""

from __future__ import annotations

from ..engine import Change, LineError, Node
from ..engine.grammar import Rule
from ..engine.pattern import Match
from ..engine.tree import Tree

_ALIKE = ("switchport mode ", "switchport access ", "switchport trunk ", "no switchport")
"""What a port and its channel must have in common."""


def members(tree: Tree, channel: Node) -> list[Node]:
    """The ports in a channel."""
    number = channel.params["name"].removeprefix("port-channel")
    return [port for port in tree.find("interface") if port.value("channel-group", "number") == number]


def joined(change: Change) -> None:
    """``channel-group``: LACP must be loaded; the channel is made with the port's lines, or has the same ones."""
    if change.removed:
        return
    node, port = change.node, change.parent
    if {"active", "passive"} & set(node.words.split()) and change.tree.first("feature lacp") is None:
        raise LineError("invalid", node.line)
    name = f"port-channel{node.params['number']}"
    channel = next((each for each in change.tree.find("interface") if each.params.get("name") == name), None)
    if channel is None:
        _made(change, name)
    elif "force" not in node.words.split() and _layer_2(change.tree, channel) != _layer_2(change.tree, port):
        message = "command failed: port not compatible [switching port]"
        raise LineError("conflict", node.line, message=message)


def _layer_2(tree: Tree, port: Node) -> frozenset[str]:
    lines = {each.line for each in port.ordered() if each.line.startswith(_ALIKE)}
    routed = tree.effective(port, "no switchport")
    lines -= {"no switchport", "switchport mode access", "switchport access vlan 1"}
    return frozenset({"no switchport"} if routed else lines)


def _made(change: Change, name: str) -> None:
    rule = next(each for each in change.tree.grammar.top.candidates("interface") if _has_lacp_alone(each))
    channel = change.session.store(change.tree.root, rule, Match(True, f"interface {name}", {"name": name}, (name,)))
    for line in change.parent.ordered():
        if line.rule is not None and line.line.startswith(("switchport", "no switchport", "mtu ")):
            found = next(
                (
                    each
                    for each in channel.mode.candidates(line.words.split()[0])
                    if each.keywords == line.rule.keywords
                ),
                None,
            )
            if found is not None:
                match = Match(True, line.words, dict(line.params), line.identity)
                change.session.store(channel, found, match, line.negated)


def _has_lacp_alone(rule: Rule) -> bool:
    """Is it the rule of channels? Members have LACP's lines as well, and one that says their channel."""
    return rule.mode is not None and bool(rule.mode.candidates("lacp")) and not rule.mode.candidates("channel-group")


def mode_of_members(change: Change) -> None:
    """The mode of a channel cannot change while it has members that are of another one."""
    if not change.parent.params.get("name", "").startswith("port-channel"):
        return
    is_trunk = not change.removed and change.node.words.endswith("trunk")
    others = members(change.tree, change.parent)
    if any((port.first("switchport mode trunk") is not None) != is_trunk for port in others):
        message = (
            "Port-channel mode cannot be changed in a non-empty port-channel, and port mode must match with "
            "port-channel mode"
        )
        raise LineError("conflict", change.node.line, message=message)


def suspended(change: Change) -> None:
    """Whether members are suspended without LACPDUs changes on a channel that is shut only, once it has members."""
    if members(change.tree, change.parent) and change.parent.first("shutdown") is None:
        name = change.parent.params["name"]
        message = f"ERROR: Cannot set/reset lacp suspend-individual for {name} that is admin up"
        raise LineError("conflict", change.node.line, message=message)
