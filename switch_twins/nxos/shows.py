"""Every read-only show command, by the pattern of its line."""

from __future__ import annotations

import re
from collections.abc import Callable

from . import (
    show_bgp,
    show_counters,
    show_groups,
    show_hardware,
    show_hsrp,
    show_interfaces,
    show_ip,
    show_lists,
    show_lldp,
    show_pairs,
    show_policies,
    show_ports,
    show_qos,
    show_routing,
    show_services,
    show_system,
    show_trees,
    show_vlans,
    show_vrfs,
)
from .commands import invalid
from .reply import Reply, View
from .words import canonical_name

_RUNNING = r"show run(?:ning-config)?"
_NAME = r"([A-Za-z-]+ ?[\d/.]+)"


def _running(view: View, found: re.Match[str]) -> Reply:
    return Reply(view.store.running_output(found[0], all_lines=bool(found[1])))


def _running_interface(view: View, found: re.Match[str]) -> Reply:
    node = view.interface(_full(found[1]))
    if node is None:
        return invalid(found.start(1), "Invalid range at '^' marker.")
    head = f"\n!Command: {found[0]}\n\n{view.store.version_line()}\n\n"
    return Reply(head + view.store.running.block_text(node))


def _running_part(view: View, found: re.Match[str]) -> Reply:
    """Show running-config bgp: the blocks of one process."""
    leading = {"bgp": ("feature bgp", "router bgp"), "ipqos": ("class-map type", "policy-map type", "system qos")}
    nodes = [node for start in leading[found[1]] for node in view.store.running.find(start)]
    text = "".join(view.store.running.block_text(node) for node in nodes)
    return Reply(f"\n!Command: {found[0]}\n\n{view.store.version_line()}\n{text}")


def _startup(view: View, found: re.Match[str]) -> Reply:
    return Reply(view.store.startup_output(found[0]))


def _full(word: str) -> str:
    return canonical_name(word.replace(" ", "")) or word


def _plain(function: Callable[[View], Reply]) -> Callable[[View, re.Match[str]], Reply]:
    return lambda view, _: function(view)


def _named(function: Callable[[View, str | None], Reply]) -> Callable[[View, re.Match[str]], Reply]:
    return lambda view, found: function(view, _full(found[1]) if found[1] else None)


def _of_vrf(function: Callable[[View, str], Reply]) -> Callable[[View, re.Match[str]], Reply]:
    return lambda view, found: function(view, found[1] or "default")


def _route(view: View, found: re.Match[str]) -> Reply:
    return show_routing.ip_route(view, found[1], found[2] or "default")


def _hsrp(view: View, found: re.Match[str]) -> Reply:
    """There is no such command without the feature."""
    if view.store.running.first("feature hsrp") is None:
        return invalid(found[0].index("hsrp"))
    return show_hsrp.show_hsrp(view)


def _policy_of_interface(view: View, found: re.Match[str]) -> Reply:
    return show_policies.interface_policy(view, _full(found[1]) if found[1] else None, found[2])


def _pfc_queue(view: View, found: re.Match[str]) -> Reply:
    name = _full(found[1]) if found[1] else None
    return show_qos.pfc_queue(view, name, is_detailed=bool(found[2]))


def _policy_map(view: View, found: re.Match[str]) -> Reply:
    return show_policies.policy_map(view, found[1], found[2])


