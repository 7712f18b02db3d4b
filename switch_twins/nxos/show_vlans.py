"""show vlan, show vlan brief, show mac address-table.

Data: netenglabs/suzieq at 584b22a, an NX-OS 9.3(4) (tests/recorded/nxos_show/vlan.txt). That ports that are down are
left out, and what a suspended or shut VLAN is called, has no source (M). Text: tests/recorded/nxos_show/vlan_text.txt.
"""

from __future__ import annotations

import textwrap

from ..engine import Node
from ..learned import learned
from .extract import active_vlans
from .reply import Body, Reply, View, short_name, table


def brief(view: View) -> Reply:
    """``show vlan brief``: each VLAN that exists, and the ports that carry it now."""
    rows = _rows(view)
    return Reply("\n".join(_table_lines(view, rows)) + "\n", table("vlanbriefxbrief", rows))


def everything(view: View) -> Reply:
    """``show vlan``: the same, and what kind of VLAN each is."""
    rows = _rows(view)
    numbers = [row["vlanshowbr-vlanid"] for row in rows]
    lines = [*_table_lines(view, rows), "", "VLAN Type         Vlan-mode", "---- -----        ----------"]
    lines += [f"{number:<4} enet         CE     " for number in numbers]
    lines += ["", "Remote SPAN VLANs", "-" * 79, "", "Primary  Secondary  Type             Ports"]
    lines += ["-------  ---------  ---------------  -------------------------------------------", ""]
    kinds = [
        {"vlanshowinfo-vlanid": number, "vlanshowinfo-media-type": "enet", "vlanshowinfo-vlanmode": "ce-vlan"}
        for number in numbers
    ]
    return Reply("\n" + "\n".join(lines) + "\n", {**table("vlanbrief", rows), **table("mtuinfo", kinds)})


def _rows(view: View) -> list[Body]:
    nodes = {1: None} | _nodes(view)
    carrying = _carrying(view, frozenset(nodes))
    return [_row(number, node, carrying.get(number, [])) for number, node in sorted(nodes.items())]


_PORTS_WIDTH = 31


def _table_lines(view: View, rows: list[Body]) -> list[str]:
    active = active_vlans(view.store.running) | {1}
    lines = [f"{'VLAN':<4} {'Name':<32} {'Status':<9} Ports", f"{'-' * 4} {'-' * 32} {'-' * 9} {'-' * _PORTS_WIDTH}"]
    for row in rows:
        number = row["vlanshowbr-vlanid"]
        state = "active" if number in active else "suspended"
        ports = [short_name(name) for name in row.get("vlanshowplist-ifidx", "").split(",") if name]
        first, *more = textwrap.wrap(", ".join(ports), _PORTS_WIDTH) or [""]
        lines.append(f"{number:<4} {row['vlanshowbr-vlanname']:<32} {state:<9} {first.rstrip(',')}")
        lines += [" " * 48 + line.rstrip(",") for line in more]
    return lines


_LEGEND = """\
Legend:
        * - primary entry, G - Gateway MAC, (R) - Routed MAC, O - Overlay MAC
        age - seconds since last seen,+ - primary entry using vPC Peer-Link,
        (T) - True, (F) - False
   VLAN     MAC Address      Type      age     Secure NTFY Ports
---------+-----------------+--------+---------+------+----+------------------
"""


def mac_address_table(view: View) -> Reply:
    """``show mac address-table``: tests/recorded/nxos_show/mac_address_table.txt, mac_address_table_text.txt."""
    found = [(each, each.mac.replace(":", "")) for each in learned(view.fabric, view.device.name)]
    rows: list[Body] = [
        {
            "disp_mac_addr": f"{digits[:4]}.{digits[4:8]}.{digits[8:]}",
            "disp_type": "dynamic",
            "disp_vlan": str(each.vlan),
            "disp_is_static": "0",
            "disp_age": "0",
            "disp_is_secure": "F",
            "disp_is_ntfy": "F",
            "disp_port": short_name(each.port),
        }
        for each, digits in found
    ]
    lines = [
        f"* {row['disp_vlan']:<8} {row['disp_mac_addr']}    dynamic  0         F      F    {row['disp_port']}\n"
        for row in rows
    ]
    return Reply(_LEGEND + "".join(lines), table("mac_address", rows))


def _nodes(view: View) -> dict[int, Node | None]:
    return {int(node.params["id"]): node for node in view.store.running.find("vlan") if "id" in node.params}


def _default_name(number: int) -> str:
    return "default" if number == 1 else f"VLAN{number:04d}"


def _row(number: int, node: Node | None, ports: list[str]) -> Body:
    is_suspended = node is not None and node.first("state suspend") is not None
    row: Body = {
        "vlanshowbr-vlanid": number,
        "vlanshowbr-vlanid-utf": number,
        "vlanshowbr-vlanname": (node.value("name", "name") if node is not None else None) or _default_name(number),
        "vlanshowbr-vlanstate": "suspend" if is_suspended else "active",
        "vlanshowbr-shutstate": "shutdown" if node is not None and node.first("shutdown") is not None else "noshutdown",
    }
    return row | ({"vlanshowplist-ifidx": ",".join(ports)} if ports else {})


def _carrying(view: View, there: frozenset[int]) -> dict[int, list[str]]:
    """VLAN -> ports that are up."""
    found: dict[int, list[str]] = {}
    for each in view.fabric.state(view.device.name).interfaces:
        if not each.group and view.fabric.is_up(view.device.name, each.name):
            for number in each.vlans & there:
                found.setdefault(number, []).append(each.name)
    return found
