"""Link aggregation groups (LAG, IEEE 802.1AX) in the common model: a group's settings, and a port's membership."""

from dataclasses import dataclass
from typing import Literal

LacpRate = Literal["fast", "slow"]
"""How often a partner should send its LACPDUs: every second (short timeout), or every 30 s (long timeout)."""


@dataclass(frozen=True, slots=True)
class Lag:
    """What makes an interface a group. Members negotiate by LACP, both ends active; static groups are not offered."""

    lacp_rate: LacpRate | None
    """None where the lines of the members say it (``LagMember.lacp_rate``)."""
    individual: bool = False
    """A member whose far end sends no LACPDUs works as a port by itself, with the group's VLANs, so that a host boots
    over it by PXE (EOS: fallback individual, NX-OS: no suspend-individual, NVUE: LACP bypass)."""
    individual_after_s: int | None = None
    """How long a member waits for LACPDUs before that; None where the OS has no such time, or ``individual`` is off."""
    min_links: int | None = None
    """The group is up with as many active members or more; None: with any, as no line says a number."""
    pair_id: int | None = None
    """The group's number on both switches of a pair (MLAG or vPC id); None: all its members are on this switch."""


@dataclass(frozen=True, slots=True)
class LagMember:
    """What makes a port a member of a group."""

    group: str
    """Name of the group's interface, as the OS prints it: ``Port-Channel1``, ``port-channel1``, ``bond1``."""
    lacp_rate: LacpRate | None
    """None where the group's line says it (``Lag.lacp_rate``)."""
