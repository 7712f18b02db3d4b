"""The interface of every twin, whatever its operating system, and what the lab passes to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol
from weakref import WeakSet

from .spec import DeviceSpec
from .state import SwitchState

if TYPE_CHECKING:
    pass


@dataclass(slots=True)
class RequestCounter:
    """Number of client accesses: connections with requests, and requests (SSH channels count as requests).

    ``rtt_s`` is the simulated round-trip time for clients of the API.
    """

    connections: int = 0
    requests: int = 0
    rtt_s: float = 0.0
    _hanging: asyncio.Future[None] | None = field(default=None, repr=False)
    _seen: WeakSet[asyncio.BaseTransport] = field(default_factory=WeakSet, repr=False)

    async def arrived(self, transport: asyncio.BaseTransport | None) -> None:
        """Count one request over HTTPS, and delay it as over a real distance.

        One round trip, and on a new connection two more: the handshakes of TCP and TLS 1.3, which loopback hides.
        """
        self.requests += 1
        round_trips = 1
        if transport is not None and transport not in self._seen:
            self._seen.add(transport)
            self.connections += 1
            round_trips = 3
        if self.rtt_s:
            await asyncio.sleep(self.rtt_s * round_trips)
        await self.answering()

    # -- a switch that hangs ---------------------------------------------------------------------------------------

    async def answering(self) -> None:
        """Return once the switch answers; raises CancelledError if its power goes before that."""
        while self._hanging is not None:
            await asyncio.shield(self._hanging)

    def hang(self) -> None:
        """From now on no request is answered; what comes in waits."""
        if self._hanging is None:
            self._hanging = asyncio.get_running_loop().create_future()

    def go_on(self) -> None:
        """Answer again, first what waited, as the sockets of a process that was stopped keep what came in."""
        if self._hanging is not None:
            self._hanging.set_result(None)
        self._hanging = None

    def lose_power(self) -> None:
        """What waited will not be answered."""
        if self._hanging is not None:
            self._hanging.cancel()
        self._hanging = None


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

    def mac(self, interface: str) -> str:
        """The MAC address of one of its interfaces, with colons."""

    def running_text(self) -> str:
        """The running configuration as the OS prints it (NVUE: its YAML or JSON)."""

    def boot(self) -> None:
        """Begin again with what was saved, as when power is back: what only memory had is gone."""

    async def start(self) -> None:
        """Listen; returns once connections are accepted. Raises OSError if an address is taken."""

    async def stop(self) -> None:
        """Close every listener and connection; harmless if not started."""
