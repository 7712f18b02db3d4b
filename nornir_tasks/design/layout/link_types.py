"""The lanes at both ends of each kind of cable, and whether its medium can connect them: layer 1, before any cable.

All cables between two tiers have the same medium and length. For each kind of switch one mode is chosen so that every
pair of kinds that meet can be connected; if there is none, the refusal names the lanes, the length and what can be
built.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Literal, cast

from nornir_tasks.design.demand.choices import Choice, Choices
from nornir_tasks.design.layout import twin_ports
from nornir_tasks.design.layout.twin_port_ends import End, Ends, Kind
from nornir_tasks.design.model.catalogue import Mode
from nornir_tasks.design.model.links import ASSEMBLY, Make
from nornir_tasks.design.model.media import (
    COPPER,
    OPTICS,
    PASSIVE_REACH_M,
    RJ45,
    STRAIGHT,
    TWISTED_PAIR,
    TWISTED_PAIR_REACH_M,
    corrects_itself,
    fec_of,
    fitting_optics,
    is_twin,
    is_wide_enough,
    optic_reach_m,
)
from nornir_tasks.design.model.sizing import CannotBuildError
from nornir_tasks.intent.core.findings import Finding


@dataclass(frozen=True, slots=True)
class Joint:
    """How the cables between two tiers are connected."""

    medium: str | None
    length_m: int | None
    lanes: Mapping[End, int]
    """Lanes of each leg at each kind of end."""
    fec: Literal["rs", "fc", "none"]
    fec_is_in_module: bool = False
    """See :class:`.Link`."""
    makes: Mapping[tuple[End, End | None], Make] = field(default_factory=dict)
    """How cables between an upper and a lower kind of end are made; a pair without an entry has one assembly per
    cage."""

    def make(self, upper: End, lower: End | None) -> Make:
        """How a cable between these ends is made."""
        return self.makes.get((upper, lower), ASSEMBLY)

    def negotiate(self, one: End, other: End | None) -> bool:
        """Copper negotiates if both ends can. An undeclared medium counts as optics."""
        return self.medium in COPPER and one.negotiates and (other is None or other.negotiates)


@dataclass(frozen=True, slots=True)
class Joints:
    """The kinds of cable of one fabric."""

    host: Joint
    spine: Joint
    core: Joint | None
    nic: End | None
    peer: Joint | None = None
    """Between both leaves of a pair; None: there are no pairs."""


def end_of(choice: Choice, speed_gbps: int, ways: int) -> End:
    """One kind of switch as the end of a cable of this speed."""
    model = choice.model
    modes = model.modes_for(ways, speed_gbps)
    cage, negotiates = model.cage_of(ways, speed_gbps), speed_gbps not in model.silent_gbps
    return End(model.model, ways, modes, negotiates, choice.os, cage, model.splits)


def join(choices: Choices, spine_gbps: int, core_gbps: int | None) -> Joints:
    """Choose the lanes of every end. Raises CannotBuildError for media that cannot connect their ends."""
    demand, findings = choices.demand, list[Finding]()
    speed = demand.nics.speed
    nic = None
    if choices.nic is not None:
        ports = demand.nics.ports
        nic = End(choices.nic.model, ports, choices.nic.modes_for(ports, speed), negotiates=True)
    leaf, spine, core = demand.fabric.leaf, demand.fabric.spine, demand.fabric.core
    uppers = [end_of(each, speed, each.down_ways) for each in choices.leaves]
    copies = () if demand.nics.copies is None else demand.on_nics("copies")
    below = Kind(demand.on_fabric("leaf"), choices.host_medium, leaf.cable_m, speed, copies=copies)
    host = _joint(below, _ends(uppers, [nic] if nic else []), choices)
    lowers = [end_of(each, spine_gbps, each.up_ways) for each in choices.leaves_of_fabric]
    uppers = [end_of(each, spine_gbps, each.down_ways) for each in choices.spines]
    between = Kind(demand.on_fabric("spine"), spine.medium, spine.cable_m, spine_gbps, demand.on_fabric("leaf"))
    up = _joint(between, _ends(uppers, lowers), choices)
    top: Joint | list[Finding] | None = None
    if core is not None and choices.core is not None and core_gbps is not None:
        lowers = [end_of(each, core_gbps, each.up_ways) for each in choices.spines]
        uppers = [end_of(choices.core, core_gbps, choices.core.down_ways)]
        above = Kind(demand.on_fabric("core"), core.medium, core.cable_m, core_gbps, demand.on_fabric("spine"))
        top = _joint(above, _ends(uppers, lowers), choices)
    peer: Joint | list[Finding] | None = None
    if leaf.pairs is not None:
        kinds = [end_of(each, spine_gbps, each.up_ways) for each in choices.leaves]
        beside = Kind(demand.on_fabric("leaf", "pairs"), leaf.pairs.medium, leaf.pairs.cable_m, spine_gbps)
        peer = _joint(beside, _ends(kinds, kinds), choices)
    for found in (host, up, top, peer):
        findings += found if isinstance(found, list) else []
    if findings:
        raise CannotBuildError(*findings)
    return Joints(cast(Joint, host), cast(Joint, up), cast(Joint | None, top), nic, cast(Joint | None, peer))


def _ends(uppers: Iterable[End], lowers: Iterable[End]) -> Ends:
    """Every kind once."""
    return Ends(tuple(dict.fromkeys(uppers)), tuple(dict.fromkeys(lowers)))


def _joint(kind: Kind, ends: Ends, choices: Choices) -> Joint | list[Finding]:
    """The first choice of modes that connects all pairs, else the findings against the preferred one."""
    every = list(dict.fromkeys((*ends.uppers, *ends.lowers)))
    first = list(twin_ports.refusals(kind, ends, choices.optics))
    for modes in () if first else product(*(end.modes for end in every)):
        chosen = dict(zip(every, modes, strict=True))
        found = list(_wrong(kind, chosen, ends))
        if not found:
            lane_gbps = min(mode.lane_gbps for mode in modes)
            fec = cast(Literal["rs", "none"], fec_of(kind.medium, kind.speed_gbps, lane_gbps))
            lanes = {end: mode.lanes for end, mode in chosen.items()}
            is_in_module = corrects_itself(kind.medium, kind.speed_gbps, ends.most_ways)
            return Joint(kind.medium, kind.length_m, lanes, fec, is_in_module, _makes(kind, ends, choices))
        first = first or found
    return first


def _makes(kind: Kind, ends: Ends, choices: Choices) -> dict[tuple[End, End | None], Make]:
    """For cables with a twin-port optic at an end, and those of legs at both ends; no entry for others."""
    optics = twin_ports.chosen(kind, ends, choices.optics)
    model = {end: optic.model for end, optic in optics.items()}
    found: dict[tuple[End, End | None], Make] = {}
    has_twins = is_twin(kind.medium)
    for upper, lower in product(ends.uppers, ends.lowers or (None,)) if has_twins or ends.are_split_twice else ():
        is_split = has_twins and (upper.legs > 1 or (lower is not None and lower.legs > 1))
        below = None if lower is None else model.get(lower)
        found[upper, lower] = Make("splitter" if is_split else "jumper", model.get(upper), below)
    return found


def _wrong(kind: Kind, chosen: Mapping[End, Mode], ends: Ends) -> Iterator[Finding]:
    if kind.medium is None:
        return
    if unfit := list(_sockets(kind, ends)):
        yield from unfit
        return
    yield from _reach(kind, chosen, ends)
    if kind.medium in OPTICS and optic_reach_m(kind.medium, kind.speed_gbps, ends.most_ways) is not None:
        yield from _narrow(kind, chosen, ends)
    elif kind.medium in STRAIGHT:
        for upper, lower in product(ends.uppers, ends.lowers):
            if chosen[upper].lanes != chosen[lower].lanes:
                yield _unlike(kind, upper, lower, chosen, ends)


def _sockets(kind: Kind, ends: Ends) -> Iterator[Finding]:
    """Twisted pair goes into RJ45 ports, and nothing else does."""
    path, speed = (*kind.path, "medium"), f"{kind.speed_gbps}G"
    for end in (*ends.uppers, *ends.lowers):
        if end.os and (end.cage == RJ45) != (kind.medium == TWISTED_PAIR):
            what = f"{kind.medium} does not fit the {end.cage} ports that {end.name} has at {speed}"
            if end.cage == RJ45:
                yield Finding(path, what, TWISTED_PAIR, str(kind.medium))
            else:
                hint = _what_would_do(kind, ends)
                yield Finding(path, what, f"optics, or a cable with plugs for {end.cage}", str(kind.medium), hint)


def _text(end: End, mode: Mode) -> str:
    return f"{end.name} ({mode.speed_gbps}G as {mode.lanes} x {mode.lane_gbps:g}G)"


def _unlike(kind: Kind, upper: End, lower: End, chosen: Mapping[End, Mode], ends: Ends) -> Finding:
    return Finding(
        (*kind.path, "medium"),
        f"no {kind.medium} joins {_text(upper, chosen[upper])} and {_text(lower, chosen[lower])}",
        "the same lanes at both ends, or optics, which convert",
        kind.medium or "",
        _what_would_do(kind, ends),
    )


def _narrow(kind: Kind, chosen: Mapping[End, Mode], ends: Ends) -> Iterator[Finding]:
    """Ports with fewer lanes than these optics have lanes of light: there is no such module."""
    medium = str(kind.medium)
    for end, mode in chosen.items():
        if not is_wide_enough(medium, kind.speed_gbps, ends.most_ways, mode.lanes):
            yield Finding(
                (*kind.path, "medium"),
                f"no {kind.speed_gbps}G-{medium} fits {_text(end, mode)}: it has {OPTICS[medium].lanes} lanes",
                f"optics of at most {mode.lanes} lanes, or a port of {OPTICS[medium].lanes}",
                medium,
                _what_would_do(kind, ends),
            )


def _reach(kind: Kind, chosen: Mapping[End, Mode], ends: Ends) -> Iterator[Finding]:
    length, ways = kind.length_m or 1, ends.most_ways
    if kind.medium in OPTICS:
        reach = optic_reach_m(str(kind.medium), kind.speed_gbps, ways)
        if reach is None:
            legs = f", {ways} legs of a cage" if ways > 1 else ""
            yield Finding(
                (*kind.path, "medium"),
                f"{kind.medium} does not carry {kind.speed_gbps}G{legs}",
                _carried(str(kind.medium), ways),
                f"{kind.speed_gbps}G{legs}",
                _what_would_do(kind, ends),
            )
        elif length > reach:
            what = f"too long for {kind.medium} at {kind.speed_gbps}G"
            yield Finding(
                (*kind.path, "cable_m"), what, f"at most {reach} m", f"{length} m", _what_would_do(kind, ends)
            )
    elif kind.medium == TWISTED_PAIR and length > TWISTED_PAIR_REACH_M:
        what, expected = f"too long for {kind.medium}", f"at most {TWISTED_PAIR_REACH_M} m"
        yield Finding((*kind.path, "cable_m"), what, expected, f"{length} m")
    elif kind.medium == "DAC":
        lane_gbps = max(mode.lane_gbps for mode in chosen.values())
        most = next((most for rate, most in PASSIVE_REACH_M.items() if lane_gbps >= rate), None)
        if most is not None and length > most:
            yield Finding(
                (*kind.path, "cable_m"),
                f"too long for passive copper at {lane_gbps:g}G a lane",
                f"at most {most} m",
                f"{length} m",
                _what_would_do(kind, ends)
                + ("; or AEC or AOC, whose maker says how far they go" if _has_lanes_in_common(ends) else ""),
            )


def _has_lanes_in_common(ends: Ends) -> bool:
    """Have all ends a mode with the same lanes, as media that pass them on need?"""
    every = [{mode.lanes for mode in end.modes} for end in (*ends.uppers, *ends.lowers)]
    return not ends.lowers or bool(set.intersection(*every))


def _carried(medium: str, ways: int) -> str:
    """The speeds of so many legs, or of whole ports if no source names such a split."""
    legs = f"{ways}x" if ways > 1 else ""
    speeds = sorted({gbps // each for gbps in OPTICS[medium].reach_m for each in {1, ways}})
    carried = [f"{legs}{speed}G" for speed in speeds if optic_reach_m(medium, speed, ways)]
    return ", ".join(carried or [f"{speed}G without a split" for speed in OPTICS[medium].reach_m])


def _what_would_do(kind: Kind, ends: Ends) -> str:
    fitting = fitting_optics(kind.speed_gbps, ends.most_ways, kind.length_m or 1, ends.most_lanes)
    length = f" over {kind.length_m} m" if kind.length_m else ""
    return f"what would do{length}: {', '.join(fitting)}" if fitting else "no optics we know carry this"
