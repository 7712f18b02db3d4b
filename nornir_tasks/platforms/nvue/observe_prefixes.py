"""Prefixes of BGP's sessions as Cumulus Linux shows them. Pure.

``rx-prefix`` and ``tx-prefix`` of an address family: Troubleshooting-BGP.md, ``nv show vrf default router bgp neighbor
swp51``. From memory: both are FRR's own, of what policy left.
"""

from collections.abc import Iterator
from typing import Any

from nornir_tasks.platforms.observed import SessionPrefixes

Data = dict[str, Any]


def neighbors(answer: Data) -> Iterator[tuple[str | None, str, Data]]:
    """(VRF, address or port, what is shown) of each neighbour."""
    for vrf, answer_of_vrf in answer.items():
        for address, each in answer_of_vrf.get("router", {}).get("bgp", {}).get("neighbor", {}).items():
            yield (None if vrf == "default" else vrf), address, each


def exchanged(answer: Data) -> Iterator[SessionPrefixes]:
    """Each neighbour, with the routes of its address's family."""
    for vrf, address, each in neighbors(answer):
        shown = each.get("address-family", {}).get("ipv6-unicast" if ":" in address else "ipv4-unicast", {})
        yield SessionPrefixes(address, _count(shown.get("rx-prefix")), _count(shown.get("tx-prefix")), vrf)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) else None
