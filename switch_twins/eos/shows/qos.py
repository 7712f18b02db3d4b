"""show priority-flow-control, qos maps, qos interfaces, qos profile: from the running configuration only.

Counters are those of traffic that is played (traffic/), else 0. Shapes: the tables of ``show priority-flow-control``
and of ``show qos interfaces X ecn`` are those of "Arista_EOS_RoCEv2_Lossless_Config" (EOS 4.36); ``show qos maps``,
``show qos interfaces X trust`` and the lines above the PFC table follow um-eos, Quality of Service, as remembered:
text only, their JSON form is not known and is refused. Counters: JSON keys that anta 1.10.0 reads, and those of
tests/recorded/eos_show/counters.txt.
"""

from __future__ import annotations

import re
from typing import Any

from ...engine import Node
from ..extract import is_routed
from ..flags import is_on
from ..grammar import default_class
from ..view import View


def _ports(view: View, params: dict[str, str]) -> list[Node]:
    ports = [node for node in view.interfaces() if node.params["name"].startswith("Ethernet")]
    wanted = re.sub(r"(?i)^(ethernet|et)\s*", "Ethernet", (params.get("name") or "").strip())
    return [node for node in ports if wanted in ("", node.params["name"])]


# -- PFC -----------------------------------------------------------------------------------------------------------


def pfc_priorities(view: View, port: Node) -> list[str]:
    """The no-drop priorities of a port on which PFC is on; the interface's lines win over its profile's."""
    if view.tree.first("priority-flow-control all off") is not None or not view.qos_lines(
        port, "priority-flow-control on"
    ):
        return []
    if port.first("no priority-flow-control") is not None:
        return []
    lines = view.qos_lines(port, "priority-flow-control priority")
    return [line.params["priority"] for line in lines if line.words.endswith(" no-drop")]


def is_watched(port: Node) -> bool:
    """Does the watchdog watch a port? Yes unless it has ``no priority-flow-control pause watchdog``."""
    return is_on(port, "priority-flow-control pause watchdog", True)


def pfc_text(view: View, params: dict[str, str]) -> str:
    """``show priority-flow-control [interfaces NAME] [status]``."""
    root = view.tree.root
    default = "priority-flow-control pause watchdog default"
    action = root.first("priority-flow-control pause watchdog action")
    polling = root.value(f"{default} polling-interval", "seconds")
    lines = [
        f"The PFC watchdog timeout is {root.value(f'{default} timeout', 'seconds') or '1.0'} second(s)",
        f"The PFC watchdog recovery-time is {root.value(f'{default} recovery-time', 'seconds') or '1.0'} second(s)",
        f"The PFC watchdog polling-interval is {polling or '0.1'} second(s)",
        f"The PFC watchdog action is {action.words.split()[-1] if action else 'errdisable'}",
        f"Global PFC : {'Disabled' if root.first('priority-flow-control all off') else 'Enabled'}",
        "",
        "Port           Enabled  Priorities  Active  Note",
        "-------------  -------  ----------  ------  -------------",
    ]
    for port in _ports(view, params):
        priorities = pfc_priorities(view, port)
        enabled, active = (
            "Yes" if flag else "No" for flag in (view.qos_lines(port, "priority-flow-control on"), priorities)
        )
        note = "DCBX disabled" if priorities else ""
        lines.append(
            f"{port.params['name']:<13}  {enabled:<7}  {' '.join(priorities):<10}  {active:<6}  {note}".rstrip()
        )
    return "\n".join(lines) + "\n"


def pfc_counters_json(view: View, params: dict[str, str]) -> dict[str, Any]:
    """``show priority-flow-control [interfaces NAME] counters``."""
    names = [port.params["name"] for port in _ports(view, params)]
    ways = {"rxFrames": "rxPfc", "txFrames": "txPfc"}
    return {"interfaceCounters": {n: {key: view.counter(what, n) for key, what in ways.items()} for n in names}}


def pfc_counters_text(view: View, params: dict[str, str]) -> str:
    """The same as text."""
    lines = [f"{'Port':<15} {'RxPfc':>9} {'TxPfc':>9}"]
    for port in _ports(view, params):
        name = port.params["name"]
        lines.append(f"{name:<15} {view.counter('rxPfc', name):>9} {view.counter('txPfc', name):>9}")
    return "\n".join(lines) + "\n"


