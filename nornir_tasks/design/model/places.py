"""Where devices stand: racks and rack units."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A rack and the lowest unit of a device in it."""

    rack: str
    unit: int
