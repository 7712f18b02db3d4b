"""NX-OS parameter types: interface names, lists of code points and VLANs, AS numbers and the like.

Each accepts one typed word and returns NX-OS's own spelling, or None if the word is not of that type.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..engine import Context

_DSCP_NAMES = {
    "default": 0,
    "cs1": 8,
    "af11": 10,
    "af12": 12,
    "af13": 14,
    "cs2": 16,
    "af21": 18,
    "af22": 20,
    "af23": 22,
    "cs3": 24,
    "af31": 26,
    "af32": 28,
    "af33": 30,
    "cs4": 32,
    "af41": 34,
    "af42": 36,
    "af43": 38,
    "cs5": 40,
    "ef": 46,
    "cs6": 48,
    "cs7": 56,
}
"""Names of code points (BF nxos_ip_access_list)."""
_QUEUE = re.compile(r"c-out-8q-q([1-7]|-default)|c-in-q([1-7]|-default)|c-out-q([1-3]|-default)", re.I)
"""Built-in queuing classes of the 8-queue and 4-queue models (BF nxos_class_map; roce_enable.py 0.22)."""
_NETWORK_QOS = re.compile(r"c-(8q-)?nq([1-7]|-default)|class-default", re.I)
LAST_VLAN = 3967
"""VLANs above are reserved (BF nxos_vlan_invalid)."""


def numbers(text: str, low: int, high: int) -> list[int] | None:
    """The numbers of a list such as ``1,4-7``, sorted; None if it is no list or has numbers outside low..high."""
    found: set[int] = set()
    for part in text.split(","):
        bounds = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        if bounds is None:
            return None
        first, last = int(bounds[1]), int(bounds[2] or bounds[1])
        if not low <= first <= last <= high:
            return None
        found.update(range(first, last + 1))
    return sorted(found)


def ranges(values: list[int]) -> str:
    """Sorted numbers as NX-OS writes them: ``0-23,25,27-47``."""
    parts: list[list[int]] = []
    for value in values:
        if parts and value == parts[-1][-1] + 1:
            parts[-1] = [parts[-1][0], value]
        else:
            parts.append([value])
    return ",".join("-".join(str(bound) for bound in part) for part in parts)


def _list(low: int, high: int) -> Callable[[str, Context], str | None]:
    def convert(word: str, _: Context) -> str | None:
        found = numbers(word, low, high)
        return ranges(found) if found else None

    return convert


def _cages(word: str, context: Context) -> str | None:
    """Front-panel numbers of ports that the switch has (Cisco: "The range of port-range is 1 to 72")."""
    found = numbers(word, 1, 72)
    return ranges(found) if found and all(f"Ethernet1/{number}" in context.ports for number in found) else None


def _dscps(word: str, _: Context) -> str | None:
    plain = ",".join(str(_DSCP_NAMES.get(part.lower(), part)) for part in word.split(","))
    found = numbers(plain, 0, 63)
    return ranges(found) if found else None


def _dscp(word: str, _: Context) -> str | None:
    if word.lower() in _DSCP_NAMES:
        return word.lower()
    return word if word.isdigit() and int(word) <= 63 else None


def _named(expression: re.Pattern[str]) -> Callable[[str, Context], str | None]:
    return lambda word, _: word.lower() if expression.fullmatch(word) else None


def _vlan_list(word: str, context: Context) -> str | None:
    """Several VLANs at once; a single one enters its mode instead."""
    return _list(1, LAST_VLAN)(word, context) if re.search("[,-]", word) else None


def _null0(word: str, _: Context) -> str | None:
    return "Null0" if word.lower() == "null0" else None


def _asn(word: str, _: Context) -> str | None:
    dotted = re.fullmatch(r"(\d+)\.(\d+)", word)
    if dotted and max(int(dotted[1]), int(dotted[2])) > 65535:
        return None
    value = int(dotted[1]) * 65536 + int(dotted[2]) if dotted else int(word) if word.isdigit() else 0
    return str(value) if 1 <= value <= 4294967295 else None


def _community(word: str, _: Context) -> str | None:
    halves = re.fullmatch(r"(\d+):(\d+)", word)
    return word if halves and int(halves[1]) <= 65535 and int(halves[2]) <= 65535 else None


def _vrf_name(word: str, _: Context) -> str | None:
    return word if len(word) <= 32 else None


_KINDS = ("Ethernet", "loopback", "port-channel", "Vlan", "mgmt", "nve")


def _split(word: str) -> tuple[str, str] | None:
    """Full kind and number of an interface name, however abbreviated: ``eth1/2`` is ("Ethernet", "1/2")."""
    found = re.fullmatch(r"([A-Za-z-]+)(\d+(?:/\d+)*(?:\.\d+)?)", word)
    if found is None:
        return None
    if found[1].lower() == "po":
        return "port-channel", found[2]
    kinds = [kind for kind in _KINDS if kind.lower().startswith(found[1].lower())]
    return (kinds[0], found[2]) if len(kinds) == 1 else None


def canonical_name(word: str) -> str | None:
    """An interface name in full, as NX-OS prints it; None if it is none. The port need not exist."""
    split = _split(word)
    return "".join(split) if split else None


def _interface(*kinds: str, dotted: bool | None = False) -> Callable[[str, Context], str | None]:
    def convert(word: str, context: Context) -> str | None:
        split = _split(word)
        if split is None or split[0] not in kinds or (dotted is not None and ("." in split[1]) != dotted):
            return None
        kind, number = split
        name = kind + number
        if kind == "Ethernet":  # parts of a cage included: the grammar's hook checks the split
            whole = "/".join(name.partition(".")[0].split("/")[:2])
            return name if whole in context.ports and number.count("/") <= 2 else None
        limit = {"loopback": 1023, "port-channel": 4096, "Vlan": LAST_VLAN, "mgmt": 0, "nve": 1}[kind]
        return name if number.isdigit() and int(number) <= limit and (kind != "Vlan" or number != "0") else None

    return convert


TYPES: dict[str, Callable[[str, Context], str | None]] = {
    "cages": _cages,
    "dscps": _dscps,
    "dscp": _dscp,
    "precedences": _list(0, 7),
    "cosses": _list(0, 7),
    "coslist": _list(0, 7),
    "queue": _named(_QUEUE),
    "vlanset": _vlan_list,
    "vlans4094": _list(1, 4094),
    "null0": _null0,
    "asn": _asn,
    "community": _community,
    "vrfname": _vrf_name,
    "sup": lambda word, _: word if re.fullmatch(r"sup-[12]", word) else None,
    "ifname": _interface(*_KINDS, dotted=None),
    "vlanif": _interface("Vlan"),
    "portchannel": _interface("port-channel"),
    "ethernet": _interface("Ethernet"),
    "subinterface": _interface("Ethernet", dotted=True),
    "mgmt": _interface("mgmt"),
    "loopback": _interface("loopback"),
}


def is_network_qos_class(name: str) -> bool:
    """Is a network-qos class built in?"""
    return _NETWORK_QOS.fullmatch(name) is not None
