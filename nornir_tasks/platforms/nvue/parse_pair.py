"""The pair of NVUE data (MLAG): ``mlag``, and the subinterface of the peer link that both switches talk over."""

from nornir_tasks.design.config.pair import PairSettings
from nornir_tasks.platforms.nvue.capabilities import Spelling
from nornir_tasks.platforms.nvue.port_map import PEER_LINK
from nornir_tasks.platforms.nvue.reading import Data, drop_if_empty, look, take_int, take_text, take_word

SUBINTERFACE = rf"{PEER_LINK}\.\d+"
"""Pattern of its name: NVUE gives it VLAN 4094, which no bridge may have then."""


def parse_pair(data: Data, spelling: Spelling) -> PairSettings | None:
    """The pair; data of one that is incomplete, off, or has a second backup, stays."""
    backups, vlan = look(data, "mlag", "backup"), _vlan(data)
    address, below = next(iter(backups.items())) if isinstance(backups, dict) and len(backups) == 1 else ("", None)
    mac, delay_s = look(data, "mlag", "mac-address"), look(data, "mlag", "init-delay")
    is_on = look(data, "mlag", spelling.switch) == spelling.on and look(data, "mlag", "peer-ip") == "linklocal"
    if vlan is None or not is_on or not isinstance(below, dict) or not isinstance(mac, str) or type(delay_s) is not int:
        return None
    take_word(data, spelling.on, "mlag", spelling.switch)
    take_word(data, "linklocal", "mlag", "peer-ip")
    _take_subinterface(data, vlan)
    return PairSettings(
        peer_link=PEER_LINK,
        keepalive_address=address,
        keepalive_vrf=_backup_vrf(data, address),
        reload_delay_s=take_int(data, "mlag", "init-delay") or 0,
        vlan=vlan,
        mac_address=take_text(data, "mlag", "mac-address"),
        priority=take_int(data, "mlag", "priority"),
    )


def _backup_vrf(data: Data, address: str) -> str | None:
    at = ("mlag", "backup", address)
    vrf = take_text(data, *at, "vrf")
    drop_if_empty(data, *at)
    return vrf


def _vlan(data: Data) -> int | None:
    """The VLAN of the peer link's subinterface, if name, type, port and VLAN agree."""
    for name, port in (look(data, "interface") or {}).items():
        vlan = port.get("vlan") if isinstance(port, dict) else None
        if type(vlan) is int and name == f"{PEER_LINK}.{vlan}":
            is_whole = port.get("type") == "sub" and port.get("base-interface") == PEER_LINK
            return vlan if is_whole else None
    return None


def _take_subinterface(data: Data, vlan: int) -> None:
    at = ("interface", f"{PEER_LINK}.{vlan}")
    take_word(data, "sub", *at, "type")
    take_word(data, PEER_LINK, *at, "base-interface")
    take_int(data, *at, "vlan")
