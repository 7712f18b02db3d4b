"""The owner of each line: the common mechanism behind ``platforms/<os>/ownership.py``, which has the rules as data.

A rule matches one line among its siblings. A plain rule assigns the whole block to one owner. A ``shared`` rule is a
container with lines of several owners (``router bgp``): its header belongs to the owner that the rule finds, and each
line below is judged by ``children``. A port is such a container only if it has lines of several owners (a trunk): a
rule by port may set how the lines of such a port are judged, else they belong to its owner as a whole. A line that no
rule matches has no owner, and lines without an owner are never changed.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from nornir_tasks.design.config.base import BASE_SECTIONS, NETWORK_SECTIONS, PORT_SECTIONS, BaseSection
from nornir_tasks.design.model.claims import BASE, SWITCH, Claims
from nornir_tasks.platforms.config_tree import ConfigTree, Path

Key = Literal[
    "port",
    "subinterface",
    "parent",
    "address",
    "name",
    "vlan",
    "lag",
    "pair",
    "vrf",
    "management vrf",
    "route",
    "prefix",
    "pool",
    "pool route",
    "announced",
    "pool announced",
    "enclosing",
    "vlans",
    "lags",
    "acls",
    "spanning tree",
    "lag hash",
    "ipv6",
    "gateways",
    "dhcp relay",
    "outside",
    "base hostname",
    "base management",
    "base banner",
    "base timezone",
    "base dns",
    "base ntp",
    "base syslog",
    "base network",
    "base api",
    "base api address",
    "account",
    "account that goes",
    "base snmp",
    "snmp user",
    "base ssh",
    "base aaa",
    "base order",
    "base radius",
    "base control",
    "base control fabric",
    "base controls",
    "base port",
    "switch",
    "nobody",
]
_BY: Mapping[str, Callable[[Claims, str], str | None]] = {
    "port": Claims.by_port,
    "subinterface": Claims.by_subinterface,
    "parent": Claims.by_parent,
    "address": Claims.by_address,
    "name": Claims.by_name,
    "vlan": Claims.by_vlan,
    "lag": Claims.by_lag,
    "pair": Claims.by_pair,
    "vrf": Claims.by_vrf,
    "management vrf": Claims.by_management_vrf,
    "route": Claims.by_route,
    "prefix": Claims.by_prefix,
    "announced": Claims.by_prefix,
    "account": Claims.by_account,
    "account that goes": Claims.by_account_that_goes,
    "snmp user": Claims.by_snmp_user,
}
"""The function that finds the owner by a line's own key, in any container."""

ANNOUNCED: Mapping[Key, Key] = {"address": "announced", "pool": "pool announced"}
"""How a session's owner is found -> how that of a prefix is that BGP announces: as of a static route to it."""

_WHERE_USED: Mapping[str, Callable[[Claims], bool]] = {
    "vlans": lambda claims: claims.has_vlans,
    "lags": lambda claims: claims.has_lags,
    "acls": lambda claims: claims.has_acls,
    "spanning tree": lambda claims: claims.has_spanning_tree,
    "lag hash": lambda claims: claims.has_lag_hash,
    "ipv6": lambda claims: claims.has_ipv6,
    "gateways": lambda claims: claims.has_gateways,
    "dhcp relay": lambda claims: claims.has_dhcp_relay,
    "outside": lambda claims: claims.has_outside,
}
"""What a switch has once for all that need it, such as a feature: the switch's where an owner uses it."""
_DECIDES = frozenset({"spanning tree", "lag hash"})
"""Of these, what says where frames go: a line of others counts beside ours, or instead of it."""

_NAMED = frozenset(
    {
        *("name", "vrf", "account", "account that goes", "snmp user"),
        *("base aaa", "base radius", "base snmp", "base api", "base control", "base controls"),
    }
)
"""Keys that are names of our own: an object that the intent wants by its name is ours. Numbers and addresses are
free to choose, and what a switch has by itself (a port, the management VRF) others use too."""

_OTHERS_TOO = frozenset({"base management", "base port", "management vrf"})
"""Keys of what others have lines in as a matter of course: such lines are adopted one by one."""

ALWAYS_THERE: Key = "base network"
"""Of a container that its system never removes, whatever is taken out of it: the management VRF of NX-OS."""
_OF_BASE: Mapping[str, frozenset[BaseSection]] = {
    **{f"base {section}": frozenset({section}) for section in BASE_SECTIONS},
    ALWAYS_THERE: NETWORK_SECTIONS,
    "base order": frozenset({"aaa"}),
    "base port": PORT_SECTIONS,
    "base controls": frozenset({"control", "control fabric"}),
}
"""What is the base's where the intent manages any of these sections of it."""


