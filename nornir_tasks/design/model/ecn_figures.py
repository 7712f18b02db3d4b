"""``ecn: auto``: the published start values of an ASIC, of one speed of ports each or of all.

Nothing is calculated. A port of a speed that no source speaks of has the values of the next slower one, or of the
slowest, so that it marks early rather than late; the design says so by name. No source has values by length of cable.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from nornir_tasks.design.config.qos import Ecn


@dataclass(frozen=True, slots=True)
class EcnFigure:
    """One published start value."""

    ecn: Ecn
    source: str
    gbps: int | None = None
    """Speed of the ports that the source speaks of; None: it says the same for all."""

    def is_for(self, gbps: int | None) -> bool:
        """Does the source speak of ports of this speed?"""
        return self.gbps is None or self.gbps == gbps


def nearest(figures: Iterable[EcnFigure], gbps: int | None) -> EcnFigure | None:
    """What ports of this speed mark by. The first figure is for those whose speed is not known."""
    there = tuple(figures)
    if not there or gbps is None:
        return there[0] if there else None
    by_speed = sorted(there, key=lambda each: each.gbps or 0)
    slower = [each for each in by_speed if each.gbps is None or each.gbps <= gbps]
    return slower[-1] if slower else by_speed[0]
