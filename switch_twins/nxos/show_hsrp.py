"""show hsrp.

Data: pschou/go-cisco-nx-api's answer of an active group (tests/recorded/nxos_show/hsrp.txt). Text: ntc-templates'
recorded ``show hsrp all`` (hsrp_text.txt), which has the words of groups that stand by or are down as well. No source
shows these as data (M), nor which keys are left out where the other router is not known (M). Groups of IPv6 are not
shown.
"""

from __future__ import annotations

from .. import hsrp
from ..hsrp import HsrpMember, HsrpStanding
from .reply import Body, Reply, View, table

_STATES = {"active": "Active", "standby": "Standby", "initial": "Initial"}
_ENABLED = {True: "enabled", False: "disabled"}


def show_hsrp(view: View) -> Reply:
    """``show hsrp``, as data and as text."""
    found = hsrp.standings(view.fabric, view.device.name)
    text = "".join(_text(each) for each in found)
    return Reply(text, table("grp_detail", [_row(each) for each in found]))


def _row(each: HsrpStanding) -> Body:
    group = each.group
    row: Body = {
        "sh_if_index": each.interface,
        "sh_group_num": group.number,
        "sh_group_version": f"v{group.version}",
        "sh_group_state": _STATES[each.role],
        "sh_prio": group.priority,
        "sh_cfg_prio": group.priority,
        "sh_can_forward": _ENABLED[each.role != "initial"],
        "sh_preempt": _ENABLED[group.preempt],
        "sh_vip_attr": "config",
        "sh_group_type": "v4",
        "sh_vip": group.address or "0.0.0.0",  # noqa: S104  (no address yet)
        "sh_vmac": _mac(each),
        "sh_vmac_attr": "Default MAC",
        "sh_ip_redund_name": f"hsrp-{each.interface}-{group.number}",
        "sh_ip_redund_name_attr": "Default",
    }
    for what, member in (("active", _active(each)), ("standby", _standby(each))):
        if member is not None:
            row |= {f"sh_{what}_router_addr": member.address, f"sh_{what}_router_prio": member.priority}
    return row


def _active(each: HsrpStanding) -> HsrpMember | None:
    return each.own if each.role == "active" else each.other


def _standby(each: HsrpStanding) -> HsrpMember | None:
    return each.own if each.role == "standby" else each.other


def _mac(each: HsrpStanding) -> str:
    """The group's number ends it: behind 0000.0c07.ac in version 1 (RFC 2281), behind 0000.0c9f.f in version 2."""
    number = each.group.number
    return f"0000.0c9f.f{number:03x}" if each.group.version == 2 else f"0000.0c07.ac{number:02x}"


def _text(each: HsrpStanding) -> str:
    group, is_down = each.group, each.role == "initial"
    down = "(Interface Down)" if is_down else ""
    preempt = ", may preempt" if group.preempt else ""
    lines = (
        f"{each.interface} - Group {group.number} (HSRP-V{group.version}) (IPv4)",
        f"  Local state is {_STATES[each.role]}{down}, priority {group.priority} (Cfged {group.priority}){preempt}",
        f"    Forwarding threshold(for vPC), lower: 0 upper: {group.priority} ",
        f"  Hellotime {_HELLO_S} sec, holdtime {_HOLD_S} sec",
        f"  Virtual IP address is {group.address} (Cfged)",
        f"  Active router is {_router(each, _active(each))}",
        f"  Standby router is {_router(each, _standby(each))} ",
        f"  Virtual mac address is {_mac(each)} (Default MAC)",
        f"  IP redundancy name is hsrp-{each.interface}-{group.number} (default)",
    )
    return "\n".join(lines) + "\n\n"


_HELLO_S, _HOLD_S = 3, 10
"""Defaults of HSRP (RFC 2281, section 5.1); the lab's switches take no line that changes them."""


def _router(each: HsrpStanding, member: HsrpMember | None) -> str:
    if member is None:
        return "unknown"
    end = f"priority {member.priority} expires in {_HOLD_S - 1}.000000 sec(s)"
    return "local" if member is each.own else f"{member.address} , {end}"
