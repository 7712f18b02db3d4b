"""Packets that the kernel holds back on purpose, by netem: what a port sends waits before it leaves.

Words: tc-netem(8). A kernel may be without (CONFIG_NET_SCH_NETEM).
"""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import Problem, TwinError
from ..spec import End
from .cabling import Cabling
from .commands import ip, run
from .names import LOOPBACK, kernel_name

_ROOM_PACKETS = 100_000
"""netem's own limit of 1000 packets would drop those of a fast flow that wait."""


class Delays:
    """Those of one lab's cables."""

    def __init__(self, cabling: Cabling) -> None:
        self._cabling = cabling
        self._has_netem: bool | None = None

    def are_possible(self) -> bool:
        """Has this kernel netem? Tried once, in a namespace that is gone afterwards. Raises TwinError."""
        if self._has_netem is None:
            namespace = self._cabling.namespace("probe")
            ip(None, [f"netns add {namespace}"])
            try:
                _hold(namespace, LOOPBACK, 1.0)
                self._has_netem = True
            except TwinError:
                self._has_netem = False
            finally:
                ip(None, [f"netns delete {namespace}"])
        return self._has_netem

    def can_hold(self, ends: Iterable[End]) -> bool:
        """Are both ends of a cable in namespaces? A machine at one sends by itself."""
        return not self._cabling.taps.keys() & {*ends}

    def hold(self, ends: Iterable[End], time_ms: float) -> None:
        """Have both ends of a cable hold back what they send; 0: not at all. Raises TwinError where one cannot."""
        both = tuple(ends)
        if not self.can_hold(both):
            what = "leads to a host that is a machine, whose packets cannot be held back"
            raise TwinError(Problem(" to ".join(map(str, both)), what))
        for end in both:
            _hold(self._cabling.namespace(end.device), kernel_name(end.port), time_ms)


def _hold(namespace: str, port: str, time_ms: float) -> None:
    queue = ["netem", "delay", f"{time_ms:g}ms", "limit", str(_ROOM_PACKETS)] if time_ms else ["noqueue"]
    run(["tc", "-n", namespace, "qdisc", "replace", "dev", port, "root", *queue])
