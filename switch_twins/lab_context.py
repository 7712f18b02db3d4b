"""What the lab passes to each twin."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from .certificates import LabCertificates
from .clock import Clock
from .fabric import FabricSim


@dataclass(slots=True)
class LabContext:
    """What the lab passes to each twin. ``fabric``: what a switch sees of its neighbours; no password is printed."""

    site: str
    directory: Path
    username: str
    password: str = field(repr=False)
    clock: Clock
    certificates: LabCertificates
    fabric: FabricSim
