"""Show commands: the function for each command line, in JSON, as text, or both."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..view import View
from . import (
    arp,
    bfd,
    bgp,
    bgp_neighbors,
    bgp_tables,
    bgp_text,
    counters,
    gateways,
    groups,
    hardware,
    interfaces,
    ip_bgp,
    management,
    pairs,
    port_states,
    qos,
    routing,
    services,
    system,
    tree_states,
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
    _show(r"show clock", management.clock_json),
    _show(r"show reload cause", management.reload_cause_json),
    _show(r"show extensions", management.extensions_json),
    _show(r"show boot-extensions", management.boot_extensions_json),
    _show(r"show management api http-commands", management.api_json),
    _show(r"show management api http-commands (?P<family>ip|ipv6) access-list summary", management.api_lists_json),
    _show(r"show management security ssl certificate", management.certificates_json),
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
    _show(r"show uptime", management.uptime_json, system.clock_text),
    _show(rf"show interfaces(?: {_NAME})?", interfaces.interfaces_json, interfaces.interfaces_text),
    _show(r"show interfaces status", interfaces.status_json, interfaces.status_text),
    _show(r"show interfaces description", port_states.descriptions_json),
    _show(r"show interfaces status errdisabled", port_states.errdisabled_json),
    _show(r"show interfaces counters rates", counters.rates_json),
    _show(r"show interfaces counters errors", counters.errors_json),
    _show(r"show interfaces counters discards", counters.discards_json),
    _show(r"show interfaces counters queue detail", counters.queues_json, counters.queues_text),
    _show(r"show interfaces counters queue drops", counters.virtual_queues_json),
    _show(r"show interfaces transceiver dom thresholds", port_states.transceivers_json),
    _show(r"show interfaces phy detail", port_states.phy_json),
    _show(r"show platform trident counters", counters.trident_json),
    _show(r"show storm-control", counters.storm_control_json),
    _show(r"show lacp counters all-ports", counters.lacp_counters_json),
    _show(r"show lacp interface detailed", port_states.lacp_interfaces_json),
    _show(r"show port-channel", groups.port_channels_json),
    _show(r"show lacp neighbor", groups.lacp_neighbors_json),
    _show(r"show vlan(?: brief)?", vlans.vlans_json),
    _show(r"show vlan internal allocation policy", tree_states.internal_policy_json),
    _show(r"show vlan dynamic", tree_states.dynamic_vlans_json),
    _show(r"show spanning-tree vlan (?P<vlans>\d+)", tree_states.vlan_json),
    _show(r"show spanning-tree vlan detail", tree_states.vlans_json),
    _show(r"show spanning-tree blockedports", tree_states.blocked_json),
    _show(r"show spanning-tree counters", tree_states.counters_json),
    _show(
        r"show spanning-tree topology(?: vlan (?P<vlans>\d+))? status(?: (?P<detail>detail))?",
        tree_states.topology_json,
    ),
    _show(r"show spanning-tree root detail", tree_states.root_json),
    _show(r"show spanning-tree", trees.spanning_tree_json),
    _show(rf"show ip virtual-router{_VRF}", gateways.virtual_routers_json),
    _show(r"show mlag(?: (?P<detail>detail))?", pairs.mlag_json),
    _show(r"show mlag config-sanity", pairs.config_sanity_json),
    _show(r"show ip interface brief", port_states.ip_brief_json),
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
    _show(rf"show bgp summary{_VRF}", bgp_neighbors.summary_json),
    _show(rf"show bgp neighbors{_VRF}", bgp_neighbors.neighbors_json),
    _show(rf"show bgp neighbors (?P<address>[\d.]+) advertised-routes{_VRF}", bgp_tables.announced_json),
    _show(rf"show bgp neighbors (?P<address>[\d.]+) routes{_VRF}", bgp_tables.received_json),
    _show(rf"show bgp instance{_VRF}", bgp_tables.instance_json),
    _show(r"show ip", routing.ip_json),
    _show(rf"show ip route{_VRF} summary", routing.summary_json),
    _show(rf"show bfd peers{_VRF}(?: (?P<detail>detail))?", bfd.peers_json),
    _show(rf"{_PFC}(?: status)?", None, qos.pfc_text),
    _show(rf"{_PFC} counters", qos.pfc_counters_json, qos.pfc_counters_text),
    _show(rf"{_PFC} counters detail", qos.pfc_details_json),
    _show(rf"{_PFC} counters watchdog", qos.watchdog_counters_json, qos.watchdog_counters_text),
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
