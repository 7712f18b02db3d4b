"""show interface, interface brief, interface status, LLDP neighbours.

JSON keys: napalm 5.2.0 test/nxos/mocked_data/test_get_interfaces; text: what napalm's nxos_ssh and ntc-templates
9.3.0 read.
"""

from __future__ import annotations

import zlib

from ..engine import Node
from .extract import access_vlan, is_admin_up, is_routed, mtu_of, primary_address, speed_gbps, vrf_of
from .reply import Body, Reply, View, short_name, table

_SPEED_KBPS = 400_000_000
_SPECIAL_SPEEDS_KBPS = {"loopback": 8_000_000, "mgmt0": 1_000_000, "Vlan": 1_000_000}


def mac_of(view: View, name: str) -> str:
    """A stable address per interface, in Cisco's spelling."""
    digits = f"{zlib.crc32(f'{view.device.serial}/{name}'.encode()):08x}"
    return f"00ee.{digits[:4]}.{digits[4:]}"


def _speed_kbps(view: View, node: Node) -> int:
    name = node.params["name"]
    for start, speed in _SPECIAL_SPEEDS_KBPS.items():
        if name.startswith(start):
            return speed
    gbps = speed_gbps(view.store.running, node)
    return gbps * 1_000_000 if gbps else _SPEED_KBPS


def _is_up(view: View, node: Node) -> bool:
    name = node.params["name"]
    if name == "mgmt0":
        return is_admin_up(view.store.running, node)
    return view.fabric.is_up(view.device.name, name)


def _reason(view: View, node: Node) -> str:
    """Why a port is down, in NX-OS's wording."""
    if not is_admin_up(view.store.running, node):
        return "Administratively down"
    link = view.fabric.link(view.device.name, node.params["name"])
    return "XCVR not inserted" if link.peer is None else "Link not connected"


def _vlan_word(view: View, node: Node) -> str:
    """``routed``, ``trunk`` or the VLAN of an access port, as in the tables."""
    if is_routed(view.store.running, node):
        return "routed"
    vlan = access_vlan(view.store.running, node)
    return "trunk" if vlan is None else str(vlan)


def _svi_row(view: View, node: Node) -> Body:
    """An SVI's fields have names of their own (napalm 5.2.0 napalm/nxos/nxos.py, get_interfaces)."""
    name, up = node.params["name"], _is_up(view, node)
    row: Body = {
        "interface": name,
        "svi_line_proto": "up" if up else "down",
        "svi_admin_state": "up" if is_admin_up(view.store.running, node) else "down",
        "svi_mac": mac_of(view, name),
        "svi_mtu": str(mtu_of(view.store.running, node)),
        "svi_bw": str(_speed_kbps(view, node)),
    }
    if description := node.value("description", "text"):
        row["svi_desc"] = description
    if address := primary_address(node):
        row |= {"svi_ip_addr": address.partition("/")[0], "svi_ip_mask": address.partition("/")[2]}
    return row


def _row(view: View, node: Node) -> Body:
    name, up = node.params["name"], _is_up(view, node)
    admin = "up" if is_admin_up(view.store.running, node) else "down"
    row: Body = {"interface": name, "state": "up" if up else "down", "admin_state": admin}
    if not up:
        row["state_rsn_desc"] = _reason(view, node)
    description = node.value("description", "text")
    if description:
        row["desc"] = description
    row |= {
        "eth_mtu": str(mtu_of(view.store.running, node)),
        "eth_bw": _speed_kbps(view, node),
        "eth_dly": 10,
        "medium": "broadcast",
    }
    address = primary_address(node)
    if address:
        ip, _, length = address.partition("/")
        row |= {"eth_ip_addr": ip, "eth_ip_mask": int(length)}
    if not name.startswith("loopback"):
        mac = mac_of(view, name)
        row |= {
            "eth_hw_desc": f"{_speed_kbps(view, node) // 1000} Ethernet",
            "eth_hw_addr": mac,
            "eth_bia_addr": mac,
            "eth_duplex": "full",
            "eth_speed": f"{_speed_kbps(view, node) // 1_000_000} Gb/s",
            "eth_link_flapped": "never",
            "eth_mode": _vlan_word(view, node) if not _vlan_word(view, node).isdigit() else "access",
        }
    return row


