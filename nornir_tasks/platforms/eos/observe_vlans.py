"""VLANs of ports in EOS's show output. Pure.

Keys as recorded (tests/recorded/eos_show/vlan.txt): each VLAN with the ports that carry it now, tagged or not; which
of both is not shown.
"""

from collections.abc import Iterator
from typing import Any

from nornir_tasks.platforms.observed import LearnedMac, PortVlans

_ACTIVE = "active"


def carried(answer: dict[str, Any]) -> Iterator[PortVlans]:
    """Each port with its VLANs; a VLAN that is suspended is carried nowhere."""
    found: dict[str, set[int]] = {}
    for number, shown in answer.get("vlans", {}).items():
        for port in shown.get("interfaces", {}) if shown.get("status") == _ACTIVE else ():
            found.setdefault(port, set()).add(int(number))
    return (PortVlans(port, frozenset(vlans)) for port, vlans in found.items())


def learned(answer: dict[str, Any]) -> Iterator[LearnedMac]:
    """Keys as in tests/recorded/eos_show/mac_address_table.txt; the switch's own addresses are ``static``."""
    for row in answer.get("unicastTable", {}).get("tableEntries", []):
        if row.get("entryType") == "dynamic":
            yield LearnedMac(str(row["interface"]), str(row["macAddress"]).lower())
