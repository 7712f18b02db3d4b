"""Cumulus' port names: ``swp1`` from the front panel, ``swp1s0`` its first breakout port."""

import re

SPLIT_PART = r"(swp\d+)s\d+"
"""``swp3s1`` is a part of ``swp3``."""

LAG = "bond"
"""What a link aggregation group is called, before its number: only of such a name NVUE knows the type by itself."""

PEER_LINK = "peerlink"
"""What the group between both switches of a pair is called: of this name NVUE knows the type as well."""

_PORT = re.compile(r"swp(\d+)(?:s(\d+))?(?:\.(\d+))?")
"""Groups: number, part, and the tag of a subinterface."""


def port_name(number: int, leg: int = 0, ways: int = 1, lanes: int | None = None) -> str:
    """Front-panel port (from 1) -> ``swp3``; leg 0 of a split one -> ``swp3s0``. No name says how many ``lanes``."""
    del lanes
    return f"swp{number}" if ways == 1 else f"swp{number}s{leg}"


def sort_key(name: str) -> tuple[int, ...]:
    """Loopback first, then ports in the front panel's order, each before its subinterfaces, then groups of ports."""
    found = _PORT.fullmatch(name)
    if name.startswith(LAG) and name.removeprefix(LAG).isdecimal():
        return (2, int(name.removeprefix(LAG)))
    if found is None:
        return (0,)
    return (1, int(found[1]), int(found[2] or 0), int(found[3] or 0))
