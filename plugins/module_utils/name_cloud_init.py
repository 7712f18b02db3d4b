"""Names that cloud-init gives: it renames interfaces by MAC address at every boot, even if it writes no files.

Its network configuration is, in this order, the kernel command line's, that of /etc/cloud/cloud.cfg and cloud.cfg.d (of
several files with ``network`` the last by name), and the data source's; ``config: disabled`` in the first that there is
ends all of it (canonical/cloud-init, cloudinit/stages.py, _find_networking_config and apply_network_config, and
cloudinit/net/__init__.py, extract_physdevs, commit 04eacd06ee60de9dbb9e7be784be20dab7342c1a).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.name_settings import (
        DISABLE,
        NameSetting,
        Port,
        shown,
        text_of,
    )
except ImportError:  # in a test
    from name_settings import DISABLE, NameSetting, Port, shown, text_of

try:
    import yaml
except ImportError:  # cloud-init's package brings it for the distribution's Python
    yaml = None

PROGRAM = "usr/bin/cloud-init"
OFF_FILES = ("etc/cloud/cloud-init.disabled", "var/lib/cloud/data/upgraded-network")
OFF_ARGUMENTS = ("cloud-init=disabled", "network-config=disabled")
ARGUMENT = "network-config="
CONFIG, CONFIG_FOLDER = "etc/cloud/cloud.cfg", "etc/cloud/cloud.cfg.d"
FROM_DATA_SOURCE = "var/lib/cloud/instance/network-config.json"
"""The data source's configuration as cloud-init applied it; releases before 24 keep it in a pickle alone."""
DISABLING = f"{CONFIG_FOLDER}/99_zz-gpufabric-network.cfg"
DISABLING_TEXT = """\
# Written by Ansible (gpufabric): the ports have their names and settings from its roles, and no longer from cloud-init.
network: {config: disabled}
"""


@dataclass(frozen=True)
class CloudInit:
    """What cloud-init does with the host's network."""

    names: tuple[NameSetting, ...] = ()
    is_active: bool = False
    """It configures the network, and would write its files again for a new instance."""
    unread: tuple[str, ...] = ()
    kept: str = ""
    """Why the role cannot tell it to leave the network alone."""


def cloud_init(root: Path, ports: Sequence[Port]) -> CloudInit:
    """What it says of the ports' names."""
    arguments = _read(root / "proc/cmdline").split()
    off = any((root / each).exists() for each in OFF_FILES) or any(each in arguments for each in OFF_ARGUMENTS)
    if off or not (root / PROGRAM).exists():
        return CloudInit()
    if any(each.startswith(ARGUMENT) for each in arguments):
        what = f"{ARGUMENT} has what cloud-init does, and is not read here; take it out of the boot loader"
        return CloudInit(is_active=True, unread=(f"/proc/cmdline: {what}",))
    if yaml is None:
        what = "cloud-init: Ansible's Python here has no yaml to read its files; install python3-yaml"
        return CloudInit(is_active=True, unread=(what,))
    try:
        path, config = _configuration(root)
    except yaml.YAMLError as error:
        return CloudInit(is_active=True, unread=(f"cloud-init: {' '.join(str(error).split())}",))
    if isinstance(config, Mapping) and config.get("config") == "disabled":
        return CloudInit()
    kept = _kept(root, path)
    why = f"{shown(path, root)}: {kept}" if kept else ""
    return CloudInit(tuple(_names(config, shown(path, root), kept, ports)), is_active=True, kept=why)


def _configuration(root: Path) -> tuple[Path, Any]:
    """The file that counts, and its network configuration; None if cloud-init has no such file."""
    folder = sorted((root / CONFIG_FOLDER).glob("*.cfg"), reverse=True)
    for path in (*folder, root / CONFIG):
        whole = yaml.safe_load(_read(path)) or {}
        if isinstance(whole, Mapping) and "network" in whole:
            return path, whole["network"]
    path = root / FROM_DATA_SOURCE
    whole = yaml.safe_load(_read(path))  # JSON is YAML
    return path, whole.get("network", whole) if isinstance(whole, Mapping) else whole


def _kept(root: Path, path: Path) -> str:
    ours = root / DISABLING
    if path.parent == ours.parent and path.name > ours.name:
        return f"its name is after /{DISABLING}, which would turn it off; rename it"
    return ""


def _names(config: Any, file: str, kept: str, ports: Sequence[Port]) -> Iterator[NameSetting]:  # noqa: ANN401 (YAML)
    for key, mac, name in _renames(config) if isinstance(config, Mapping) else ():
        netdevs = tuple(port.netdev for port in ports if port.mac == str(mac).lower())
        if netdevs:
            yield NameSetting("cloud-init", file, 0, key, str(name), netdevs, DISABLE, kept)


def _renames(config: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """(key, MAC address, name) of both versions of its format."""
    if config.get("version") == 1:
        for place, one in enumerate(config.get("config") or ()):
            if one.get("type") == "physical" and one.get("mac_address") and one.get("name"):
                yield f"network.config[{place}].name", one["mac_address"], one["name"]
        return
    for ident, one in (config.get("ethernets") or {}).items():
        mac = (one.get("match") or {}).get("macaddress")
        if mac and one.get("set-name"):
            yield f"network.ethernets.{ident}.set-name", mac, one["set-name"]


def _read(path: Path) -> str:
    return text_of(path) if path.is_file() else ""
