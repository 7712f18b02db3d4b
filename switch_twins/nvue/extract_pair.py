"""The pair (MLAG) of NVUE's objects.

Both members need MLAG on, a peer link (an interface of type ``peerlink``) and the subinterface of it that both talk
over; another system MAC address is a conflict that the consistency checker shows of peers that talk
(Multi-Chassis-Link-Aggregation-MLAG.md, Troubleshooting).
"""

from __future__ import annotations

from ..state import PairState
from .dialect import Dialect
from .tree import Tree, get_or

DEFAULT_PRIORITY = 32768


def pair_state(tree: Tree, dialect: Dialect) -> PairState | None:
    """The pair; None while MLAG is off, or lacks something."""
    mlag, interfaces = get_or(tree, {}, "mlag"), get_or(tree, {}, "interface")
    link = next((name for name, each in interfaces.items() if each.get("type") == "peerlink"), None)
    talks_on = next((name for name, each in interfaces.items() if link and _is_above(name, each, link)), None)
    if link is None or talks_on is None or not dialect.is_on(mlag, False):
        return None
    backups: Tree = mlag.get("backup", {})
    backup = next(iter(backups), "")
    address = str(mlag.get("peer-ip", "linklocal"))
    return PairState(
        domain=str(mlag.get("mac-address", "")).lower(),
        peer_link=link,
        needs_same_domain=False,
        talks_on=talks_on,
        peer_address="" if address == "linklocal" else address,
        keepalive=backup,
        keepalive_vrf=str(get_or(backups, "default", backup, "vrf")),
        priority=int(mlag.get("priority", DEFAULT_PRIORITY)),
    )


def _is_above(name: str, settings: Tree, link: str) -> bool:
    port, _, _ = name.rpartition(".")
    return settings.get("type") == "sub" and settings.get("base-interface", port) == link
