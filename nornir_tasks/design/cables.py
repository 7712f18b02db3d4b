"""What is laid between two places: an assembly may carry several links, a jumper carries one."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Make:
    """How cables between two kinds of port are made; one object for many cables."""

    kind: Literal["assembly", "jumper", "splitter"] = "assembly"
    """One plug or module for the whole of each cage; a fibre between two connectors; a fibre from one connector to two
    places. Cages whose cables are jumpers or splitters have several of them."""
    upper_optic: str | None = None
    """Model of the twin-port optic in the upper cage; None: its cage is whole, or the kind of optic is open."""
    lower_optic: str | None = None
    """The same of the lower cage."""


ASSEMBLY = Make()


@dataclass(frozen=True, slots=True)
class Cable:
    """One assembly, jumper or splitter."""

    name: str
    medium: str | None
    length_m: int | None
    links: tuple[str, ...]
    make: Make = ASSEMBLY
