"""PFC, queuing and policies, read back from the switch's own committed configuration.

Keys and columns: vendor documentation as cited in tests/corpus/nxos/NOTES.md (NX-OS 9.3 show-command reference, "Q
Show Commands"; 93180YC-EX laboratory notes, document 69641041041). Counters are zero: a twin has no packets.
"""

from __future__ import annotations

from ..engine import Node
from .reply import Body, Reply, View, short_name, table

_DEFAULT_POLICY = {"network-qos": "default-8q-nq-policy", "queuing": "default-8q-out-policy"}
_DEFAULT_QUEUES = [(f"c-out-8q-q{n}", "7") for n in (7, 6, 5, 4, 3, 2, 1)] + [("c-out-8q-q-default", "50")]


def _ethernets(view: View, name: str | None) -> list[Node]:
    return [
        n for n in view.interfaces() if n.params["name"].startswith("Ethernet") and name in (None, n.params["name"])
    ]


def _system_policy(view: View, kind: str, direction: str = "") -> Node | None:
    system = view.store.running.first("system qos")
    leading = f"service-policy type {kind} {direction}".strip()
    name = system.value(leading, "name") if system else None
    return view.store.running.first(f"policy-map type {kind} {name}") if name else None


def _paused_cos(view: View) -> list[str]:
    policy = _system_policy(view, "network-qos")
    found = [n.value("pause pfc-cos", "cos") for n in policy.find("class")] if policy else []
    return [cos for cos in found if cos]


def _mode(node: Node) -> tuple[str, str]:
    """Configured and operating PFC mode: ``auto`` finds no DCBX partner in the lab and stays off."""
    line = node.first("priority-flow-control mode")
    mode = line.words.split()[2] if line else "auto"
    return {"on": ("On", "On"), "off": ("Off", "Off"), "auto": ("Auto", "Off")}[mode]


def priority_flow_control(view: View, name: str | None = None) -> Reply:
    """Show interface [X] priority-flow-control."""
    bits = sum(1 << int(c) for c in _paused_cos(view) if c.isdigit())
    lines = [
        "RxPause: No. of pause frames received",
        "TxPause: No. of pause frames transmitted",
        "-" * 60,
        "Interface          Admin Oper (VL bmap)  VL  RxPause    TxPause",
        "-" * 60,
    ]
    rows = []
    for node in _ethernets(view, name):
        admin, oper = _mode(node)
        bitmap = f"{bits:x}" if oper == "On" and bits else "-"
        port = node.params["name"]
        lines.append(f"{port:<18} {admin:<5} {oper} ({bitmap})        -   0          0")
        rows.append(
            {"if_name_str": port, "admin": admin, "oper": oper, "vl_bmap": bitmap, "rx-stats": "0", "tx-stats": "0"}
        )
    return Reply("\n".join(lines) + "\n", table("module", [{"module": "1", **table("pfc_interface", rows)}]))


def pfc_queue(view: View, name: str | None = None) -> Reply:
    """Show queuing pfc-queue [interface X] [detail]."""
    line = view.store.running.first("priority-flow-control watch-dog-interval")
    status = "Enabled" if line is not None and line.words.endswith(" on") else "Disabled"
    lines = [f"Global watch-dog interval [{status}]", "Forced Global watch-dog [Disabled]", ""]
    rows = []
    for node in _ethernets(view, name):
        own = node.first("priority-flow-control watch-dog-interval")
        watched = "Enabled" if own is not None and own.words.endswith(" on") else "Disabled"
        port = node.params["name"]
        lines += [f"+{'-' * 52}+", f"|  Interface {port:<10} wd-status: {watched:<10}|", f"+{'-' * 52}+"]
        rows.append(
            {"if_name_str": port, "wd-status": watched, "q-shutdown": "0", "q-restored": "0", "q-pkt-dropped": "0"}
        )
    body = {"glb-wd-status": status, "glb-wd-timer": "100", "glb-auto-restore": "1000", **table("pfc_queue", rows)}
    return Reply("\n".join(lines) + "\n", body)


def _queue_number(name: str) -> str:
    return "0" if name.endswith("default") else name[-1]


