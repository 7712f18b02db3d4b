"""Rules of one fabric that concern several fields: its tiers, what is said of some switches, its racks."""

import re
from collections.abc import Iterator

from nornir_tasks.intent.core.findings import Finding
from nornir_tasks.intent.core.unknown import independent
from nornir_tasks.intent.keys.fabric import FabricIntent, LeafOverride, SpineOverride, SwitchChoice

RACK_UNITS = 60
"""More than any rack on the market has; a greater number is a typing error."""

_RACK_UNIT = re.compile(r"[0-9]{1,2}")
_RACK_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,15}")


def _chooses(override: SwitchChoice) -> Iterator[Finding]:
    fields = (override.platform, override.release, override.model, override.breakout, override.uplink_breakout)
    if all(field is None for field in fields):
        yield Finding((), "an override that changes nothing", "platform, release, model or a breakout")
    if override.platform is not None and (override.release is None or override.model is None):
        yield Finding((), "another platform without its release and model", "platform, release and model together")


def leaf_override(override: LeafOverride) -> Iterator[Finding]:
    """An override names switches and what it changes."""
    return independent(_leaves_meant(override), _chooses(override))


def _leaves_meant(override: LeafOverride) -> Iterator[Finding]:
    expected = "rails (from 0), groups (from 1), or hosts"
    if override.rails is None and override.groups is None and override.hosts is None:
        yield Finding((), "an override without switches", expected)
    for key, named in (("rails", override.rails), ("groups", override.groups), ("hosts", override.hosts)):
        if named is not None and not named:
            yield Finding((key,), "an empty list, which matches no leaf", f"{expected}; or no {key} at all", "[]")


def spine_override(override: SpineOverride) -> Iterator[Finding]:
    """An override changes something."""
    return _chooses(override)


def fabric(each: FabricIntent) -> Iterator[Finding]:
    """The tiers fit the design; no switch is overridden twice; no device stands in two racks."""
    return independent(
        racks(each),
        tiers(each),
        _top_tier(each),
        _spine_groups(each),
        _most_spines(each),
        _leaf_rails(each),
        _pairs(each),
        _leaves_twice(each),
        _spines_twice(each),
    )


def _leaf_rails(each: FabricIntent) -> Iterator[Finding]:
    for position, override in enumerate(each.leaf.overrides):
        if override.rails is not None and each.design in ("clos", "tree"):
            path = ("leaf", "overrides", position, "rails")
            yield Finding(path, "a leaf has no rail here", "groups, or design: rail", f"design: {each.design}")


def _pairs(each: FabricIntent) -> Iterator[Finding]:
    """A pair is a leaf group: with rails a group has a leaf for each of them."""
    if each.leaf.pairs is not None and each.design != "clos":
        hint = "rails are on leaves of their own already, each with its own routed links"
        what, found = "pairs of leaves with rails", f"design: {each.design}"
        yield Finding(("leaf", "pairs"), what, "design: clos, or no pairs", found, hint)
    if each.leaf.pairs is not None and each.routing.addressing == "unnumbered":
        what, expected = "pairs of leaves with unnumbered links are not built", "addressing: numbered, or no pairs"
        yield Finding(("leaf", "pairs"), what, expected, "unnumbered")


def _leaves_twice(each: FabricIntent) -> Iterator[Finding]:
    for position, override in enumerate(each.leaf.overrides):
        for before, other in enumerate(each.leaf.overrides[:position]):
            met = (_meet(override.rails, other.rails), _meet(override.groups, other.groups))
            if all(met) and _meet(override.hosts, other.hosts):
                yield Finding(
                    ("leaf", "overrides", position),
                    "some leaves are overridden twice",
                    "each leaf in one override",
                    f"also in overrides[{before}]",
                )


