"""Twin-port optics: one pluggable with two connectors, so a split cage has two jumpers that may go to two places.

With a twin-port optic at both ends, cages are split at both ends, and each leg is a fibre of its own. A connector may
carry a splitter instead, which makes two legs of it at the split end; then both connectors do. The catalogue says which
optic fits which cage under which system, its reach, and whether it takes splitters.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product

from nornir_tasks.design.layout.suggest_media import carries, nearest
from nornir_tasks.design.layout.twin_port_ends import End, Ends, Kind, Optics
from nornir_tasks.design.model.catalogue import OpticModel
from nornir_tasks.design.model.media import CONNECTORS, OPTICS, is_twin, light_of
from nornir_tasks.intent.core.findings import Finding


def chosen(kind: Kind, ends: Ends, optics: Optics) -> dict[End, OpticModel]:
    """The optic for each kind of switch with split cages: the shortest sufficient reach.

    Requires that ``refusals`` is empty.
    """
    if not is_twin(kind.medium):
        return {}
    return {end: next(each for each in _of(kind, end, optics) if _goes(kind, end, each)) for end in ends.split_switches}


def refusals(kind: Kind, ends: Ends, optics: Optics) -> Iterator[Finding]:
    """The findings against these cables that concern the optics of split cages, with the nearest that can be built."""
    found = list(_against(kind, ends, optics))

    def accepts(other: Kind, there: Ends) -> bool:
        return not any(True for _ in _against(other, there, optics)) if is_twin(other.medium) else carries(other, there)

    hint = nearest(kind, ends, optics, accepts) if found else ""
    yield from (replace(each, hint="; ".join(part for part in (each.hint, hint) if part)) for each in found)


def _against(kind: Kind, ends: Ends, optics: Optics) -> Iterator[Finding]:
    if not is_twin(kind.medium):
        if ends.are_split_twice and (kind.medium or kind.lower):
            yield _no_fibre_for_each_leg(kind, ends, optics)
        return
    if not ends.split:
        what = f"no cage of these cables is split, so nothing uses the second connector of {kind.medium}"
        yield Finding((*kind.path, "medium"), what, light_of(str(kind.medium)), str(kind.medium))
    found = [finding for end in ends.split_switches for finding in _fitted(kind, end, optics)]
    found += [] if found else [*_whole_ends(kind, ends)]
    found += [] if found else [*_two_splitters(kind, ends)]
    yield from found


def _of(kind: Kind, end: End, optics: Optics) -> list[OpticModel]:
    """Twin-port optics for this cage under this system, shortest reach first."""
    found = (each for each in _known(end, optics) if each.medium == kind.medium)
    return sorted(found, key=lambda each: (each.reach_m, each.model))


def _known(end: End, optics: Optics) -> list[OpticModel]:
    """Twin-port optics of any medium for this cage under this system."""
    return [each for each in optics.values() if end.os in each.os and end.cage == each.cage]


def _limit_m(kind: Kind, end: End, optic: OpticModel) -> int | None:
    """Reach from this end; None: unusable, since it takes no splitters or connects to no NIC."""
    limits_m = [optic.splitter_m if end.legs > 1 else optic.reach_m, *((optic.nic_m,) if kind.lower is None else ())]
    return min(each for each in limits_m if each is not None) if None not in limits_m else None


def _carries(kind: Kind, end: End, optic: OpticModel) -> bool:
    """Do the legs share the connector's speed, and is there a splitter with as many legs, if it takes any?"""
    has_legs = end.legs in (1, optic.splitter_legs or end.legs)
    return has_legs and end.legs * kind.speed_gbps == optic.port_gbps and end.ways % CONNECTORS == 0


def _goes(kind: Kind, end: End, optic: OpticModel) -> bool:
    limit_m = _limit_m(kind, end, optic)
    return _carries(kind, end, optic) and limit_m is not None and (kind.length_m or 1) <= limit_m


