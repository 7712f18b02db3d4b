"""show vpc, show vpc consistency-parameters global.

Data: suzieq's recorded ``show vpc | json native`` of a pair that is up, allenrobel/nxapi-netbox's of one whose peer
link is down (tests/recorded/nxos_show/vpc.txt, vpc_peer_link_down.txt); for consistency vpc_consistency.txt has the
shape of a row, vpc_consistency_text.txt names and types. No source shows as data: the word for a keepalive that is not
heard, the role of a member that knows no peer, the reasons of another domain and of values that differ (M).
"""

from __future__ import annotations

from ..pairs import OTHER_DOMAIN, Pairing
from ..state import InterfaceState
from .reply import Body, Reply, View, table
from .words import ranges

_NOT_PERFORMED = "CONSISTENCY_CHECK_NOT_PERFORMED"
_UNREACHABLE = "SYSERR_MCECM_PEER_UNRCH"
_OTHER_DOMAIN = "vPC domain/system id mismatch"
_UNLIKE = "vPC type-1 configuration incompatible - {} inconsistent"
"""Of the whole switch so in text (CiscoTestAutomation/genieparser, show vpc)."""
_STATES = {True: 1, False: 0}
_UP_DOWN = {1: "up", 0: "down"}
_LABELS = (
    ("vPC domain id", "vpc-domain-id"),
    ("Peer status", "vpc-peer-status"),
    ("vPC keep-alive status", "vpc-peer-keepalive-status"),
    ("Configuration consistency status", "vpc-peer-consistency"),
    ("Per-vlan consistency status", "vpc-per-vlan-peer-consistency"),
    ("Type-2 consistency status", "vpc-type-2-consistency"),
    ("vPC role", "vpc-role"),
    ("Number of vPCs configured", "num-of-vpcs"),
)


def vpc(view: View) -> Reply:
    """``show vpc``."""
    pairing = view.fabric.pair(view.device.name)
    if pairing is None:
        return Reply("vPC is not configured\n", {})
    groups = [each for each in view.fabric.state(view.device.name).interfaces if each.over_both]
    body = {**_status(pairing), "num-of-vpcs": str(len(groups)), **_settings(view), **_peer_link(view, pairing)}
    body |= table("vpc", [_row(view, each, pairing) for each in groups])
    lines = [*_LEGEND, *(f"{title:<34}: {body[key]}" for title, key in _LABELS), "", *_ports(body)]
    return Reply("\n".join(lines) + "\n", body)


_LEGEND = ("Legend:", "                (*) - local vPC is down, forwarding via vPC peer-link", "")


def _ports(body: Body) -> list[str]:
    """The peer link and the groups over both, as tables (the columns of the second: from memory)."""
    link = body["TABLE_peerlink"]["ROW_peerlink"]
    state = _UP_DOWN[link["peer-link-port-state"]]
    rule = "-" * 69
    lines = ["vPC Peer-link status", rule, "id   Port   Status Active vlans    "]
    lines += ["--   ----   ------ --------------------------------------------------"]
    lines += [f"{link['peer-link-id']:<4} {link['peerlink-ifindex']:<6} {state:<6} {link['peer-up-vlan-bitset']}", ""]
    groups = body.get("TABLE_vpc", {}).get("ROW_vpc", [])
    if groups:
        lines += ["vPC status", "-" * 76, "Id    Port          Status Consistency Reason                Active vlans"]
        lines += ["--    ------------  ------ ----------- ------                ---------------"]
    for row in groups if isinstance(groups, list) else [groups]:
        words = "success     success" if row["vpc-consistency-status"] == "SUCCESS" else "failed      -"
        state = _UP_DOWN[row["vpc-port-state"]]
        lines.append(f"{row['vpc-id']:<5} {row['vpc-ifindex']:<13} {state:<6} {words:<33} {row['up-vlan-bitset']}")
    return lines


def _status(pairing: Pairing) -> Body:
    kinds = {each.own.kind for each in pairing.differences if not each.own.number}
    is_up = pairing.is_peer_up
    return {
        "vpc-domain-id": pairing.config.domain,
        "vpc-peer-status": "peer-ok" if is_up else "peer-link-down",
        "vpc-peer-status-reason": _reason(pairing),
        "vpc-peer-keepalive-status": "peer-alive" if pairing.is_keepalive_alive else "peer-not-reachable",
        "vpc-peer-consistency": "inconsistent" if "1" in kinds else "consistent",
        "vpc-per-vlan-peer-consistency": "consistent",
        "vpc-peer-consistency-status": _outcome(pairing, failed="1" in kinds),
        "vpc-type-2-consistency": "inconsistent" if "2" in kinds else "consistent",
        "vpc-type-2-consistency-status": _outcome(pairing, failed="2" in kinds),
        "vpc-role": _role(pairing),
    }


