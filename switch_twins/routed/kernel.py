"""The interfaces and filters of a lab's namespaces: read, and made what they should be."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from ..errors import TwinError
from .changes import changes
from .commands import ip, run
from .names import BRIDGE
from .ports import Port, read_ports

_TRIES = (
    "link add name tryvrf type vrf table 100",
    "link add name trybridge type bridge vlan_filtering 1",
    "link add link trybridge name tryvlan type vlan id 2 bridge_binding on",
    "link add link tryvlan name trymacvlan type macvlan mode private",
    "link add name trydummy type dummy",
    "link add name trybond type bond mode 802.3ad ad_user_port_key 1",
)
_FRAMES = "table bridge try { chain forward { type filter hook forward priority 0; policy accept; }; }\n"


def has_devices() -> bool:
    """Has the kernel all that VRFs, VLANs, bonds and pairs are made of? Tried in a namespace, which is removed."""
    name = f"gftry{os.getpid()}"
    ip(None, [f"netns add {name}"])
    try:
        ip(name, _TRIES)
        run(["ip", "netns", "exec", name, "nft", "-f", "-"], _FRAMES)
    except TwinError:
        return False
    finally:
        ip(None, [f"netns delete {name}"])
    return True


class Kernel:
    """Of one lab. ``has_devices``: it has VRFs, VLANs and bonds; else its switches have ports alone."""

    def __init__(self, *, has_devices: bool) -> None:
        self.has_devices = has_devices
        self._filters: dict[tuple[str, str], str] = {}

    def shown(self, namespace: str) -> dict[str, Port]:
        """The interfaces of a namespace, without what the bridge has of VLANs and addresses. Raises TwinError."""
        return read_ports(_json(["ip", "-n", namespace, "-details", "-json", "address", "show"]))

    def read(self, namespace: str) -> dict[str, Port]:
        """The interfaces of a namespace. Raises TwinError."""
        shown = _json(["ip", "-n", namespace, "-details", "-json", "address", "show"])
        if not self.has_devices or not any(each.get("ifname") == BRIDGE for each in shown):
            return read_ports(shown)
        vlans = _json(["bridge", "-n", namespace, "-json", "vlan", "show"])
        known = _json(["bridge", "-n", namespace, "-json", "fdb", "show", "br", BRIDGE])
        return read_ports(shown, vlans, known)

    def set(self, namespace: str, wanted: Mapping[str, Port]) -> None:
        """Make the interfaces of a namespace what they should be; what is so already is not touched."""
        found = changes(wanted, self.read(namespace))
        ip(namespace, found.ip)
        if found.bridge:
            text = "".join(f"{line}\n" for line in found.bridge)
            run(["bridge", "-n", namespace, "-batch", "-"], text)
        ip(namespace, found.up)

    def filter(self, namespace: str, what: str, lines: str, *, is_empty: bool) -> None:
        """Give nftables the lines of a table, unless it has these, or none where there are to be none."""
        before = self._filters.get((namespace, what))
        if before == lines or (before is None and is_empty):
            return
        run(["ip", "netns", "exec", namespace, "nft", "-f", "-"], lines)
        self._filters[namespace, what] = lines


def _json(command: list[str]) -> list[Mapping[str, object]]:
    found: list[Mapping[str, object]] = json.loads(run(command) or "[]")
    return found
