"""Packets that the kernel holds back on purpose, by netem: what a port sends waits before it leaves.

Words: tc-netem(8). A kernel may be without (CONFIG_NET_SCH_NETEM).
"""

from __future__ import annotations

from ..errors import TwinError
from .commands import ip, run
from .names import LOOPBACK

_ROOM_PACKETS = 100_000
"""netem's own limit of 1000 packets would drop those of a fast flow that wait."""


def is_there(namespace: str) -> bool:
    """Has this kernel netem? Tried in a new namespace of this name, which is gone afterwards. Raises TwinError."""
    ip(None, [f"netns add {namespace}"])
    try:
        hold(namespace, LOOPBACK, 1.0)
    except TwinError:
        return False
    finally:
        ip(None, [f"netns delete {namespace}"])
    return True


def hold(namespace: str, port: str, time_ms: float) -> None:
    """Have what a port sends wait for this time; 0: not at all. Raises TwinError."""
    tc = ["tc", "-n", namespace, "qdisc"]
    if time_ms:
        run([*tc, "replace", "dev", port, "root", "netem", "delay", f"{time_ms:g}ms", "limit", str(_ROOM_PACKETS)])
    else:
        run([*tc, "delete", "dev", port, "root"])
