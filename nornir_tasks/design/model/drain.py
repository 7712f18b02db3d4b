"""A drain: who took traffic off a switch, until when and why, as the switch's own configuration says it. Pure.

A drained switch makes every path through it longer in its route maps and marks them with GRACEFUL_SHUTDOWN: by that it
is known as drained, even where it was done by hand. One entry has a description with the rest. 80 characters of it are
all that Cumulus Linux takes (nvueschema, v5_12 to v5_18: max_length of a rule's description); NX-OS has 90 (from
memory).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from nornir_tasks.design.config.routing_policy import GSHUT, RouteMap, RouteMapRule
from nornir_tasks.design.model.device_config import DeviceConfig

MOST_CHARACTERS = 80
_TIME = "%Y-%m-%dT%H:%MZ"
_WORDS = re.compile(r"drained by (?P<person>\S+)(?: until (?P<until>\d{4}-\d\d-\d\dT\d\d:\d\dZ))?: (?P<reason>.+)")
_REASON = re.compile(r"[A-Za-z0-9(#+/](?:[A-Za-z0-9 .,:()#+/_=@-]*[A-Za-z0-9.)])?")
"""What all systems print as it was typed: no quotes, and nothing that a terminal of theirs reads as something else."""


@dataclass(frozen=True, slots=True)
class Drain:
    """One switch's drain. Without a person: made by hand, without a name."""

    person: str = ""
    until: datetime | None = None
    """UTC, to the minute; None: until it is ended."""
    reason: str = ""

    @property
    def words(self) -> str:
        """As the switch's description has it; empty without a person."""
        if not self.person:
            return ""
        end = "" if self.until is None else f" until {self.until.astimezone(UTC).strftime(_TIME)}"
        return f"drained by {self.person}{end}: {self.reason}"

    def __str__(self) -> str:
        return self.words or "drained by hand, without a name or a reason"

    def is_over(self, now: datetime) -> bool:
        """Is its time past? Nothing ends it by itself."""
        return self.until is not None and self.until <= now


def room_for_reason(drain: Drain) -> int:
    """How many characters a reason may have beside this person and end."""
    return MOST_CHARACTERS - len(replace(drain, reason="").words)


def is_printable(reason: str) -> bool:
    """Does every system keep these characters as they are?"""
    return _REASON.fullmatch(reason) is not None and "  " not in reason


def drain_of(config: DeviceConfig) -> Drain | None:
    """The drain that a switch's configuration has; None: it carries traffic."""
    entries = [rule for _, rule in _lengthened(config)]
    if not entries:
        return None
    named = (found for rule in entries if (found := _read(rule.description or "")) is not None)
    return next(named, Drain())


def noted(config: DeviceConfig, drain: Drain) -> DeviceConfig:
    """A drained switch's configuration, with the description that says of the drain what there is to say."""
    place = next(_lengthened(config), None)
    if place is None or not drain.words:
        return config
    name, marked = place
    maps = tuple(
        replace(each, rules=tuple(_described(rule, drain) if rule is marked else rule for rule in each.rules))
        if each.name == name
        else each
        for each in config.routing_policy.route_maps
    )
    return replace(config, routing_policy=replace(config.routing_policy, route_maps=maps))


def _described(rule: RouteMapRule, drain: Drain) -> RouteMapRule:
    return replace(rule, description=drain.words)


def _lengthened(config: DeviceConfig) -> Iterator[tuple[str, RouteMapRule]]:
    """The entries that a drain changed, in the order of their maps' names."""
    maps: list[RouteMap] = sorted(config.routing_policy.route_maps, key=lambda each: each.name)
    return ((each.name, rule) for each in maps for rule in each.rules if GSHUT in rule.communities and rule.prepend)


def _read(description: str) -> Drain | None:
    found = _WORDS.fullmatch(description)
    if found is None:
        return None
    try:
        until = datetime.strptime(found["until"], _TIME).replace(tzinfo=UTC) if found["until"] else None
    except ValueError:  # no such day
        return None
    return Drain(found["person"], until, found["reason"])
