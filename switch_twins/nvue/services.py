"""NTP, ZTP and accounts in the operational tree.

Rows of ``nv show service ntp mgmt server`` (Network-Time-Protocol-NTP.md of 5.14), of ``nv show system ntp`` (NVUE
reference, from 5.15 on) and ``nv show system ztp``, taken for keys. In the lab every time server with an address
answers, in a VRF where the switch has an address itself; the clock follows the first of them.
"""

from __future__ import annotations

import datetime as dt
from ipaddress import ip_address

from ..state import SwitchState
from .tree import Tree, get_or

ZTP: Tree = {"script": {}, "status": {"method": "ZTP Manual", "result": "success", "state": "disabled"}}
"""A switch that was set up, by whatever means: provisioning is off."""


def with_peers(service: Tree, state: SwitchState) -> Tree:
    """``service`` with what is known of each time server: until 5.14, where NTP is a service of each VRF."""
    if "ntp" not in service:
        return service
    shown: Tree = {}
    for vrf, ntp in service["ntp"].items():
        followed = _followed(ntp, vrf, state)
        servers = {
            name: {**settings, **_peer(name, followed, state, vrf)}
            for name, settings in get_or(ntp, {}, "server").items()
        }
        shown[vrf] = {**ntp, "server": servers}
    return {**service, "ntp": shown}


def _peer(name: str, followed: str | None, state: SwitchState, vrf: str) -> Tree:
    answers = _answers(name, vrf, state)
    mark = "*" if name == followed else "+" if answers else ""
    return {"peer-state": mark, "reach": 377 if answers else 0, "stratum": 2 if answers else 16, "type": "u"}


def with_logins(aaa: Tree) -> Tree:
    """``system aaa``: who can log in, as ``nv show system aaa user`` has it in its column ``enable``."""
    users = {name: {"enable": "on", **user, "hashed-password": "*"} for name, user in get_or(aaa, {}, "user").items()}
    return {**aaa, "user": users}


def of_system(ntp: Tree, state: SwitchState) -> Tree:
    """``system ntp`` with the clock's state: from 5.15 on."""
    followed = _followed(ntp, str(ntp.get("vrf", "default")), state)
    status = "synchronised" if followed is not None else "unsynchronised"
    return {**ntp, "status": status, "reference": followed or "local"}


def date_time(running: Tree, state: SwitchState) -> Tree:
    """The clock of the machine the lab runs on, and whether a time server is followed.

    Rows of ``nv show system date-time`` (NVUE reference, System; until 5.14 ``nv show system time``), taken for keys.
    """
    now = dt.datetime.now(dt.UTC)
    of_vrfs = [*get_or(running, {}, "service", "ntp").items()]
    if ntp := get_or(running, {}, "system", "ntp"):
        of_vrfs.append((str(ntp.get("vrf", "default")), ntp))
    follows = any(_followed(each, vrf, state) is not None for vrf, each in of_vrfs)
    day = f"{now:%a %Y-%m-%d %H:%M:%S}"
    return {
        "local-time": f"{day} UTC",
        "universal-time": f"{day} UTC",
        "rtc-time": day,
        "time-zone": "Etc/UTC (UTC, +0000)",
        "system-clock-synchronized": "yes" if follows else "no",
        "ntp-service": "active" if of_vrfs else "inactive",
        "rtc-in-local-tz": "no",
        "unix-time": now.timestamp(),
    }


def _followed(ntp: Tree, vrf: str, state: SwitchState) -> str | None:
    return next((name for name in get_or(ntp, {}, "server") if _answers(name, vrf, state)), None)


def _answers(name: str, vrf: str, state: SwitchState) -> bool:
    """Names are not resolved in the lab, and no server is reached from a VRF without an address."""
    try:
        ip_address(name)
    except ValueError:
        return False
    own = (each for each in state.interfaces if each.vrf == vrf and not each.is_loopback)
    return any(each.addresses and each.is_admin_up for each in own)