def _queues(view: View) -> list[Body]:
    """One row per egress queue, highest first, of the policy that is attached."""
    policy = _system_policy(view, "queuing", "output")
    rows: list[Body] = []
    for node in policy.find("class") if policy else []:
        priority = node.first("priority")
        wred = node.first("random-detect minimum-threshold")
        rows.append(
            {
                "qosgrp": _queue_number(node.params["name"]),
                "class": node.params["name"],
                "bandwidth": node.value("bandwidth", "percent") or "-",
                "prio-level": (priority.params.get("level", "1") if priority else "-"),
                "wred": wred.words.removeprefix("random-detect ") if wred else "-",
            }
        )
    if policy is None:
        rows = [
            {"qosgrp": _queue_number(name), "class": name, "bandwidth": share, "prio-level": "-", "wred": "-"}
            for name, share in _DEFAULT_QUEUES
        ]
    return sorted(rows, key=lambda row: -int(row["qosgrp"]))


def queuing_interface(view: View, name: str | None = None) -> Reply:
    """Show queuing interface [X]."""
    queues, cos = _queues(view), _paused_cos(view)
    texts, rows = [], []
    for node in _ethernets(view, name):
        port = node.params["name"]
        lines = [
            f"Egress Queuing for {port} [System]",
            "-" * 78,
            "QoS-Group# Bandwidth% PrioLevel                Shape                   QLimit",
            "-" * 78,
        ]
        lines += [
            f"{q['qosgrp']:>7} {q['bandwidth']:>12} {q['prio-level']:>9}           -            -     -          9(D)"
            for q in queues
        ]
        lines += ["", "PFC Statistics", "-" * 60, f"TxPPP: 0, RxPPP: 0, PFC_COS: {','.join(cos) or '-'}", ""]
        texts.append("\n".join(lines))
        stats = [{"cos": c, "pfc-qosgrp": c, "tx-pause-count": "0", "rx-pause-count": "0"} for c in cos]
        rows.append({"if_name_str": port, **table("qosgrp_cfg", queues), **table("pfc_stats", stats)})
    return Reply("\n".join(texts) + "\n", table("queuing_interface", rows))


# -- policies ------------------------------------------------------------------------------------------------------


def _policy_text(policy: Node, indent: str = "") -> list[str]:
    kind = policy.words.split()[2]
    lines = [
        f"{indent}Type {kind} policy-maps" if kind != "qos" else f"{indent}Type qos policy-maps",
        f"{indent}{'=' * 40}",
        f"{indent}{policy.words}",
    ]
    for node in policy.find("class"):
        lines.append(f"{indent}  {node.words}")
        lines += [f"{indent}    {child.line}" for child in node.ordered()]
    return lines


def _policy_row(policy: Node) -> Body:
    kind = policy.words.split()[2]
    classes: list[Body] = [
        {"cmap-name": node.params["name"], "cmap-type": kind, "actions": "; ".join(c.line for c in node.ordered())}
        for node in policy.find("class")
    ]
    return {"pmap-name": policy.params["name"], "pmap-type": kind, **table("cmap", classes)}


def system_policy(view: View, kind: str) -> Reply:
    """Show policy-map system type network-qos|queuing|qos."""
    directions = {"network-qos": [""], "queuing": ["output", "input"], "qos": ["input"]}[kind]
    found = [p for p in (_system_policy(view, kind, d) for d in directions) if p is not None]
    if not found:
        name = _DEFAULT_POLICY.get(kind)
        body = table("policy_system", [{"pmap-name": name, "pmap-type": kind}]) if name else {}
        return Reply(
            f"  Type {kind} policy-maps\n  {'=' * 40}\n  policy-map type {kind} {name}\n" if name else "\n", body
        )
    lines = [line for policy in found for line in _policy_text(policy, "  ")]
    return Reply("\n".join(lines) + "\n", table("policy_system", [_policy_row(policy) for policy in found]))


def interface_policy(view: View, name: str, kind: str | None = None) -> Reply:
    """Show policy-map interface X [type qos|queuing]."""
    node = view.interface(name)
    if node is None:
        return Reply("Invalid range at '^' marker.\n", is_refused=True)
    lines = [f"Global statistics status :   enabled\n\n{short_name(name)}\n"]
    rows = []
    for use in node.find("service-policy type"):
        own_kind, direction = use.words.split()[2:4]
        policy = view.store.running.first(f"policy-map type {own_kind} {use.params['name']}")
        if policy is None or kind not in (None, own_kind):
            continue
        lines += [f"  Service-policy ({own_kind}) {direction}:   {use.params['name']}"]
        for child in policy.find("class"):
            actions = [f"      {action.line}" for action in child.ordered()]
            lines += [f"    Class-map ({own_kind}):   {child.params['name']}", *actions]
        rows.append({"direction": direction, **_policy_row(policy)})
    return Reply("\n".join(lines) + "\n", table("policy_interface", rows))
