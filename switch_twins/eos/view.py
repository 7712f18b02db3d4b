"""The input of show commands: one switch's configuration, its neighbourhood, its clock, and a few derived facts."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass

from ..clock import Clock
from ..engine import Node, Tree
from ..fabric import FabricSim
from ..spec import DeviceSpec
from ..state import SwitchState
from .configuration import Configuration
from .machine import Machine
from .played import played
from .ports import lane_numbers

_MANAGEMENT, _GROUPS = 0x400, 0x1000
"""Where the numbers begin from which MAC addresses are made; ports have the ones below."""


@dataclass(slots=True)
class View:
    """A switch as its show commands see it."""

    device: DeviceSpec
    configuration: Configuration
    fabric: FabricSim
    clock: Clock
    read_state: Callable[[], SwitchState]
    machine: Machine

    @property
    def state(self) -> SwitchState:
        """The running configuration's meaning; a configuration command of the same request may have changed it."""
        return self.read_state()

    @property
    def booted_s(self) -> float:
        """The lab clock's time of its start."""
        return self.machine.booted_s

    def seeded(self, what: str, on: str = "", default: float = 0) -> float:
        """What a test seeded (seedable.py)."""
        return self.fabric.seeds.number(self.device.name, what, on, default)

    def counter(self, what: str, on: str = "") -> int:
        """A counter: what traffic that is played and impairments make of it (played.py), and what a test seeded."""
        device = self.device.name
        return self.fabric.seeds.count(device, what, on) + played(self.fabric, device, what, on)

    def word(self, what: str, on: str = "") -> str:
        """A word that a test seeded, else ""."""
        return self.fabric.seeds.word(self.device.name, what, on)

    @property
    def tree(self) -> Tree:
        """The running configuration."""
        return self.configuration.running

    @property
    def uptime_s(self) -> float:
        """Seconds since the switch started."""
        return self.clock.now_s() - self.booted_s

    def timestamp(self, at_s: float) -> float:
        """A time of the clock as seconds since 1970."""
        return time.time() - (self.clock.now_s() - at_s)

    def mac(self, number: int = 0) -> str:
        """The switch's MAC address plus a number, with Arista's prefix 00:1c:73."""
        seed = int.from_bytes(hashlib.sha256(self.device.serial.encode()).digest()[:3], "big")
        low = (seed & 0xFFFF00) + number & 0xFFFFFF
        return f"00:1c:73:{low >> 16:02x}:{low >> 8 & 0xFF:02x}:{low & 0xFF:02x}"

    def mac_of(self, interface: str) -> str:
        """An interface's: each port and group has its own, all others have the switch's."""
        port = interface.partition(".")[0]
        if port.startswith("Port-Channel"):
            return self.mac(_GROUPS + int(port.removeprefix("Port-Channel")))
        if port.startswith("Management"):
            return self.mac(_MANAGEMENT)
        return self.mac(lane_numbers(self.device).get(port, 0))

    def dotted_mac(self, number: int = 0) -> str:
        """The same as EOS prints it in LLDP (001c.7312.3456)."""
        return dotted(self.mac(number))

    def interfaces(self) -> list[Node]:
        """Every interface of the running configuration, in EOS's order."""
        return [node for node in self.tree.find("interface") if "name" in node.params]

    def qos_profile(self, port: Node) -> Node | None:
        """The profile attached to a port."""
        name = port.value("service-profile", "profile")
        return self.tree.first(f"qos profile {name}") if name else None

    def qos_lines(self, port: Node, leading: str) -> list[Node]:
        """Lines of a port with this beginning, else those of its profile: the interface's own lines win."""
        own = port.find(leading)
        profile = self.qos_profile(port)
        return own or (profile.find(leading) if profile is not None else [])


def short_name(interface: str) -> str:
    """Et1/1 for Ethernet1/1, as EOS prints in narrow tables."""
    for long, short in (
        ("Ethernet", "Et"),
        ("Port-Channel", "Po"),
        ("Loopback", "Lo"),
        ("Management", "Ma"),
        ("Vlan", "Vl"),
    ):
        if interface.startswith(long):
            return short + interface.removeprefix(long)
    return interface


def dotted(mac: str) -> str:
    """A MAC address as EOS prints it in text and in ARP (001c.7312.3456)."""
    digits = mac.replace(":", "")
    return ".".join(digits[at : at + 4] for at in (0, 4, 8))
