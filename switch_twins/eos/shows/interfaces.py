"""show interfaces, interfaces status, ip interface, lldp neighbors.

JSON keys: what NAPALM 5.2.0 and anta 1.10.0 read. Text: the shapes ntc-templates 9.3.0 parses.
"""

from __future__ import annotations

import re
from typing import Any

from ...seeds import ERRDISABLED
from ...state import InterfaceState
from ..ports import lane_ports
from ..view import View, dotted, short_name
from .media import copper_ports, media_type
from .port_facts import last_change_s, port_counters, port_facts, proxies_arp

_LOOPBACK_MTU = 65535
_CAGE_BPS = 400_000_000_000
_SFP_BPS = 10_000_000_000


def interfaces_json(view: View, params: dict[str, str]) -> dict[str, Any]:
    """``show interfaces [NAME]``."""
    return {"interfaces": {i.name: _interface(view, i) for i in _chosen(view, params)}}


def _chosen(view: View, params: dict[str, str]) -> list[InterfaceState]:
    wanted = long_name(params.get("name") or "")
    return [interface for interface in view.state.interfaces if not wanted or interface.name == wanted]


def long_name(name: str) -> str:
    """An interface's name as EOS prints it, of any spelling that a command takes."""
    found = re.fullmatch(r"(?i)(ethernet|et|loopback|lo|management|ma|vlan|vl)\s*(\S+)", name.strip())
    kinds = {"e": "Ethernet", "l": "Loopback", "m": "Management", "v": "Vlan"}
    return kinds[found[1][0].lower()] + found[2] if found else name


def bandwidth_bps(view: View, interface: InterfaceState) -> int:
    """The speed of a port, of a group the sum over the members that are bundled."""
    if interface.is_group:
        members = view.fabric.members(view.device.name, interface.name)
        ports = {member.port for member in members if member.is_bundled}
        return sum(bandwidth_bps(view, each) for each in view.state.interfaces if each.name in ports)
    if interface.speed:
        return int(float(interface.speed.removesuffix("g")) * 1_000_000_000)
    if interface.name in copper_ports(view.device):
        return 1_000_000_000
    if interface.name.startswith("Ethernet"):
        return _CAGE_BPS if "/" in interface.name else _SFP_BPS
    return 0 if interface.name.startswith(("Loopback", "Vlan")) else 1_000_000_000


def is_up(view: View, interface: InterfaceState) -> bool:
    """Operational state; the management port always has a link."""
    if interface.name.startswith("Management"):
        return interface.is_admin_up
    return view.fabric.is_up(view.device.name, interface.name)


def _interface(view: View, interface: InterfaceState) -> dict[str, Any]:
    up = is_up(view, interface)
    is_loopback = interface.is_loopback
    found: dict[str, Any] = {
        "name": interface.name,
        "forwardingModel": "routed" if interface.is_routed else "bridged",
        "lineProtocolStatus": "up" if up else "down",
        "interfaceStatus": status(view, interface),
        "hardware": "loopback" if is_loopback else "ethernet",
        "description": interface.description,
        "bandwidth": bandwidth_bps(view, interface),
        **port_facts(view, interface),
        "interfaceAddress": _addresses(interface),
    }
    if not is_loopback:
        mac = view.mac_of(interface.name)
        found |= {"physicalAddress": mac, "burnedInAddress": mac, "duplex": "duplexFull"}
        found |= {
            "lastStatusChangeTimestamp": last_change_s(view, interface.name),
            "interfaceCounters": port_counters(view, interface.name),
        }
    return found


def status(view: View, interface: InterfaceState) -> str:
    """The word for its state."""
    if view.word(ERRDISABLED, interface.name):
        return "errdisabled"
    return _status(interface, is_up(view, interface))


def _status(interface: InterfaceState, up: bool) -> str:
    if not interface.is_admin_up:
        return "disabled"
    return "connected" if up else "notconnect"


def _addresses(interface: InterfaceState) -> list[dict[str, Any]]:
    if not interface.addresses:
        return []
    pairs = [(address.partition("/")[0], int(address.partition("/")[2])) for address in interface.addresses]
    both = [{"address": address, "maskLen": length} for address, length in pairs]
    secondary = {pair["address"]: pair for pair in both[1:]}
    return [{"primaryIp": both[0], "secondaryIps": secondary, "secondaryIpsOrderedList": both[1:], "dhcp": False}]


def interfaces_text(view: View, params: dict[str, str]) -> str:
    """``show interfaces [NAME]`` as text."""
    text = []
    for interface in _chosen(view, params):
        facts = _interface(view, interface)
        status = {"disabled": "administratively down", "connected": "up"}.get(facts["interfaceStatus"], "down")
        text.append(
            f"{interface.name} is {status}, line protocol is {facts['lineProtocolStatus']} ({facts['interfaceStatus']})"
        )
        if not interface.is_loopback:
            mac = dotted(facts["physicalAddress"])
            text.append(f"  Hardware is Ethernet, address is {mac} (bia {mac})")
        else:
            text.append("  Hardware is Loopback")
        if interface.description:
            text.append(f"  Description: {interface.description}")
        if interface.addresses:
            text.append(f"  Internet address is {interface.addresses[0]}")
        layer = "IP MTU" if interface.is_routed else "Ethernet MTU"
        bandwidth = f" , BW {facts['bandwidth'] // 1000} kbit" if facts["bandwidth"] else ""
        text.append(f"  {layer} {facts['mtu']} bytes{bandwidth}")
    return "\n".join(text) + "\n"