@dataclass(frozen=True, slots=True, eq=False)  # as keys by identity: by value, each look at one hashes all below it
class Rule:
    """Lines matching ``pattern`` (full match) belong to the owner found through ``by``.

    The key is the pattern's named group ``key``: a port name, an address or prefix, an object's name, a VLAN's number,
    a VRF's name, a VRF and the prefix of a static route in it (``prefix``: in the default one). ``pool``: an address or
    prefix in the VRF of the container; ``pool route``: the prefix of a static route there. ``announced``, ``pool
    announced``: one that BGP announces. ``enclosing`` needs no key:
    the owner is that of the enclosing container. ``vlans``, ``ipv6``, ``gateways``, ``dhcp relay`` and ``outside`` are
    the switch's where an owner has any.
    """

    pattern: re.Pattern[str]
    by: Key
    shared: bool = False
    children: "tuple[Rule, ...]" = ()
    """Rules for the lines below, if this is shared, or a port with lines of several owners."""
    prefix: str = ""
    """Prefix of the key: a line may identify a port by its number only."""
    below: "tuple[Rule, ...]" = ()
    """Rules for lines anywhere below that identify the owner (an SVI's address), if the line's own key does not."""
    last: Key | None = None
    """Another interpretation of the line's own key, if these do not identify the owner either."""
    account: str = ""
    """Of a user of SNMP, on systems that keep it and an account of its name as one: how a line of that account begins,
    with ``{}`` for the name. Where there is such a line, the user goes if the account does, and else is others'."""
    strays: "tuple[Rule, ...]" = ()
    """Rules for single lines of an unused port: they have an owner though the port has none."""


def rule(
    pattern: str,
    by: Key,
    *,
    shared: bool = False,
    children: "Sequence[Rule]" = (),
    prefix: str = "",
    below: "Sequence[Rule]" = (),
    last: Key | None = None,
) -> Rule:
    """A Rule from a pattern's text; spaces match themselves."""
    return Rule(re.compile(pattern), by, shared, tuple(children), prefix, tuple(below), last)


@cache
def _matcher(rules: tuple[Rule, ...]) -> re.Pattern[str]:
    """All rules as one pattern; the first match wins. An empty group at its end identifies the rule: ``rule_n``."""
    texts = (each.pattern.pattern.replace("(?P<key>", f"(?P<key_{n}>") for n, each in enumerate(rules))
    return re.compile("|".join(f"(?:{text})(?P<rule_{n}>)" for n, text in enumerate(texts)))


def _which(found: re.Match[str], rules: tuple[Rule, ...]) -> tuple[Rule, str]:
    """The rule that matched, and the key it found (empty if it needs none)."""
    number = str(found.lastgroup).removeprefix("rule_")
    matched = rules[int(number)]
    return matched, matched.prefix + found[f"key_{number}"] if _has_key(matched) else ""


def _has_key(matched: Rule) -> bool:
    return "key" in matched.pattern.groupindex


def owner_of(key: str, by: Key, claims: Claims, enclosing: str | None) -> str | None:
    """The owner of a line from the key that its rule found, in a container of ``enclosing``; None: no owner."""
    if by == "enclosing":
        return enclosing
    if by == "pool":
        return claims.in_vrf_of(enclosing, key)
    if by in ("pool route", "pool announced"):
        return claims.route_in_vrf_of(enclosing, key)
    if by in _BY:
        return _BY[by](claims, key)
    if by in _OF_BASE:
        return BASE if _OF_BASE[by] & claims.base else None
    return SWITCH if by == "switch" or (by in _WHERE_USED and _WHERE_USED[by](claims)) else None


def is_by(path: Path, rules: Sequence[Rule], by: Key) -> bool:
    """Is this line, or what it stands in, found by a rule of this kind?"""
    known = tuple(rules)
    for text in path:
        found = _matcher(known).fullmatch(text) if known else None
        if found is None:
            return False
        matched, _ = _which(found, known)
        if matched.by == by:
            return True
        known = matched.children
    return False


@dataclass(frozen=True, slots=True)
class Thing:
    """What a line is of, or is in: a keyed object, such as a VLAN, a port, a BGP neighbour, a named list."""

    path: Path
    """Its line, up to the key: ``("router bgp 65000", "neighbor 10.0.0.1")``."""
    by: Key
    key: str

    @property
    def is_named(self) -> bool:
        """Is its key a name of our own?"""
        return self.by in _NAMED

    @property
    def is_others_too(self) -> bool:
        """Do others have lines in it, as in the management port, so that it is not adopted as a whole?"""
        return self.by in _OTHERS_TOO

    @property
    def is_whole(self) -> bool:
        """Would lines of others in it be at odds with ours, as a second address of the management port is?"""
        return self.by in {*_OTHERS_TOO, "base order"}


