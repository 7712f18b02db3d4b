"""Profiles of NetworkManager that take a rail's port before ours does.

They give no name. But of the profiles that fit an interface, by MAC address or name, the one with the greatest
autoconnect-priority is activated (NetworkManager's manual, nm-settings: connection.autoconnect-priority); cloud-init
writes its own with 120 (canonical/cloud-init, cloudinit/net/network_manager.py, commit
04eacd06ee60de9dbb9e7be784be20dab7342c1a).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.name_settings import (
        ASIDE,
        NameSetting,
        Port,
        kept_for,
        layered,
        shown,
        text_of,
    )
    from ansible_collections.gpufabric.host.plugins.module_utils.name_udev import sections_of
except ImportError:  # in a test
    from name_settings import ASIDE, NameSetting, Port, kept_for, layered, shown, text_of
    from name_udev import sections_of

FOLDERS = tuple(f"{each}/NetworkManager/system-connections" for each in ("etc", "run", "usr/lib"))
NETPLANS, OURS = "netplan-", "gpufabric-"
OUR_PRIORITY = 100


def profiles(root: Path, ports: Sequence[Port]) -> Iterator[NameSetting]:
    """Every profile that fits a port by its MAC address, and is activated before ours or by chance."""
    for path in layered(root, FOLDERS, ".nmconnection"):
        if path.name.startswith((NETPLANS, OURS)):
            continue
        sections, file = sections_of(text_of(path)), shown(path, root)
        connection = sections.get("connection", {})
        port = {**sections.get("802-3-ethernet", {}), **sections.get("ethernet", {})}
        priority = connection.get("autoconnect-priority", "0")
        if connection.get("autoconnect", "true").lower() in ("false", "no", "0") or int(priority) < OUR_PRIORITY:
            continue
        mac = port.get("mac-address", "").lower()
        netdevs = tuple(each.netdev for each in ports if mac and each.mac == mac)
        if netdevs and connection.get("interface-name", netdevs[0]) in netdevs:
            key = f"ethernet.mac-address, autoconnect-priority {priority}"
            yield NameSetting("NetworkManager", file, 0, key, "", netdevs, ASIDE, kept_for(file))
