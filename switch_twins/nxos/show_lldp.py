"""show lldp neighbors, with and without detail.

Text: what napalm's nxos_ssh and ntc-templates 9.3.0 read.
"""

from __future__ import annotations

from .interface_facts import cisco_mac
from .reply import Reply, View, short_name, table


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
        chassis = cisco_mac(view.fabric.mac(n.device, n.port)) if view.fabric.knows(n.device) else n.device
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
