"""A pair of switches (MLAG) in NVUE's operational tree. Pure.

``nv show mlag`` and ``nv show mlag consistency-checker global`` are published as tables (CumulusNetworks/docs,
cumulus-linux-514 Multi-Chassis-Link-Aggregation-MLAG.md): their rows are taken for the keys, and so are the columns of
the second, spelled as NVUE spells keys. Rows without such keys could not be told.
"""

from collections.abc import Iterator
from typing import Any

from nornir_tasks.platforms.observed import NO_PAIR, PairState, Unlike

Data = dict[str, Any]

_HERE, _THERE, _CONFLICT = "local-value", "peer-value", "conflict"
_NOT_SYNCED = "NOT-SYNCED"
"""What is always shown of the other switch's ``master``: no conflict (the same page, Peer Link Consistency Check)."""
_BONDS = ("bond", "mlag", "consistency-checker")


def pair_state(shown: Data, compared: Data, ports: Data) -> PairState:
    """``peer-interface`` is the subinterface of the peer link that both talk over; without MLAG there is none.

    ``compared``: rows of the switch; of its bonds they are in ``ports``, where the switch shows them there.
    """
    if "peer-interface" not in shown and "local-role" not in shown:
        return NO_PAIR
    connected = _word(shown.get("peer-alive"))
    can_tell = connected and any(_is_row(row) for row in compared.values())
    return PairState(
        domain=str(shown.get("mac-address", "")).lower(),
        peer_link=str(shown.get("peer-interface", "")).partition(".")[0],
        connected=connected,
        state={True: "alive", False: "not alive", None: ""}[connected],
        keepalive=_word(shown.get("backup-active")),
        role=str(shown.get("local-role", "")),
        unlike=(*_unlike(compared), *_of_bonds(ports)) if can_tell else None,
    )


def _word(value: object) -> bool | None:
    """A truth, as itself or as the text that the table has."""
    return {"true": True, "false": False}.get(str(value).lower())


def _of_bonds(ports: Data) -> Iterator[Unlike]:
    for name, port in ports.items():
        rows: Any = port
        for key in _BONDS:
            rows = rows.get(key) if isinstance(rows, dict) else None
        if isinstance(rows, dict):
            yield from _unlike(rows, f"{name} ")


def _unlike(rows: Data, of: str = "") -> Iterator[Unlike]:
    """The rows with a conflict; of one that is none between two values (no PVID) the switch's words are said too."""
    for name, row in rows.items():
        if not _is_row(row):
            continue
        here, there, words = str(row[_HERE]), str(row[_THERE]), _words(row.get(_CONFLICT))
        if there not in {here, _NOT_SYNCED}:
            yield Unlike(of + name, here, there)
        elif words:
            yield Unlike(f"{of}{name} ({words})", here, there)


def _is_row(row: object) -> bool:
    return isinstance(row, dict) and _HERE in row and _THERE in row


def _words(conflict: object) -> str:
    """Its words, or those it is keyed by; ``-`` is none."""
    found = ", ".join(map(str, conflict)) if isinstance(conflict, dict) else str(conflict or "")
    return "" if found == "-" else found
