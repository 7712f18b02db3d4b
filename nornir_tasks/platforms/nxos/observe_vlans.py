"""VLANs of ports in NX-OS' show output. Pure.

Fields of ``show vlan brief`` as recorded (tests/recorded/nxos_show/vlan.txt): each VLAN with the ports that carry it,
tagged or not; which of both is not shown.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from nornir_tasks.platforms.observed import PortVlans

_ACTIVE, _UNSHUT = "active", "noshutdown"


def carried(vlans: Iterable[dict[str, Any]]) -> Iterator[PortVlans]:
    """Each port with its VLANs; a VLAN that is suspended or shut is carried nowhere."""
    found: dict[str, set[int]] = {}
    for row in vlans:
        if (row.get("vlanshowbr-vlanstate"), row.get("vlanshowbr-shutstate")) != (_ACTIVE, _UNSHUT):
            continue
        for port in filter(None, str(row.get("vlanshowplist-ifidx", "")).split(",")):
            found.setdefault(port.strip(), set()).add(int(row["vlanshowbr-vlanid"]))
    return (PortVlans(port, frozenset(numbers)) for port, numbers in found.items())
