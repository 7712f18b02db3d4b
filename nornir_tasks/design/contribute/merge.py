"""Owners contribute their parts of a switch independently; merge joins the parts, each field by its own rule.

The rules are in the fields' metadata (merge_rules.py). No owner overwrites another: if two want different values for
one field, the error names both, together with every other clash. The order of owners does not matter.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple, cast

from nornir_tasks.design.model.claims import Owner
from nornir_tasks.design.model.partial_config import PartialConfig
from nornir_tasks.errors import DesignError, Problem


@dataclass(frozen=True, slots=True)
class Contribution:
    """One owner's part of one switch."""

    owner: Owner
    device: str
    config: PartialConfig


def merge(device: str, contributions: Iterable[Contribution]) -> PartialConfig:
    """One switch's configuration from all owners' parts. DesignError names owners and values of every clash."""
    merger = _Merger(device)
    merged = (
        cast("PartialConfig | None", merger.objects([(each.owner, each.config) for each in contributions], ""))
        or PartialConfig()
    )
    if merger.clashes:
        raise DesignError(sorted(merger.clashes, key=lambda each: (each.where, each.expected, each.found)))
    return merged


class _Rule(NamedTuple):
    field: str
    name: str
    by: str


Values = Sequence[tuple[Owner, Any]]
"""Owners and their values; an owner without a value is left out."""


@dataclass(frozen=True, slots=True)
class _Merger:
    device: str
    clashes: list[Problem] = field(default_factory=list)

    def objects(self, values: Values, path: str) -> object:
        """Join objects of one class, field by field."""
        if len(values) < 2:
            return values[0][1] if values else None
        kind = type(values[0][1])
        if not is_dataclass(kind):
            return self.equal(values, path)
        rules, values_of = _rules(kind)
        rows = [values_of(value) for _, value in values]
        joined, several = list(rows[0]), set()
        for row in rows[1:]:
            for index, value in enumerate(row):
                if joined[index] is None:
                    joined[index] = value
                elif value is not None:
                    several.add(index)
        for index in sorted(several):
            rule = rules[index]
            who = [(owner, row[index]) for (owner, _), row in zip(values, rows, strict=True) if row[index] is not None]
            joined[index] = self.by_rule(rule, who, f"{path}.{rule.field}" if path else rule.field)
        return kind(*joined)

    def by_rule(self, rule: _Rule, values: Values, path: str) -> object:
        """Join two or more values of one field."""
        if rule.name == "equal":
            return self.equal(values, path)
        if rule.name == "max":
            return max(value for _, value in values)
        if rule.by:
            mappings = [(owner, {getattr(each, rule.by): each for each in value}) for owner, value in values]
            joined = self.keyed(mappings, path)
            return tuple(joined[key] for key in sorted(joined))
        if isinstance(values[0][1], frozenset):
            return frozenset().union(*(value for _, value in values))
        return self.keyed(values, path)

    def keyed(self, values: Values, path: str) -> dict[Any, object]:
        """The union of all mappings; values under the same key are joined."""
        found: dict[Any, list[tuple[Owner, Any]]] = {}
        for owner, mapping in values:
            for key, value in mapping.items():
                found.setdefault(key, []).append((owner, value))
        return {
            key: values[0][1] if len(values) == 1 else self.objects(values, f"{path}.{_written(key)}")
            for key, values in found.items()
        }

    def equal(self, values: Values, path: str) -> object:
        """The common value; a value that differs from the first owner's (by name) is a clash."""
        value = values[0][1]
        if all(other == value for _, other in values):
            return value
        (first, value), *others = sorted(values, key=lambda each: (each[0].key, repr(each[1])))
        self.clashes.extend(
            Problem(
                where=f"{self.device} {path}",
                what=f"{first} and {owner} want different things",
                expected=f"{first}: {_in_words(value)}",
                found=f"{owner}: {_in_words(other)}",
                hint="give each its own ports, addresses and names, or the same value to both",
            )
            for owner, other in others
            if other != value
        )
        return value


@cache
def _rules(kind: type) -> tuple[tuple[_Rule, ...], Callable[[object], tuple[Any, ...]]]:
    """The rule of each field of a class, and a function that returns the values of all fields."""
    rules = tuple(
        _Rule(each.name, each.metadata.get("merge", "equal"), each.metadata.get("by", "")) for each in fields(kind)
    )
    values_of = attrgetter(*(rule.field for rule in rules))
    return rules, values_of if len(rules) > 1 else lambda value: (values_of(value),)


def _in_words(value: object) -> str:
    """A value as a message shows it; a list with commas."""
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _written(key: object) -> str:
    """A key as part of a path: a session is its peer, after the VRF if it has one."""
    if isinstance(key, tuple):
        return " ".join(str(part) for part in key if part is not None)
    return str(key)
