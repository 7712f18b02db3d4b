"""Front-panel ports of the known EOS models: a port is named after its cage and the first of its lanes."""

import re

LOOPBACK = "Loopback0"
LAG = "Port-Channel"
"""What a link aggregation group is called, before its number."""
INDIVIDUAL_AFTER_S = 90
"""How long a member waits for LACPDUs unless a line says it. Source: pyavd 6.4.0 schema, lacp_fallback_timeout."""

_CAGES = 64
"""7060DX5-64S and 7060X6-64PE: 64 cages of eight lanes, then two SFP+ of one (netbox devicetype-library). It decides
where the lanes are not given."""


def port_name(number: int, leg: int = 0, ways: int = 1, lanes: int | None = None) -> str:
    """Leg ``leg`` (from 0) of cage ``number`` split into ``ways``, with ``lanes`` lanes each; (n) is the whole port.

    Cage 1 as a whole is ``Ethernet1/1``, its second half of four lanes ``Ethernet1/5``. A cage of one lane has none to
    name: ``Ethernet65`` of a 7060DX5-64S, ``Ethernet1`` of a 7050SX3-48YC8. No model of the catalogue runs a cage of
    several lanes as one port of one lane. Sources: AMD Instinct cluster networking guide (Ethernet2/5/1 and 2/5/5,
    speed 200g-4); netbox devicetype-library, DCS-7050SX3-48YC8-F.yaml (Ethernet1-48, Ethernet49/1-56/1).
    """
    if ways > 1:
        if lanes is None:
            message = f"EOS names the legs of cage {number} after their lanes: how many lanes has each of the {ways}?"
            raise ValueError(message)
        return f"Ethernet{number}/{1 + leg * lanes}"
    has_one_lane = number > _CAGES if lanes is None else lanes == 1
    return f"Ethernet{number}" if has_one_lane else f"Ethernet{number}/1"


def lag_number(name: str) -> str:
    """The number by which members name their group: ``Port-Channel1`` -> ``1``."""
    return name.removeprefix(LAG)


def sort_key(name: str) -> tuple[int, ...]:
    """Natural order: by the numbers in the name, link aggregation groups before ports, loopbacks after them."""
    return (-1 if name.startswith(LAG) else not name.startswith("Ethernet"), *map(int, re.findall(r"\d+", name)))
