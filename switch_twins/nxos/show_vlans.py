"""show vlan brief.

Data: netenglabs/suzieq at 584b22a, an NX-OS 9.3(4) (tests/recorded/nxos_show/vlan.txt). That ports that are down are
left out, and what a suspended or shut VLAN is called, has no source (M). Text: the columns of ``show vlan`` (M).
"""

from __future__ import annotations

from ..engine import Node
from ..learned import learned
from .extract import active_vlans
from .reply import Body, Reply, View, short_name, table


def brief(view: View) -> Reply:
    """``show vlan brief``: each VLAN that exists, and the ports that carry it now."""
    nodes = {1: None} | _nodes(view)
    carrying = _carrying(view, frozenset(nodes))
    rows = [_row(number, node, carrying.get(number, [])) for number, node in sorted(nodes.items())]
    active = active_vlans(view.store.running)
    head = [f"{'VLAN':<4} {'Name':<32} {'Status':<9} Ports", f"{'-' * 4} {'-' * 32} {'-' * 9} {'-' * 31}"]
    lines = [
        f"{number:<4} {row['vlanshowbr-vlanname']:<32} {'active' if number in active | {1} else 'suspended':<9} "
        f"{', '.join(map(short_name, carrying.get(number, [])))}"
        for number, row in zip(sorted(nodes), rows, strict=True)
    ]
    return Reply("\n".join((*head, *lines)) + "\n", table("vlanbriefxbrief", rows))


def mac_address_table(view: View) -> Reply:
    """``show mac address-table``: tests/recorded/nxos_show/mac_address_table.txt; text: the columns there are (M)."""
    found = [(each, each.mac.replace(":", "")) for each in learned(view.fabric, view.device.name)]
    rows: list[Body] = [
        {
            "disp_mac_addr": f"{digits[:4]}.{digits[4:8]}.{digits[8:]}",
            "disp_type": "dynamic",
            "disp_vlan": str(each.vlan),
            "disp_age": "0",
            "disp_is_secure": "F",
            "disp_is_ntfy": "F",
            "disp_port": short_name(each.port),
        }
        for each, digits in found
    ]
    head = ["   VLAN     MAC Address      Type      age     Secure NTFY Ports", f"{'-' * 9}+{'-' * 17}+{'-' * 40}"]
    lines = [
        f"* {row['disp_vlan']:>4}     {row['disp_mac_addr']}   dynamic  0         F      F    {row['disp_port']}"
        for row in rows
    ]
    return Reply("\n".join((*head, *lines)) + "\n", table("mac_address", rows))


def _nodes(view: View) -> dict[int, Node | None]:
    return {int(node.params["id"]): node for node in view.store.running.find("vlan") if "id" in node.params}


def _row(number: int, node: Node | None, ports: list[str]) -> Body:
    is_suspended = node is not None and node.first("state suspend") is not None
    row: Body = {
        "vlanshowbr-vlanid": number,
        "vlanshowbr-vlanid-utf": number,
        "vlanshowbr-vlanname": (node.value("name", "name") if node is not None else "default") or f"VLAN{number:04d}",
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
