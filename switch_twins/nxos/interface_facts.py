"""What the show commands of interfaces have in common: one interface's state, speed, mode and addresses.

Words of a port that is down, and which kind of interface has which line: tests/recorded/nxos_show/interfaces.txt.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cached_property

from ..engine import Node
from ..spec import End
from ..state import InterfaceState
from .extract import access_vlan, is_admin_up, is_routed, mtu_of, primary_address, speed_gbps, vrf_of
from .ports import most_gbps
from .reply import View

_FIXED_KBPS = {"loopback": 8_000_000, "mgmt0": 1_000_000, "Vlan": 1_000_000}
_ORDER = ("mgmt", "Ethernet", "port-channel", "loopback", "Vlan")


def mac_of(view: View, name: str) -> str:
    """A stable address per interface, in Cisco's spelling."""
    digits = f"{zlib.crc32(f'{view.device.serial}/{name}'.encode()):08x}"
    return f"00ee.{digits[:4]}.{digits[4:]}"


def cisco_mac(mac: str) -> str:
    """An address with colons in Cisco's spelling."""
    digits = mac.replace(":", "")
    return f"{digits[:4]}.{digits[4:8]}.{digits[8:]}"


@dataclass(frozen=True)
class Interface:
    """One interface of a switch as it is now."""

    view: View
    node: Node

    @property
    def name(self) -> str:
        """In full."""
        return self.node.params["name"]

    @property
    def kind(self) -> str:
        """The name without its number."""
        return self.name.rstrip("0123456789/.")

    @cached_property
    def is_up(self) -> bool:
        """Is it operationally up?"""
        if self.name == "mgmt0":
            return self.is_admin_up
        return self.view.fabric.is_up(self.view.device.name, self.name)

    @cached_property
    def is_admin_up(self) -> bool:
        """Is it not shut down?"""
        return is_admin_up(self.view.store.running, self.node)

    @property
    def reason(self) -> str:
        """Why it is down, in NX-OS's words."""
        if not self.is_admin_up:
            return "Administratively down"
        if self.kind == "port-channel":
            return "No operational members"
        if self.kind == "Vlan":
            return "VLAN/BD is down"
        link = self.view.fabric.link(self.view.device.name, self.name)
        return "XCVR not inserted" if link.peer is None else "Link not connected"

    @property
    def description(self) -> str:
        """The configured one, or nothing."""
        return self.node.value("description", "text") or ""

    @property
    def mac(self) -> str:
        """Its address, in Cisco's spelling."""
        return mac_of(self.view, self.name)

    @property
    def mtu_bytes(self) -> int:
        """The configured one, or the default."""
        return mtu_of(self.view.store.running, self.node)

    @property
    def vrf(self) -> str:
        """The VRF it is in."""
        return vrf_of(self.node)

    @cached_property
    def address(self) -> tuple[str, int] | None:
        """The primary address of IPv4 and its length."""
        found = primary_address(self.node)
        return (found.partition("/")[0], int(found.partition("/")[2])) if found else None

    @cached_property
    def state(self) -> InterfaceState | None:
        """The same interface as its neighbours see it."""
        found = self.view.fabric.state(self.view.device.name).interfaces
        return next((each for each in found if each.name == self.name), None)

    # -- speed ------------------------------------------------------------------------------------------------------

    @cached_property
    def kbps(self) -> int:
        """The bandwidth: of a channel that of its bundled members, of a port its own or the hardware's."""
        fixed = _FIXED_KBPS.get(self.kind, _FIXED_KBPS.get(self.name))
        if fixed is not None:
            return fixed
        if self.kind == "port-channel":
            return sum(each.kbps for each in self.members) or 100_000
        name = self.name.partition(".")[0]
        node = self.view.interface(name) or self.node
        gbps = speed_gbps(self.view.store.running, node) or self._agreed_gbps(name)
        return (gbps or most_gbps(self.view.device.model, name)) * 1_000_000

    def _agreed_gbps(self, name: str) -> int | None:
        """What a port without a speed of its own takes from the far end."""
        far, _ = self.view.fabric.wiring.far(End(self.view.device.name, name))
        if far is None or not self.view.fabric.knows(far.device):
            return None
        speeds = (each.speed for each in self.view.fabric.state(far.device).interfaces if each.name == far.port)
        speed = next(speeds, None)
        return int(speed.removesuffix("g")) if speed is not None and speed.removesuffix("g").isdigit() else None

    @property
    def speed(self) -> str:
        """``1000 Mb/s``, ``100 Gb/s``."""
        return f"{self.kbps // 1000} Mb/s" if self.kbps < 10_000_000 else f"{self.kbps // 1_000_000} Gb/s"

    @property
    def short_speed(self) -> str:
        """``1000``, ``100G``, as tables print it; ``auto`` of what is down."""
        if not self.is_up and self.kind != "mgmt":
            return "auto"
        return f"{self.kbps // 1000}" if self.kbps < 10_000_000 else f"{self.kbps // 1_000_000}G"

    @property
    def has_speed_line(self) -> bool:
        """Is the speed configured?"""
        return speed_gbps(self.view.store.running, self.node) is not None

    # -- layer 2 ----------------------------------------------------------------------------------------------------

    @property
    def mode(self) -> str:
        """``routed``, ``trunk`` or ``access``."""
        if is_routed(self.view.store.running, self.node) or self.kind in ("mgmt", "loopback", "Vlan"):
            return "routed"
        return "trunk" if self.access_vlan is None else "access"

    @property
    def access_vlan(self) -> int | None:
        """The untagged VLAN of an access port."""
        return access_vlan(self.view.store.running, self.node)

    @property
    def vlan_word(self) -> str:
        """``routed``, ``trunk`` or the VLAN of an access port, as in tables."""
        return str(self.access_vlan) if self.mode == "access" else self.mode

    @property
    def group(self) -> str:
        """The channel it is in, or nothing."""
        return self.state.group if self.state is not None else ""

    @property
    def members(self) -> list[Interface]:
        """Of a channel, the members that are bundled."""
        found = self.view.fabric.members(self.view.device.name, self.name)
        nodes = [self.view.interface(each.port) for each in found if each.is_bundled]
        return [Interface(self.view, node) for node in nodes if node is not None]


def facts(view: View, name: str | None = None) -> list[Interface]:
    """All interfaces, or one: the management port, ports, channels, loopbacks, SVIs, each kind in order."""
    found = [Interface(view, node) for node in view.interfaces() if name in (None, node.params["name"])]
    return sorted(found, key=lambda each: next((n for n, kind in enumerate(_ORDER) if each.kind == kind), len(_ORDER)))
