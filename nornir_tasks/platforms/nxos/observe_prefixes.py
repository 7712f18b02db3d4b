"""Prefixes of BGP's sessions in NX-OS' show output. Pure.

Text, as no source has the keys of its data for both families. ``show bgp vrf all all neighbors``: genieparser
(src/genie/libs/parser/nxos/show_bgp.py, ShowBgpVrfAllAllNeighbors). Releases print "38 accepted paths consume"
(tests/recorded/nxos_show/bgp_text.txt), or "11 accepted prefixes (11 paths), consuming" and "4 sent prefixes (4 paths)"
(ttp_templates platform/cisco_nxos_show_ip_bgp_neighbors_vrf_all.txt).
"""

import re
from collections.abc import Iterator

from nornir_tasks.platforms.observed import SessionPrefixes

_NEIGHBOR = re.compile(r"^BGP neighbor is ([0-9a-fA-F.:]+),", re.MULTILINE)
_VRF = re.compile(r"^ +Neighbor vrf: (\S+)", re.MULTILINE)
_FAMILY = re.compile(r"^ +For address family: (.+?) *$", re.MULTILINE)
_ACCEPTED = re.compile(r"^ +(\d+) accepted (?:paths|prefixes)\b", re.MULTILINE)
_SENT = re.compile(r"^ +(\d+) sent (?:paths|prefixes)\b", re.MULTILINE)
_OF_ADDRESS = {False: "IPv4 Unicast", True: "IPv6 Unicast"}


def exchanged(text: str) -> Iterator[SessionPrefixes]:
    """Each neighbour, with the routes of its address's family."""
    _, *parts = _NEIGHBOR.split(text)
    for address, block in zip(parts[::2], parts[1::2], strict=True):
        _, *families = _FAMILY.split(block)
        by_name = dict(zip(families[::2], families[1::2], strict=True))
        shown = by_name.get(_OF_ADDRESS[":" in address], "")
        vrf = _VRF.search(block)
        name = vrf[1] if vrf is not None else "default"
        yield SessionPrefixes(
            address, _count(_ACCEPTED, shown), _count(_SENT, shown), None if name == "default" else name
        )


def _count(pattern: re.Pattern[str], text: str) -> int | None:
    found = pattern.search(text)
    return None if found is None else int(found[1])