_Show = Callable[[View, re.Match[str]], Reply]
SHOWS: tuple[tuple[re.Pattern[str], _Show], ...] = tuple(
    (re.compile(pattern), function)
    for pattern, function in (
        (rf"{_RUNNING}( all)?", _running),
        (rf"{_RUNNING} interface {_NAME}", _running_interface),
        (rf"{_RUNNING} (bgp|ipqos)", _running_part),
        (r"show start(?:up-config)?", _startup),
        (r"show version", _plain(show_system.version)),
        (r"show hostname", _plain(show_system.hostname)),
        (r"show hosts", _plain(show_system.hosts)),
        (r"show inventory", _plain(show_system.inventory)),
        (r"show feature", _plain(show_system.feature)),
        (r"show clock", _plain(show_system.clock)),
        (r"show module", _plain(show_hardware.module)),
        (r"show license host-id", _plain(show_hardware.license_host_id)),
        (r"show environment", _plain(show_hardware.environment)),
        (r"show environment temperature", _plain(show_hardware.temperature)),
        (r"show environment fan", _plain(show_hardware.fan)),
        (r"show environment power", _plain(show_hardware.power)),
        (r"show processes cpu", _plain(show_hardware.processes_cpu)),
        (r"show processes memory shared", _plain(show_hardware.processes_memory_shared)),
        (r"show system resources", _plain(show_hardware.system_resources)),
        (r"show ntp peers", _plain(show_services.ntp_peers)),
        (r"show ntp peer-status", _plain(show_services.ntp_peer_status)),
        (r"show logging server", _plain(show_services.logging_server)),
        (r"show user-account", _plain(show_services.user_account)),
        (r"show boot", _plain(show_services.boot)),
        (r"show vrf(?: all)?", _plain(show_vrfs.vrf)),
        (r"show vrf(?: all)? detail", _plain(show_vrfs.detail)),
        (r"show vrf(?: all)? interface", _plain(show_vrfs.interface)),
        (rf"show interface(?: {_NAME})? priority-flow-control", _named(show_qos.priority_flow_control)),
        (r"show interface brief", _plain(show_ports.brief)),
        (r"show interface description", _plain(show_ports.description)),
        (r"show interface status", _plain(show_ports.status)),
        (rf"show interface(?: {_NAME})? switchport", _named(show_ports.switchport)),
        (r"show interface counters", _plain(show_counters.traffic)),
        (r"show interface counters errors", _plain(show_counters.errors)),
        (r"show interface counters detailed", _plain(show_ports.counters_detailed)),
        (r"show interface transceiver details", _plain(show_ports.transceiver)),
        (r"show port-channel summary", _plain(show_groups.summary)),
        (r"show lacp neighbor", _plain(show_groups.neighbors)),
        (r"show vlan", _plain(show_vlans.everything)),
        (r"show vlan brief", _plain(show_vlans.brief)),
        (r"show mac address-table", _plain(show_vlans.mac_address_table)),
        (r"show spanning-tree", _plain(show_trees.spanning_tree)),
        (r"show spanning-tree root", _plain(show_trees.root)),
        (r"show hsrp(?: all)?", _hsrp),
        (r"show vpc(?: brief)?", _plain(show_pairs.vpc)),
        (r"show vpc consistency-parameters global", _plain(show_pairs.consistency)),
        (rf"show interface(?: {_NAME})?", _named(show_interfaces.interface)),
        (r"show ip interface brief(?: vrf (\S+))?", _of_vrf(show_ip.brief)),
        (r"show ip interface(?: vrf (\S+))?", _of_vrf(show_ip.interface)),
        (r"show ipv6 interface(?: vrf (\S+))?", _of_vrf(show_ip.ipv6_interface)),
        (r"show ip arp(?: vrf (\S+))?", _of_vrf(show_ip.arp)),
        (r"show access-lists(?: (\S+))?", lambda v, m: show_lists.access_lists(v, m[1])),
        (r"show route-map(?: (\S+))?", lambda v, m: show_lists.route_maps(v, m[1])),
        (r"show lldp neighbors", _plain(show_lldp.lldp_neighbors)),
        (rf"show lldp neighbors(?: interface {_NAME})? detail", _named(show_lldp.lldp_detail)),
        (r"show bgp all summary(?: vrf all)?", _plain(show_bgp.every_summary)),
        (
            r"show (?:ip )?bgp(?: ipv4 unicast)? summary(?: vrf (\S+))?",
            lambda v, m: show_bgp.summary(v, None if m[1] == "all" else m[1] or "default"),
        ),
        (
            r"show (?:ip )?bgp(?: ipv4 unicast)? neighbors(?: ([\d.]+))?(?: vrf (\S+))?",
            lambda v, m: show_bgp.neighbors(v, m[1], m[2] or "default"),
        ),
        (r"show bgp vrf all all neighbors", _plain(show_bgp.every_neighbor)),
        (r"show bgp process", _plain(show_bgp.process)),
        (r"show ip bgp(?: vrf (\S+))?", _of_vrf(show_bgp.table_of_paths)),
        (
            r"show ip bgp(?: vrf (\S+))? ([\d.]+/\d+)",
            lambda v, m: show_bgp.one_prefix(v, m[2], m[1] or "default"),
        ),
        (r"show ip route(?: ([\d./]+))?(?: vrf (\S+))?", _route),
        (r"show ip route vrf (\S+) ([\d./]+)", lambda v, m: show_routing.ip_route(v, m[2], m[1])),
        (r"show ip load-sharing", _plain(show_routing.load_sharing)),
        (r"show system config reload-pending", _plain(show_system.reload_pending)),
        (r"show bfd neighbors(?: vrf \S+)?", _plain(show_routing.bfd_neighbors)),
        (rf"show queuing interface(?: {_NAME})?", _named(show_qos.queuing_interface)),
        (rf"show queuing pfc-queue(?: interface {_NAME})?( detail)?", _pfc_queue),
        (
            r"show policy-map system type (network-qos|queuing|qos)(?: (input|output))?",
            lambda v, m: show_policies.system_policy(v, m[1], m[2]),
        ),
        (rf"show policy-map interface(?: {_NAME})?(?: (?:input |output )?type (qos|queuing))?", _policy_of_interface),
        (r"show policy-map type (network-qos|queuing|qos)(?: (\S+))?", _policy_map),
        (r"show class-map type qos(?: (\S+))?", lambda v, m: show_policies.class_map(v, m[1])),
    )
)
