"""Front-panel ports of the EOS models we know: one name per cage, without breakout."""

import re

LOOPBACK = "Loopback0"


def port_name(number: int) -> str:
    """Front-panel port 1 is ``Ethernet1/1``: a cage of several lanes, named after its first one.

    Source: AMD Instinct cluster networking guide (Arista ports with lanes are Ethernet<cage>/<first lane>); Arista
    7060X5 and 7060X6 have QSFP-DD and OSFP cages only.
    """
    return f"Ethernet{number}/1"


def sort_key(name: str) -> tuple[int, ...]:
    """Natural order: by the numbers in the name, loopbacks after ports."""
    return (not name.startswith("Ethernet"), *map(int, re.findall(r"\d+", name)))
