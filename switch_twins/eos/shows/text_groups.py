"""show mlag, port-channel summary, vlan, ip access-lists: text (tests/recorded/eos_show/groups_text.txt)."""

from __future__ import annotations

import textwrap

from ..view import View, short_name
from .pairs import mlag_json
from .vlans import vlans_json

_FLAGS = """\
Flags
-------------------------- ----------------------------- -------------------------
   a - LACP Active            p - LACP Passive           * - static fallback
   F - Fallback enabled       f - Fallback configured    ^ - individual fallback
   U - In Use                 D - Down
   + - In-Sync                - - Out-of-Sync            i - incompatible with agg
   P - bundled in Po          s - suspended              G - Aggregable
   I - Individual             S - ShortTimeout           w - wait for agg
"""


def mlag_text(view: View, _: dict[str, str]) -> str:
    """``show mlag``."""
    found = mlag_json(view, {})
    configuration = {
        "domain-id": found.get("domainId", ""),
        "local-interface": found["localInterface"],
        "peer-address": found.get("peerAddress", "0.0.0.0"),  # noqa: S104  (what EOS prints for none)
        "peer-link": found["peerLink"],
    }
    status = {
        "state": str(found["state"]).capitalize(),
        "negotiation status": str(found.get("negStatus", "")).capitalize(),
        "peer-link status": str(found.get("peerLinkStatus", "")).capitalize(),
        "local-int status": str(found.get("localIntfStatus", "")).capitalize(),
        "system-id": found.get("systemId", "00:00:00:00:00:00"),
    }
    parts = (("Configuration", configuration), ("Status", status), ("Ports", found["mlagPorts"]))
    return "\n".join(
        f"MLAG {title}:\n" + "".join(f"{name:<20}:{value!s:>20}\n" for name, value in rows.items())
        for title, rows in parts
    )


def port_channel_text(view: View, _: dict[str, str]) -> str:
    """``show port-channel summary``."""
    rows, in_use = [], 0
    for each in view.state.interfaces:
        if not each.is_group:
            continue
        members = view.fabric.members(view.device.name, each.name)
        is_up = view.fabric.is_up(view.device.name, each.name)
        in_use += is_up
        shown = [f"{short_name(member.port)}({_flags(view, member.port, member.is_bundled)})" for member in members]
        talks = {state.lacp_active for state in view.state.interfaces if state.group == each.name}
        protocol = "LACP(a)" if True in talks else "LACP(p)" if False in talks else "Static"
        lines = [" ".join(shown[at : at + 4]) for at in range(0, len(shown), 4)] or [""]
        name = f"{short_name(each.name)}({'U' if is_up else 'D'})"
        rows.append(f"   {name:<18} {protocol:<15} {lines[0]}".rstrip())
        rows += [f"{'':<38}{line}" for line in lines[1:]]
    head = f"\nNumber of channels in use: {in_use}\nNumber of aggregators: {in_use}\n\n"
    columns = f"   {'Port-Channel':<18} {'Protocol':<12} Ports\n{'-' * 18} {'-' * 15} {'-' * 32}\n"
    return _FLAGS + head + columns + "".join(f"{row}\n" for row in rows)


def _flags(view: View, port: str, is_bundled: bool) -> str:
    if is_bundled:
        return "PG+"
    return "w" if view.fabric.link(view.device.name, port).is_up else "D"


def vlan_text(view: View, _: dict[str, str]) -> str:
    """``show vlan``."""
    lines = ["VLAN  Name                             Status    Ports"]
    lines.append(f"----- {'-' * 32} --------- {'-' * 31}")
    for number, each in vlans_json(view, {})["vlans"].items():
        ports = ", ".join(short_name(port) for port in each["interfaces"])
        first, *more = textwrap.wrap(ports, 31) or [""]
        lines.append(f"{number:<5} {each['name']:<32} {each['status']:<9} {first}".rstrip())
        lines += [f"{'':<49}{part}" for part in more]
    return "\n".join(lines) + "\n"


def access_lists_text(view: View, params: dict[str, str]) -> str:
    """``show ip access-lists [NAME]``."""
    wanted = params.get("list")
    return "".join(
        f"IP Access List {node.params['acl']}\n"
        + "".join(f"        {line.line}\n" for line in node.children.values())
        + "\n"
        for node in view.tree.find("ip access-list")
        if "acl" in node.params and wanted in (None, node.params["acl"])
    )
