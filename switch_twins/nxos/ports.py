"""Cages and their parts: the Ethernet ports of a switch, as its ``interface breakout`` lines split them.

Source: Cisco Nexus 9000 Series NX-OS Interfaces Configuration Guide 10.6(x), Overview ("Breakout interfaces"); one line
per map with its ports merged: published running configuration, document 24492228006.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..engine import Change, LineError, Node, Tree
from ..engine.pattern import Match
from .words import numbers, ranges

_BREAKOUT = "interface breakout"
FIXED_FROM_GBPS = 200
"""From this speed on, copper does not negotiate on the GX and GX2 models: Basic Interface Parameters of the same guide,
"Non-Support for Auto negotiation"; it includes 25G parts."""


_TWISTED_PAIRS = {"N9K-C9348GC-FXP": 48}
"""Model -> so many first ports are 100BASE-TX and 1000BASE-T: "48*100/1G(T)", a public table of switch buffers
(document 45471911809)."""
_OF_TWISTED_PAIR = frozenset({"100", "1000"})
"""Words of ``speed`` that such a port takes, beside ``auto``."""


def is_twisted_pair(model: str, name: str) -> bool:
    """Is this a port for a patch cord?"""
    found = re.fullmatch(r"Ethernet1/(\d+)", name)
    return found is not None and int(found[1]) <= _TWISTED_PAIRS.get(model, 0)


_MOST_GBPS = {
    "N9K-C9332D-GX2B": ((32, 400), (34, 10)),
    "N9K-C93180YC-FX3": ((48, 25), (54, 100)),
    "N9K-C9348GC-FXP": ((48, 1), (52, 25), (54, 100)),
}
"""Model -> (last port, the most that it and those before it have), from the data sheets that catalogue/cisco/ names."""


def most_gbps(model: str, name: str) -> int:
    """What a port has that was not set and that agreed with no partner."""
    found = re.match(r"Ethernet1/(\d+)", name)
    number = int(found[1]) if found else 0
    return next((gbps for last, gbps in _MOST_GBPS.get(model, ()) if number <= last), 400)


def interfaces(tree: Tree) -> list[Node]:
    """Every interface's block, in the order of the running configuration."""
    return [node for node in tree.find("interface") if "name" in node.params]


def maps(tree: Tree) -> dict[int, str]:
    """The split cages, with their map: {1: "200g-2x"}."""
    return {number: node.params["map"] for node in _lines(tree) for number in _numbers(node)}


def map_of(tree: Tree, name: str) -> str | None:
    """The map of the cage that a part belongs to; None for a whole port."""
    found = re.fullmatch(r"Ethernet1/(\d+)/\d+", name)
    return maps(tree).get(int(found[1])) if found else None


def part_gbps(breakout: str) -> int:
    """The speed of each part: 200 of ``200g-2x``."""
    return int(breakout.partition("g-")[0])


def is_there(tree: Tree, name: str) -> bool:
    """Does a port exist with the present split of its cage?"""
    found = re.fullmatch(r"Ethernet1/(\d+)(?:/(\d+))?", name.partition(".")[0])
    if found is None:
        return True
    breakout = maps(tree).get(int(found[1]))
    if found[2] is None:
        return breakout is None
    return breakout is not None and 1 <= int(found[2]) <= _ways(breakout)


def _ways(breakout: str) -> int:
    return int(re.findall(r"-(\d)x", breakout)[0])


def _lines(tree: Tree) -> list[Node]:
    return [node for node in tree.find(_BREAKOUT) if not node.negated]


def _numbers(node: Node) -> list[int]:
    return numbers(node.params["ports"], 1, 72) or []


# -- hooks ---------------------------------------------------------------------------------------------------------


def speed_of_twisted_pair(change: Change) -> None:
    """An RJ45 port refuses a speed that it does not have.

    Wording: "does not match the port capability" (cisco/cisco-network-node-utils, tests/test_interface.rb, document
    2767257195); the words before it are not known.
    """
    port, speed = change.parent.params.get("name", ""), change.node.params.get("speed")
    is_wrong = speed is not None and speed not in _OF_TWISTED_PAIR
    if is_wrong and not change.removed and is_twisted_pair(change.session.context.model, port):
        text = f"ERROR: {port}: Configuration does not match the port capability"
        raise LineError("unavailable", change.node.line, message=text)


def port_exists(change: Change) -> None:
    """``interface EthernetX`` refers to an existing port."""
    if not change.removed and not is_there(change.tree, change.node.params["name"]):
        raise LineError("reference", change.node.line, message="Invalid range at '^' marker.")


def broken_out(change: Change) -> None:
    """Split or merge cages: lines of one map are stored as one, ports' blocks are added and removed with defaults."""
    if change.removed:
        return
    before = {n: m for node in _lines(change.tree) if node is not change.node for n, m in _each(node)}
    after = dict(before)
    for number, breakout in _each(change.node):
        if not change.node.negated:
            after[number] = breakout
        elif before.get(number) == breakout:
            del after[number]
    touched = {*before, *after, *dict(_each(change.node))}
    changed = {number for number in touched if before.get(number) != after.get(number)}
    _lines_of(change, after)
    _blocks_of(change, after, changed)


def _each(node: Node) -> Iterator[tuple[int, str]]:
    return ((number, node.params["map"]) for number in _numbers(node))


def _lines_of(change: Change, wanted: dict[int, str]) -> None:
    """One line for each map."""
    tree, root = change.tree, change.tree.root
    rules = {node.params["map"]: node.rule for node in [*tree.find(_BREAKOUT), change.node]}
    for node in [n for n in root.children.values() if n.words.startswith(_BREAKOUT)]:
        if node.rule is not None:
            root.children.pop(node.rule.key(node.identity), None)
    for breakout in sorted(set(wanted.values())):
        rule = rules[breakout]
        ports = ranges(sorted(number for number, found in wanted.items() if found == breakout))
        if rule is not None:
            words = f"{_BREAKOUT} module 1 port {ports} map {breakout}"
            params = {"ports": ports, "map": breakout}
            node = Node(rule, words, params, (ports, breakout), False, (), tree.next_entered(), root)
            root.children[rule.key(node.identity)] = node
    tree.touched()


def _blocks_of(change: Change, wanted: dict[int, str], changed: set[int]) -> None:
    """Remove the blocks of cages that were split or merged with all their lines; add those of the new ports."""
    tree, root = change.tree, change.tree.root
    for node in interfaces(tree):
        found = re.match(r"Ethernet1/(\d+)(/\d+)?", node.params["name"])
        if node.rule is not None and found and (int(found[1]) in changed or not is_there(tree, found[0])):
            for child in list(node.children.values()):
                change.session.remove(child)
            root.children.pop(node.rule.key(node.identity), None)
    rule = next(r for r in tree.grammar.top.candidates("interface") if r.permanent and r.after == port_exists.__name__)
    cages = {int(port.rpartition("/")[2]) for port in change.session.context.ports}
    names = [f"Ethernet1/{number}" for number in sorted(cages - wanted.keys())]
    names += [f"Ethernet1/{n}/{part}" for n, split in sorted(wanted.items()) for part in range(1, _ways(split) + 1)]
    for name in names:
        if rule.key((name,)) not in root.children:
            change.session.store(root, rule, Match(True, f"interface {name}", {"name": name}, (name,)))
