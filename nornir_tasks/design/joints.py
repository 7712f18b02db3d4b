"""Which lanes the two ends of each kind of cable run, and whether its medium can join them: layer 1, before any cable.

All cables between two tiers are of one medium and length. For each kind of switch one mode is chosen so that every pair
of kinds that meet can be joined; where none is, the refusal names the lanes, the length and what would do.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Literal, cast

from nornir_tasks.design.catalogue import Mode
from nornir_tasks.design.choices import Choice, Choices
from nornir_tasks.design.media import COPPER, OPTICS, PASSIVE_REACH_M, STRAIGHT, fec_of, fitting_optics, optic_reach_m
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.findings import Finding, Marks, Path


@dataclass(frozen=True, slots=True)
class End:
    """One kind of port at one end of a kind of cable."""

    name: str
    """The model, for messages."""
    ways: int
    modes: tuple[Mode, ...]
    negotiates: bool
    """False where the box is known not to negotiate at this speed."""


@dataclass(frozen=True, slots=True)
class Joint:
    """How the cables between two tiers run."""

    medium: str | None
    length_m: int | None
    lanes: Mapping[End, int]
    """Lanes of each leg at each kind of end."""
    fec: Literal["rs", "fc", "none"]

    def negotiate(self, one: End, other: End | None) -> bool:
        """Copper negotiates, where both ends can. A medium nobody declared is taken for optics."""
        return self.medium in COPPER and one.negotiates and (other is None or other.negotiates)


@dataclass(frozen=True, slots=True)
class Joints:
    """The kinds of cable of one fabric."""

    host: Joint
    spine: Joint
    core: Joint | None
    nic: End | None


def end_of(choice: Choice, speed_gbps: int, ways: int) -> End:
    """One kind of switch as the end of a cable of this speed."""
    model = choice.model
    return End(model.model, ways, model.modes_for(ways, speed_gbps), speed_gbps not in model.silent_gbps)


def join(choices: Choices, spine_gbps: int, core_gbps: int | None, marks: Marks) -> Joints:
    """Choose every end's lanes. Raises DesignError for media that cannot join their ends."""
    demand, findings = choices.demand, list[Finding]()
    speed = demand.nics.speed
    nic = None
    if choices.nic is not None:
        nic = End(choices.nic.model, 1, tuple(m for m in choices.nic.modes if m.speed_gbps == speed), negotiates=True)
    leaf, spine, core = demand.fabric.leaf, demand.fabric.spine, demand.fabric.core
    uppers = {end_of(each, speed, each.down_ways): None for each in choices.leaves}
    host = _joint(_Kind(demand.on_fabric("leaf"), leaf.medium, leaf.cable_m, speed), uppers, {nic: None} if nic else {})
    lowers = {end_of(each, spine_gbps, each.up_ways): None for each in choices.leaves}
    uppers = {end_of(each, spine_gbps, each.down_ways): None for each in choices.spines}
    up = _joint(_Kind(demand.on_fabric("spine"), spine.medium, spine.cable_m, spine_gbps), uppers, lowers)
    top: Joint | list[Finding] | None = None
    if core is not None and choices.core is not None and core_gbps is not None:
        lowers = {end_of(each, core_gbps, each.up_ways): None for each in choices.spines}
        uppers = {end_of(choices.core, core_gbps, choices.core.down_ways): None}
        top = _joint(_Kind(demand.on_fabric("core"), core.medium, core.cable_m, core_gbps), uppers, lowers)
    for found in (host, up, top):
        findings += found if isinstance(found, list) else []
    if findings:
        raise DesignError(marks.problems(findings))
    return Joints(cast(Joint, host), cast(Joint, up), cast(Joint | None, top), nic)


@dataclass(frozen=True, slots=True)
class _Kind:
    path: Path
    medium: str | None
    length_m: int | None
    speed_gbps: int


Ends = Mapping[End, None]
"""An ordered set."""


def _joint(kind: _Kind, uppers: Ends, lowers: Ends) -> Joint | list[Finding]:
    """The first choice of modes that joins all pairs, else what is wrong with the preferred one."""
    ends = list(dict.fromkeys((*uppers, *lowers)))
    first: list[Finding] = []
    for modes in product(*(end.modes for end in ends)):
        chosen = dict(zip(ends, modes, strict=True))
        found = list(_wrong(kind, chosen, uppers, lowers))
        if not found:
            lane_gbps = min(mode.lane_gbps for mode in modes)
            fec = cast(Literal["rs", "none"], fec_of(kind.medium, kind.speed_gbps, lane_gbps))
            return Joint(kind.medium, kind.length_m, {end: mode.lanes for end, mode in chosen.items()}, fec)
        first = first or found
    return first


def _wrong(kind: _Kind, chosen: Mapping[End, Mode], uppers: Ends, lowers: Ends) -> Iterator[Finding]:
    if kind.medium is None:
        return
    yield from _reach(kind, chosen)
    if kind.medium in STRAIGHT:
        for upper, lower in product(uppers, lowers):
            if chosen[upper].lanes != chosen[lower].lanes:
                yield _unlike(kind, upper, lower, chosen)


def _text(end: End, mode: Mode) -> str:
    return f"{end.name} ({mode.speed_gbps}G as {mode.lanes} x {mode.lane_gbps:g}G)"


def _unlike(kind: _Kind, upper: End, lower: End, chosen: Mapping[End, Mode]) -> Finding:
    return Finding(
        (*kind.path, "medium"),
        f"no {kind.medium} joins {_text(upper, chosen[upper])} and {_text(lower, chosen[lower])}",
        "the same lanes at both ends, or optics, which convert",
        kind.medium or "",
        _what_would_do(kind, max(end.ways for end in (upper, lower))),
    )


def _reach(kind: _Kind, chosen: Mapping[End, Mode]) -> Iterator[Finding]:
    length, ways = kind.length_m or 1, max(end.ways for end in chosen)
    if kind.medium in OPTICS:
        reach = optic_reach_m(str(kind.medium), kind.speed_gbps, ways)
        if reach is None:
            speeds = ", ".join(f"{speed}G" for speed in OPTICS[str(kind.medium)].reach_m)
            yield Finding(
                (*kind.path, "medium"),
                f"{kind.medium} does not carry {kind.speed_gbps}G",
                speeds,
                f"{kind.speed_gbps}G" + (f", {ways} legs of a cage" if ways > 1 else ""),
                _what_would_do(kind, ways),
            )
        elif length > reach:
            what = f"too long for {kind.medium} at {kind.speed_gbps}G"
            yield Finding(
                (*kind.path, "cable_m"), what, f"at most {reach} m", f"{length} m", _what_would_do(kind, ways)
            )
    elif kind.medium == "DAC":
        lane_gbps = max(mode.lane_gbps for mode in chosen.values())
        most = next((most for rate, most in PASSIVE_REACH_M.items() if lane_gbps >= rate), None)
        if most is not None and length > most:
            yield Finding(
                (*kind.path, "cable_m"),
                f"too long for passive copper at {lane_gbps:g}G a lane",
                f"at most {most} m",
                f"{length} m",
                f"{_what_would_do(kind, ways)}; or AEC or AOC, whose maker says how far they go",
            )


def _what_would_do(kind: _Kind, ways: int) -> str:
    fitting = fitting_optics(kind.speed_gbps, ways, kind.length_m or 1)
    length = f" over {kind.length_m} m" if kind.length_m else ""
    return f"what would do{length}: {', '.join(fitting)}" if fitting else "no optics we know carry this"
