"""The two ends of a kind of cable, for the choice of its optics."""

from collections.abc import Mapping
from dataclasses import dataclass

from nornir_tasks.design.model.catalogue import Mode, OpticModel
from nornir_tasks.design.model.media import CONNECTORS
from nornir_tasks.intent.core.findings import Path

Optics = Mapping[str, OpticModel]


@dataclass(frozen=True, slots=True)
class End:
    """One kind of port at one end of a kind of cable."""

    name: str
    """The model, for messages."""
    ways: int
    modes: tuple[Mode, ...]
    negotiates: bool
    """False if the switch is known not to negotiate at this speed."""
    os: str = ""
    """The OS; empty for a NIC."""
    cage: str = ""
    """Form of the cage; empty for a NIC."""
    splits: tuple[str, ...] = ()
    """Every ``<ways>x<speed>G`` of the model, whole cages included; empty for a NIC."""

    @property
    def legs(self) -> int:
        """Legs per connector of a twin-port optic in this cage; more than one with a splitter."""
        return max(1, self.ways // CONNECTORS)


@dataclass(frozen=True, slots=True)
class Kind:
    """The common properties of all cables between two tiers."""

    path: Path
    """Path of the upper tier in the intent, which sets medium and length."""
    medium: str | None
    length_m: int | None
    speed_gbps: int
    lower: Path | None = None
    """Path of the lower tier; None if that is hosts."""
    copies: Path = ()
    """Path of the number of ports of a host's NIC; empty if that is one, or if the lower tier is switches."""


@dataclass(frozen=True, slots=True)
class Ends:
    """The kinds of port that meet; each upper one meets each lower one."""

    uppers: tuple[End, ...]
    lowers: tuple[End, ...]
    """Model of the NIC; empty if the intent names none."""

    @property
    def split(self) -> tuple[End, ...]:
        """The ends that are legs of a cage, each once."""
        return tuple(dict.fromkeys(end for end in (*self.uppers, *self.lowers) if end.ways > 1))

    @property
    def split_switches(self) -> tuple[End, ...]:
        """Those of them that are switches: no source names twin-port optics for NICs, so these have only a class."""
        return tuple(end for end in self.split if end.os)

    @property
    def most_ways(self) -> int:
        """Legs of the cages that are split most; 1 if none is."""
        return max(end.ways for end in (*self.uppers, *self.lowers))

    @property
    def most_lanes(self) -> int:
        """Lanes that every end can have."""
        return min(max(mode.lanes for mode in end.modes) for end in (*self.uppers, *self.lowers))

    @property
    def are_split_twice(self) -> bool:
        """Are cages split at both ends?"""
        return any(end.ways > 1 for end in self.uppers) and any(end.ways > 1 for end in self.lowers)
