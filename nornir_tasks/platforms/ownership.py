"""Who owns which line: the one mechanism behind ``platforms/<os>/ownership.py``, which holds the rules as data.

A rule matches one line among its siblings. A plain rule gives the whole block to one owner. A ``shared`` rule is a
container several owners live in (``router bgp``): its header belongs to ``header`` and each line below is judged by
``children``. What no rule matches belongs to nobody, and nobody's lines are never touched.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from nornir_tasks.design.claims import SWITCH, Claims
from nornir_tasks.platforms.config_tree import ConfigTree

Key = Literal["port", "address", "name", "switch", "nobody"]


@dataclass(frozen=True, slots=True)
class Rule:
    """Lines matching ``pattern`` (full match) belong to the owner found through ``by``.

    The key is the pattern's named group ``key``: a port name, an address or prefix, or an object's name.
    """

    pattern: re.Pattern[str]
    by: Key
    shared: bool = False
    children: "tuple[Rule, ...]" = ()


def rule(pattern: str, by: Key, *, shared: bool = False, children: "Sequence[Rule]" = ()) -> Rule:
    """A Rule from a pattern's text; spaces stand for themselves."""
    return Rule(re.compile(pattern), by, shared, tuple(children))


def owner_of(found: re.Match[str], by: Key, claims: Claims) -> str | None:
    """The owner of a matched line; None is nobody."""
    if by == "nobody":
        return None
    if by == "switch":
        return SWITCH
    key = found["key"]
    if by == "port":
        return claims.by_port(key)
    if by == "address":
        return claims.by_address(key)
    return claims.by_name(key)


def split(tree: ConfigTree, rules: Sequence[Rule], claims: Claims) -> dict[str | None, ConfigTree]:
    """One tree per owner (None: nobody). Together they hold every line of ``tree``; only shared headers stand twice."""
    parts: dict[str | None, ConfigTree] = {None: ConfigTree(), SWITCH: ConfigTree()}
    for claim in claims.planes:
        parts.setdefault(claim.plane, ConfigTree())
    _split(tree, rules, claims, parts, ())
    return parts


def _split(
    tree: ConfigTree,
    rules: Sequence[Rule],
    claims: Claims,
    parts: dict[str | None, ConfigTree],
    above: tuple[str, ...],
) -> None:
    for node in tree.children.values():
        for candidate in rules:
            if found := candidate.pattern.fullmatch(node.text):
                break
        else:
            parts[None].add_path(above).add(node.text, node.line).merge(node)
            continue
        owner = owner_of(found, candidate.by, claims)
        held = parts[owner].add_path(above).add(node.text, node.line)
        if candidate.shared:
            _split(node, candidate.children, claims, parts, (*above, node.text))
        else:
            held.merge(node)


def join(parts: Iterable[ConfigTree]) -> ConfigTree:
    """One tree of several owners' parts."""
    whole = ConfigTree()
    for part in parts:
        whole.merge(part)
    return whole
