"""``mlag`` of the operational tree.

Published as a table: Multi-Chassis-Link-Aggregation-MLAG.md and NVIDIA's command reference, `nv show mlag`
(tests/recorded/nvue_show/pair.txt, pair_reference.txt). That its rows are the JSON's keys, and that its two words are
the texts "True" and "False", is what a public reader expects (document 70943992808); no answer was seen (M).

Its consistency checker likewise (pair.txt there): rows are keys, and so are columns, spelled as NVUE spells keys (M).
Of the words of a conflict two are published; the others, and `-` for no PVID, are made after them (M).
"""

from __future__ import annotations

from collections.abc import Iterable

from ..consistency import Difference
from ..fabric import FabricSim
from ..pairs import Pairing
from ..state import Compared
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


_WORDS_OF = {
    "system-mac": "system mac mismatch between clag peers",
    "mtu": "mtu mismatch on clag interface between clag peers",
    "peerlink-native-vlan": "native vlan mismatch on peer link",
    "master": "clag interface is not a bridge member",
}
_NOT_SYNCED = "NOT-SYNCED"
"""The other switch's value of ``master``, always (Peer Link Consistency Check)."""


def checked(device: str, fabric: FabricSim, bond: str = "") -> Tree:
    """``consistency-checker`` of the switch, or of one bond; nothing while there is no peer to compare with."""
    pairing = fabric.pair(device)
    if pairing is None or not pairing.is_peer_up:
        return {}
    found = {(each.own.name, each.own.number): each for each in pairing.differences}
    return {each.name: _row(each, found.get((each.name, each.number)), pairing) for each in _rows(pairing, bond)}


def _rows(pairing: Pairing, bond: str) -> Iterable[Compared]:
    """Of a bond only where the other switch has one of its number: else there is nothing to compare with."""
    theirs = {(each.name, each.number) for each in _theirs(pairing)}
    rows = (each for each in pairing.config.compared if each.interface == bond)
    return (each for each in rows if (each.name, each.number) in theirs)


def _theirs(pairing: Pairing) -> tuple[Compared, ...]:
    return pairing.peer.pair.compared if pairing.peer is not None and pairing.peer.pair is not None else ()


def _row(compared: Compared, conflict: Difference | None, pairing: Pairing) -> Tree:
    there = next(
        each.value for each in _theirs(pairing) if (each.name, each.number) == (compared.name, compared.number)
    )
    words = _WORDS_OF.get(compared.name, f"{compared.name} mismatch between clag peers")
    return {
        "local-value": compared.value,
        "peer-value": _NOT_SYNCED if compared.name == "master" else there,
        "conflict": "-" if conflict is None else words,
    }
