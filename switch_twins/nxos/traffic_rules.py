"""What an NX-OS switch was told of classes, queues, pauses and marks, for traffic that is played."""

from __future__ import annotations

import re

from ..engine import Node, Tree
from ..traffic.rules import Marking, PortRules, QueueRules, SwitchRules
from .reply import View
from .show_policies import attached
from .show_qos import ethernets, is_watched, paused_cos, pfc_mode

_UNIT_BYTES = {"packets": 1, "bytes": 1, "kbytes": 1000, "mbytes": 1_000_000}
_QUEUE = re.compile(r"c-out-8q-q(\d|-default)")
_WATCH_S, _RESTORE_S = 0.2, 0.2
"""Twice the interval of 100 ms that ``show queuing pfc-queue`` has."""


def traffic_rules(view: View) -> SwitchRules:
    """Of the running configuration."""
    tree = view.store.running
    system, paused, is_on = attached(view, "queuing", "output"), paused_cos(view), is_watched(tree.root)
    known: dict[tuple[object, ...], PortRules] = {}
    ports = {}
    for node in ethernets(view, None):
        own = node.value("service-policy type queuing output", "name")
        policy = tree.first(f"policy-map type queuing {own}") if own else system
        classifier, oper = node.value("service-policy type qos input", "name"), pfc_mode(node)[1]
        key = (own, classifier, oper, is_on and is_watched(node))
        if key not in known:
            known[key] = PortRules(
                classes=_classes(tree, classifier),
                queues=_queues(policy),
                pauses=frozenset(paused) if oper == "On" else frozenset(),
                watched=is_on and is_watched(node),
                stuck_s=_WATCH_S,
                free_s=_RESTORE_S,
            )
        ports[node.params["name"]] = known[key]
    hashing = tree.root.first("ip load-sharing")
    words = hashing.words if hashing is not None else ""
    seed = hashing.params.get("seed") if hashing is not None else None
    return SwitchRules(ports, f"nxos {seed}" if seed else "", not words or " port " in words)


def _classes(tree: Tree, policy: str | None) -> tuple[int, ...]:
    """The group of each code point by a port's policy: without one, all go with the rest."""
    groups = [0] * 64
    found = tree.first(f"policy-map type qos {policy}") if policy else None
    for node in reversed(found.find("class") if found is not None else []):
        group = node.value("set qos-group", "group")
        for dscp in _matched(tree, node.params["name"]) if group else ():
            groups[dscp] = int(group or 0)
    return tuple(groups)


def _matched(tree: Tree, name: str) -> list[int]:
    if name == "class-default":
        return list(range(64))
    found = [each for each in tree.find("class-map type qos") if each.params.get("name") == name]
    listed = [line.params["dscp"] for node in found for line in node.find("match dscp")]
    return [int(each) for text in listed for part in text.split(",") for each in _range(part)]


def _range(part: str) -> range:
    first, _, last = part.strip().partition("-")
    return range(int(first), int(last or first) + 1) if first.isdecimal() else range(0)


def _queues(policy: Node | None) -> dict[int, QueueRules]:
    rules = {}
    for node in policy.find("class") if policy is not None else ():
        found = _QUEUE.fullmatch(node.params["name"])
        if found is not None:
            share = node.value("bandwidth remaining", "percent") or node.value("bandwidth percent", "percent") or "0"
            weight = None if node.first("priority") is not None else float(share)
            rules[0 if found[1] == "-default" else int(found[1])] = QueueRules(weight, _marking(node))
    return rules


def _marking(node: Node) -> Marking | None:
    line = node.first("random-detect minimum-threshold")
    if line is None or " ecn" not in line.words:
        return None
    unit = _UNIT_BYTES[line.words.split()[3]]
    return Marking(float(line.params["low"]) * unit, float(line.params["high"]) * unit, float(line.params["p"]) / 100)
