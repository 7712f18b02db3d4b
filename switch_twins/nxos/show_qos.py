"""PFC, its watchdog and queuing, from the switch's own committed configuration.

Tables and field names: Nexus 9000 Show Command Reference 9.3(x), "Q Show Commands" (document 60135970256);
``show interface priority-flow-control``: two published exporters (documents 69801085223, 27339720253). Counters and
their rows: tests/recorded/nxos_show/counters.txt.
"""

from __future__ import annotations

from ..counted import CLASSES, PortCounts, whole
from ..engine import Node
from .reply import Body, Reply, View, table
from .show_counters import played, queue_entries
from .show_policies import attached

_DEFAULT_SHARES = {0: "100"}


def ethernets(view: View, name: str | None) -> list[Node]:
    """Every Ethernet port, or the one of this name."""
    ports = (node for node in view.interfaces() if node.params["name"].startswith("Ethernet"))
    return [node for node in ports if name in (None, node.params["name"])]


def paused_cos(view: View) -> list[int]:
    """The priorities that the attached network-qos policy pauses."""
    policy = attached(view, "network-qos")
    found = [node.value("pause pfc-cos", "cos") for node in policy.find("class")] if policy else []
    return sorted(int(cos) for listed in found if listed for cos in listed.split(",") if cos.isdigit())


def pfc_mode(node: Node) -> tuple[str, str]:
    """Configured and operating PFC mode: ``auto`` finds no DCBX partner in the lab and stays off."""
    line = node.first("priority-flow-control mode")
    mode = line.words.split()[2] if line else "auto"
    return {"on": ("On", "On"), "off": ("Off", "Off"), "auto": ("Auto", "Off")}[mode]


def priority_flow_control(view: View, name: str | None = None) -> Reply:
    """Show interface [X] priority-flow-control."""
    bits = sum(1 << cos for cos in paused_cos(view))
    lines = ["", "=" * 60, "Port               Mode Oper(VL bmap)  RxPPP      TxPPP", "=" * 60, ""]
    rows = []
    for node in ethernets(view, name):
        admin, oper = pfc_mode(node)
        shown = f"{oper} ({bits:x})" if oper == "On" and bits else oper
        port = node.params["name"]
        counts = played(view, port)
        received, sent = (str(sum(map(whole, frames))) for frames in (counts.pfc_rx, counts.pfc_tx))
        lines.append(f"{port:<18} {admin:<4} {shown:<14} {received:<10} {sent}")
        rows.append({"if_name_str": port, "admin": admin, "oper": shown, "rx-stats": received, "tx-stats": sent})
    return Reply("\n".join(lines) + "\n", table("module", [{"module": "1", **table("pfc_interface", rows)}]))


def is_watched(place: Node) -> bool:
    """Has a port, or the switch, its watchdog on?"""
    line = place.first("priority-flow-control watch-dog-interval")
    return line is not None and line.words.endswith(" on")


def _stuck(view: View, port: str, cos: list[int]) -> list[Body]:
    """The watchdog's counters of each paused queue of a port."""
    counts = played(view, port)
    rows = []
    for number in cos:
        kinds = {
            "Shutdown": ("q-shutdown", counts.watchdog[number]),
            "Restored": ("q-restored", counts.recovered[number]),
            "Total pkts dropped": ("q-pkt-dropped", counts.dropped[number]),
        }
        entries = [{"q-stat-type": kind, key: str(whole(value))} for kind, (key, value) in kinds.items()]
        row = {"eq-qosgrp": str(number), "eq-qosgrp-state": "ACTIVE", "pfc-configured": "yes", "pfc-cos": str(number)}
        rows.append({**row, **table("qosgrp_stats_entry", entries)})
    return rows