def _text(row: Body) -> str:
    lines = [
        f"{row['interface']} is {row['state']}" + (f" ({row['state_rsn_desc']})" if "state_rsn_desc" in row else "")
    ]
    lines.append(f"admin state is {row['admin_state']}, Dedicated Interface")
    if "eth_hw_addr" in row:
        lines.append(f"  Hardware: {row['eth_hw_desc']}, address: {row['eth_hw_addr']} (bia {row['eth_bia_addr']})")
    else:
        lines.append("  Hardware: Loopback")
    if "desc" in row:
        lines.append(f"  Description: {row['desc']}")
    if "eth_ip_addr" in row:
        lines.append(f"  Internet Address is {row['eth_ip_addr']}/{row['eth_ip_mask']}")
    lines.append(f"  MTU {row['eth_mtu']} bytes, BW {row['eth_bw']} Kbit , DLY 10 usec")
    if "eth_mode" in row:
        lines += [
            f"  Port mode is {row['eth_mode']}",
            f"  full-duplex, {row['eth_speed']}",
            "  Last link flapped never",
        ]
    return "\n".join(lines) + "\n"


def interface(view: View, name: str | None = None) -> Reply:
    """Show interface [X]."""
    nodes = view.interfaces() if name is None else [n for n in view.interfaces() if n.params["name"] == name]
    if not nodes:
        return Reply("Invalid range at '^' marker.\n", is_refused=True)
    text = "\n".join(_text(_row(view, node)) for node in nodes)
    rows = [(_svi_row if node.params["name"].startswith("Vlan") else _row)(view, node) for node in nodes]
    return Reply(text, table("interface", rows))


def brief(view: View) -> Reply:
    """Show interface brief."""
    rows = []
    for node in view.interfaces():
        row = _row(view, node)
        reason = row.get("state_rsn_desc", "none")
        rows.append(
            {
                "interface": row["interface"],
                "state": row["state"],
                "state_rsn_desc": reason,
                "portmode": row.get("eth_mode", "--"),
                "vlan": "--",
                "type": "eth",
                "speed": f"{row['eth_bw'] // 1_000_000}G(D)",
            }
        )
    names = [short_name(row["interface"]) for row in rows]
    head = [
        "-" * 80,
        "Ethernet        VLAN    Type Mode   Status  Reason                 Speed     Port",
        "Interface                                                                    Ch #",
        "-" * 80,
    ]
    lines = [
        f"{n:<15} --      eth  {r['portmode']:<6} {r['state']:<7} {r['state_rsn_desc']:<22} {r['speed']}    --"
        for n, r in zip(names, rows, strict=True)
        if n.startswith("Eth")
    ]
    return Reply("\n".join([*head, *lines, ""]), table("interface", rows))


def status(view: View) -> Reply:
    """Show interface status."""
    head = ["-" * 80, "Port          Name               Status    Vlan      Duplex  Speed   Type", "-" * 80]
    lines, rows = [], []
    for node in view.interfaces():
        row = _row(view, node)
        word = "connected" if row["state"] == "up" else "disabled" if row["admin_state"] == "down" else "notconnec"
        name = (row.get("desc") or "--")[:18]
        vlan = _vlan_word(view, node)
        speed = f"{row['eth_bw'] // 1_000_000}G"
        lines.append(f"{short_name(row['interface']):<13} {name:<18} {word:<9} {vlan:<9} full    {speed:<7} --")
        rows.append({"interface": row["interface"], "name": name, "state": word, "vlan": vlan, "speed": speed})
    return Reply("\n".join([*head, *lines, ""]), table("interface", rows))


