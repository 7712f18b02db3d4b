"""PFC: the same priorities paused at both ends of every lossless cable, the whole port never, a watchdog beside.

A cable is lossless if either end pauses. Hosts' cables and those between switches are judged alike, and a switch with
lossless cables must have one of each kind that it has cables of: else a kind of port that was left out would pass.
"""

from collections.abc import Iterator

from nornir_tasks.platforms.lossless import Setting
from nornir_tasks.proofs.cables import Cable, End, Read, each_once
from nornir_tasks.proofs.class_path import may_pause, pause
from nornir_tasks.proofs.verdicts import Broken, Outcome, Place, Statement, Tally

NAME = "pfc"
LOSSY = "between ends of which neither pauses: not lossless"

_KINDS = {"host": "to hosts", "fabric": "between switches", "peer": "to the other leaf of its pair"}


def judge(read: Read) -> Outcome:
    """Every cable that either end pauses, and the kinds of these at every switch."""
    tally, kinds = Tally(), dict[str, dict[str, int]]()
    for cable, broken in each_once(read.cables(tally), tally, _of_cable):
        lossless = any(each.treatment is not None and each.treatment.pauses for each in cable.ends)
        for end in cable.ends:
            if end.ports is not None:
                counts = kinds.setdefault(end.at.device, {})
                counts[cable.link.kind] = counts.get(cable.link.kind, 0) + lossless
        if lossless:
            tally.count(broken, (each for end in cable.ends for each in end.doubts))
        else:
            tally.skipped[LOSSY] += 1
    for device, counts in kinds.items():
        if missing := _missing(read, device, counts):
            tally.broken.append(missing)
    return tally.outcome(NAME, "cables")


def _missing(read: Read, device: str, counts: dict[str, int]) -> Broken | None:
    """A switch with lossless cables of one kind and none of another that leads to hosts with RDMA."""
    lossless = [kind for kind, count in counts.items() if count]
    none = [kind for kind, count in counts.items() if not count and kind != "peer"]
    if not lossless or not none:
        return None
    ports = read.ports[device]
    link = next(each for each in read.network.links_of(device) if each.kind == none[0])
    port = link.end(device).port
    stated = Statement(Place(device, port), "pauses nothing", Setting("pause", port, ports.profile_of(port) or ""))
    what = f"cables {_KINDS[lossless[0]]} are lossless, and none {_KINDS[none[0]]} is"
    return Broken(device, what, (stated,))


def _of_cable(cable: Cable) -> Iterator[Broken]:
    pauses = [each.treatment.pauses if each.treatment is not None else frozenset[int]() for each in cable.ends]
    if not any(pauses):
        return
    for priority in sorted(pauses[0] ^ pauses[1]):
        if any(priority not in each and may_pause(end) for each, end in zip(pauses, cable.ends, strict=True)):
            continue
        found = [priority if priority in each else None for each in pauses]
        stated = tuple(_stated(end, priority, one) for end, one in zip(cable.ends, found, strict=True))
        yield Broken(str(cable), f"priority {priority} is paused at one end alone", stated)
    for end in cable.ends:
        if end.treatment is not None and "global pause" in end.treatment.effects:
            yield Broken(str(cable), "global pause is on: it stops every class of a port that has PFC", _global(end))
        if end.treatment is not None and end.treatment.pauses and not end.treatment.watched and not _may_watch(end):
            what = "a port pauses, and no watchdog frees a queue that is stuck"
            yield Broken(str(cable), what, (end.says("no watchdog", Setting("watchdog")),))


def _may_watch(end: End) -> bool:
    """Do lines that are not known perhaps turn a watchdog on?"""
    is_known = end.ports is not None and "no watchdog" in end.ports.effects(end.at.port)
    return bool(end.doubts) and not is_known


def _stated(end: End, priority: int, found: int | None) -> Statement:
    stated = pause(end, found)
    if stated.setting is None:
        return stated
    setting = Setting("pause", stated.setting.port, stated.setting.profile, priority=priority)
    return Statement(stated.at, stated.found, setting)


def _global(end: End) -> tuple[Statement, ...]:
    lines = end.ports.lines_of("global pause", end.at.port) if end.ports is not None else ()
    return tuple(end.says_line("global pause", line) for line in lines)
