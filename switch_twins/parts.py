"""Power supplies and fan trays of the lab's switches: which work.

All models of the catalogue are fixed switches with two supplies of which one is enough, and fan trays of which the
number is the lab's (M).
"""

from __future__ import annotations

from .errors import Problem, TwinError

SUPPLIES, FANS = 2, 4
PARTS = (*(f"supply-{n}" for n in range(1, SUPPLIES + 1)), *(f"fan-{n}" for n in range(1, FANS + 1)))


class Parts:
    """What is broken, by switch."""

    def __init__(self) -> None:
        self._broken: set[tuple[str, str]] = set()
        self._pulled: set[tuple[str, str]] = set()

    def fail(self, device: str, part: str, *, is_pulled: bool = False) -> None:
        """Let a part fail, or pull it out. Raises TwinError for one that no switch has."""
        self._broken.add((device, _known(part)))
        if is_pulled:
            self._pulled.add((device, part))

    def repair(self, device: str, part: str) -> None:
        """Put a good one in its place."""
        self._broken.discard((device, _known(part)))
        self._pulled.discard((device, part))

    def is_there(self, device: str, part: str) -> bool:
        """Is there a part in its place, whether it works or not?"""
        return (device, part) not in self._pulled

    def works(self, device: str, part: str) -> bool:
        """Does this part of a switch work?"""
        return (device, part) not in self._broken


def _known(part: str) -> str:
    if part not in PARTS:
        raise TwinError(Problem("part", f"there is no part {part!r}: there are {', '.join(PARTS)}"))
    return part
