"""Has a switch restarted between two of its answers? Judged by its uptime: clocks of switches may be set."""

import time

from nornir_tasks.errors import ConnectError, Problem

SLACK_S = 2.0
"""Uptimes are whole seconds, and a switch counts them by a clock of its own."""


class Uptime:
    """The last uptime that a switch has said, and when that came."""

    def __init__(self) -> None:
        self._uptime_s: float | None = None
        self._came_s = 0.0

    def note(self, uptime_s: float | None) -> None:
        """An answer has come with this uptime; None: it had none."""
        self._uptime_s, self._came_s = uptime_s, time.monotonic()

    @property
    def now_s(self) -> float | None:
        """Its uptime now, if it has not restarted; None: it never said one."""
        return None if self._uptime_s is None else self._uptime_s + time.monotonic() - self._came_s

    def require_running(self, device: str, uptime_s: float | None, sent_s: float) -> None:
        """Raises ConnectError if it has restarted since. ``sent_s``: when the question was sent, monotonic."""
        before_s, came_s = self._uptime_s, self._came_s
        self.note(uptime_s)
        if before_s is None or uptime_s is None or uptime_s >= before_s + sent_s - came_s - SLACK_S:
            return
        raise ConnectError(Problem(device, "the switch has restarted since it was read", found=f"up {uptime_s:g} s"))
