"""Flows that are played, and the patterns that a lab makes them of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..errors import Problem, TwinError
from ..spec import End

ROCE_PORT = 4791
_FIRST_PORT = 49152
PATTERNS = ("all-to-all", "incast")
PACKET_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Flow:
    """One queue pair: RoCE from one port of a host to one of another.

    bits_per_s    what it sends where nothing slows it down, on links of their full speed
    udp_source    its UDP source port, by which switches tell flows of the same two hosts apart
    is_ect        its packets may be marked; dscp: what they carry
    """

    source: End
    destination: End
    source_address: str
    destination_address: str
    bits_per_s: float
    udp_source: int = _FIRST_PORT
    packet_bytes: int = PACKET_BYTES
    dscp: int = 0
    is_ect: bool = True


@dataclass(frozen=True, slots=True)
class Nic:
    """A port of a host that can send: its first address, and the speed of its cable."""

    end: End
    address: str
    bits_per_s: float


@dataclass(frozen=True, slots=True)
class Play:
    """What is played. ``share``: of the line that each sender fills, 0 to 1; ``target``: of incast, HOST or HOST:PORT.

    peers   of all-to-all, how many others each port sends to;  senders: of incast, how many send to each port
    pairs   queue pairs between two ports, which share what is sent
    """

    pattern: str
    share: float = 0.4
    target: str = ""
    dscp: int = 0
    peers: int = 2
    senders: int = 4
    pairs: int = 4


def flows(play: Play, nics: Sequence[Nic]) -> list[Flow]:
    """The flows of a pattern between these ports. Raises TwinError for what cannot be played."""
    if play.pattern not in PATTERNS:
        raise TwinError(Problem(play.pattern, "there is no such pattern", ", ".join(PATTERNS)))
    if not 0 < play.share <= 1:
        raise TwinError(Problem("share", "no share of a line", "above 0, up to 1", f"{play.share:g}"))
    if not 0 <= play.dscp < 64 or min(play.peers, play.senders, play.pairs) < 1:
        raise TwinError(Problem("play", "a DSCP is 0 to 63; peers, senders and pairs are 1 or more", "", str(play)))
    hosts = {nic.end.device for nic in nics}
    if len(hosts) < 2:
        raise TwinError(
            Problem("play", "needs two hosts with ports that have addresses of their own", "", str(len(hosts)))
        )
    return list(_incast(play, nics) if play.pattern == "incast" else _all_to_all(play, nics))


def _all_to_all(play: Play, nics: Sequence[Nic]) -> Iterator[Flow]:
    """Each port sends to as many as send to it: to the next host's next port, to the same port of the one after."""
    by_host: dict[str, list[Nic]] = {}
    for nic in nics:
        by_host.setdefault(nic.end.device, []).append(nic)
    hosts = list(by_host.values())
    peers = min(play.peers, len(hosts) - 1)
    for at, own in enumerate(hosts):
        for offset in range(1, peers + 1):
            others = hosts[(at + offset) % len(hosts)]
            for number, nic in enumerate(own):
                other = others[(number + offset % 2) % len(others)]
                yield from _between(play, nic, other, play.share / peers)


def _incast(play: Play, nics: Sequence[Nic]) -> Iterator[Flow]:
    host, _, port = play.target.partition(":")
    targets = [nic for nic in nics if nic.end.device == host and port in ("", nic.end.port)]
    if not targets:
        known = sorted({nic.end.device for nic in nics})
        raise TwinError(
            Problem(play.target or "incast", "there is no such host that can receive", ", ".join(known[:8]))
        )
    others = [nic for nic in nics if nic.end.device != host]
    for target in targets:
        beside = sorted(others, key=lambda nic: nic.end.port != target.end.port)  # those of its rail first
        for nic in beside[: play.senders]:
            yield from _between(play, nic, target, play.share)


def _between(play: Play, nic: Nic, other: Nic, share: float) -> Iterator[Flow]:
    for pair in range(play.pairs):
        yield Flow(
            nic.end,
            other.end,
            nic.address,
            other.address,
            nic.bits_per_s * share / play.pairs,
            udp_source=_FIRST_PORT + pair * 97 + sum(map(ord, str(other.end))) % 4099,
            dscp=play.dscp,
        )


def of_host(flow: Flow, wrong_class: Mapping[str, float | None]) -> Flow:
    """The same flow as its host sends it: a host with a wrong class has another code point."""
    dscp = wrong_class.get(flow.source.device)
    return flow if dscp is None else replace(flow, dscp=int(dscp))
