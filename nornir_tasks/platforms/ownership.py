"""Who owns which line: the one mechanism behind ``platforms/<os>/ownership.py``, which holds the rules as data.

A rule matches one line among its siblings. A plain rule gives the whole block to one owner. A ``shared`` rule is a
container several owners live in (``router bgp``): its header belongs to the owner it finds and each line below is
judged by ``children``. A port is such a container only where several owners use it (a trunk): a rule by port may say
how the lines of such a port are judged, else they are the fabric's as a whole. What no rule matches belongs to nobody,
and nobody's lines are never touched.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from nornir_tasks.design.claims import SWITCH, Claims
from nornir_tasks.platforms.config_tree import ConfigTree

Key = Literal[
    "port",
    "subinterface",
    "parent",
    "address",
    "name",
    "vlan",
    "tag",
    "vrf",
    "route",
    "pool",
    "enclosing",
    "vlans",
    "fabric",
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
    "tag": Claims.by_tag,
    "vrf": Claims.by_vrf,
    "route": Claims.by_route,
}
"""What the lines judged by a key of their own go by, whatever container they are in."""

_KEYED = frozenset({*_BY, "pool"})


@dataclass(frozen=True, slots=True)
class Rule:
    """Lines matching ``pattern`` (full match) belong to the owner found through ``by``.

    The key is the pattern's named group ``key``: a port name, an address or prefix, an object's name, a VLAN's number,
    a VRF's name, a VRF and a prefix in it. ``pool``: an address or prefix in the VRF that the container is about.
    ``enclosing`` needs none: the owner of the container that the line is in.
    """

    pattern: re.Pattern[str]
    by: Key
    shared: bool = False
    children: "tuple[Rule, ...]" = ()
    """Whose each line below is, where this is shared, or is a port that several owners use."""
    prefix: str = ""
    """What to put before the key: a line may name a port by its number alone."""
    below: "tuple[Rule, ...]" = ()
    """Where the line's own key is nobody's: lines somewhere below it that may tell the owner (an SVI's address)."""
    last: Key | None = None
    """Where these do not tell either: another way to look at the line's own key."""


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
    """A Rule from a pattern's text; spaces stand for themselves."""
    return Rule(re.compile(pattern), by, shared, tuple(children), prefix, tuple(below), last)


@cache
def _matcher(rules: tuple[Rule, ...]) -> re.Pattern[str]:
    """All rules as one pattern; the first one wins. An empty group at its end tells which: ``rule_n``."""
    texts = (each.pattern.pattern.replace("(?P<key>", f"(?P<key_{n}>") for n, each in enumerate(rules))
    return re.compile("|".join(f"(?:{text})(?P<rule_{n}>)" for n, text in enumerate(texts)))


def _which(found: re.Match[str], rules: tuple[Rule, ...]) -> tuple[Rule, str]:
    """The rule that matched, and the key it found (empty where it needs none)."""
    number = str(found.lastgroup).removeprefix("rule_")
    matched = rules[int(number)]
    return matched, matched.prefix + found[f"key_{number}"] if matched.by in _KEYED else ""


def owner_of(key: str, by: Key, claims: Claims, enclosing: str | None) -> str | None:
    """The owner of a line by what its rule found, in a container of ``enclosing``; None is nobody."""
    if by == "enclosing":
        return enclosing
    if by == "pool":
        return claims.in_vrf_of(enclosing, key)
    if by in _BY:
        return _BY[by](claims, key)
    if by == "fabric":
        return claims.fabric
    return SWITCH if by == "switch" or (by == "vlans" and claims.has_vlans) else None


def split(tree: ConfigTree, rules: Sequence[Rule], claims: Claims) -> dict[str | None, ConfigTree]:
    """Owner's key (None: nobody) -> its part. Together they hold all of ``tree``; only shared headers stand twice.

    Blocks with one owner are ``tree``'s own nodes, not copies.
    """
    parts: dict[str | None, ConfigTree] = {None: ConfigTree(), SWITCH: ConfigTree()}
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
        if owner is None and matched.below:
            owner = _owner_below(node, matched.below, claims)
        if owner is None and matched.last is not None:
            owner = owner_of(key, matched.last, claims, enclosing)
        part = parts[owner].add_path(above)
        is_shared = matched.shared and owner is not None  # what stands in somebody else's container is theirs
        if is_shared or (matched.children and claims.has_several(key)):
            part.add(text, node.line)
            _split(node, matched.children, claims, parts, (*above, text), owner)
        else:
            part.children[text] = node


def _owner_below(node: ConfigTree, telling: tuple[Rule, ...], claims: Claims) -> str | None:
    """The owner by the first line below that says one; the first rule that finds any decides."""
    for each in telling:
        for path, _ in node.walk():
            if found := each.pattern.fullmatch(path[-1]):
                owner = owner_of(found["key"], each.by, claims, None)
                if owner is not None:
                    return owner
    return None


def join(parts: Iterable[ConfigTree]) -> ConfigTree:
    """One tree of several owners' parts, which hold no line twice but the headers of shared containers."""
    whole = ConfigTree()
    for part in parts:
        whole.share(part)
    return whole
