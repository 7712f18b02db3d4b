"""show ntp associations, zerotouch, logging: who the switch talks to, and how it was set up.

JSON: the keys that anta 1.10.0 reads (tests/system.py, tests/configuration.py); text of ``show logging``: anta's tests
of it. In the lab every time server with an address answers, in a VRF where the switch has an address itself; the clock
follows the one that is preferred, else the first. No message is sent to a log server.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any

from ..view import View

_UNHEARD = 16
"""Stratum of a clock that is not synchronised (RFC 5905, section 7.3)."""


def ntp_associations_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show ntp associations``."""
    servers = [(node.params["server"], " prefer" in node.words, _vrf(node.params)) for node in _ntp(view)]
    answering = [name for name, _, vrf in sorted(servers, key=lambda each: not each[1]) if _answers(view, name, vrf)]
    return {
        "peers": {
            name: {
                "peerIpAddr": name,
                "condition": _condition(name, answering),
                "stratumLevel": 2 if name in answering else _UNHEARD,
            }
            for name, _, _ in servers
        }
    }


def ntp_associations_text(view: View, _: dict[str, str]) -> str:
    """``show ntp associations`` as text (tests/recorded/eos_show/ntp_associations_text.txt): of names 15 characters."""
    lines = ["     remote           refid      st t when poll reach   delay   offset  jitter", "=" * 78]
    for name, peer in ntp_associations_json(view, {})["peers"].items():
        is_heard = peer["stratumLevel"] != _UNHEARD
        mark = {"sys.peer": "*", "candidate": "+"}.get(peer["condition"], " ")
        refid, reach, when = (".LOCL.", 377, "1") if is_heard else (".INIT.", 0, "-")
        times = f"{0.0:>8.3f} {0.0:>8.3f} {0.0:>7.3f}"
        lines.append(
            f"{mark}{name[:15]:<15} {refid:<15} {peer['stratumLevel']:>2} u {when:>4} {64:>4} {reach:>4} {times}"
        )
    return "\n".join(lines) + "\n"


def _ntp(view: View) -> list[Any]:
    return [node for node in view.tree.find("ntp server") if not node.negated]


def _vrf(params: dict[str, str]) -> str:
    return params.get("vrf") or "default"


def _condition(name: str, answering: list[str]) -> str:
    if name not in answering:
        return "reject"
    return "sys.peer" if name == answering[0] else "candidate"


def _answers(view: View, name: str, vrf: str) -> bool:
    """Names are not resolved in the lab, and no server is reached from a VRF without an address."""
    try:
        ip_address(name)
    except ValueError:
        return False
    own = (each for each in view.state.interfaces if each.vrf == vrf and not each.is_loopback)
    return any(each.addresses and each.is_admin_up for each in own)


def zerotouch_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show zerotouch``: whether the switch would begin it without a startup configuration."""
    return {"mode": "disabled" if view.machine.ztp_disabled else "enabled"}


def logging_text(view: View, _: dict[str, str]) -> str:
    """``show logging``: the lines about servers."""
    lines = ["Syslog logging: enabled", "    Trap logging: level informational"]
    for host, vrf, ports, protocol in _log_hosts(view):
        lines += [f"    Logging to '{host}' port {port} in VRF {vrf} via {protocol}" for port in ports]
    return "\n".join([*lines, ""])


def _log_hosts(view: View) -> Iterator[tuple[str, str, list[str], str]]:
    for node in (*view.tree.find("logging host"), *view.tree.find("logging vrf")):
        words = node.words.split()
        if node.negated or "host" not in words:
            continue
        after = words[words.index("host") + 2 :]
        at = after.index("protocol") if "protocol" in after else len(after)
        yield node.params["host"], _vrf(node.params), after[:at] or ["514"], (after[at + 1 :] or ["udp"])[0]
