"""Prefixes of BGP's sessions in EOS's show output. Pure.

Keys as NAPALM 5.2.0 reads them (napalm/eos/eos.py, get_bgp_neighbors_detail): what was accepted is in the summaries,
what was sent in the neighbours' details, of each family under a key of its own.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from nornir_tasks.platforms.observed import SessionPrefixes


def exchanged(summaries: Mapping[str, Any], details: Mapping[str, Any], sent_key: str) -> Iterator[SessionPrefixes]:
    """Neighbours of one family. ``sent_key``: that family's in the details."""
    sent = {
        (vrf, str(peer.get("peerAddress"))): peer.get(sent_key)
        for vrf, shown in details.get("vrfs", {}).items()
        for peer in shown.get("peerList", [])
    }
    for vrf, shown in summaries.get("vrfs", {}).items():
        for address, peer in shown.get("peers", {}).items():
            yield SessionPrefixes(
                address,
                _count(peer.get("prefixAccepted")),
                _count(sent.get((vrf, address))),
                None if vrf == "default" else vrf,
            )


def _count(value: object) -> int | None:
    return value if isinstance(value, int) else None
