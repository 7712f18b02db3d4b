"""The cables between two places: an assembly may carry several links, a jumper carries one."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Make:
    """How cables between two kinds of port are made; one object for many cables."""

    kind: Literal["assembly", "jumper", "splitter"] = "assembly"
    """assembly: one plug or module per cage; jumper: a fibre between two connectors; splitter: a fibre from one
    connector to two places. A cage with jumpers or splitters has several cables."""
    upper_optic: str | None = None
    """Model of the twin-port optic in the upper cage; None: the cage is whole, or the kind of optic is not decided."""
    lower_optic: str | None = None
    """Likewise of the lower cage."""


ASSEMBLY = Make()


@dataclass(frozen=True, slots=True)
class Cable:
    """One assembly, jumper or splitter."""

    name: str
    medium: str | None
    length_m: int | None
    links: tuple[str, ...]
    make: Make = ASSEMBLY
