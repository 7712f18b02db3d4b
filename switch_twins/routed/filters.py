"""Packets that the kernel drops on purpose, by nftables: of a switch that hangs, and of a cable that loses some.

Words: nft(8). Chains of the family netdev see what a port receives, before it is routed or answered, and what it sends.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
from contextlib import suppress

from ..errors import Problem, TwinError
from .commands import run
from .leftovers import processes
from .names import LOOPBACK

_SILENCE = "hangs"
_OF = 10_000
"""A share is counted in hundredths of a percent."""
_FIRST = -400
"""The priority of a chain that comes before all others (raw is -300)."""


def hang(namespace: str, ports: list[str]) -> None:
    """Stop a switch as if it hung: nothing that comes in is taken, nothing goes out, its daemons stand still.

    The filter is there first: no session is closed, and no packet forwarded from then on. Raises TwinError.
    """
    devices = ", ".join(f'"{each}"' for each in ports)
    _tell(
        namespace,
        *_without("netdev", _SILENCE),
        *_without("inet", _SILENCE),
        f"table netdev {_SILENCE} {{ chain in {{ type filter hook ingress devices = {{ {devices} }} priority {_FIRST};"
        " policy drop; }; }"
        if ports
        else "",
        f"table inet {_SILENCE} {{ chain out {{ type filter hook output priority {_FIRST}; policy accept;"
        f' oifname != "{LOOPBACK}" drop; }}; }}',
    )
    _signal(namespace, signal.SIGSTOP)


def go_on(namespace: str) -> None:
    """Undo ``hang``: the daemons find that time has passed. Raises TwinError."""
    _signal(namespace, signal.SIGCONT)
    be_heard(namespace)


def be_heard(namespace: str) -> None:
    """Remove the filter of ``hang`` alone. Raises TwinError."""
    _tell(namespace, *_without("netdev", _SILENCE), *_without("inet", _SILENCE))


def lose(namespace: str, port: str, percent: float) -> None:
    """Drop this share of what a port receives and sends, each packet by chance; 0: none. Raises TwinError."""
    table = f"loss_{re.sub(r'[^A-Za-z0-9]', '_', port)}"
    share = round(percent * _OF / 100)
    rule = f"numgen random mod {_OF} < {share} drop" if share < _OF else "drop"
    chains = (
        f'chain {hook} {{ type filter hook {hook} device "{port}" priority 0; policy accept; {rule}; }};'
        for hook in ("ingress", "egress")
    )
    made = [f"table netdev {table} {{ {' '.join(chains)} }}"] if percent else []
    _tell(namespace, *_without("netdev", table), *made)


def _without(family: str, table: str) -> tuple[str, str]:
    """Lines that remove a table, also where there is none."""
    return f"add table {family} {table}", f"delete table {family} {table}"


def _tell(namespace: str, *lines: str) -> None:
    if shutil.which("nft") is None:
        what = "this fault needs nftables, which this machine has not: sudo apt-get install -y nftables"
        raise TwinError(Problem("nft", what))
    run(["ip", "netns", "exec", namespace, "nft", "-f", "-"], "".join(f"{line}\n" for line in lines if line))


def _signal(namespace: str, number: signal.Signals) -> None:
    for pid in processes([namespace]):
        with suppress(ProcessLookupError):
            os.kill(pid, number)
