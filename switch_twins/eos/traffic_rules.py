"""What an EOS switch was told of classes, queues, pauses and marks, for traffic that is played."""

from __future__ import annotations

from ..engine import Node
from ..traffic.rules import Marking, PortRules, QueueRules, SwitchRules
from .flags import is_on
from .grammar import default_class
from .shows import qos
from .view import View

_UNIT_BYTES = {"bytes": 1, "kbytes": 1000, "mbytes": 1_000_000, "segments": 208}
"""A segment (M) is a cell of the buffer."""
_UNTRUSTED_DSCP = 0


def traffic_rules(view: View) -> SwitchRules:
    """Of the running configuration."""
    classes, queues_of = tuple(qos.dscp_classes(view)), tuple(qos.class_queues(view))
    by_profile: dict[tuple[str | None, bool, str], PortRules] = {}
    ports = {}
    for port in view.interfaces():
        name = port.params["name"]
        if not name.startswith("Ethernet") or "." in name:
            continue
        trusted = qos.trust(view, port)[0]
        has_own = any(each.words.startswith(_OF_QOS) for each in port.ordered())
        key = (port.value("service-profile", "profile"), qos.is_watched(port), trusted)
        if has_own or key not in by_profile:
            rules = _port(view, port, classes if trusted == "DSCP" else _default_class(), queues_of)
            if has_own:
                ports[name] = rules
                continue
            by_profile[key] = rules
        ports[name] = by_profile[key]
    return SwitchRules(ports, _seed(view))


_OF_QOS = ("qos ", "no qos ", "priority-flow-control", "no priority-flow-control", "tx-queue", "uc-tx-queue")


def _seed(view: View) -> str:
    """A hash with a seed of its own; without one, each switch is as if it had (M)."""
    for asic in ("trident", "arad"):
        seed = view.tree.root.value(f"ip load-sharing {asic}", "seed")
        if seed:
            return f"eos {seed}"
    return ""


def _default_class() -> tuple[int, ...]:
    return (default_class(_UNTRUSTED_DSCP),) * 64


def _port(view: View, port: Node, classes: tuple[int, ...], queues_of: tuple[int, ...]) -> PortRules:
    default = "priority-flow-control pause watchdog default"
    root = view.tree.root
    return PortRules(
        classes=classes,
        queues_of=queues_of,
        queues={number: _queue(view, port, number) for number in range(8)},
        pauses=frozenset(int(each) for each in qos.pfc_priorities(view, port)),
        watched=_is_watched(view, port),
        stuck_s=float(root.value(f"{default} timeout", "seconds") or 1.0),
        free_s=float(root.value(f"{default} recovery-time", "seconds") or 1.0),
    )


def _is_watched(view: View, port: Node) -> bool:
    """The watchdog drops only where it was told of an action that does."""
    action = view.tree.root.first("priority-flow-control pause watchdog action")
    profile = view.qos_profile(port)
    by_profile = profile is None or is_on(profile, "priority-flow-control pause watchdog", True)
    return qos.is_watched(port) and by_profile and action is not None and action.words.endswith(" drop")


def _queue(view: View, port: Node, number: int) -> QueueRules:
    is_shared = qos.queue_line(view, port, number, "no priority") is not None
    weight = qos.queue_line(view, port, number, "bandwidth percent")
    line = qos.queue_line(view, port, number, "random-detect ecn minimum-threshold")
    counts = qos.queue_line(view, port, number, "random-detect ecn count") is not None
    share = float(weight.params["percent"]) if weight is not None else 1.0
    return QueueRules(share if is_shared else None, _marking(line), counts)


def _marking(line: Node | None) -> Marking | None:
    """Thresholds in time are of no use without a line's speed: such a queue marks nothing here."""
    unit = _UNIT_BYTES.get(line.words.split()[4]) if line is not None else None
    if line is None or unit is None:
        return None
    percent = float(line.params.get("probability") or 100)
    return Marking(float(line.params["min"]) * unit, float(line.params["max"]) * unit, percent / 100)
