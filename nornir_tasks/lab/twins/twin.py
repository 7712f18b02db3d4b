"""What every twin is, whatever its operating system, and what the lab gives to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from .spec import DeviceSpec
from .state import SwitchState

if TYPE_CHECKING:
    from .certificates import LabCertificates
    from .clock import Clock
    from .fabric import FabricSim


@dataclass(slots=True)
class RequestCounter:
    """How often clients came: TCP connections accepted and requests answered (SSH channels count as requests)."""

    connections: int = 0
    requests: int = 0


@dataclass(slots=True)
class LabContext:
    """What the lab gives each twin. ``fabric`` answers what a switch sees of its neighbours; passwords never print."""

    site: str
    directory: Path
    username: str
    password: str = field(repr=False)
    clock: Clock
    certificates: LabCertificates
    fabric: FabricSim


class Twin(Protocol):
    """One simulated switch. ``twins/<os>/__init__.py`` has ``build(device, lab) -> Twin``.

    on_commit is set by FabricSim; the twin calls it after every change of its running configuration (rollbacks and
    timers included). state() must be cheap when nothing changed: keep the result until the next commit.
    """

    name: str
    device: DeviceSpec
    requests: RequestCounter
    on_commit: Callable[[], None]

    def state(self) -> SwitchState:
        """The running configuration's meaning for neighbours."""

    def running_text(self) -> str:
        """The running configuration as the OS prints it (NVUE: its YAML or JSON)."""

    async def start(self) -> None:
        """Listen; returns once connections are accepted. Raises OSError if an address is taken."""

    async def stop(self) -> None:
        """Close every listener and connection; harmless if not started."""
