"""The nearest cables that can be built instead of refused ones. Each one named is judged as the next run would."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from nornir_tasks.design.layout.twin_port_ends import Ends, Kind, Optics
from nornir_tasks.design.model.media import (
    CONNECTORS,
    OPTICS,
    fitting_optics,
    is_twin,
    is_wide_enough,
    light_of,
    optic_reach_m,
)

Accepts = Callable[[Kind, Ends], bool]
"""Is there no finding against these cables?"""


def nearest(kind: Kind, ends: Ends, optics: Optics, accepts: Accepts) -> str:
    """Hint for an operator: other media, else a shorter cable, else another split; empty if none of these helps."""
    length = f" over {kind.length_m} m" if kind.length_m else ""
    media = [each for each in _twin_media(optics) if each != kind.medium and accepts(replace(kind, medium=each), ends)]
    media = media or _single_media(kind, ends)
    ways = [f"nearest that can be built{length}: {_named(media)}"] if media else []
    shorter = _shorter(kind, ends, optics, accepts)
    ways += [f"nearest that can be built with it: cable_m: {shorter}"] if shorter else []
    return "; or ".join(ways) or next(_other_splits(kind, ends, optics, accepts), "")


def carries(kind: Kind, ends: Ends) -> bool:
    """Do optics that are not twin-port carry all of these cables?"""
    if kind.medium not in OPTICS:
        return False
    reach_m = optic_reach_m(kind.medium, kind.speed_gbps, ends.most_ways)
    is_wide = is_wide_enough(kind.medium, kind.speed_gbps, ends.most_ways, ends.most_lanes)
    return not ends.are_split_twice and is_wide and reach_m is not None and reach_m >= (kind.length_m or 1)


def _named(media: Iterable[str]) -> str:
    return " or ".join(f"medium: {each}" for each in media)


def _twin_media(optics: Optics) -> list[str]:
    """Shortest reach first."""
    return list(dict.fromkeys(name for _, name in sorted((each.reach_m, each.medium) for each in optics.values())))


def _single_media(kind: Kind, ends: Ends) -> list[str]:
    """Optics that carry these cables out of one connector, or of one for each leg: of the same light if possible."""
    if ends.are_split_twice:
        return []
    fitting = fitting_optics(kind.speed_gbps, ends.most_ways, kind.length_m or 1, ends.most_lanes)
    return [each for each in fitting if each == light_of(str(kind.medium))] or list(fitting)


def _shorter(kind: Kind, ends: Ends, optics: Optics, accepts: Accepts) -> int | None:
    """The greatest length below the present one over which the same medium can be built."""
    if kind.length_m is None or not is_twin(kind.medium):
        return None
    limits = {limit for each in optics.values() for limit in (each.reach_m, each.splitter_m, each.nic_m) if limit}
    limits |= {limit for each in OPTICS.values() for limit in each.reach_m.values()}
    shorter = (limit for limit in sorted(limits, reverse=True) if limit < (kind.length_m or 0))
    return next((limit for limit in shorter if accepts(replace(kind, length_m=limit), ends)), None)


def _other_splits(kind: Kind, ends: Ends, optics: Optics, accepts: Accepts) -> Iterator[str]:
    """Straight jumpers instead of splitters, or whole cages at one end."""
    length = f" over {kind.length_m} m" if kind.length_m else ""
    legs = max(end.legs for end in (*ends.uppers, *ends.lowers))
    straight = replace(kind, speed_gbps=kind.speed_gbps * legs)
    both = _split(ends, CONNECTORS, straight.speed_gbps) if kind.lower is not None and legs > 1 else None
    if both is not None and accepts(straight, both):
        split = f"{CONNECTORS}x{straight.speed_gbps}G"
        yield f"nearest that can be built{length}: {split} at both ends, a jumper for each leg"
    whole = _whole_below(kind, ends) if ends.are_split_twice and kind.lower is not None else None
    if whole is not None and kind.lower is not None:
        media = [each for each in _twin_media(optics) if accepts(replace(kind, medium=each), whole)]
        media = media or _single_media(kind, whole)
        if media:
            yield f"nearest that can be built{length}: {_named(media)}, without {kind.lower[-1]}.uplink_breakout"


def _split(ends: Ends, ways: int, speed_gbps: int) -> Ends | None:
    """The same switches with another split; None if one of them has no such mode."""
    if any(f"{ways}x{speed_gbps}G" not in end.splits for end in (*ends.uppers, *ends.lowers)):
        return None
    uppers, lowers = ([replace(end, ways=ways) for end in side] for side in (ends.uppers, ends.lowers))
    return Ends(tuple(dict.fromkeys(uppers)), tuple(dict.fromkeys(lowers)))


def _whole_below(kind: Kind, ends: Ends) -> Ends | None:
    if any(f"1x{kind.speed_gbps}G" not in end.splits for end in ends.lowers):
        return None
    return Ends(ends.uppers, tuple(dict.fromkeys(replace(end, ways=1) for end in ends.lowers)))