def _fitted(kind: Kind, end: End, optics: Optics) -> Iterator[Finding]:
    """Refuse a kind of split cage for which no optic of this medium is suitable."""
    there, split, path = _of(kind, end, optics), f"{end.ways}x{kind.speed_gbps}G", (*kind.path, "medium")
    names = " and ".join(each.model for each in there)
    if not there:
        what = f"no source names a twin-port optic {kind.medium} for the {end.cage} cages of {end.name} under {end.os}"
        yield Finding(path, what, _media_of(end, optics), f"{kind.medium} for {split}")
        return
    carrying = [each for each in there if _carries(kind, end, each)]
    if not carrying:
        legs = sorted({each.splitter_legs for each in there if each.splitter_legs})
        what = f"{names} cannot carry this split"
        if legs and end.legs > max(legs):
            what += f": a splitter has {max(legs)} legs, and this needs {end.legs} in each connector"
        yield Finding(path, what, _splits(there), split)
        return
    limits_m = [limit for each in carrying if (limit := _limit_m(kind, end, each)) is not None]
    if not limits_m:
        needs_splitter = end.legs > 1 and not any(each.splitter_m for each in carrying)
        what = "takes no splitters, and this split needs one in each connector"
        what = f"{names} {what}" if needs_splitter else f"no source has a NIC at the other end of {names}"
        expected = f"{CONNECTORS}x{carrying[0].port_gbps}G" if needs_splitter else "optics that NICs take as well"
        yield Finding(path, what, expected, split if needs_splitter else str(kind.medium))
    elif (kind.length_m or 1) > max(limits_m):
        how = "through a splitter" if end.legs > 1 else "to a NIC" if kind.lower is None else "over a straight jumper"
        what = f"too long for {kind.medium} {how}"
        yield Finding((*kind.path, "cable_m"), what, f"at most {max(limits_m)} m", f"{kind.length_m} m")


def _whole_ends(kind: Kind, ends: Ends) -> Iterator[Finding]:
    """Check the speed and reach of the ends with whole cages: their optics have one connector and the same light."""
    light = light_of(str(kind.medium))
    for end in dict.fromkeys((*ends.uppers, *ends.lowers)):
        if end.ways > 1 or not end.os:
            continue
        reach_m = OPTICS[light].reach_m.get(kind.speed_gbps)
        if reach_m is None:
            speeds = ", ".join(f"{speed}G" for speed in OPTICS[light].reach_m)
            what = f"{light}, which the whole cages of {end.name} have, does not carry {kind.speed_gbps}G"
            yield Finding((*kind.path, "medium"), what, speeds, f"{kind.speed_gbps}G")
        elif (kind.length_m or 1) > reach_m:
            what = f"too long for {light}, which the whole cages of {end.name} have"
            yield Finding((*kind.path, "cable_m"), what, f"at most {reach_m} m", f"{kind.length_m} m")


def _two_splitters(kind: Kind, ends: Ends) -> Iterator[Finding]:
    for upper, lower in product(ends.uppers, ends.lowers):
        if upper.legs > 1 and lower.legs > 1:
            what = "both ends of these cables would be splitters: two legs of one meet two legs of another"
            found = f"{upper.ways}x{kind.speed_gbps}G and {lower.ways}x{kind.speed_gbps}G"
            hint = "" if lower.os else "without leaf.medium each leg is a cable of its own, as over a fibre shuffle"
            path, expected = (*kind.path, "breakout"), "a splitter at one end, or none"
            yield Finding(path, what, expected, found, hint, also=kind.copies)
            return


def _no_fibre_for_each_leg(kind: Kind, ends: Ends, optics: Optics) -> Finding:
    upper = next(end for end in ends.uppers if end.ways > 1)
    lower = next(end for end in ends.lowers if end.ways > 1)
    speed, media = kind.speed_gbps, sorted({each.medium for each in optics.values()})
    without = [end for end in ends.split_switches if not _known(end, optics)]
    gaps = [f"no source names one for the {end.cage} cages of {end.name} under {end.os}" for end in without]
    return Finding(
        (*kind.path, "medium"),
        f"both ends of these cables are split ({upper.ways}x{speed}G above, {lower.ways}x{speed}G below): "
        "each leg needs a fibre of its own, so twin-port optics",
        f"medium: one of {', '.join(media)}" if media and not gaps else "a breakout at one end only",
        kind.medium or "",
        "; ".join(gaps),
        also=kind.copies,
    )


def _media_of(end: End, optics: Optics) -> str:
    media = sorted({each.medium for each in _known(end, optics)})
    return f"one of {', '.join(media)}" if media else "none: no source names any for it"


def _splits(optics: Iterable[OpticModel]) -> str:
    """The splits of a cage that these optics make."""
    found = dict.fromkeys(f"{CONNECTORS}x{each.port_gbps}G" for each in optics)
    for each in optics:
        if each.splitter_legs:
            found[f"{each.splitter_legs * CONNECTORS}x{each.port_gbps // each.splitter_legs}G"] = None
    return " or ".join(found)
