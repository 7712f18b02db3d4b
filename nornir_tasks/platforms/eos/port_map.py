"""Front-panel ports of the EOS models we know: one name per cage, without breakout."""

import re

LOOPBACK = "Loopback0"


_CAGES = 64
"""7060DX5-64S and 7060X6-64PE: 64 cages of eight lanes, then two SFP+ of one (netbox devicetype-library)."""


def port_name(number: int) -> str:
    """Front-panel port 1 is ``Ethernet1/1``: a cage of several lanes, named after its first one; 65 is ``Ethernet65``.

    Source: AMD Instinct cluster networking guide (Arista ports with lanes are Ethernet<cage>/<first lane>).
    """
    return f"Ethernet{number}/1" if number <= _CAGES else f"Ethernet{number}"


def sort_key(name: str) -> tuple[int, ...]:
    """Natural order: by the numbers in the name, loopbacks after ports."""
    return (not name.startswith("Ethernet"), *map(int, re.findall(r"\d+", name)))
