"""show port-channel summary, show lacp neighbor.

Data: greenpau/go-cisco-nx-api at cb94de4, resp.show.port.channel.summary.1.json. Text and legend: ntc-templates at
d0bc5a4, cisco_nxos_show_port-channel_summary3.raw. Neighbours are shown as text alone, as recorded
(tests/recorded/nxos_show/lacp_neighbor_text.txt).
"""

from __future__ import annotations

from ..groups import Member
from ..partners import Partner, partners
from ..state import InterfaceState
from .reply import Body, Reply, View, short_name, table

_LEGEND = """\
Flags:  D - Down        P - Up in port-channel (members)
        I - Individual  H - Hot-standby (LACP only)
        s - Suspended   r - Module-removed
        S - Switched    R - Routed
        U - Up (port-channel)
        M - Not in use. Min-links not met
"""
_RULE = "-" * 80


def summary(view: View) -> Reply:
    """``show port-channel summary``: all groups, and what becomes of their members."""
    state = view.fabric.state(view.device.name)
    rows = [_row(view, each, state.interfaces) for each in state.interfaces if each.is_group]
    head = [_RULE, "Group Port-       Type     Protocol  Member Ports", "      Channel", _RULE]
    lines = [*_LEGEND.splitlines(), *head, *map(_line, rows)]
    return Reply("\n".join(lines) + "\n", table("channel", rows))


def _row(view: View, group: InterfaceState, interfaces: tuple[InterfaceState, ...]) -> Body:
    name = view.device.name
    members = view.fabric.members(name, group.name)
    has_lacp = any(each.group == group.name and each.lacp_active is not None for each in interfaces)
    rows: list[Body] = [{"port": each.port, "port-status": _flag(view, each)} for each in members]
    return {
        "group": group.name.removeprefix("port-channel"),
        "port-channel": group.name,
        "layer": "R" if group.is_routed else "S",
        "status": "U" if view.fabric.is_up(name, group.name) else "D",
        "type": "Eth",
        "prtcl": "LACP" if has_lacp else "NONE",
        **table("member", rows),
    }


def _flag(view: View, member: Member) -> str:
    if member.is_bundled:
        return "P"
    return "s" if view.fabric.link(view.device.name, member.port).is_up else "D"


def _line(row: Body) -> str:
    members = row.get("TABLE_member", {}).get("ROW_member", [])
    cells = [
        f"{short_name(each['port'])}({each['port-status']})"
        for each in (members if isinstance(members, list) else [members])
    ]
    channel = f"{short_name(row['port-channel'])}({row['layer']}{row['status']})"
    ports = "".join(f"{cell:<13}" for cell in cells) or "--"
    return f"{row['group']:<6}{channel:<12}{row['type']:<9}{row['prtcl']:<10}{ports}"


_FLAGS = """\
Flags:  S - Device is sending Slow LACPDUs F - Device is sending Fast LACPDUs
        A - Device is in Active mode       P - Device is in Passive mode"""
_NEIGHBOR = """\
Partner's information
            Partner                Partner                     Partner
Port        System ID              Port Number     Age         Flags
{port:<12}{system:<23}{number:<16}{age:<12}{flags}

            LACP Partner           Partner                     Partner
            Port Priority          Oper Key                    Port State
            {priority:<23}{key:<28}{state}"""


def neighbors(view: View) -> Reply:
    """``show lacp neighbor``: of each group, the far ends of the members that hear any."""
    lines = [_FLAGS]
    for each in view.fabric.state(view.device.name).interfaces:
        heard = tuple(partners(view.fabric, view.device.name, each.name)) if each.is_group else ()
        if heard:
            lines += [f"{each.name} neighbors", *map(_neighbor, heard)]
    return Reply("\n".join(lines) + "\n")


def _neighbor(partner: Partner) -> str:
    """Octets of a system are printed without leading noughts."""
    return _NEIGHBOR.format(
        port=short_name(partner.port),
        system=f"32768,{'-'.join(f'{int(octet, 16):x}' for octet in partner.system)}",
        number="0x1",
        age="30",
        flags=f"{'F' if partner.is_fast else 'S'}A",
        priority="32768",
        key="0xf",
        state="0x3f" if partner.is_fast else "0x3d",
    )
