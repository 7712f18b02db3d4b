"""Show commands: the function for each command line, in JSON, as text, or both."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..view import View
from . import (
    arp,
    bgp,
    bgp_text,
    gateways,
    groups,
    hardware,
    interfaces,
    ip_bgp,
    pairs,
    qos,
    services,
    system,
    trees,
    vlans,
)

Answer = Callable[[View, dict[str, str]], Any]

_NAME = r"(?P<name>(?:ethernet|et|loopback|lo|management|ma|vlan|vl)\s*[\d/.]+)"
_VRF = r"(?: vrf (?P<vrf>\S+))?"
_PFC = rf"show priority-flow-control(?: interfaces {_NAME})?"
_QOS = rf"show qos interfaces(?: {_NAME})?"


@dataclass(frozen=True, slots=True)
class Show:
    """One command. ``json`` or ``text`` None: EOS has no such form, or its shape is not known."""

    pattern: re.Pattern[str]
    json: Answer | None = None
    text: Answer | None = None


def _show(pattern: str, json: Answer | None = None, text: Answer | None = None) -> Show:
    return Show(re.compile(pattern, re.IGNORECASE), json, text)


SHOWS = (
    _show(r"show version(?: detail)?", system.version_json, system.version_text),
    _show(r"show hostname", system.hostname_json, system.hostname_text),
    _show(r"show users accounts", system.users_json),
    _show(r"show vrf", system.vrfs_json),
    _show(r"show ntp associations", services.ntp_associations_json, services.ntp_associations_text),
    _show(r"show zerotouch", services.zerotouch_json),
    _show(r"show logging", None, services.logging_text),
    _show(rf"show (?:ip )?arp{_VRF}", arp.arp_json, arp.arp_text),
    _show(r"show system environment cooling", hardware.cooling_json),
    _show(r"show system environment temperature", hardware.temperature_json),
    _show(r"show system environment power", hardware.power_json),
    _show(r"show processes top once", None, hardware.top_text),
    _show(r"show interfaces transceiver", hardware.transceivers_json),
    _show(r"show mac address-table", system.mac_table_json),
    _show(r"show snmp v2-mib (?P<what>chassis|location|contact)", system.snmp_json),
    _show(r"show uptime", None, system.clock_text),
    _show(rf"show interfaces(?: {_NAME})?", interfaces.interfaces_json, interfaces.interfaces_text),
    _show(r"show interfaces status", interfaces.status_json, interfaces.status_text),
    _show(r"show port-channel", groups.port_channels_json),
    _show(r"show lacp neighbor", groups.lacp_neighbors_json),
    _show(r"show vlan(?: brief)?", vlans.vlans_json),
    _show(r"show spanning-tree", trees.spanning_tree_json),
    _show(rf"show ip virtual-router{_VRF}", gateways.virtual_routers_json),
    _show(r"show mlag(?: (?P<detail>detail))?", pairs.mlag_json),
    _show(r"show mlag config-sanity", pairs.config_sanity_json),
    _show(r"show ip interface", interfaces.ip_interface_json),
    _show(r"show ipv6 interface", interfaces.ipv6_interface_json),
    _show(r"show lldp neighbors", interfaces.lldp_json, interfaces.lldp_text),
    _show(rf"show lldp neighbors(?: {_NAME})? +detail", interfaces.lldp_detail_json),
    _show(rf"show ip bgp summary{_VRF}", bgp.summary_json, bgp.summary_text),
    _show(rf"show ipv6 bgp summary{_VRF}", bgp.summary6_json),
    _show(rf"show ip bgp neighbors(?: (?P<address>[\d.]+))?{_VRF}", bgp.neighbors_json, bgp_text.neighbors_text),
    _show(rf"show ipv6 bgp peers{_VRF}", bgp.peers6_json, bgp_text.peers6_text),
    _show(
        rf"show ip bgp(?: (?P<prefix>[\d./]+)(?: (?P<longer>longer-prefixes))?)?{_VRF}",
        ip_bgp.ip_bgp_json,
        ip_bgp.ip_bgp_text,
    ),
    _show(
        rf"show ip route{_VRF}(?: (?P<prefix>[\d./]+)(?: (?P<longer>longer-prefixes))?)?"
        rf"(?: (?P<protocol>bgp|connected|static))?(?: detail)?",
        bgp.routes_json,
        bgp.routes_text,
    ),
    _show(rf"show bfd peers{_VRF}", bgp.bfd_json),
    _show(rf"{_PFC}(?: status)?", None, qos.pfc_text),
    _show(rf"{_PFC} counters", qos.pfc_counters_json, qos.pfc_counters_text),
    _show(rf"{_PFC} counters watchdog", None, qos.watchdog_counters_text),
    _show(r"show qos maps", None, qos.maps_text),
    _show(r"show qos profile(?: (?P<name>\S+))?", None, qos.profile_text),
    _show(_QOS, None, qos.interfaces_text),
    _show(rf"{_QOS} trust", None, qos.trust_text),
    _show(rf"{_QOS} ecn", None, qos.ecn_text),
    _show(r"show qos interfaces ecn counters queue", qos.ecn_counters_json),
)


def find_show(command: str) -> tuple[Show, dict[str, str]] | None:
    """The show command of a line, with its parameters; None if there is none."""
    for show in SHOWS:
        found = show.pattern.fullmatch(command)
        if found:
            return show, {name: value for name, value in found.groupdict().items() if value is not None}
    return None
