"""Show commands of which text forms are made apart from their JSON."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..view import View
from . import text_groups, text_neighbors, text_ports, text_system

Text = Callable[[View, dict[str, str]], str]

_NAME = r"(?: (?P<name>(?:ethernet|et|management|ma)\s*[\d/.]+))?"
_TEXTS: tuple[tuple[str, Text], ...] = (
    (r"show interfaces description", text_ports.description_text),
    (r"show ip interface brief", text_ports.ip_brief_text),
    (r"show clock", text_system.clock_text),
    (r"show reload cause", text_system.reload_cause_text),
    (r"show inventory", text_system.inventory_text),
    (r"show vrf", text_system.vrf_text),
    (rf"show lldp neighbors{_NAME} +detail", text_neighbors.lldp_detail_text),
    (r"show mac address-table", text_neighbors.mac_table_text),
    (r"show mlag", text_groups.mlag_text),
    (r"show port-channel summary", text_groups.port_channel_text),
    (r"show vlan(?: brief)?", text_groups.vlan_text),
    (r"show ip access-lists(?: (?P<list>\S+))?", text_groups.access_lists_text),
)
_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), text) for pattern, text in _TEXTS)


def find_text(command: str) -> tuple[Text, dict[str, str]] | None:
    """The text form of a command line, with its parameters; None if it is not here."""
    for pattern, text in _COMPILED:
        found = pattern.fullmatch(command)
        if found:
            return text, {name: value for name, value in found.groupdict().items() if value is not None}
    return None
