"""show version, hostname, users, VRFs, environment: the facts of the switch.

JSON keys: those that NAPALM 5.2.0's eos driver, anta 1.10.0 and pyeapi recordings read. Text: ntc-templates 9.3.0.
"""

from __future__ import annotations

from typing import Any

from ...learned import learned
from ..view import View

MEMORY_KB = 16_000_000


def version_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show version``."""
    device, mac = view.device, view.mac()
    return {
        "mfgName": "Arista",
        "modelName": f"DCS-{device.model}-F",
        "hardwareRevision": "11.00",
        "serialNumber": device.serial,
        "systemMacAddress": mac,
        "hwMacAddress": mac,
        "configMacAddress": "00:00:00:00:00:00",
        "version": view.word("release") or device.release,
        "architecture": "x86_64",
        "internalVersion": f"{device.release}-lab",
        "internalBuildId": "00000000-0000-0000-0000-000000000000",
        "imageFormatVersion": "3.0",
        "imageOptimization": "Default",
        "bootupTimestamp": view.timestamp(view.booted_s),
        "uptime": view.uptime_s,
        "memTotal": MEMORY_KB,
        "memFree": MEMORY_KB // 2,
        "isIntlVersion": False,
    }


def version_text(view: View, _: dict[str, str]) -> str:
    """``show version`` as text."""
    facts = version_json(view, {})
    return (
        f"Arista {facts['modelName']}\n"
        f"Hardware version: {facts['hardwareRevision']}\n"
        f"Serial number: {facts['serialNumber']}\n"
        f"Hardware MAC address: {view.dotted_mac()}\n"
        f"System MAC address: {view.dotted_mac()}\n\n"
        f"Software image version: {facts['version']}\n"
        f"Architecture: {facts['architecture']}\n"
        f"Internal build version: {facts['internalVersion']}\n"
        f"Internal build ID: {facts['internalBuildId']}\n"
        f"Image format version: {facts['imageFormatVersion']}\n"
        f"Image optimization: {facts['imageOptimization']}\n\n"
        f"Uptime: {int(view.uptime_s) // 60} minutes\n"
        f"Total memory: {facts['memTotal']} kB\n"
        f"Free memory: {facts['memFree']} kB\n\n"
    )


def hostname_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show hostname``."""
    domain = view.tree.root.value("dns domain", "domain")
    name = view.state.hostname
    return {"hostname": name, "fqdn": f"{name}.{domain}" if domain else name}


def hostname_text(view: View, _: dict[str, str]) -> str:
    """``show hostname`` as text."""
    names = hostname_json(view, {})
    return f"Hostname: {names['hostname']}\nFQDN:     {names['fqdn']}\n"


def users_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show users accounts``."""
    users: dict[str, Any] = {}
    for node in view.tree.find("username"):
        if "key" in node.params:
            users.setdefault(node.params["name"], {})["sshAuthorizedKey"] = node.params["key"]
            continue
        users.setdefault(node.params["name"], {}).update(
            username=node.params["name"],
            secret=node.params.get("hash", ""),
            privLevel=int(node.params.get("level", 1)),
            role=node.params.get("role", ""),
        )
    return {"users": users}


def vrfs_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show vrf``."""
    names = ["default", *(node.params["vrf"] for node in view.tree.find("vrf instance"))]
    return {
        "vrfs": {
            name: {
                "routeDistinguisher": "",
                "vrfState": "up",
                "interfacesV4": (members := [i.name for i in view.state.interfaces if i.vrf == name and i.addresses]),
                "interfacesV6": [],
                "interfaces": members,
            }
            for name in names
        }
    }


def clock_text(view: View, _: dict[str, str]) -> str:
    """A line like ``show uptime``'s, enough to show that the switch answers."""
    return f"up {int(view.uptime_s)} seconds\n"


def mac_table_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show mac address-table``, as NAPALM's tests have it (tests/recorded/eos_show/mac_address_table.txt)."""
    rows = [
        {
            "macAddress": each.mac,
            "lastMove": view.timestamp(view.booted_s),
            "interface": each.port,
            "moves": 1,
            "entryType": "dynamic",
            "vlanId": each.vlan,
        }
        for each in learned(view.fabric, view.device.name)
    ]
    return {"unicastTable": {"tableEntries": rows}, "multicastTable": {"tableEntries": []}}


def snmp_json(view: View, params: dict[str, str]) -> dict[str, Any]:
    """``show snmp v2-mib chassis|location|contact``."""
    if params["what"] == "chassis":
        return {"chassisId": view.device.serial}
    return {params["what"]: view.tree.root.value(f"snmp-server {params['what']}", params["what"]) or ""}


def empty(_: View, __: dict[str, str]) -> dict[str, Any]:
    """A command without output."""
    return {}
