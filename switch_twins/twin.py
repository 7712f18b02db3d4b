"""What every twin is, whatever its operating system, and what the lab gives to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from weakref import WeakSet

from .spec import DeviceSpec
from .state import SwitchState

if TYPE_CHECKING:
    from .certificates import LabCertificates
    from .clock import Clock
    from .fabric import FabricSim


@dataclass(slots=True)
class RequestCounter:
    """How often clients came: connections that asked something, and requests (SSH channels count as requests).

    ``rtt_s`` is the round trip that the API's clients are made to wait for.
    """

    connections: int = 0
    requests: int = 0
    rtt_s: float = 0.0
    _seen: WeakSet[asyncio.BaseTransport] = field(default_factory=WeakSet, repr=False)

    async def arrived(self, transport: asyncio.BaseTransport | None) -> None:
        """Count one request over HTTPS, and let it take as long as it would over a real distance.

        One round trip, and on a new connection two more: TCP's handshake and that of TLS 1.3, which loopback hides.
        """
        self.requests += 1
        round_trips = 1
        if transport is not None and transport not in self._seen:
            self._seen.add(transport)
            self.connections += 1
            round_trips = 3
        if self.rtt_s:
            await asyncio.sleep(self.rtt_s * round_trips)


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
    """One simulated switch. ``switch_twins/<os>/__init__.py`` has ``build(device, lab) -> Twin``.

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
