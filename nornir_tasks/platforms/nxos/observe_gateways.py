"""Redundant gateways in NX-OS' show output: groups of HSRP. Pure.

Fields of ``show hsrp`` as in tests/recorded/nxos_show/hsrp.txt; its words for states in hsrp_text.txt. Groups of IPv6
are left out: of their addresses that recording has only a link-local one.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from nornir_tasks.platforms.observed import GatewayState

_ACTIVE, _STANDBY = "active", "standby"


def gateways(groups: Iterable[dict[str, Any]]) -> Iterator[GatewayState]:
    """The IPv4 groups; any state but active and standby is one in which a switch does not serve."""
    for row in groups:
        if "sh_vip" not in row:
            continue
        state = str(row.get("sh_group_state", ""))
        word = state.lower()
        yield GatewayState(
            port=str(row["sh_if_index"]),
            address=str(row["sh_vip"]),
            is_up=word in (_ACTIVE, _STANDBY) if word else None,
            is_active=word == _ACTIVE,
            state=word,
            mac_address=_mac(str(row.get("sh_vmac", ""))),
        )


def _mac(dotted: str) -> str | None:
    """``0000.0c9f.f001`` -> ``00:00:0c:9f:f0:01``."""
    digits = dotted.replace(".", "").lower()
    return ":".join(digits[at : at + 2] for at in range(0, len(digits), 2)) or None
