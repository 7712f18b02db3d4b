"""``mlag`` of the operational tree.

Published as a table: Multi-Chassis-Link-Aggregation-MLAG.md and NVIDIA's command reference, `nv show mlag`
(tests/recorded/nvue_show/pair.txt, pair_reference.txt). That its rows are the JSON's keys, and that its two words are
the texts "True" and "False", is what a public reader expects (document 70943992808); no answer was seen (M).
"""

from __future__ import annotations

from ..fabric import FabricSim
from .extract import link_local, mac_address
from .extract_pair import DEFAULT_PRIORITY
from .tree import Tree

_WORDS = {True: "True", False: "False"}
_INIT_DELAY_S = 180


def of_pair(running: Tree, device: str, fabric: FabricSim) -> Tree:
    """The pair as the switch sees it; as configured while MLAG is off."""
    configured: Tree = running.get("mlag", {})
    pairing = fabric.pair(device)
    if pairing is None:
        return configured
    pair, peer = pairing.config, pairing.peer
    entry: Tree = {
        **configured,
        "init-delay": configured.get("init-delay", _INIT_DELAY_S),
        "mac-address": pair.domain,
        "priority": pair.priority,
        "backup": configured.get("backup", {}),
        "backup-active": _WORDS[pairing.is_keepalive_alive],
        "backup-reason": "",
        "local-id": mac_address(device, "eth0"),
        "local-role": "primary" if pairing.role == "primary" or pairing.is_alone else "secondary",
        "peer-alive": _WORDS[pairing.is_peer_up],
        "peer-interface": pair.talks_on,
    }
    if not pairing.is_peer_up or peer is None:
        return {key: value for key, value in entry.items() if key != "peer-ip"}
    return {
        **entry,
        "peer-ip": pair.peer_address or link_local(peer.name, pair.talks_on),
        "peer-id": mac_address(peer.name, "eth0"),
        "peer-priority": peer.pair.priority if peer.pair is not None else DEFAULT_PRIORITY,
        "peer-role": "secondary" if entry["local-role"] == "primary" else "primary",
    }