def ip_brief(view: View, vrf: str = "default") -> Reply:
    """Show ip interface brief [vrf X]."""
    lines = [f'IP Interface Status for VRF "{vrf}"(1)', "Interface            IP Address      Interface Status"]
    rows = []
    for node in view.interfaces():
        address = primary_address(node)
        if address is None or vrf_of(node) != vrf:
            continue
        up, admin = _is_up(view, node), is_admin_up(view.store.running, node)
        word, ip = "up" if up else "down", address.partition("/")[0]
        state = f"protocol-{word}/link-{word}/admin-{'up' if admin else 'down'}"
        lines.append(f"{short_name(node.params['name']):<20} {ip:<15} {state}")
        rows.append(
            {
                "vrf-name-out": vrf,
                "intf-name": node.params["name"],
                "proto-state": word,
                "link-state": word,
                "admin-state": "up" if admin else "down",
                "prefix": ip,
            }
        )
    return Reply("\n".join([*lines, ""]), table("intf", rows))


# -- LLDP ----------------------------------------------------------------------------------------------------------


def lldp_neighbors(view: View) -> Reply:
    """Show lldp neighbors."""
    if (refused := _lldp_off(view)) is not None:
        return refused
    found = view.fabric.lldp(view.device.name)
    head = [
        "Capability codes:",
        "  (R) Router, (B) Bridge, (T) Telephone, (C) DOCSIS Cable Device",
        "  (W) WLAN Access Point, (P) Repeater, (S) Station, (O) Other",
        "Device ID            Local Intf      Hold-time  Capability  Port ID",
    ]
    lines = [f"{n.hostname:<20} {short_name(n.local_port):<15} 120        BR          {n.port}" for n in found]
    rows = [
        {
            "chassis_type": "7",
            "chassis_id": n.hostname,
            "l_port_id": short_name(n.local_port),
            "hold_time": "120",
            "system_capability": "BR",
            "port_type": "5",
            "port_id": n.port,
        }
        for n in found
    ]
    body = {**table("nbor", rows), "neigh_count": str(len(rows))}
    return Reply("\n".join([*head, *lines, f"Total entries displayed: {len(found)}", ""]), body)


def lldp_detail(view: View, name: str | None = None) -> Reply:
    """Show lldp neighbors [interface X] detail."""
    if (refused := _lldp_off(view)) is not None:
        return refused
    found = [n for n in view.fabric.lldp(view.device.name) if name in (None, n.local_port)]
    blocks = []
    rows = []
    for n in found:
        chassis = mac_of(view, n.device)
        description = n.port_description or "null"
        blocks.append(f"""Chassis id: {chassis}
Port id: {n.port}
Local Port id: {short_name(n.local_port)}
Port Description: {description}
System Name: {n.hostname}
System Description: not advertised
Time remaining: 105 seconds
System Capabilities: B, R
Enabled Capabilities: B, R
Management Address: not advertised
Management Address IPV6: not advertised
Vlan ID: not advertised

""")
        rows.append(
            {
                "chassis_id": chassis,
                "port_id": n.port,
                "l_port_id": short_name(n.local_port),
                "port_desc": description,
                "sys_name": n.hostname,
                "sys_desc": "not advertised",
                "ttl": "105",
                "system_capability": "B, R",
                "enabled_capability": "B, R",
                "vlan_id": "not advertised",
            }
        )
    head = "Capability codes:\n  (R) Router, (B) Bridge, (T) Telephone, (C) DOCSIS Cable Device\n\n"
    text = head + "".join(blocks) + f"Total entries displayed: {len(found)}\n"
    return Reply(text, {**table("nbor_detail", rows), "neigh_count": str(len(rows))})


def _lldp_off(view: View) -> Reply | None:
    if view.store.running.first("feature lldp") is not None:
        return None
    return Reply("ERROR: LLDP is not enabled\n", is_refused=True)
