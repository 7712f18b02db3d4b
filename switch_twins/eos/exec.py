"""Exec commands that are no show: ping, reload, the clock, ZTP's flag.

``clock set`` and ``zerotouch disable`` are um-eos's (Timekeeping; Initial Switch Access); that ``zerotouch enable``
takes the second back is from memory. A client's answer to ``reload`` is lost on a switch; here it is sent.
"""

from __future__ import annotations

import calendar
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..reach import Ping, ping
from .configuration import RefusedCommand
from .view import View

_HEADERS_BYTES = 28
"""Of ``size``: IPv4 and ICMP."""


@dataclass(frozen=True, slots=True)
class Exec:
    """One command, and what it prints."""

    pattern: re.Pattern[str]
    run: Callable[[View, dict[str, str]], str]


def _ping(view: View, params: dict[str, str]) -> str:
    request = Ping(
        device=view.device.name,
        vrf=params.get("vrf", "default"),
        destination=params["to"],
        source=params.get("source", ""),
        size_bytes=int(params.get("size", 100)),
        keeps_whole="df" in params,
    )
    return _text(request, int(params.get("repeat", 5)), view)


def _text(request: Ping, repeat: int, view: View) -> str:
    found = ping(view.fabric, request)
    if found.mistake:
        return f"{found.mistake}\n"
    data = request.size_bytes - _HEADERS_BYTES
    source = f" from {found.source}" if request.source else ""
    head = f"PING {request.destination} ({request.destination}){source} : {data}({request.size_bytes}) bytes of data.\n"
    end = f"\n--- {request.destination} ping statistics ---\n{repeat} packets transmitted, "
    if not found.answers:
        errors = f"ping: local error: message too long, mtu={found.mtu_bytes}\n" * repeat if found.mtu_bytes else ""
        count = f", +{repeat} errors" if found.mtu_bytes else ""
        return f"{head}{errors}{end}0 received{count}, 100% packet loss, time 10ms\n\n"
    rows = (
        f"{data + 8} bytes from {request.destination}: icmp_seq={n} ttl=64 time=0.1 ms\n" for n in range(1, repeat + 1)
    )
    times = "rtt min/avg/max/mdev = 0.100/0.100/0.100/0.000 ms, ipg/ewma 0.370/0.100 ms"
    return f"{head}{''.join(rows)}{end}{repeat} received, 0% packet loss, time 0ms\n{times}\n\n"


def _reload(view: View, _: dict[str, str]) -> str:
    view.machine.reload()
    return ""


def _clock_set(view: View, params: dict[str, str]) -> str:
    try:
        wanted = time.strptime(f"{params['date']} {params['time']}", "%m/%d/%Y %H:%M:%S")
    except ValueError as error:
        raise RefusedCommand("Invalid input") from error
    view.machine.clock_ahead_s = calendar.timegm(wanted) - time.time()
    return ""


def _zerotouch(view: View, params: dict[str, str]) -> str:
    view.machine.ztp_disabled = params["what"].lower() == "disable"
    return ""


def _exec(pattern: str, run: Callable[[View, dict[str, str]], str]) -> Exec:
    return Exec(re.compile(pattern, re.IGNORECASE), run)


_EXECS = (
    _exec(
        r"ping(?: vrf (?P<vrf>\S+))? (?P<to>[\d.]+)(?: source (?P<source>\S+))?(?: size (?P<size>\d+))?"
        r"(?: (?P<df>df-bit))?(?: repeat (?P<repeat>\d+))?",
        _ping,
    ),
    _exec(r"reload(?: now)?", _reload),
    _exec(r"clock set (?P<time>\d\d:\d\d:\d\d) (?P<date>\d\d?/\d\d?/\d{4})", _clock_set),
    _exec(r"zerotouch (?P<what>disable|enable)", _zerotouch),
)


def run_exec(view: View, line: str, is_text: bool) -> dict[str, Any] | str | None:
    """What a command answers; None if it is none of these."""
    for each in _EXECS:
        found = each.pattern.fullmatch(line)
        if found:
            printed = each.run(view, {name: value for name, value in found.groupdict().items() if value is not None})
            return printed if is_text else {"messages": [printed]} if printed else {}
    return None