def pfc_details_json(view: View, params: dict[str, str]) -> dict[str, Any]:
    """``show priority-flow-control [interfaces NAME] counters detail``: by priority."""
    ways = {"rxFrames": "rxPfc", "txFrames": "txPfc"}
    found = {}
    for name in (port.params["name"] for port in _ports(view, params)):
        rows = {str(n): {key: view.counter(f"{what}.{n}", name) for key, what in ways.items()} for n in range(8)}
        found[name] = {"priorities": rows}
    return {"interfaces": found}


def watchdog_counters_json(view: View, params: dict[str, str]) -> dict[str, Any]:
    """The same as ``watchdog_counters_text``: a port is left out until its first event."""
    found = {}
    for name in (port.params["name"] for port in _ports(view, params)):
        rows = {
            str(n): {"stuckCount": stuck, "recoveryCount": view.counter(f"recovered.{n}", name)}
            for n in range(8)
            if (stuck := view.counter(f"stuck.{n}", name))
        }
        if rows:
            found[name] = {"txQueues": rows}
    return {"interfaces": found}


def watchdog_counters_text(view: View, params: dict[str, str]) -> str:
    """``show priority-flow-control counters watchdog``: the watched queues."""
    lines = ["Port            TxQ  Total times  Total times", "                     stuck        recovered"]
    for port in _ports(view, params):
        if is_watched(port):
            name = port.params["name"]
            for queue in pfc_priorities(view, port):
                stuck, recovered = (view.counter(f"{what}.{queue}", name) for what in ("stuck", "recovered"))
                lines.append(f"{name:<15} UC{queue:<2} {stuck:>11} {recovered:>12}")
    return "\n".join(lines) + "\n"


# -- maps ----------------------------------------------------------------------------------------------------------


def dscp_classes(view: View) -> list[int]:
    """The traffic class of each of the 64 code points."""
    classes = [default_class(dscp) for dscp in range(64)]
    for line in view.tree.find("qos map dscp"):
        found = re.search(r"to traffic-class (\d)", line.words)
        for value in line.params["values"].split() if found else ():
            classes[int(value)] = int(found[1]) if found else 0
    return classes


def class_queues(view: View) -> list[int]:
    """The transmit queue of each traffic class."""
    queues = list(range(8))
    for line in view.tree.find("qos map traffic-class"):
        found = re.search(r"to tx-queue (\d)", line.words)
        for value in line.params["values"].split() if found else ():
            queues[int(value)] = int(found[1]) if found else 0
    return queues


def maps_text(view: View, _: dict[str, str]) -> str:
    """``show qos maps``."""
    classes = dscp_classes(view)
    rewrite = "Enabled" if view.tree.first("qos rewrite dscp") else "Disabled"
    lines = [
        "   Number of Traffic Classes supported: 8",
        "   Number of Transmit Queues supported: 8",
        "   Cos Rewrite: Disabled",
        f"   Dscp Rewrite: {rewrite}",
        "",
        "   Dscp-tc map:",
        "     d1 :  d2 0  1  2  3  4  5  6  7  8  9",
        "     --------------------------------------",
    ]
    for tens in range(7):
        values = classes[tens * 10 : tens * 10 + 10]
        lines.append(f"      {tens} :     " + "  ".join(str(value) for value in values))
    lines += [
        "",
        "   Tc-tx-queue map:",
        "     tc:        0  1  2  3  4  5  6  7",
        "     ---------------------------------",
    ]
    lines.append("     tx-queue:  " + "  ".join(str(queue) for queue in class_queues(view)))
    return "\n".join(lines) + "\n"


# -- ports ---------------------------------------------------------------------------------------------------------


def trust(view: View, port: Node) -> tuple[str, str]:
    """(operational, configured): a routed port trusts DSCP and a switched one CoS unless a line says otherwise."""
    if port.first("no qos trust") is not None:
        return "UNTRUSTED", "UNTRUSTED"
    lines = view.qos_lines(port, "qos trust")
    if lines:
        mode = lines[0].words.split()[-1].upper()
        return mode, mode
    return ("DSCP" if is_routed(port) else "COS"), "DEFAULT"


def trust_text(view: View, params: dict[str, str]) -> str:
    """``show qos interfaces [NAME] trust``."""
    lines = [f"{'Port':<18} {'Trust Mode':<26}", f"{'':<18} {'Operational':<14}{'Configured':<12}", "-" * 60]
    for port in _ports(view, params):
        operational, configured = trust(view, port)
        lines.append(f"{port.params['name']:<18} {operational:<14}{configured}")
    return "\n".join(lines) + "\n"


