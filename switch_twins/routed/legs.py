"""Frames of a pair's peer link: they leave by no group whose leg at the other switch is up, which has sent them.

As both members are played by one process, it knows the state of both legs at once; Linux tells it when one changes
(rtnetlink(7)). Words of the filter: nft(8), family bridge.
"""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace

from ..errors import Problem, TwinError
from ..groups import Member
from ..state import SwitchState
from .aggregators import wake
from .entered import inside
from .names import kernel_name
from .ports import Port

_LINKS = 1
"""RTMGRP_LINK (linux/rtnetlink.h)."""
_LONGEST_B = 1 << 16
_PAUSE_S = 0.05
"""A change of a leg comes with several others."""
_SETTLED_S = 5.0
"""So long after a change of a leg, LACP has chosen an aggregator, or never will."""
TABLE = "pair"


def is_leg_up(group: str, ports: Mapping[str, Port]) -> bool:
    """Does a bond take and send frames? With LACP, it has found a partner to send them to."""
    bond = ports.get(group)
    if bond is None or not bond.carrier:
        return False
    members = [each for each in ports.values() if each.master == group]
    has_lacp = ("mode", "802.3ad") in bond.options
    return any(each.is_bundled and each.carrier for each in members) and (bool(bond.partner) or not has_lacp)


def as_bundled(judged: Iterable[Member], group: str, ports: Mapping[str, Port]) -> tuple[Member, ...]:
    """A group's members as the kernel's bond has them; the reason is the configurations' where they have one.

    While LACP has found none, no member has a partner, whichever it should be by the configurations.
    """
    is_up = is_leg_up(group, ports)
    hears = group in ports and bool(ports[group].partner)
    found = []
    for each in judged:
        port = ports.get(kernel_name(each.port))
        is_bundled = is_up and port is not None and port.carrier and port.is_bundled
        why = "" if is_bundled else each.reason or "its partner has not taken it yet"
        partner = each.partner if hears and port is not None and port.carrier else None
        found.append(replace(each, is_bundled=is_bundled, reason=why, partner=partner))
    return tuple(found)


def sent_already(state: SwitchState, other: SwitchState, there: Mapping[str, Port]) -> list[str]:
    """A member's bonds by which frames of the peer link do not leave. ``there``: the other member's interfaces."""
    legs = {each.over_both: kernel_name(each.name) for each in other.interfaces if each.over_both}
    return [
        kernel_name(each.name)
        for each in state.interfaces
        if each.over_both in legs and is_leg_up(legs[each.over_both], there)
    ]


def rules(peer_link: str, bonds: Iterable[str]) -> str:
    """The lines for ``nft -f -``, in place of those that were there."""
    lines = [f"add table bridge {TABLE}", f"delete table bridge {TABLE}"]
    names = ", ".join(f'"{each}"' for each in bonds)
    if names:
        lines.append(
            f"table bridge {TABLE} {{ chain forward {{ type filter hook forward priority 0; policy accept;"
            f' iifname "{kernel_name(peer_link)}" oifname {{ {names} }} drop; }}; }}'
        )
    return "\n".join([*lines, ""])


class Watch:
    """Tells of the namespaces of which links have changed. Used inside an asyncio loop."""

    def __init__(self, changed: Callable[[frozenset[str]], None]) -> None:
        self._changed = changed
        self._those: set[str] = set()
        self._sockets: dict[str, socket.socket] = {}
        self._due: asyncio.TimerHandle | None = None
        self._looks: dict[str, asyncio.TimerHandle] = {}
        """Namespace -> when it is looked for bonds that do not wake by themselves."""

    def follow(self, namespaces: Iterable[str]) -> None:
        """Listen in these namespaces, and no longer in others."""
        wanted = set(namespaces)
        for name in [each for each in self._sockets if each not in wanted]:
            self._drop(name)
        for name in sorted(wanted - self._sockets.keys()):
            self._sockets[name] = _socket_in(name)
            asyncio.get_running_loop().add_reader(self._sockets[name].fileno(), self._heard, name)

    def close(self) -> None:
        """Listen no longer, so that the namespaces can go."""
        for name in [*self._sockets]:
            self._drop(name)
        if self._due is not None:
            self._due.cancel()

    def _drop(self, name: str) -> None:
        listening = self._sockets.pop(name)
        if (look := self._looks.pop(name, None)) is not None:
            look.cancel()
        asyncio.get_running_loop().remove_reader(listening.fileno())
        listening.close()

    def _heard(self, name: str) -> None:
        with suppress(OSError):  # there is no more, or there was too much: what it is now is read anyway
            while self._sockets[name].recv(_LONGEST_B):
                pass
        self._those.add(name)
        if self._due is None:
            self._due = asyncio.get_running_loop().call_later(_PAUSE_S, self._tell)

    def _tell(self) -> None:
        self._due, those = None, frozenset(self._those)
        self._those.clear()
        try:
            self._changed(those)
        except TwinError as error:
            sys.stderr.write(f"the legs of pairs cannot be followed: {error}\n")
        for name in those & self._sockets.keys():
            if (earlier := self._looks.pop(name, None)) is not None:
                earlier.cancel()
            self._looks[name] = asyncio.get_running_loop().call_later(_SETTLED_S, self._look, name)

    def _look(self, name: str) -> None:
        del self._looks[name]
        try:
            wake(name)
        except TwinError as error:
            sys.stderr.write(f"bonds without an aggregator cannot be woken: {error}\n")


def _socket_in(namespace: str) -> socket.socket:
    """A netlink socket of a namespace: a thread enters it and ends there (setns(2)). Raises TwinError."""
    found: list[socket.socket | OSError] = []

    def enter() -> None:
        try:
            with inside(namespace):
                made = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
                made.bind((0, _LINKS))
                found.append(made)
        except OSError as error:
            found.append(error)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    if isinstance(found[0], OSError):
        raise TwinError(Problem(namespace, f"its links cannot be followed: {found[0]}")) from found[0]
    found[0].setblocking(False)
    return found[0]