def pfc_queue(view: View, name: str | None = None, *, is_detailed: bool = False) -> Reply:
    """Show queuing pfc-queue [interface X] [detail]: the watchdog, globally and per port; detail: its counters."""
    everywhere = "Enabled" if is_watched(view.store.running.root) else "Disabled"
    bits = sum(1 << cos for cos in paused_cos(view))
    lines = [f"Global watch-dog interval [{everywhere}]", "Forced Global watch-dog [Disabled]", ""]
    rows = []
    for node in ethernets(view, name):
        port, status = node.params["name"], "Enabled" if is_watched(node) else "Disabled"
        lines += [
            f"+{'-' * 52}+",
            f"Global watch-dog interval {everywhere}",
            f"{port} Interface PFC watchdog: [{status}]",
        ]
        row: Body = {"if_name_str": port, "wd-status": status, "vl-bmp": f"0x{bits:x}"}
        if is_detailed and status == "Enabled":
            stuck = _stuck(view, port, paused_cos(view))
            row |= table("qosgrp_stats", stuck)
            lines += [
                f"  QoS-Group {each['eq-qosgrp']} [Active] PFC [YES] PFC-COS [{each['pfc-cos']}]" for each in stuck
            ]
        rows.append(row)
    body = {
        "glb-wd-status": everywhere,
        "glb-wd-force-status": "Disabled",
        "glb-wd-timer": "100",
        "glb-wd-timer-thresh": "100",
        "glb-auto-restore": "1000",
        "glb-fixed-restore": "0",
        "glb-int-intf-multi": "2",
        **table("queuing_interface", rows),
    }
    return Reply("\n".join(lines) + "\n", body)


def _own_policy(view: View, port: Node) -> Node | None:
    """The queuing policy on the port itself, which overrides the system's."""
    name = port.value("service-policy type queuing output", "name")
    return view.store.running.first(f"policy-map type queuing {name}") if name else None


def _queues(policy: Node | None) -> list[Body]:
    """One row per egress queue of the attached policy, highest first."""
    if policy is None:
        return [{"qosgrp": str(n), "bandwidth": _DEFAULT_SHARES.get(n, "0"), "priority": "-"} for n in range(7, -1, -1)]
    rows = []
    for node in policy.find("class"):
        name = node.params["name"]
        priority = node.first("priority")
        rows.append(
            {
                "qosgrp": "0" if name.endswith("default") else name[-1],
                "bandwidth": node.value("bandwidth", "percent") or "-",
                "priority": priority.params.get("level", "1") if priority else "-",
            }
        )
    return sorted(rows, key=lambda row: -int(row["qosgrp"]))


def queuing_interface(view: View, name: str | None = None) -> Reply:
    """Show queuing interface [X]."""
    system, paused = attached(view, "queuing", "output"), paused_cos(view)
    texts, rows = [], []
    for node in ethernets(view, name):
        port, own = node.params["name"], _own_policy(view, node)
        queues, counts = _queues(own or system), played(view, port)
        sent, received = (str(sum(map(whole, frames))) for frames in (counts.pfc_tx, counts.pfc_rx))
        lines = [
            f"Egress Queuing for {port} [{'Interface' if own else 'System'}]",
            "-" * 78,
            "QoS-Group# Bandwidth% PrioLevel                Shape                   QLimit",
            "-" * 78,
        ]
        lines += [
            f"{q['qosgrp']:>7} {q['bandwidth']:>12} {q['priority']:>9}           -            -     -          9(D)"
            for q in queues
        ]
        lines += [
            "",
            "PFC Statistics",
            "-" * 60,
            f"TxPPP: {sent}, RxPPP: {received}, PFC_COS: {','.join(map(str, paused)) or '-'}",
            "",
        ]
        texts.append("\n".join(lines))
        marked = _marked(own or system)
        egress = [
            {
                "eq-qosgrp": row["qosgrp"],
                **table("qosgrp_egress_stats_entry", queue_entries(counts, int(row["qosgrp"]), marks=marked)),
            }
            for row in queues
        ]
        rows.append(
            {
                "dir": "Egress",
                "if_name_str": port,
                **table("qosgrp_cfg", queues),
                **table("qosgrp_egress_stats", egress),
            }
        )
        stats = [_pauses(counts, cos) for cos in range(CLASSES)] if pfc_mode(node)[1] == "On" else []
        ingress = {"dir": "Ingress", "if_name_str": port, "tx-ppp": sent, "rx-ppp": received}
        rows.append({**ingress, **table("pfc_stats", stats)})
    return Reply("\n".join(texts) + "\n", table("module", [table("queuing_interface", rows)]))


def _marked(policy: Node | None) -> bool:
    """Does any queue of a policy mark? Then all have the row."""
    classes = policy.find("class") if policy is not None else []
    return any(" ecn" in line.words for node in classes for line in node.find("random-detect"))


def _pauses(counts: PortCounts, cos: int) -> Body:
    return {
        "cos": str(cos),
        "pfc-qosgrp": str(cos),
        "tx-pause-state": "Inactive",
        "tx-pause-count": str(whole(counts.pfc_tx[cos])),
        "rx-pause-state": "Inactive",
        "rx-pause-count": str(whole(counts.pfc_rx[cos])),
    }