def _queues(view: View, port: Node) -> dict[int, list[Node]]:
    """Lines of each queue; a queue's block on the interface adds to its profile's."""
    found: dict[int, list[Node]] = {}
    for where in (port, view.qos_profile(port)):
        for kind in ("tx-queue", "uc-tx-queue"):
            for queue in where.find(kind) if where is not None else ():
                found.setdefault(int(queue.params["queue"]), []).append(queue)
    return found


def queue_line(view: View, port: Node, queue: int, leading: str) -> Node | None:
    """The effective line of a port's queue that begins with these words."""
    return _line_of(_queues(view, port), queue, leading)


def _line_of(queues: dict[int, list[Node]], queue: int, leading: str) -> Node | None:
    lines = (block.first(leading) for block in queues.get(queue, ()))
    return next((line for line in lines if line is not None), None)


def ecn_text(view: View, params: dict[str, str]) -> str:
    """``show qos interfaces [NAME] ecn``: one table per port, only queues that mark."""
    lines: list[str] = []
    for port in _ports(view, params):
        rows, queues = [], _queues(view, port)
        for number in sorted(queues, reverse=True):
            line = _line_of(queues, number, "random-detect ecn minimum-threshold")
            if line is not None:
                unit = line.words.split()[4]
                rows.append(f"{number:<8}  {unit:<9}  {line.params['min']:<10}  {line.params['max']:<10}".rstrip())
        if rows or params.get("name"):
            lines += [
                f"{port.params['name']}:",
                "Tx-Queue  Threshold  ECN Min     ECN Max",
                "          Unit       Threshold   Threshold",
                "--------  ---------  ---------   ---------",
                *rows,
                "",
            ]
    return "\n".join(lines) + "\n"


def interfaces_text(view: View, params: dict[str, str]) -> str:
    """``show qos interfaces [NAME]``: trust, profile and every queue of a port."""
    lines: list[str] = []
    for port in _ports(view, params):
        profile, queues = view.qos_profile(port), _queues(view, port)
        lines += [f"{port.params['name']}:", f"   Trust Mode: {trust(view, port)[0]}"]
        lines += [f"   Service Profile: {profile.params['profile']}"] if profile is not None else []
        lines += [
            "",
            "   Tx-Queue  Bandwidth  Guaranteed  Priority  ECN",
            "   --------  ---------  ----------  --------  ---",
        ]
        for number in range(7, -1, -1):
            weight = _line_of(queues, number, "bandwidth percent")
            promised = _line_of(queues, number, "bandwidth guaranteed")
            is_shared = _line_of(queues, number, "no priority") is not None
            is_marked = _line_of(queues, number, "random-detect ecn minimum-threshold") is not None
            percents = [line.params["percent"] if line is not None else "-" for line in (weight, promised)]
            mode = "RR" if is_shared else "SP"
            lines.append(f"   {number:<8}  {percents[0]:<9}  {percents[1]:<10}  {mode:<8}  {'L' if is_marked else 'D'}")
        lines.append("")
    return "\n".join(lines) + "\n"


def profile_text(view: View, params: dict[str, str]) -> str:
    """``show qos profile [NAME]`` and ``show qos profile summary``."""
    if params.get("name", "").lower() == "summary":
        lines = []
        for profile in view.tree.find("qos profile"):
            name = profile.params["profile"]
            used = [
                port.params["name"] for port in _ports(view, {}) if port.value("service-profile", "profile") == name
            ]
            lines.append(f"Qos Profile: {name}\n   Configured on: {','.join(used)}")
        return "\n".join(lines) + "\n"
    wanted = params.get("name")
    profiles = [p for p in view.tree.find("qos profile") if wanted in (None, "", p.params["profile"])]
    return "".join(view.tree.block_text(profile) for profile in profiles)


def ecn_counters_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show qos interfaces ecn counters queue``: "-" where counting is off."""
    found = {}
    for port in _ports(view, {}):
        name, queues = port.params["name"], _queues(view, port)
        on = {queue for queue in range(8) if _line_of(queues, queue, "random-detect ecn count") is not None}
        counts = {str(queue): str(view.counter(f"ecn.{queue}", name)) if queue in on else "-" for queue in range(8)}
        found[name] = {"queueCounters": counts}
    return {"intfQueueCounters": found}
