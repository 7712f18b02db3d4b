"""VLANs of ports in EOS's show output. Pure.

Keys as recorded (tests/recorded/eos_show/vlan.txt): each VLAN with the ports that carry it now, tagged or not; which
of both is not shown.
"""

from collections.abc import Iterator
from typing import Any

from nornir_tasks.platforms.observed import PortVlans

_ACTIVE = "active"


def carried(answer: dict[str, Any]) -> Iterator[PortVlans]:
    """Each port with its VLANs; a VLAN that is suspended is carried nowhere."""
    found: dict[str, set[int]] = {}
    for number, shown in answer.get("vlans", {}).items():
        for port in shown.get("interfaces", {}) if shown.get("status") == _ACTIVE else ():
            found.setdefault(port, set()).add(int(number))
    return (PortVlans(port, frozenset(vlans)) for port, vlans in found.items())
