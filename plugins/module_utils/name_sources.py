"""All that names a host's NIC ports at its next boot beside this role's files, as one list of facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.name_cloud_init import cloud_init
    from ansible_collections.gpufabric.host.plugins.module_utils.name_netplan import netplan_names
    from ansible_collections.gpufabric.host.plugins.module_utils.name_profiles import profiles
    from ansible_collections.gpufabric.host.plugins.module_utils.name_settings import NameSetting, Port, port_of
    from ansible_collections.gpufabric.host.plugins.module_utils.name_udev import OUR_LINK, link_names, rule_names
except ImportError:  # in a test
    from name_cloud_init import cloud_init
    from name_netplan import netplan_names
    from name_profiles import profiles
    from name_settings import NameSetting, Port, port_of
    from name_udev import OUR_LINK, link_names, rule_names

NO_ADDRESS = "00:00:00:00:00:00"
SOMEONE_ELSES = "it names other interfaces than rails, too"


def name_settings(
    root: Path, ports: Sequence[Port], our_link: str = OUR_LINK
) -> tuple[list[NameSetting], list[str], bool]:
    """(settings that reach a port, what could not be read, whether cloud-init would write its files again).

    ``our_link``: what the names of the role's .link files begin with.
    """
    by_netplan, unread = netplan_names(root, ports)
    cloud = cloud_init(root, ports)
    by_udev = [*rule_names(root, ports), *link_names(root, ports, our_link)]
    found = [*by_netplan, *cloud.names, *by_udev, *profiles(root, ports)]
    return found, [*unread, *cloud.unread], cloud.is_active


def ports_of(facts: Mapping[str, Any], root: Path) -> list[Port]:
    """The host's NIC ports, from rail_state's facts of its interfaces."""
    own = [each for each in facts["ports"] if each["mac"] and each["mac"] != NO_ADDRESS]
    return [port_of(each["netdev"], each["mac"], each["pci"], root) for each in own]


def name_facts(facts: Mapping[str, Any], root: Path, our_link: str = OUR_LINK) -> dict[str, Any]:
    """``names`` and ``names_unread`` of gpufabric_rails, or of gpufabric_bonds with members in their place."""
    rails = {each["netdev"] for each in facts["rails"].values()}
    found, unread, _ = name_settings(root, ports_of(facts, root), our_link)
    judged = [_unless_shared(each, rails) for each in found]
    kept = ("by", "file", "line", "key", "name", "netdevs", "kept", "certain")
    return {"names": [{key: asdict(each)[key] for key in kept} for each in judged], "names_unread": unread}


def _unless_shared(setting: NameSetting, rails: set[str]) -> NameSetting:
    """Of a setting that other interfaces need the role keeps its hands off."""
    shared = not rails.issuperset(setting.netdevs) and not setting.kept
    return replace(setting, kept=SOMEONE_ELSES) if shared else setting
