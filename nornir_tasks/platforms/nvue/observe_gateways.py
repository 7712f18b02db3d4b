"""Redundant gateways (VRR) in the state of a Cumulus Linux switch. Pure.

Rows of ``nv show interface vlan10 ip vrr``, operational column (tests/recorded/nvue_show/gateways.txt): the page is of
5.14 and earlier. From 5.15 on ``state`` is the switch of the gateway in its configuration and ``vrr-state`` what it is;
operational keys are taken to be those.
"""

from collections.abc import Iterator
from typing import Any

from nornir_tasks.platforms.observed import GatewayState

_FAMILIES = ("ip", "ipv4")
PARTS = tuple(f"/*/{family}/vrr" for family in _FAMILIES)


def gateways(ports: dict[str, Any]) -> Iterator[GatewayState]:
    """Each IPv4 address of each SVI's gateway."""
    for name, port in ports.items():
        for family in _FAMILIES:
            shown = port.get(family, {}).get("vrr", {})
            word, mac = _word(shown.get("vrr-state", shown.get("state"))), shown.get("mac-address")
            for address in (each for each in shown.get("address", {}) if ":" not in each):
                is_up = word == "up" if word else None
                yield GatewayState(name, address.partition("/")[0], is_up, None, word, mac and str(mac).lower())


def _word(state: object) -> str:
    """A word, or an object with the word as its key, as in the configuration."""
    return next(iter(state), "") if isinstance(state, dict) else str(state or "")