def _spines_twice(each: FabricIntent) -> Iterator[Finding]:
    for position, spine in enumerate(each.spine.overrides):
        for before, earlier in enumerate(each.spine.overrides[:position]):
            if _meet(spine.index, earlier.index):
                yield Finding(
                    ("spine", "overrides", position),
                    "some spines are overridden twice",
                    "each spine in one override",
                    f"also in overrides[{before}]",
                )


def tiers(each: FabricIntent) -> Iterator[Finding]:
    """Cores and pods belong to three tiers."""
    if each.design == "clos3" and each.core is None:
        yield Finding(
            ("design",), "three tiers, but no core", "core: {platform: ..., release: ..., model: ...}", "clos3"
        )
    if each.design != "clos3" and each.core is not None:
        yield Finding(("core",), "a core without three tiers", "design: clos3, or no core", f"design: {each.design}")
    if each.design != "clos3" and each.spine.pod_leaf_groups is not None:
        yield Finding(
            ("spine", "pod_leaf_groups"), "pods without three tiers", "design: clos3", f"design: {each.design}"
        )


def _top_tier(each: FabricIntent) -> Iterator[Finding]:
    """Nothing goes up from the highest tier, so nothing splits there."""
    top = "core" if each.design == "clos3" else "spine"
    tier = each.core if each.design == "clos3" else each.spine
    if tier is not None and tier.uplink_breakout is not None:
        what, expected = "no port goes up from the highest tier", "breakout, for the ports that go down"
        yield Finding((top, "uplink_breakout"), what, expected, str(tier.uplink_breakout))


def _spine_groups(each: FabricIntent) -> Iterator[Finding]:
    groups = each.spine.groups
    if groups is not None and groups != 1 and each.design != "rail":
        path, expected = ("spine", "groups"), "design: rail, or no groups"
        yield Finding(path, "spine groups follow the rails", expected, f"design: {each.design}")


def _most_spines(each: FabricIntent) -> Iterator[Finding]:
    """Those that are there are among those that ports are kept for, in each group alike."""
    count, most, groups = each.spine.count, each.spine.max, each.spine.groups or 1
    path = ("spine", "max")
    if most is None:
        if count == 0:
            yield Finding(("spine", "count"), "no spine, now or later", "1 or more; or 0, with max: 2 beside it", "0")
        return
    if count is not None and count > most:
        found = f"max: {most}, count: {count}"
        yield Finding(path, "ports for fewer spines than are there", f"{count} or more", found)
    elif count is not None and count % groups:
        what, expected = f"not as many spines in each of {groups} groups", f"a multiple of {groups}"
        yield Finding(("spine", "count"), what, expected, str(count))
    if each.design == "tree":
        yield Finding(path, "routers of a tree all stand from the first day", "count alone", f"max: {most}")


def racks(each: FabricIntent) -> Iterator[Finding]:
    """A rack's name fits on a cable's flag, a unit is a number, and nothing has two places."""
    seen: dict[str, str] = {}
    for rack, units in each.racks.items():
        if not _RACK_NAME.fullmatch(rack):
            yield Finding(("racks", rack), "not a rack's name", "1-16 letters, digits, dots or dashes, as A01", rack)
        taken: dict[int, str] = {}
        for unit, device in units.items():
            path, place = ("racks", rack, unit), f"rack {rack}, unit {unit}"
            if not (_RACK_UNIT.fullmatch(unit) and 1 <= int(unit) <= RACK_UNITS):
                yield Finding(path, "not a rack unit", f"1-{RACK_UNITS}: the lowest unit the device takes", unit)
            elif int(unit) in taken:
                yield Finding(path, "a unit that occurs twice", "each unit once", f"also as {taken[int(unit)]}")
            else:
                taken[int(unit)] = unit
            if device in seen:
                yield Finding(path, f"{device} has two places", "each device once", f"also in {seen[device]}")
            seen.setdefault(device, place)


def _meet(some: tuple[int | str, ...] | None, others: tuple[int | str, ...] | None) -> bool:
    return some is None or others is None or bool(set(some) & set(others))
