"""How deep queues may grow before their ports pause, of a pool that congested ports share by a dynamic threshold.

``alpha`` is the part of what is free in the pool that one port's priority may hold. With n of them at that limit each
has alpha x S / (1 + alpha x n) of S bytes (A. Choudhury and E. Hahne, "Dynamic Queue Length Thresholds for Shared-
Memory Packet Switches", 1998 [from memory]): the more ports are congested at once, the earlier each pauses.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

LEAST_CONGESTED = 8
"""Ports that are congested at once in the worst case, where the intent says nothing: half of a switch's lossless ports,
and no fewer than these."""


@dataclass(frozen=True, slots=True)
class Pool:
    """A shared pool of lossless classes."""

    alpha: Fraction | None
    """None: without a limit of its own, a port may hold all of it."""
    size_bytes: int
    source: str = ""

    def pauses_at(self, ports: int) -> Fraction:
        """Bytes from which each of so many congested ports pauses."""
        if self.alpha is None:
            return Fraction(self.size_bytes, ports)
        return self.alpha * self.size_bytes / (1 + self.alpha * ports)

    def first_before(self, depth_bytes: int) -> int:
        """The smallest number of congested ports that pause before their queues are so deep."""
        if depth_bytes <= 0:
            raise ValueError(depth_bytes)
        share = Fraction(self.size_bytes, depth_bytes)
        most = share if self.alpha is None else share - 1 / self.alpha if self.alpha else Fraction(0)
        return max(0, int(most // 1)) + 1

    def in_words(self, ports: int) -> str:
        """The sum."""
        if self.alpha is None:
            return f"{self.size_bytes} / {ports}"
        return f"{self.alpha} x {self.size_bytes} / (1 + {self.alpha} x {ports})"


def worst_case(lossless_ports: int, declared: int | None = None) -> int:
    """Ports that count as congested at once; ``declared``: what the intent says."""
    return max(LEAST_CONGESTED, ceil(lossless_ports / 2)) if declared is None else declared


def alpha_of(text: str) -> Fraction | None:
    """From ``1/8``, ``alpha_1_8``, ``alpha_infinity``. ValueError for anything else."""
    word = text.removeprefix("alpha_")
    return None if word == "infinity" else Fraction(word.replace("_", "/"))
