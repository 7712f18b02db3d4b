"""Layer 1: speed, lanes, error correction, negotiation and admin state equal at both ends of cables between switches.

Lanes are compared on copper alone: optics join other numbers of them. What a host's NIC runs with no variable says, so
cables to hosts are skipped; so is the medium, which no line says: ends that both negotiate, or neither, fit copper or
optics alike.
"""

from collections.abc import Iterator, Mapping

from nornir_tasks.design.config.interfaces import Layer1
from nornir_tasks.design.model.links import Link
from nornir_tasks.design.model.media import NRZ_LANE_GBPS, OPTICS, corrects_itself
from nornir_tasks.platforms.lossless import Kind, Setting
from nornir_tasks.proofs.cables import ATTACHED, UNUSED, Read, is_unused
from nornir_tasks.proofs.treatment import Ports
from nornir_tasks.proofs.verdicts import Broken, Outcome, Place, Statement, Tally

NAME = "layer-1"
OF_HOSTS = "to hosts: no variable says how a NIC runs its port"
FEC_NOT_SHOWN = "no line says the error correction: the hardware of {} chooses it by speed and medium"

_End = tuple[Place, Ports]


def judge(read: Read) -> Outcome:
    """Every cable between two switches that is used."""
    tally = Tally()
    media = {each.name: each.medium for each in read.network.cables}
    for link in read.network.links:
        if is_unused(read.network, link):
            tally.skipped[UNUSED] += 1
        elif read.is_attached(link):
            tally.skipped[ATTACHED] += 1
        elif link.kind == "host":
            shut = [_shut(f"{link.lower.device} {link.lower.port}", end) for end in _switches(read, link)]
            if broken := [each for each in shut if each is not None]:
                tally.count(broken)
            else:
                tally.skipped[OF_HOSTS] += 1
        elif reason := _unread(read, (link.upper.device, link.lower.device)):
            tally.count((), (reason,))
        else:
            ends = _switches(read, link)
            medium = media.get(link.cable)
            joins_lanes = medium is None or medium in OPTICS
            apart = tuple(_apart((ends[0], ends[1]), _due_fec(link, medium), joins_lanes=joins_lanes))
            doubts = (each for at, ports in ends for each in ports.doubts(at.port))
            tally.count(apart, doubts, _not_shown(ends))
    return tally.outcome(NAME, "cables")


def _due_fec(link: Link, medium: str | None) -> dict[str, str]:
    """Device -> the error correction due at its end, where one end's optic has its own; else the ends are to agree."""
    slots = {each.device: each.slot for each in (link.upper, link.lower) if each.slot is not None}
    is_nrz = {name: slot.lanes * NRZ_LANE_GBPS == link.speed_gbps for name, slot in slots.items()}
    ways = max((slot.ways for slot in slots.values()), default=1)
    if not (corrects_itself(medium, link.speed_gbps, ways) and any(is_nrz.values())):
        return {}
    return {name: "none" if nrz else "rs" for name, nrz in is_nrz.items()}


def _unread(read: Read, devices: tuple[str, str]) -> str:
    return next(
        (f"{each} could not be read: {read.unreachable[each]}" for each in devices if each in read.unreachable), ""
    )


def _switches(read: Read, link: Link) -> list[_End]:
    """The ends of a link at switches, the lower one first."""
    ends = (link.lower, link.upper)
    return [(Place(each.device, each.port), read.ports[each.device]) for each in ends if each.device in read.ports]


def _shut(where: str, end: _End) -> Broken | None:
    at, ports = end
    own = ports.interfaces.get(at.port)
    if own is not None and own.enabled:
        return None
    if own is None and ports.doubts(at.port):
        return None
    found = "no line of this port" if own is None else "shut"
    return Broken(where, "a cabled port is shut", (Statement(at, found, Setting("state", at.port)),))


def _layer1(end: _End) -> Layer1 | None:
    at, ports = end
    return ports.interfaces[at.port].layer1 if at.port in ports.interfaces else None


def _not_shown(ends: list[_End]) -> Iterator[str]:
    for each in ends:
        layer1 = _layer1(each)
        if layer1 is not None and layer1.fec is None:
            yield FEC_NOT_SHOWN.format(each[1].switch.config.os)


def _apart(ends: tuple[_End, _End], due_fec: Mapping[str, str], *, joins_lanes: bool) -> Iterator[Broken]:
    where = f"{ends[0][0]} to {ends[1][0]}"
    shut = [each for end in ends if (each := _shut(where, end)) is not None]
    yield from shut
    if shut:
        return
    one, other = map(_layer1, ends)
    if any(at.port not in ports.interfaces for at, ports in ends):
        return
    if one is None or other is None:
        yield from _unsaid(where, ends)
        return
    checks: tuple[tuple[Kind, str, object, object], ...] = (
        ("speed", "speed", f"{one.speed_gbps}G", f"{other.speed_gbps}G"),
        ("negotiation", "negotiation", one.negotiate, other.negotiate),
    )
    if None not in (one.fec, other.fec) and not due_fec:
        checks += (("fec", "error correction", one.fec, other.fec),)
    for end, own in zip(ends, (one, other), strict=True):
        due = due_fec.get(end[0].device)
        if due is not None and own.fec not in (None, due):
            what = f"beside an optic that corrects errors itself this end needs error correction {_word(due)}"
            yield Broken(where, what, (_stated(end, "fec", f"error correction {_word(own.fec)}"),))
    if not joins_lanes and None not in (one.lanes, other.lanes):
        checks += (("speed", "lanes", one.lanes, other.lanes),)
    for kind, what, here, there in checks:
        if here != there:
            stated = (
                _stated(end, kind, f"{what} {_word(value)}") for end, value in zip(ends, (here, there), strict=True)
            )
            yield Broken(where, f"another {what} at each end", tuple(stated))


def _unsaid(where: str, ends: tuple[_End, _End]) -> Iterator[Broken]:
    """An end without a line for speed or negotiation; one with lines that are not known says nothing either way."""
    for kind, what in _NEEDED.items():
        silent = [
            at for at, ports in ends if _layer1((at, ports)) is None and not ports.has_unread(Setting(kind, at.port))
        ]
        if silent:
            stated = (_stated(end, kind, f"no {what}" if end[0] in silent else what) for end in ends)
            yield Broken(where, f"an end does not say its {what}", tuple(stated))
            return


_NEEDED: dict[Kind, str] = {"speed": "speed", "negotiation": "negotiation"}


def _word(value: object) -> str:
    return {True: "on", False: "off"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def _stated(end: _End, kind: Kind, found: str) -> Statement:
    return Statement(end[0], found, Setting(kind, end[0].port))
