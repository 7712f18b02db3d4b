"""The answer of a command, and the data available to show commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..clock import Clock
from ..engine import Node
from ..fabric import FabricSim
from ..spec import DeviceSpec
from .ports import interfaces
from .replace import ConfigReplace
from .store import ConfigStore

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """One command's answer: the console text, the same as data (None: there is no such form), refused or not."""

    text: str = ""
    body: Body | None = None
    is_refused: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """A switch as its show commands see it."""

    device: DeviceSpec
    store: ConfigStore
    replace: ConfigReplace
    fabric: FabricSim
    clock: Clock
    booted_s: float

    def interfaces(self) -> list[Node]:
        """Every interface in the order of the running configuration, mgmt0 and loopbacks included."""
        return interfaces(self.store.running)

    def interface(self, name: str) -> Node | None:
        """One interface by its full name."""
        node = self.store.running.first(f"interface {name}")
        return node if node is not None and node.params.get("name") == name else None

    @property
    def serial(self) -> str:
        """The chassis's serial number."""
        return self.fabric.seeds.word(self.device.name, "serial") or self.device.serial

    def up_s(self) -> int:
        """Seconds since the switch booted."""
        return int(self.clock.now_s() - self.booted_s)


def table(name: str, rows: list[Body], row: str | None = None) -> Body:
    """``{"TABLE_x": {"ROW_x": ...}}``: one row is an object, several are a list, none leaves the table out."""
    if not rows:
        return {}
    return {f"TABLE_{name}": {f"ROW_{row or name}": rows[0] if len(rows) == 1 else rows}}


def short_name(name: str) -> str:
    """Eth1/1, Lo0, mgmt0, Vlan10, Po5: interface names as tables print them."""
    for full, short in (("Ethernet", "Eth"), ("loopback", "Lo"), ("port-channel", "Po")):
        if name.startswith(full):
            return short + name.removeprefix(full)
    return name


def duration(seconds: float) -> str:
    """A duration as BGP tables print it: 00:01:02, 1d02h, 3w2d."""
    whole = int(seconds)
    days, rest = divmod(whole, 86400)
    if days >= 7:
        return f"{days // 7}w{days % 7}d"
    if days:
        return f"{days}d{rest // 3600:02d}h"
    return f"{rest // 3600:02d}:{rest % 3600 // 60:02d}:{rest % 60:02d}"