def things(path: Path, rules: Sequence[Rule]) -> tuple[Thing, ...]:
    """The keyed objects that a line is of or in, the outermost first; none for what a switch has once."""
    known, found = tuple(rules), list[Thing]()
    for depth, text in enumerate(path):
        match = _matcher(known).fullmatch(text) if known else None
        if match is None:
            break
        matched, key = _which(match, known)
        if _has_key(matched):
            end = match.end(f"key_{str(match.lastgroup).removeprefix('rule_')}")
            found.append(Thing((*path[:depth], text[:end].removeprefix("no ")), matched.by, key))
        known = matched.children
    return tuple(found)


def rule_of(path: Path, rules: Sequence[Rule]) -> Rule | None:
    """The rule that a line itself matches; None: it is inside a block of one owner, or no rule knows it."""
    known: tuple[Rule, ...] = tuple(rules)
    matched: Rule | None = None
    for text in path:
        match = _matcher(known).fullmatch(text) if known else None
        if match is None:
            return None
        matched, _ = _which(match, known)
        known = matched.children
    return matched


def is_shared(path: Path, rules: Sequence[Rule]) -> bool:
    """Is this line what a switch has once for all that need it, such as a feature?"""
    found = rule_of(path, rules)
    return found is not None and found.by in _WHERE_USED.keys() - _DECIDES


def split(tree: ConfigTree, rules: Sequence[Rule], claims: Claims) -> dict[str | None, ConfigTree]:
    """Owner's key (None: no owner) -> its part. Together they are all of ``tree``; only shared headers occur twice.

    Blocks with one owner are ``tree``'s own nodes, not copies.
    """
    parts: dict[str | None, ConfigTree] = {None: ConfigTree(), SWITCH: ConfigTree()}
    if claims.base:
        parts[BASE] = ConfigTree()
    for claim in claims.claims:
        parts.setdefault(claim.owner.key, ConfigTree())
    _split(tree, tuple(rules), claims, parts, (), None)
    return parts


def _split(
    tree: ConfigTree,
    rules: tuple[Rule, ...],
    claims: Claims,
    parts: dict[str | None, ConfigTree],
    above: tuple[str, ...],
    enclosing: str | None,
) -> None:
    match = _matcher(rules).fullmatch
    for text, node in tree.children.items():
        found = match(text)
        if found is None:
            parts[None].add_path(above).children[text] = node
            continue
        matched, key = _which(found, rules)
        owner = owner_of(key, matched.by, claims, enclosing)
        if matched.account and any(each.startswith(matched.account.format(key)) for each in tree.children):
            owner = claims.by_account_that_goes(key)
        if owner is None and matched.below:
            owner = _owner_below(node, matched.below, claims)
        if owner is None and matched.last is not None:
            owner = owner_of(key, matched.last, claims, enclosing)
        part = parts[owner].add_path(above)
        is_shared = matched.shared and owner is not None  # a block in another owner's container belongs to that owner
        if owner is None and matched.strays and _has_others(node, matched.strays, claims, ""):
            part.add(text, node.line)
            _split(node, matched.strays, claims, parts, (*above, text), owner)
        elif is_shared or (matched.children and _has_several(node, matched, key, claims, owner)):
            part.add(text, node.line)
            _split(node, matched.children, claims, parts, (*above, text), owner)
        else:
            part.children[text] = node


def _has_several(port: ConfigTree, matched: Rule, name: str, claims: Claims, owner: str | None) -> bool:
    """Do several owners use this port, or did one more, whose VLAN is still on it?"""
    if claims.has_several(name):
        return True
    return owner is not None and claims.has_vlans and _has_others(port, matched.children, claims, owner)


def _has_others(block: ConfigTree, rules: tuple[Rule, ...], claims: Claims, owner: str) -> bool:
    """Is a line of this block another owner's?"""
    match = _matcher(rules).fullmatch
    for text, node in block.children.items():
        if (found := match(text)) is None:
            continue
        matched, key = _which(found, rules)
        if owner_of(key, matched.by, claims, owner) not in {owner, None}:
            return True
        if matched.shared and _has_others(node, matched.children, claims, owner):
            return True
    return False


def _owner_below(node: ConfigTree, telling: tuple[Rule, ...], claims: Claims) -> str | None:
    """The owner from the first line below that identifies one; the first rule that finds any decides."""
    for each in telling:
        for path, _ in node.walk():
            if found := each.pattern.fullmatch(path[-1]):
                owner = owner_of(found["key"], each.by, claims, None)
                if owner is not None:
                    return owner
    return None


def join(parts: Iterable[ConfigTree]) -> ConfigTree:
    """One tree of several owners' parts, which have no common lines but the headers of shared containers."""
    whole = ConfigTree()
    for part in parts:
        whole.share(part)
    return whole
