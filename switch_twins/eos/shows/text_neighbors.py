"""show lldp neighbors detail, show mac address-table: text (tests/recorded/eos_show/neighbors_text.txt)."""

from __future__ import annotations

from ...learned import learned
from ..ports import lane_ports
from ..view import View, dotted, short_name
from .interfaces import long_name

_TTL_S, _RULE = 120, "-" * 66


def lldp_detail_text(view: View, params: dict[str, str]) -> str:
    """``show lldp neighbors [NAME] detail``."""
    neighbors = {each.local_port: each for each in view.fabric.lldp(view.device.name)}
    wanted = long_name(params.get("name") or "")
    blocks = []
    for port in (*lane_ports(view.device), "Management1"):
        each = neighbors.get(port)
        if wanted in ("", port):
            blocks.append(f"Interface {port} detected {int(each is not None)} LLDP neighbors:\n\n")
        if wanted not in ("", port) or each is None:
            continue
        blocks.append(
            f'  Neighbor {each.device}/"{each.port}", age 12 seconds\n'
            "  Discovered 0:01:11 ago; Last changed 0:01:11 ago\n"
            "  - Chassis ID type: Interface name (6)\n"
            f"    Chassis ID     : {each.device}\n"
            "  - Port ID type: Interface name (5)\n"
            f'    Port ID     : "{each.port}"\n'
            f'  - Port Description: "{each.port_description}"\n'
            f"  - Time To Live: {_TTL_S} seconds\n"
            f'  - System Name: "{each.hostname}"\n'
            "  - System Capabilities : Bridge, Router\n"
            "    Enabled Capabilities: Bridge, Router\n\n"
        )
    return "".join(blocks)


def mac_table_text(view: View, _: dict[str, str]) -> str:
    """``show mac address-table``: nothing is multicast in the lab."""
    rows = [
        f"{each.vlan:>4}    {dotted(each.mac)}    {'DYNAMIC':<11} {short_name(each.port):<10} 1       0:01:00 ago"
        for each in learned(view.fabric, view.device.name)
    ]
    return "\n".join(
        [
            "          Mac Address Table",
            _RULE,
            "",
            "Vlan    Mac Address       Type        Ports      Moves   Last Move",
            "----    -----------       ----        -----      -----   ---------",
            *rows,
            f"Total Mac Addresses for this criterion: {len(rows)}",
            "",
            "          Multicast Mac Address Table",
            _RULE,
            "",
            "Vlan    Mac Address       Type        Ports",
            "----    -----------       ----        -----",
            "Total Mac Addresses for this criterion: 0",
            "",
        ]
    )