def _reason(pairing: Pairing) -> str:
    if pairing.is_peer_up:
        return "SUCCESS"
    return _OTHER_DOMAIN if pairing.reason == OTHER_DOMAIN else _UNREACHABLE


def _outcome(pairing: Pairing, *, failed: bool) -> str:
    if pairing.reason == OTHER_DOMAIN:
        return _NOT_PERFORMED
    return "SYSERR_PEER_MISMATCH" if failed else "SUCCESS"


def _role(pairing: Pairing) -> str:
    """The configured one, then the operational one if that is another: a secondary that is alone works as primary."""
    if not pairing.role:
        return "none established"
    return "secondary-primary" if pairing.is_alone and pairing.role == "secondary" else pairing.role


def _settings(view: View) -> Body:
    node = view.store.running.first("vpc domain")
    has = {line: node is not None and node.first(line) is not None for line in ("peer-gateway", "auto-recovery")}
    delay_s = (node.value("delay restore", "seconds") if node is not None else None) or "30"
    svi_delay_s = (node.value("delay restore interface-vlan", "seconds") if node is not None else None) or "10"
    return {
        "peer-gateway": _STATES[has["peer-gateway"]],
        "vpc-graceful-consistency-check-status": "enabled",
        "vpc-auto-recovery-status": "Enabled, timer is off.(timeout = 240s)" if has["auto-recovery"] else "Disabled",
        "vpc-delay-restore-status": f"Timer is off.(timeout = {delay_s}s)",
        "vpc-delay-restore-svi-status": f"Timer is off.(timeout = {svi_delay_s}s)",
    }


def _peer_link(view: View, pairing: Pairing) -> Body:
    name = pairing.config.peer_link
    return table(
        "peerlink",
        [
            {
                "peer-link-id": 1,
                "peerlink-ifindex": _short(name),
                "peer-link-port-state": _STATES[pairing.is_peer_link_up],
                "peer-up-vlan-bitset": _up_vlans(view, name, is_up=pairing.is_peer_up),
            }
        ],
    )


def _row(view: View, group: InterfaceState, pairing: Pairing) -> Body:
    """One vPC, with the row of type 1 that both have otherwise; its words as those of the whole switch (M)."""
    is_up = view.fabric.is_up(view.device.name, group.name)
    rows = (each.own for each in pairing.differences if each.own.kind == "1")
    unlike = next((row.name for row in rows if row.number in ("", group.over_both)), "")
    return {
        "vpc-id": int(group.over_both),
        "vpc-ifindex": _short(group.name),
        "vpc-port-state": _STATES[is_up],
        "phy-port-if-removed": "disabled",
        "vpc-thru-peerlink": 0,
        "vpc-consistency": "inconsistent" if unlike else "consistent",
        "vpc-consistency-status": _UNLIKE.format(unlike) if unlike else "SUCCESS",
        "up-vlan-bitset": _up_vlans(view, group.name, is_up=is_up),
    }


def _up_vlans(view: View, name: str, *, is_up: bool) -> str:
    """The VLANs of a group that the switch has."""
    there = {int(node.params["id"]) for node in view.store.running.find("vlan") if "id" in node.params}
    state = next(each for each in view.fabric.state(view.device.name).interfaces if each.name == name)
    off = view.fabric.suspended(view.device.name, state)
    return (ranges(sorted((state.vlans & there) - off)) if is_up else "") or "-"


def _short(name: str) -> str:
    return name.replace("port-channel", "Po")


def consistency(view: View) -> Reply:
    """``show vpc consistency-parameters global``; without a peer there is nothing of it to show."""
    pairing = view.fabric.pair(view.device.name)
    peer = pairing.peer.pair if pairing is not None and pairing.peer is not None and pairing.is_peer_up else None
    theirs = {each.name: each.value for each in peer.compared if not each.number} if peer is not None else {}
    rows: list[Body] = [
        {
            "vpc-param-name": each.name,
            "vpc-param-type": each.kind,
            "vpc-param-local-val": each.value,
            "vpc-param-peer-val": theirs.get(each.name, "-"),
        }
        for each in (pairing.config.compared if pairing is not None else ())
        if not each.number
    ]
    lines = [f"{'Name':<28}{'Type':<6}{'Local Value':<23}Peer Value"]
    lines += [
        f"{row['vpc-param-name']:<28}{row['vpc-param-type']:<6}{row['vpc-param-local-val']:<23}{row['vpc-param-peer-val']}"
        for row in rows
    ]
    return Reply("\n".join(lines) + "\n", table("vpc_consistency", rows))
