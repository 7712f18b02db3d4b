"""The lines that turn one FRR configuration into another, for a running FRR.

A neighbour whose lines stay is not touched, so its session stays up. A value is replaced by its new line, never removed
first: a neighbour without its AS number would be gone, and a route map without its match would permit everything.
Entries of a prefix list are: FRR ignores one that is equal to another but for its number. It looks at policies again
only after ROUTE_MAP_DELAY_S, when the new entry is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .conf import Lines, end_of, is_vrf, opens_block, written

_MATCHED_OR_SET = (
    r"(match (?:(?:ip|ipv6) address prefix-list|as-path)|set (?:as-path prepend|community|local-preference)) .*"
)
_VALUED = (
    re.compile(r"(route-map \S+) (?:permit|deny) (\d+)"),
    re.compile(_MATCHED_OR_SET),
    re.compile(r"(bgp router-id|maximum-paths|detect-multiplier|receive-interval|transmit-interval) .*"),
    re.compile(r"(?:no )?(bgp bestpath as-path multipath-relax)"),
    re.compile(r"(neighbor \S+ (?:(?:interface )?remote-as|timers connect|bfd profile|ttl-security)) .*"),
    re.compile(r"(neighbor \S+ (?:maximum-prefix|password)) .*"),
    re.compile(r"(neighbor \S+ (?:timers|ebgp-multihop|allowas-in)) [\d ]+"),
    re.compile(r"(neighbor \S+ (?:prefix-list|route-map)) \S+ (in|out)"),
)
"""A line with a value has one at a time: its key is what the groups match."""
_SHORT_WITH_NO = re.compile(_MATCHED_OR_SET)
"""FRR takes these without their value after ``no``, and the second with several numbers not otherwise."""
_POLICY = re.compile(
    r"((?:ip|ipv6) prefix-list \S+|bgp as-path access-list \S+) .*|(route-map \S+ )(?:permit|deny)( \d+)"
)
"""What makes a policy known to others: a prefix list its name, a route map each of its entries."""
_MADE = re.compile(r"neighbor (\S+) (interface )?remote-as .*")
_OF_PEER = re.compile(r"(?:no )?neighbor (\S+) .*")


def delta(old: Lines, new: Lines) -> str:
    """The lines to give to vtysh; "" if nothing differs. A policy goes last, when nothing refers to it any more."""
    kept = {found.groups() for line in new if (found := _POLICY.fullmatch(line))}
    unused = [line for line in old if (found := _POLICY.fullmatch(line)) and found.groups() not in kept]
    rest = {line: below for line, below in old.items() if line not in unused}
    lines = [*_gone(rest, new, 0, frozenset()), *_come(old, new, 0), *(_negated(line) for line in reversed(unused))]
    return "".join(f"{line}\n" for line in lines)


def _gone(old: Lines, new: Lines, depth: int, dropped: frozenset[str]) -> Iterator[str]:
    """Removals, in the order opposite to that in which the lines came. ``dropped``: neighbours that go altogether."""
    pad, keys = " " * depth, {_key(line) for line in new}
    dropped = dropped | (_made(old) - _made(new))
    for line, below in reversed(old.items()):
        peer, made = _OF_PEER.fullmatch(line), _MADE.fullmatch(line)
        if line in new:
            inner = list(_gone(below, new[line], depth + 1, dropped))
            yield from [pad + line, *inner, pad + end_of(line)] if inner else []
        elif is_vrf(line):  # FRR has it as long as the kernel does: what stands in it goes
            yield from [pad + line, *_gone(below, {}, depth + 1, dropped), pad + end_of(line)]
        elif made is not None and made[1] in dropped:
            yield f"{pad}no neighbor {made[1]}{' interface' if made[2] else ''}"
        elif (peer is None or peer[1] not in dropped) and (opens_block(line) or _key(line) not in keys):
            yield pad + _negated(line)  # else it goes with its neighbour, or its new value replaces it


def _come(old: Lines, new: Lines, depth: int) -> Iterator[str]:
    pad = " " * depth
    for line, below in new.items():
        if line not in old:
            yield from written({line: below}, depth)
        elif below and (inner := list(_come(old[line], below, depth + 1))):
            yield pad + line
            yield from inner
            yield pad + end_of(line)


def _made(lines: Lines) -> frozenset[str]:
    """The neighbours that exist, with how they are made: one by an interface is no other by an address."""
    return frozenset(found[1] for line in lines if (found := _MADE.fullmatch(line)))


def _key(line: str) -> tuple[str, ...]:
    for pattern in _VALUED:
        if found := pattern.fullmatch(line):
            return found.groups()
    return (line,)


def _negated(line: str) -> str:
    if short := _SHORT_WITH_NO.fullmatch(line):
        return f"no {short[1]}"
    return line.removeprefix("no ") if line.startswith("no ") else f"no {line}"
