"""VLANs of ports in NX-OS' show output. Pure.

Fields of ``show vlan brief`` as recorded (tests/recorded/nxos_show/vlan.txt): each VLAN with the ports that carry it,
tagged or not; which of both is not shown. Ports come one by one there; releases differ, and may print ranges
(``Ethernet1/1-4``) or lists of such texts: so NAPALM reads them (napalm 5.2.0, nxos/nxos.py, ``_parse_vlan_ports``).
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from nornir_tasks.platforms.nxos.port_map import LAG
from nornir_tasks.platforms.observed import LearnedMac, PortVlans

_ACTIVE, _UNSHUT = "active", "noshutdown"
_DIGITS = 12
_RANGE = re.compile(r"(?P<head>.*?\D)(?P<first>\d+)-(?P<last>\d+)")


def carried(vlans: Iterable[dict[str, Any]]) -> Iterator[PortVlans]:
    """Each port with its VLANs; a VLAN that is suspended or shut is carried nowhere."""
    found: dict[str, set[int]] = {}
    for row in vlans:
        if row.get("vlanshowbr-vlanstate", _ACTIVE) != _ACTIVE or row.get("vlanshowbr-shutstate", _UNSHUT) != _UNSHUT:
            continue
        for port in _ports(row.get("vlanshowplist-ifidx", "")):
            found.setdefault(port, set()).add(int(row["vlanshowbr-vlanid"]))
    return (PortVlans(port, frozenset(numbers)) for port, numbers in found.items())


def _ports(shown: str | list[str]) -> Iterator[str]:
    texts = shown if isinstance(shown, list) else [shown]
    for each in filter(None, (part.strip() for text in texts for part in text.split(","))):
        name = _long(each)
        many = _RANGE.fullmatch(name)
        if many is None:
            yield name
        else:
            yield from (f"{many['head']}{number}" for number in range(int(many["first"]), int(many["last"]) + 1))


def _long(port: str) -> str:
    return re.sub(r"^Po(?=\d)", LAG, re.sub(r"^Eth(?=\d)", "Ethernet", port))


def learned(table: Iterable[dict[str, Any]]) -> Iterator[LearnedMac]:
    """Rows of ``show mac address-table`` (tests/recorded/nxos_show/mac_address_table.txt), but the switch's own.

    These have no port by name (``(R)``, ``sup-eth1(R)``); a configured one is ``static``, in other words ``enabled`` in
    its column.
    """
    for row in table:
        port, digits = _long(str(row.get("disp_port", ""))), str(row.get("disp_mac_addr", "")).replace(".", "").lower()
        is_static = "static" in str(row.get("disp_type", "")) or str(row.get("disp_is_static", "0")) in ("1", "enabled")
        if port.startswith(("Ethernet", LAG)) and len(digits) == _DIGITS and not is_static:
            yield LearnedMac(port, ":".join(digits[at : at + 2] for at in range(0, _DIGITS, 2)))
