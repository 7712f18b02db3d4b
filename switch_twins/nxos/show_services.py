"""show ntp peers, ntp peer-status, logging server, boot: who the switch talks to, and how it begins.

NTP: keys of the Show Command Reference 9.3(x); the others are text: documents 63429664616 (boot), 70162180304 (log
servers). In the lab every time server with an address answers, in a VRF where the switch has an
address itself; the clock follows the one that is preferred, else the first. No message is sent to a log server.
"""

from __future__ import annotations

from ipaddress import ip_address

from ..engine import Node
from .day0 import image_file
from .reply import Reply, View, table

_SEVERITIES = ("emergencies", "alerts", "critical", "errors", "warnings", "notifications", "information", "debugging")


def ntp_peer_status(view: View) -> Reply:
    """Show ntp peer-status."""
    nodes = sorted(view.store.running.find("ntp server"), key=lambda node: " prefer" not in node.words)
    nodes += view.store.running.find("ntp peer")
    followed = next((node for node in nodes if _answers(view, node)), None)
    rows = [
        {
            "syncmode": "*" if node is followed else "=",
            "remote": node.params["host"],
            "local": "0.0.0.0",  # noqa: S104  (as printed where no source is set)
            "st": "2" if _answers(view, node) else "16",
            "poll": "64",
            "reach": "377" if _answers(view, node) else "0",
            "delay": "0.00081" if _answers(view, node) else "0.00000",
            "vrf": _vrf(node),
        }
        for node in nodes
    ]
    lines = [f"Total peers : {len(rows)}"]
    lines += [f"{row['syncmode']}{row['remote']:<35} {row['local']:<16} {row['st']:>3} {row['vrf']}" for row in rows]
    return Reply("\n".join([*lines, ""]), {"totalpeers": str(len(rows)), **table("peersstatus", rows)})


def ntp_peers(view: View) -> Reply:
    """Show ntp peers: tests/recorded/nxos_show/ntp_peers.txt."""
    found = [("Server", node) for node in view.store.running.find("ntp server")]
    found += [("Peer", node) for node in view.store.running.find("ntp peer")]
    rule = "-" * 50
    lines = [rule, "  Peer IP Address               Serv/Peer          ", rule]
    lines += [f"  {node.params['host']:<29} {kind} (configured) " for kind, node in found]
    rows = [
        {"PeerIPAddress": node.params["host"], "serv_peer": kind, "conf_flag": "(configured)"} for kind, node in found
    ]
    return Reply("\n".join([*lines, ""]), table("peers", rows))


def _vrf(node: Node) -> str:
    return node.params.get("vrf") or "default"


def _answers(view: View, node: Node) -> bool:
    """Names are not resolved in the lab, and no server is reached from a VRF without an address."""
    try:
        ip_address(node.params["host"])
    except ValueError:
        return False
    ports = (each for each in view.interfaces() if not each.params["name"].startswith("loopback"))
    return any(
        (port.value("vrf member", "vrf") or "default") == _vrf(node) and port.first("ip address") for port in ports
    )


def logging_server(view: View) -> Reply:
    """Show logging server."""
    nodes = view.store.running.find("logging server")
    lines = [f"Logging server: {'enabled' if nodes else 'disabled'}"]
    for node in nodes:
        params = node.params
        lines += [
            f"{{{params['host']}}}",
            f"server severity: {_SEVERITIES[int(params.get('level', 5))]}",
            f"server facility: {params.get('facility', 'local7')}",
            f"server VRF: {_vrf(node)}",
            f"server port: {params.get('port', 514)}",
        ]
    return Reply("\n".join([*lines, ""]))


def boot(view: View) -> Reply:
    """Show boot: ``boot poap enable`` holds for the next boot."""
    image = f"NXOS variable = {image_file(view.device)}"
    poap = "Enabled" if view.store.running.first("boot poap") is not None else "Disabled"
    now = ["Current Boot Variables:", "", "sup-1", image, "Boot POAP Disabled", ""]
    return Reply("\n".join([*now, "Boot Variables on next reload:", "", "sup-1", image, f"Boot POAP {poap}", ""]))


def user_account(view: View) -> Reply:
    """Show user-account: local accounts."""
    roles: dict[str, list[str]] = {}
    for node in view.store.running.find("username"):
        own = roles.setdefault(node.params["user"], [])
        own += [node.params["role"]] if node.params.get("role") else []
    lines: list[str] = []
    for name, own in roles.items():
        lines += [f"user:{name}", "        this user account has no expiry date", f"        roles:{' '.join(own)}"]
    return Reply("\n".join([*lines, ""]))
