"""NX-OS interface names: numbering of the front panel, and the natural order of names."""

import re

SPLIT_PART = r"(Ethernet\d+/\d+)/\d+"
"""``Ethernet1/3/2`` is a part of ``Ethernet1/3``."""

LAG = "port-channel"
"""What a link aggregation group is called, before its number."""

_NUMBERS = re.compile(r"\d+")
_KINDS = ("vlan", LAG, "ethernet", "mgmt", "loopback")
"""The order in which ``show running-config`` prints the kinds of interfaces (cisco.nxos 12.3.0 fixtures)."""


def port_name(number: int, leg: int = 0, ways: int = 1, lanes: int | None = None) -> str:
    """Front-panel port ``number`` (from 1) of a fixed switch: ``Ethernet1/3``, and ``Ethernet1/3/1`` its first part.

    ``leg`` counts from 0 here and from 1 in the name; the name does not show ``lanes``.
    """
    del lanes
    return f"Ethernet1/{number}" if ways == 1 else f"Ethernet1/{number}/{leg + 1}"


def lag_number(name: str) -> str:
    """The number by which members name their group: ``port-channel1`` -> ``1``."""
    return name.removeprefix(LAG)


def sort_key(name: str) -> tuple[int, ...]:
    """Natural order: first by kind as the switch prints them, then by the numbers in the name."""
    lowered = name.lower()
    kind = next((place for place, word in enumerate(_KINDS) if lowered.startswith(word)), len(_KINDS))
    return (kind, *(int(number) for number in _NUMBERS.findall(name)))
