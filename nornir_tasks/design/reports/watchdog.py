"""The PFC watchdog for ``nornir design --explain``: the times of each kind of switch, and the order in which they fire.

A queue that stays paused is freed by the switch whose watchdog fires first. Systems that take times are given the same
(``WATCHDOG_DETECT_MS``); of the others the order is said.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from nornir_tasks.design.realise.configuration import Realised


class Firing(NamedTuple):
    """Switches that drop what a paused queue holds at the same moment."""

    detect_ms: int
    kinds: tuple[str, ...]


def firing_order(switches: Mapping[str, Realised]) -> tuple[Firing, ...]:
    """The order in which kinds of switches fire, of queues that stand still at the same moment."""
    found: dict[int, list[str]] = {}
    for kind, each in switches.items():
        if each.config.qos is not None and each.config.qos.watchdog is not None:
            found.setdefault(each.config.qos.watchdog.detect_ms, []).append(kind)
    return tuple(Firing(detect_ms, tuple(found[detect_ms])) for detect_ms in sorted(found))


class WatchdogFigure(NamedTuple):
    """One figure for ``nornir design --explain``; ``inputs``: what it comes from."""

    name: str
    value: str
    rule: str
    inputs: Mapping[str, int]


def watchdog_figures(switches: Mapping[str, Realised]) -> Iterator[WatchdogFigure]:
    """The times of each kind of switch, and where they are not all alike, who fires first."""
    for kind, each in switches.items():
        own = each.config.qos.watchdog if each.config.qos is not None else None
        if own is not None:
            value = f"drops after {own.detect_ms} ms, back after {own.restore_ms} ms"
            rule = each.capabilities.watchdog_gap or "set: alike on all systems that take times"
            yield WatchdogFigure(f"watchdog, {kind}", value, rule, {"poll_ms": own.poll_ms})
    order = firing_order(switches)
    if order:
        value = ", then ".join(f"{' and '.join(each.kinds)} after {each.detect_ms} ms" for each in order)
        rule = "of queues that stand still at the same moment; " + (
            "both ends of every cable count to the same" if len(order) == 1 else "the shorter time drops first"
        )
        yield WatchdogFigure("watchdog, order of firing", value, f"{rule}; {NIC_GAP}", {"different_times": len(order)})


NIC_GAP = (
    "a NIC that is stuck has a guard of its own, which is left alone: ethtool's pfc-prevention-tout, in mlx5 80 to "
    "8000 ms, 100 ms by 'auto' (Linux, drivers/net/ethernet/mellanox/mlx5/core/en_ethtool.c)"
)