def status_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show interfaces status``."""
    found = {}
    for interface in view.state.interfaces:
        if not interface.name.startswith(("Ethernet", "Management", "Port-Channel")):
            continue
        up = is_up(view, interface)
        found[interface.name] = {
            "description": interface.description,
            "linkStatus": status(view, interface),
            "lineProtocolStatus": "up" if up else "down",
            "vlanInformation": _vlan_information(interface),
            "bandwidth": bandwidth_bps(view, interface),
            "duplex": "duplexFull",
            "autoNegotiateActive": False,
            "interfaceType": media_type(view, interface.name, bandwidth_bps(view, interface) // 1_000_000_000),
        }
    return {"interfaceStatuses": found}


def _vlan_information(interface: InterfaceState) -> dict[str, Any]:
    """Published answers of ``show interfaces status | json``: a routed port, an access port, a trunk."""
    if interface.is_routed:
        return {"interfaceMode": "routed", "interfaceForwardingModel": "routed"}
    if interface.access_vlan is None:
        return {"interfaceMode": "trunk", "vlanExplanation": "trunk", "interfaceForwardingModel": "bridged"}
    return {"interfaceMode": "bridged", "vlanId": interface.access_vlan, "interfaceForwardingModel": "bridged"}


def status_text(view: View, _: dict[str, str]) -> str:
    """``show interfaces status`` as text."""
    head = f"{'Port':<10} {'Name':<28} {'Status':<12} {'Vlan':<10} {'Duplex':<6} {'Speed':<6} {'Type':<15} Flags"
    lines = [f"{head} Encapsulation"]
    for name, facts in status_json(view, {})["interfaceStatuses"].items():
        vlan = str(facts["vlanInformation"].get("vlanId", facts["vlanInformation"]["interfaceMode"]))
        speed = f"{facts['bandwidth'] // 1_000_000_000}G"
        lines.append(
            f"{short_name(name):<10} {facts['description'][:27]:<28} {facts['linkStatus']:<12} {vlan:<10} "
            f"{'full':<6} {speed:<6} {facts['interfaceType']:<15}"
        )
    return "\n".join(lines) + "\n"


def ip_interface_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show ip interface``."""
    found = {}
    for interface in view.state.interfaces:
        if interface.addresses and interface.is_routed:
            up = is_up(view, interface)
            found[interface.name] = {
                "name": interface.name,
                "description": interface.description,
                "lineProtocolStatus": "up" if up else "down",
                "interfaceStatus": _status(interface, up),
                "mtu": _LOOPBACK_MTU if interface.is_loopback else interface.mtu_bytes,
                "vrf": interface.vrf,
                "proxyArp": proxies_arp(view, interface.name),
                "interfaceAddress": _addresses(interface)[0],
            }
    return {"interfaces": found}


def ipv6_interface_json(_: View, __: dict[str, str]) -> dict[str, Any]:
    """``show ipv6 interface``: the twins' fabric is IPv4."""
    return {"interfaces": {}}


# -- LLDP ----------------------------------------------------------------------------------------------------------


def lldp_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show lldp neighbors``."""
    neighbors = [
        {"port": n.local_port, "neighborDevice": n.hostname, "neighborPort": n.port, "ttl": 120}
        for n in view.fabric.lldp(view.device.name)
    ]
    return {"tablesLastChangeTime": view.timestamp(view.booted_s), "lldpNeighbors": neighbors}


def lldp_text(view: View, _: dict[str, str]) -> str:
    """``show lldp neighbors`` as text."""
    neighbors = lldp_json(view, {})["lldpNeighbors"]
    lines = [f"{'Port':<12} {'Neighbor Device ID':<30} {'Neighbor Port ID':<22} TTL"]
    lines.append(f"{'-' * 12} {'-' * 30} {'-' * 22} ---")
    lines += [
        f"{short_name(n['port']):<12} {n['neighborDevice']:<30} {n['neighborPort']:<22} {n['ttl']}" for n in neighbors
    ]
    return "\n".join(lines) + "\n"


def lldp_detail_json(view: View, params: dict[str, str]) -> dict[str, Any]:
    """``show lldp neighbors [NAME] detail``."""
    wanted = long_name(params.get("name") or "")
    ports = [name for name in lane_ports(view.device) if not wanted or name == wanted]
    found: dict[str, Any] = {port: {"lldpNeighborInfo": []} for port in ports}
    for n in view.fabric.lldp(view.device.name):
        if n.local_port not in found:
            continue
        found[n.local_port]["lldpNeighborInfo"].append(
            {
                "chassisIdType": "interfaceName",
                "chassisId": n.device,
                "systemName": n.hostname,
                "systemDescription": "",
                "systemCapabilities": {"bridge": True, "router": True},
                "neighborInterfaceInfo": {
                    "interfaceIdType": "interfaceName",
                    "interfaceId": f'"{n.port}"',
                    "interfaceId_v2": n.port,
                    "interfaceDescription": n.port_description,
                },
                "ttl": 120,
            }
        )
    return {"lldpNeighbors": found}
