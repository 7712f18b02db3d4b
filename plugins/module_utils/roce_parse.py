"""Parsers for the output of a host's RoCE tools. Pure, standard library only, Python 3.9.

Each takes the text and returns plain values; unknown text raises ValueError, KeyError or TypeError, and a contradiction
within it raises Unreadable. Formats: tests/recorded (dcb of iproute2 6.1 with -j, mlnx_qos 1.2, ethtool 6.1,
ibv_devinfo 44, mlx5's traffic_class file).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

PRIORITIES = 8
CODE_POINTS = 64
ABSENT, UNREADABLE, CONFLICT = "absent", "unreadable", "conflict"
NOT_QUERIED = "not queried"
"""Source of what only the firmware shows, for a reader that leaves the firmware alone."""


class Unreadable(Exception):  # noqa: N818 - an outcome, not a fault
    """A knob that could not be read; ``source`` is ABSENT, UNREADABLE, CONFLICT or NOT_QUERIED (see roce_state).

    ``package``: the role rdma_stack installs it, and with it the knob can be read.
    """

    def __init__(self, reason: str, source: str = UNREADABLE, package: str = "") -> None:
        super().__init__(reason)
        self.source, self.package = source, package


@dataclass(frozen=True)
class Reading:
    """One knob: its value, or None with the reason; ``shown_by``: the command or file that shows it.

    ``package``: the role rdma_stack installs it, and with it the knob can be read.
    """

    value: Any
    source: str
    reason: str = ""
    shown_by: str = ""
    package: str = ""


def parse_dcb_app(text: str) -> list[tuple[int, int]]:
    """The DSCP entries as (code point, priority), in the order shown; other selectors are left out."""
    return [(int(dscp), int(priority)) for dscp, priority in json.loads(text).get("dscp_prio", [])]


def dscp_map(pairs: Sequence[tuple[int, int]]) -> list[int | None]:
    """The priority of each of 64 code points, None without entry. Raises Unreadable if one has two."""
    found: list[int | None] = [None] * CODE_POINTS
    for dscp, priority in pairs:
        if found[dscp] not in (None, priority):
            raise Unreadable(f"code point {dscp} has two priorities: {found[dscp]} and {priority}", CONFLICT)
        found[dscp] = priority
    return found


def parse_dcb_pfc(text: str) -> dict[str, Any]:
    """PFC by priority, and the delay as metres of cable."""
    answer = json.loads(text)
    return {"pfc": _eight(answer["prio_pfc"]), "cable_m": int(answer["delay"])}


def parse_dcb_ets(text: str) -> dict[str, Any]:
    """Transmission selection; the share of a class that is not ets has no meaning and is 0 here (mlx5 reports 100)."""
    answer = json.loads(text)
    tsa, shares = _eight(answer["tc_tsa"]), _eight(answer["tc_bw"])
    return {
        "prio_tc": _eight(answer["prio_tc"]),
        "tc_tsa": tsa,
        "tc_bw": [shares[tc] if tsa[tc] == "ets" else 0 for tc in range(PRIORITIES)],
    }


def parse_dcb_buffer(text: str) -> dict[str, Any]:
    """Receive buffers in bytes, and the buffer of each priority."""
    answer = json.loads(text)
    return {
        "buffer_bytes": _eight(answer["buffer_size"]),
        "priority_buffer": _eight(answer["prio_buffer"]),
        "total_bytes": int(answer["total_size"]),
    }


def parse_dcb_dcbx(text: str) -> str:
    """``os`` if the host controls the exchange, else ``firmware``."""
    return "os" if json.loads(text).get("host", False) else "firmware"


def _eight(values: Sequence[Any]) -> list[Any]:
    if len(values) != PRIORITIES:
        raise ValueError(f"{len(values)} values instead of {PRIORITIES}")
    return list(values)


# -- what mlnx_qos prints -------------------------------------------------------------------------------------------

_MLNX_LINES = {
    "dcbx": re.compile(r"^DCBX mode: (\w+)", re.MULTILINE),
    "trust": re.compile(r"^Priority trust state: (pcp|dscp)$", re.MULTILINE),
    "dscp_pairs": re.compile(r"^\s*prio:(\d) dscp:([\d,]+)$", re.MULTILINE),
    "cable_m": re.compile(r"^Cable len: (\d+)$", re.MULTILINE),
    "pfc": re.compile(r"^\s+enabled((?:\s+[01]){8})\s*$", re.MULTILINE),
    "priority_buffer": re.compile(r"^\s+buffer((?:\s+\d){8})\s*$", re.MULTILINE),
    "buffer_bytes": re.compile(r"^Receive buffer size \(bytes\): (.*)$", re.MULTILINE),
    "tc": re.compile(r"^tc: (\d) ratelimit: .*tsa: (\w+)(?:, bw: (\d+)%)?((?:\n\s+priority:\s+\d)*)", re.MULTILINE),
}


def parse_mlnx_qos(text: str) -> dict[str, Any]:
    """Knob -> value for everything in the output of ``mlnx_qos -i X``, the code points as ``dscp_pairs`` for dscp_map.

    Missing values are left out: old versions show no buffers, and a traffic class without priority has no line.
    """
    lines = {name: pattern.findall(text) for name, pattern in _MLNX_LINES.items()}
    found: dict[str, Any] = {}
    if lines["dcbx"]:
        found["dcbx"] = "os" if lines["dcbx"][0] == "OS" else "firmware"
    if lines["trust"]:
        found["trust"] = lines["trust"][0]
        pairs = [(int(each), int(priority)) for priority, row in lines["dscp_pairs"] for each in row.split(",") if each]
        found["dscp_pairs"] = pairs
    if lines["cable_m"]:
        found["cable_m"] = int(lines["cable_m"][0])
    if lines["pfc"]:
        found["pfc"] = [each == "1" for each in lines["pfc"][0].split()]
    if lines["tc"]:
        found["ets"] = _mlnx_ets(lines["tc"])
    if lines["buffer_bytes"] and lines["priority_buffer"]:
        found["buffer"] = {
            **_mlnx_buffer(lines["buffer_bytes"][0]),
            "priority_buffer": [int(each) for each in lines["priority_buffer"][0].split()],
        }
    return found


def _mlnx_ets(rows: Sequence[tuple[str, str, str, str]]) -> dict[str, Any]:
    ets: dict[str, Any] = {"prio_tc": [None] * PRIORITIES, "tc_tsa": [None] * PRIORITIES, "tc_bw": [0] * PRIORITIES}
    for tc, tsa, share, priorities in rows:
        ets["tc_tsa"][int(tc)], ets["tc_bw"][int(tc)] = tsa, int(share or 0)
        for priority in re.findall(r"\d", priorities):
            ets["prio_tc"][int(priority)] = int(tc)
    return ets


def _mlnx_buffer(rest: str) -> dict[str, Any]:
    parts = [each for each in rest.strip().split(",") if each]
    total = [each.partition("=")[2] for each in parts if "=" in each]
    return {
        "buffer_bytes": _eight([int(each) for each in parts if "=" not in each]),
        "total_bytes": int(total[0]) if total else None,
    }


# -- what the others print ------------------------------------------------------------------------------------------


def parse_ethtool_pause(text: str) -> dict[str, bool]:
    """Global pause as configured (not as negotiated)."""
    answer = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    return {f"pause_{way.lower()}": {"on": True, "off": False}[answer[way].strip()] for way in ("RX", "TX")}


def parse_traffic_class(text: str) -> int | None:
    """The byte mlx5 puts into every RoCE packet of the port, None if none is set. Rules per address are skipped."""
    found = re.search(r"^Global tclass=(\d+)$", text, re.MULTILINE)
    if not found and text.strip() and "tclass=" not in text:
        raise ValueError(text)
    return int(found[1]) if found else None


def parse_active_mtu(text: str, port: int) -> int:
    """The RoCE payload in bytes of one port, from ``ibv_devinfo -d DEVICE``."""
    ports = re.split(r"^\s*port:\s*(?=\d)", text, flags=re.MULTILINE)[1:]
    return next(int(re.findall(r"active_mtu:\s*(\d+)", each)[0]) for each in ports if int(each.split()[0]) == port)


def trust_of(pairs: Sequence[tuple[int, int]]) -> str:
    """A port trusts DSCP as soon as it has a DSCP entry (Linux mlx5, en_dcbnl.c)."""
    return "dscp" if pairs else "pcp"
