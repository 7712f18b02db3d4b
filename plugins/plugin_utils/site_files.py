"""What Ansible is told of a site: its hosts, and which files of its folder are no inventories (``-i FOLDER``)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

NAMES = ("gpufabric.yml", "gpufabric.yaml")
_OF_THE_SITE = ("fabric.yml", "devices.yml", "known_hosts")
_INVENTORIES = ("", ".yml", ".yaml", ".json", ".ini", ".toml", ".py", ".sh")


def holds_no_hosts(file: Path) -> bool:
    """Is this a site's file that is no inventory? With ``-i FOLDER`` Ansible asks for each, and fails at these."""
    is_of_a_site = any((file.parent / name).is_file() for name in NAMES)
    return is_of_a_site and (file.name in _OF_THE_SITE or file.suffix not in _INVENTORIES)


def tell(inventory: Any, found: Any, groups: Iterable[str]) -> None:  # noqa: ANN401 - Ansible's type, and ours
    """Give Ansible's inventory the groups and hosts of a site, and groups that are there without hosts too."""
    for group in (*groups, *found.groups):
        inventory.add_group(group)
    for group, names in found.groups.items():
        for child in found.children.get(group, ()):
            inventory.add_child(group, child)
        for host in names:
            inventory.add_host(host, group=group)
            for name, value in found.variables[host].items():
                inventory.set_variable(host, name, value)
