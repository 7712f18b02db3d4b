"""Machines at the switches' ports: plugged in and out, heard by LLDP, and told of their carrier."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Collection
from pathlib import Path

from ..errors import TwinError
from ..spec import Cable, End
from ..wiring import LldpNeighbor
from .announced import Listener
from .cabling import Cabling
from .guest import set_carrier
from .names import kernel_name


class Machines:
    """The machines of one lab. Used inside its asyncio loop."""

    def __init__(self, cabling: Cabling) -> None:
        self._cabling = cabling
        self._listeners: dict[str, Listener] = {}
        self._carrier: dict[End, bool] = {}
        """What each NIC was last told."""

    def plug(self, cable: Cable, tap: str, monitor: Path | None) -> None:
        """Have a TAP be the port at a host's cable. Raises TwinError."""
        self._cabling.plug_machine(cable, tap, monitor)
        self._carrier.pop(cable.b, None)
        self.forget(cable.a)

    def unplug(self, cable: Cable) -> None:
        """Remove the TAP at a host's cable. Raises TwinError."""
        self.forget(cable.a)
        self._cabling.unplug_machine(cable)
        self._carrier.pop(cable.b, None)

    def follow(self, device: str, open_ports: Collection[str]) -> None:
        """A switch's ports have changed: those that are not open give a machine no carrier, and hear nothing."""
        for end, tap in self._cabling.taps.items():
            if tap.at.device != device:
                continue
            self._listen(device)
            is_open = kernel_name(tap.at.port) in open_ports
            if not is_open:
                self.forget(tap.at)
            if tap.monitor is None or self._carrier.get(end) == is_open:
                continue
            try:
                set_carrier(tap.monitor, end.port, is_there=is_open)
                self._carrier[end] = is_open
            except TwinError as error:  # it has ended, and will be plugged in again when it runs again
                sys.stderr.write(f"{end}: {error}\n")

    def heard(self, device: str) -> dict[str, LldpNeighbor | None]:
        """What machines announce at a switch's ports; None where one says nothing."""
        if device not in self._listeners:
            return {}
        listener, found = self._listeners[device], dict[str, LldpNeighbor | None]()
        listener.receive()
        for port in (tap.at.port for tap in self._cabling.taps.values() if tap.at.device == device):
            now = listener.heard(kernel_name(port))
            found[port] = LldpNeighbor(port, now.system, now.system, now.port, now.port_description) if now else None
        return found

    def forget(self, end: End) -> None:
        """No host has announced itself at a switch's port since its cable was plugged in."""
        if end.device in self._listeners:
            self._listeners[end.device].forget(kernel_name(end.port))

    def close(self) -> None:
        """Give up what keeps the switches' namespaces."""
        for listener in self._listeners.values():
            asyncio.get_running_loop().remove_reader(listener.fileno())
            listener.close()
        self._listeners.clear()

    def _listen(self, device: str) -> None:
        """Hear a switch's ports from now on; frames are taken in as they come, for the socket has little room."""
        if device not in self._listeners:
            listener = self._listeners[device] = Listener(self._cabling.namespace(device))
            asyncio.get_running_loop().add_reader(listener.fileno(), listener.receive)
