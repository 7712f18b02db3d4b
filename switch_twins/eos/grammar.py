"""EOS's grammar for the engine: parameter types, and what a few lines do beyond being stored.

The rules themselves are data, in grammar.txt, each with its source.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import resources

from ..engine import Change, Context, Grammar, LineError, Node, load_grammar
from ..engine.grammar import Hook
from . import acl, ports

DEFAULT_HASH_FIELDS = {
    "ip": frozenset({"source-ip", "source-port", "destination-ip", "destination-port", "ingress-interface"}),
    "ipv6": frozenset(
        {"source-ip", "source-port", "destination-ip", "destination-port", "ingress-interface", "flow-label"}
    ),
}
"""Source: annetutil/annet annet/implicit.py, Arista."""

SHORT_NAMES = {"et": "Ethernet", "po": "Port-Channel", "lo": "Loopback", "ma": "Management", "vl": "Vlan"}


def default_class(dscp: int) -> int:
    """EOS's default DSCP map: 0-7 to 1, 8-15 to 0, else DSCP / 8. Source: ROCE section 1 (see grammar.txt)."""
    return {0: 1, 1: 0}.get(dscp // 8, dscp // 8)


# -- types ---------------------------------------------------------------------------------------------------------


def _interface(kind: str, number: str) -> Callable[[str, Context], str | None]:
    """A type for interfaces of one kind, long or short (Et1/1), spelt long."""
    short = kind[:2].lower()
    pattern = re.compile(rf"(?:{re.escape(kind)}|{short})({number})", re.IGNORECASE)

    def convert(word: str, context: Context) -> str | None:
        found = pattern.fullmatch(word)
        if found is None:
            return None
        name = kind + found[1]
        if kind == "Ethernet" and context.ports and name.partition(".")[0] not in context.ports:
            return None
        return name

    return convert


ethernet = _interface("Ethernet", r"\d+(?:/\d+){0,2}")
subinterface = _interface("Ethernet", r"\d+(?:/\d+){0,2}\.\d+")
port_channel = _interface("Port-Channel", r"\d+")
loopback = _interface("Loopback", r"\d+")
management = _interface("Management", r"\d+")
vlan_interface = _interface("Vlan", r"\d+")
_KINDS = (ethernet, subinterface, port_channel, loopback, management, vlan_interface)


def any_interface(word: str, context: Context) -> str | None:
    """Any interface, spelt long."""
    return next((name for kind in _KINDS if (name := kind(word, context)) is not None), None)


def vlan_list(word: str, _: Context) -> str | None:
    """``10``, ``10,20`` or ``110-111,210``, each 1 to 4094 (IEEE 802.1Q)."""
    if not re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", word):
        return None
    return word if all(1 <= int(number) <= 4094 for number in re.findall(r"\d+", word)) else None


def as_number(word: str, _: Context) -> str | None:
    """A 4-byte AS number, plain or with a dot; spelt plain, which is EOS's default notation (source: RUNALL)."""
    found = re.fullmatch(r"(\d{1,5})\.(\d{1,5})", word)
    if found and int(found[1]) <= 65535 and int(found[2]) <= 65535:
        return as_number(str(int(found[1]) * 65536 + int(found[2])), _)
    return str(int(word)) if word.isascii() and word.isdigit() and 1 <= int(word) <= 4294967295 else None


def community(word: str, _: Context) -> str | None:
    """A community as number, pair or EOS's word; graceful shutdown (65535:0, RFC 8326) is spelt GSHUT."""
    if word in ("65535:0", str(65535 << 16)) or word.lower() == "gshut":
        return "GSHUT"
    found = re.fullmatch(r"(\d{1,5}):(\d{1,5})", word)
    if found:
        return word if max(int(found[1]), int(found[2])) <= 65535 else None
    words = ("internet", "local-as", "no-advertise", "no-export")
    is_number = word.isascii() and word.isdigit() and int(word) <= 4294967295
    return word if is_number else word.lower() if word.lower() in words else None


def _matching(expression: str | re.Pattern[str]) -> Callable[[str, Context], str | None]:
    compiled = re.compile(expression)
    return lambda word, _: word if compiled.fullmatch(word) else None


TYPES = {
    "ethernet": ethernet,
    "subinterface": subinterface,
    "portchannel": port_channel,
    "loopback": loopback,
    "management": management,
    "vlanif": vlan_interface,
    "anyif": any_interface,
    "vlanlist": vlan_list,
    "asn": as_number,
    "community": community,
    "speed": _matching(ports.SPEED),
    "negotiatedspeed": _matching(ports.NEGOTIATED_SPEED),
    "forcedspeed": _matching(ports.FORCED_SPEED),
    "metric": _matching(r"[+-]?\d+"),
    "hashfield": _matching("|".join(sorted(DEFAULT_HASH_FIELDS["ipv6"] | {"protocol"}))),
}


# -- hooks ---------------------------------------------------------------------------------------------------------


def _only_negated(change: Change) -> None:
    """The line exists as ``no ...`` only; without it something is missing."""
    if not change.removed and not change.node.negated:
        raise LineError("incomplete", change.node.line)


def _encoding_changed(change: Change) -> None:
    """``no error-correction encoding`` stands in place of every encoding, and an encoding in place of it."""
    if change.removed:
        return
    rule = change.node.rule
    if not change.node.negated and rule is not None and not change.node.identity:
        raise LineError("incomplete", change.node.line)
    for other in [n for n in change.parent.children.values() if n.words.startswith("error-correction encoding")]:
        if other is not change.node and (other.negated or change.node.negated):
            change.session.remove(other)


def _on_by_default(change: Change) -> None:
    """A setting that is on unless negated: the positive line is not kept, so that it is not printed."""
    rule = change.node.rule
    if rule is not None and not change.removed and not change.node.negated:
        change.parent.children.pop(rule.key(change.node.identity), None)


def _first_address_gone(change: Change) -> None:
    """Without the first address there are no second ones (arista.eos config/l3_interfaces, clear_interface)."""
    for node in change.parent.find("ip address") if change.removed else ():
        if node.words.endswith(" secondary"):
            change.session.remove(node)


def _vrf_moved(change: Change) -> None:
    """Moving an interface to another VRF takes its addresses away, those of IPv6 too (um-eos IPv4, "vrf")."""
    lines = ("ip address", "ipv6 address", "ip virtual-router address", "ipv6 virtual-router address")
    for node in [node for line in lines for node in change.parent.find(line)]:
        change.session.remove(node)


def _vrf_gone(change: Change) -> None:
    """Whether a VRF routes is said of VRFs that are there: ``no ip routing vrf`` goes with it (the lab's reading)."""
    lines = [*change.tree.find("ip routing vrf"), *change.tree.find("no ip routing vrf")]
    for node in lines if change.removed else ():
        if node.params["vrf"] == change.node.params["vrf"]:
            change.session.remove(node)


def _peer_gone(change: Change) -> None:
    """A neighbour that goes takes its lines in address families along (the lab's reading)."""
    families = change.parent.find("address-family") if change.removed else ()
    for node in [node for family in families for node in family.find("neighbor")]:
        if node.params.get("peer") == change.node.params["peer"]:
            change.session.remove(node)


def _hash_fields(change: Change) -> None:
    """The order of fields has no meaning: the default set is kept as the default, whatever its order."""
    node, rule = change.node, change.node.rule
    family = "ipv6" if " ipv6 " in f" {node.words} " else "ip"
    if rule is None or change.removed:
        return
    if frozenset(node.params["fields"].split()) == DEFAULT_HASH_FIELDS[family]:
        change.parent.children.pop(rule.key(node.identity), None)


def _default_target(rule_name: str, value: int) -> str | None:
    """Where a value of a ``qos map`` goes if no line says otherwise; None if the default is not known."""
    if rule_name == "map-dscp":
        return f"to traffic-class {default_class(value)}"
    return f"to tx-queue {value}" if rule_name == "map-tc-queue" else None


def _map_changed(change: Change) -> None:
    """Keep ``qos map`` lines as EOS prints them: one line for each target, its values ascending, defaults left out."""
    new, rule = change.node, change.node.rule
    if rule is None or change.removed:
        return
    lead = rule.keywords
    targets: dict[int, str] = {}
    for node in [n for n in change.parent.children.values() if n.rule is rule and n is not new] + [new]:
        values = [int(value) for value in node.params["values"].split()]
        target = "" if node.negated else node.words.split(node.params["values"] + " ", 1)[1]
        targets.update(dict.fromkeys(values, target))
        change.parent.children.pop(rule.key(node.identity), None)
    groups: dict[str, list[str]] = {}
    for value in sorted(targets):
        if targets[value] and targets[value] != _default_target(rule.name, value):
            groups.setdefault(targets[value], []).append(str(value))
    for target, members in groups.items():
        words = f"{lead} {' '.join(members)} {target}"
        params = {"values": " ".join(members)}
        node = Node(rule, words, params, tuple(members), False, (), change.tree.next_entered(), change.parent)
        change.parent.children[rule.key(node.identity)] = node
    change.tree.touched()


def _next_number(parent: Node, step: int = 10) -> int:
    numbers = [int(node.params["seq"]) for node in parent.children.values() if "seq" in node.params]
    return (max(numbers, default=0) // step + 1) * step


def _next_ace(params: dict[str, str], parent: Node) -> str:
    return f"{_next_number(parent)} {params['action']} {params['protocol']} {params['rest']}"


def _next_remark(params: dict[str, str], parent: Node) -> str:
    return f"{_next_number(parent)} remark {params['remark']}"


def _ace_typed(change: Change) -> None:
    """Keep a rule as EOS prints it. A rule with a word that EOS does not know is refused at that word."""
    node, line = change.node, change.node.words
    if change.removed or "rest" not in node.params:
        return
    number, _, rule = line.partition(" ")
    try:
        node.words = f"{number} {acl.printed(rule, is_ipv6=change.parent.words.startswith('ipv6'))}"
    except acl.WrongWord as wrong:
        words = line.split()
        if wrong.index < 0:
            raise LineError("incomplete", line) from None
        raise LineError("invalid", line, wrong.index + 1, token=words[wrong.index + 1]) from None


def _next_seq(params: dict[str, str], parent: Node) -> str:
    return f"seq {_next_number(parent)} {params['action']} {params['rest']}"


HOOKS: dict[str, Hook] = {
    "only_negated": _only_negated,
    "encoding_changed": _encoding_changed,
    "on_by_default": _on_by_default,
    "vrf_gone": _vrf_gone,
    "peer_gone": _peer_gone,
    "vrf_moved": _vrf_moved,
    "first_address_gone": _first_address_gone,
    "hash_fields": _hash_fields,
    "map_changed": _map_changed,
    "ace_typed": _ace_typed,
    "next_ace": _next_ace,
    "next_remark": _next_remark,
    "next_seq": _next_seq,
}


@cache
def eos_grammar() -> Grammar:
    """The grammar, loaded once per process. Raises GrammarError with every mistake of the file."""
    text = resources.files(__package__ or "").joinpath("grammar.txt").read_text(encoding="utf-8")
    return load_grammar(text, name="eos/grammar.txt", types=TYPES, hooks=HOOKS)
