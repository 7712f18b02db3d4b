"""What an EOS switch is beside its configuration: since when it runs and why it started, its clock, ZTP's flag."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

USER, POWER_LOSS = "Reload requested by the user.", "The system rebooted due to a Power Loss"
"""Causes of a start. The first stands in ANTA's tests (tests/recorded/eos_show/management.txt), the second is from
memory."""

MULTI_AGENT = "multi-agent"


@dataclass(slots=True)
class Machine:
    """One switch. A lab's switch has not been restarted: there is no cause to show.

    booted_s       the lab clock's time of its start
    reload_cause   why it started, "" for the lab's own start; reloaded_at: when, in seconds since 1970
    routing_model  the routing agents that it started with; another one in the configuration waits for a reload
    clock_ahead_s  how far its clock is from the true time
    ztp_disabled   ``zerotouch disable`` was typed, as day 0 leaves every switch
    """

    booted_s: float
    routing_model: str = MULTI_AGENT
    reload_cause: str = ""
    reloaded_at: float = 0.0
    clock_ahead_s: float = 0.0
    ztp_disabled: bool = True
    reload: Callable[[], None] = field(default=lambda: None, repr=False)
    certificate: Callable[[str], bytes | None] = field(default=lambda _: None, repr=False)
    """A certificate of ``certificate:`` by its name without an ending."""

    def booted(self, now_s: float, cause: str, routing_model: str) -> None:
        """It has just started."""
        self.booted_s, self.reload_cause, self.routing_model = now_s, cause, routing_model
        self.reloaded_at = self.utc_s()

    def utc_s(self) -> float:
        """Its own clock, in seconds since 1970."""
        return time.time() + self.clock_ahead_s
