"""What a switch with Cumulus Linux was given of classes, queues, pauses and marks, for traffic that is played."""

from __future__ import annotations

import json
from collections.abc import Iterable

from ..traffic.rules import Marking, PortRules, QueueRules, SwitchRules
from .dialect import Dialect
from .qos import EffectiveQos
from .tree import Tree, get_or


def traffic_rules(running: Tree, dialect: Dialect, ports: Iterable[str]) -> SwitchRules:
    """Of the running configuration."""
    qos, known, found = EffectiveQos(running, dialect), {}, {}
    timing = qos.watchdog()
    stuck_s = timing["polling-interval"] / 1000 * timing["robustness"]
    for name in ports:
        settings = get_or(running, {}, "interface", name, "qos")
        key = json.dumps(settings, sort_keys=True)
        if key not in known:
            known[key] = _port(qos.of_interface(name, settings), stuck_s)
        found[name] = known[key]
    seed = get_or(running, None, "system", "forwarding", "hash-seed")
    hashing = get_or(running, {}, "system", "forwarding", "ecmp-hash")
    hashes_ports = all(dialect.is_true(hashing, True, key) for key in ("source-port", "destination-port"))
    return SwitchRules(found, f"nvue {seed}" if seed is not None else "", hashes_ports)


def _port(effective: Tree, stuck_s: float) -> PortRules:
    mapping, pfc = effective["mapping"], effective["pfc"]
    is_trusted = mapping["trust"] in ("l3", "both")
    default = int(mapping["port-default-sp"])
    classes = tuple(mapping["dscp"][str(n)]["switch-priority"] if is_trusted else default for n in range(64))
    queues = effective["egress-queue-mapping"]["switch-priority"]
    marking = effective["congestion-control"]["traffic-class"]
    rows = effective["egress-scheduler"]["traffic-class"]
    is_pausing = pfc.get("tx") == "enable" and pfc.get("rx") == "enable"
    return PortRules(
        classes=classes,
        queues_of=tuple(queues[str(n)]["traffic-class"] for n in range(8)),
        queues={n: QueueRules(_weight(rows.get(str(n), {})), _marking(marking.get(str(n), {}))) for n in range(8)},
        pauses=frozenset(map(int, pfc["switch-priority"])) if is_pausing else frozenset(),
        watched=effective["pfc-watchdog"]["state"] == "enabled",
        stuck_s=stuck_s,
        free_s=stuck_s,
    )


def _weight(row: Tree) -> float | None:
    return None if row.get("mode") == "strict" else float(row.get("bw-percent", 1))


def _marking(row: Tree) -> Marking | None:
    if row.get("ecn") != "enable":
        return None
    return Marking(float(row["min-threshold"]), float(row["max-threshold"]), float(row["probability"]) / 100)
