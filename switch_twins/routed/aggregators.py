"""Bonds of which the kernel has chosen no aggregator, though a member is up: so they stay, without a carrier.

Seen with Linux 6.1 after a switch of a pair got its power again: the member heard its partner, and /proc/net/bonding
said "has no active aggregator" ten minutes later. A member that is taken down and up has one chosen.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .commands import ip, ip_json

_CARRIER = frozenset({"UP", "LOWER_UP"})


def members_to_wake(shown: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The members that are up of bonds without an aggregator. ``shown``: by ``ip -details -json link show``.

    A bond that has chosen one and found no partner is shown with it, so members without an answer are left alone.
    """
    links = [each for each in shown if each]
    for bond in links:
        made = bond.get("linkinfo", {})
        data = made.get("info_data", {})
        if made.get("info_kind") != "bond" or data.get("mode") != "802.3ad" or "ad_info" in data:
            continue
        own = (each for each in links if each.get("master") == bond["ifname"])
        if "UP" in bond["flags"]:
            yield from (each["ifname"] for each in own if {*each["flags"]} >= _CARRIER)


def wake(namespace: str) -> None:
    """Take such members of a namespace down and up. Raises TwinError."""
    names = [*members_to_wake(ip_json(namespace, "-details", "link", "show"))]
    if names:
        sys.stderr.write(f"{namespace}: no aggregator was chosen: {', '.join(names)} are taken down and up\n")
    ip(namespace, [f"link set {name} {state}" for state in ("down", "up") for name in names])
