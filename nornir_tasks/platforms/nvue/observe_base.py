"""What Cumulus Linux shows of its base configuration: whether the clock is in step, the state of ZTP, VRFs of ports.

Until 5.14 NTP's servers are shown with ``ntpq``'s marks, in a VRF each; from 5.15 on the switch says ``synchronised``
(tests/recorded/nvue_show/base.txt: tables, whose rows are taken for the keys). Log servers are shown as configured.
"""

from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any

from nornir_tasks.platforms.observed import ClockState, Request, ShownAccount, VrfPort, ZeroTouch

Data = dict[str, Any]

SYSTEM = "system"
NTP_OF_SYSTEM = Request(SYSTEM, parts=("/ntp",))
NTP_OF_VRFS = Request("service", parts=("/ntp",))
ZTP = Request(SYSTEM, parts=("/ztp",))
ACCOUNTS = Request(SYSTEM, parts=("/aaa/user",))
VRF_PARTS = ("/*/ip/vrf", "/*/vrf")
"""Until 5.14, and from 5.15 on."""

_IN_STEP = "synchronised"
_FOLLOWED = "*"
_ENDED = "disabled"
_ON = "on"
_ROLES = {"system-admin": "admin", "nvue-monitor": "operator"}


def clock(system: Data, service: Data) -> ClockState | None:
    """None: shown in neither way."""
    ntp = system.get("ntp", {})
    if "status" in ntp:
        return ClockState(in_step=ntp["status"] == _IN_STEP, server=_address(ntp.get("reference")))
    servers: Data = {}
    for vrf in service.get("ntp", {}).values():
        servers |= vrf.get("server", {})
    if not any("peer-state" in each for each in servers.values()):
        return None
    followed = next((name for name, each in servers.items() if str(each.get("peer-state")).strip() == _FOLLOWED), None)
    return ClockState(in_step=followed is not None, server=_address(followed))


def _address(name: object) -> str:
    """Of a server that goes by its address; empty where it goes by a name, or is ``local``."""
    try:
        return str(ip_address(str(name)))
    except ValueError:
        return ""


def zero_touch(system: Data) -> ZeroTouch | None:
    """``nv show system ztp``: the state of its status."""
    status = system.get("ztp", {}).get("status", {})
    state = status.get("state") if isinstance(status, dict) else None
    return None if state is None else ZeroTouch(str(state), ended=state == _ENDED)


def vrf_ports(ports: Data) -> Iterator[VrfPort]:
    """``nv show interface`` with VRFs."""
    for name, port in ports.items():
        vrf = port.get("vrf") or port.get("ip", {}).get("vrf")
        if vrf is not None:
            yield VrfPort(name, None if vrf == "default" else str(vrf))


def accounts(system: Data) -> tuple[ShownAccount, ...] | None:
    """``nv show system aaa user``: those that can log in, the operating system's own ones left out."""
    users = system.get("aaa", {}).get("user")
    if users is None:
        return None
    return tuple(
        ShownAccount(name, _ROLES.get(str(user.get("role")), str(user.get("role"))))
        for name, user in users.items()
        if user.get("enable", _ON) == _ON
    )
