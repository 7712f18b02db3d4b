"""``ip.vrr`` of the operational tree.

Published as a table: NVIDIA's command reference up to 5.14, `nv show interface vlan10 ip vrr`, whose rows are taken for
the keys (tests/recorded/nvue_show/gateways.txt). No output of 5.15 and later was seen: there its keys are taken to be
those of the configuration (M), and for ``down`` as well (M).
"""

from __future__ import annotations

from .dialect import Dialect
from .tree import Tree, get_or


def of_svi(running: Tree, settings: Tree, dialect: Dialect, *, is_up: bool) -> Tree:
    """An SVI's gateway of IPv4 as ``{"ip": {"vrr": ...}}``; nothing, if gateways are off here or at all."""
    family = dialect.addresses[0]
    configured = get_or(settings, {}, family, "vrr")
    if not dialect.is_on(configured, False) or not dialect.is_on(get_or(running, {}, "router", "vrr"), False):
        return {}
    word = "up" if is_up else "down"
    shown = {
        "address": {address: {} for address in configured.get("address", {})},
        "mac-address": configured.get("mac-address", ""),
        dialect.gateway_up: {word: {}},
    }
    return {family: {"vrr": shown}}
