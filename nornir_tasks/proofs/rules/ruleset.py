"""What ``nft -j list ruleset`` prints, as chains of rules (libnftables-json(5), schema version 1)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nornir_tasks.proofs.rules.words import in_words

Statement = Mapping[str, Any]
Key = tuple[str, str, str]
"""Family, table and name: of chains, sets and maps."""
IP_FAMILIES = ("ip", "ip6", "inet")


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """One line of a chain."""

    chain: Key
    handle: int
    statements: tuple[Statement, ...]
    comment: str = ""

    def __str__(self) -> str:
        """Where it is, and what it says: ``forward, handle 104: counter name "refused" drop``."""
        comment = f' comment "{self.comment}"' if self.comment else ""
        return f"{_place(self.chain)}, handle {self.handle}: {in_words(self.statements)}{comment}"


@dataclass(frozen=True, slots=True)
class Chain:
    """Rules in their order. With a hook packets begin here."""

    key: Key
    rules: tuple[Rule, ...]
    kind: str = ""
    hook: str = ""
    priority: int = 0
    policy: str = "accept"

    @property
    def end(self) -> str:
        """What decides where no rule did."""
        return f"{_place(self.key)}: policy {self.policy}"


@dataclass(frozen=True, slots=True)
class Elements:
    """A named set or map."""

    elements: tuple[Any, ...]
    is_changing: bool
    """Do packets, or time, change what is in it?"""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """All that one machine has."""

    chains: Mapping[Key, Chain]
    sets: Mapping[Key, Elements]
    beside: tuple[str, ...] = ()
    """What is there and is not followed, in words."""
    hooks: Mapping[str, tuple[Chain, ...]] = field(default_factory=dict)
    """Hook -> chains in the order in which they are asked."""


def _place(key: Key) -> str:
    family, table, name = key
    return f"{family} {table} {name}"


def read(document: Mapping[str, Any]) -> Ruleset:
    """A ruleset of this document. What is in it and says nothing about packets is left out."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for each in document.get("nftables", ()):
        for kind, body in each.items():
            found.setdefault(kind, []).append(body)
    rules: dict[Key, list[Rule]] = {}
    for each in found.get("rule", ()):
        key = each["family"], each["table"], each["chain"]
        rules.setdefault(key, []).append(
            Rule(key, each["handle"], tuple(each.get("expr", ())), each.get("comment", ""))
        )
    chains = {_key(each): _chain(each, rules.get(_key(each), [])) for each in found.get("chain", ())}
    written = {key for its in rules.values() for rule in its for key in _written_by(rule)}
    sets = {
        _key(each): Elements(tuple(each.get("elem", ())), _key(each) in written or _is_changing(each))
        for kind in ("set", "map")
        for each in found.get(kind, ())
    }
    return Ruleset(chains, sets, tuple(_beside(found)), _by_hook(chains.values()))


def _key(each: Mapping[str, Any]) -> Key:
    return each["family"], each["table"], each["name"]


def _chain(each: Mapping[str, Any], rules: Sequence[Rule]) -> Chain:
    more = {"kind": each["type"], "hook": each["hook"], "priority": each["prio"]} if "hook" in each else {}
    return Chain(_key(each), tuple(rules), policy=each.get("policy", "accept"), **more)


def _is_changing(each: Mapping[str, Any]) -> bool:
    return bool({"dynamic", "timeout"} & set(each.get("flags", ())))


def _written_by(rule: Rule) -> Iterator[Key]:
    family, table, _ = rule.chain
    for each in rule.statements:
        for kind in ("set", "map"):
            if kind in each and isinstance(each[kind], Mapping) and kind in each[kind]:
                yield family, table, str(each[kind][kind]).removeprefix("@")


def _beside(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[str]:
    for each in found.get("chain", ()):
        if each["family"] not in IP_FAMILIES and "hook" in each:
            yield f"{_place(_key(each))}: chains of family {each['family']} are not followed"
    for each in found.get("flowtable", ()):
        yield f"{_place(_key(each))}: packets of a flowtable go past the rules"


def _by_hook(chains: Iterable[Chain]) -> dict[str, tuple[Chain, ...]]:
    found: dict[str, list[Chain]] = {}
    for each in sorted(chains, key=lambda chain: chain.priority):
        if each.hook and each.key[0] in IP_FAMILIES:
            found.setdefault(each.hook, []).append(each)
    return {hook: tuple(its) for hook, its in found.items()}
