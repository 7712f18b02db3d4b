"""Cages and lanes: the interfaces of a switch, the meaning of their ``speed`` lines, and the interfaces that work.

EOS shows one interface per lane of a cage, always ("An OSFP cage on a fixed system numbered port 1 exposes 8
interfaces, Ethernet1/1 to Ethernet1/8": um-eos, Layer 1 Profiles) and prints them all (documents 23362504653,
7028251124). Their speeds say how the cage is split.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..engine import Node
from ..spec import DeviceSpec

_SLOW = r"100?(full|half)|100?m(full|half)"
_BY_LANES = r"40g-4|50g-[12]|100g-[124]|200g-[124]|400g-[248]|800g-[48]|1\.6t-8"
SPEED = re.compile(rf"{_SLOW}|(1|10|25|40|50|100|200|400)g|{_BY_LANES}")
NEGOTIATED_SPEED = re.compile(
    rf"{_SLOW}|1000full|10000full|(1|2\.5|5|10|25)g|(1|2\.5|5|10|25|40|50|100)gfull|{_BY_LANES}"
)
FORCED_SPEED = re.compile(r"(10|100|1000)(full|half)|10000full|(10|25|40|50|100)gfull")
"""The words of ``speed``, ``speed auto`` and ``speed forced``: pyavd 6.4.0 schema ethernet_interfaces[].speed, valid
values, and ``10gfull`` from a published script (document 30693967650)."""
_LANES_OF_QSFP, _LANES_OF_QSFP_DD = 4, 8


@dataclass(frozen=True, slots=True)
class Speed:
    """One ``speed`` line. ``lanes`` None: not in the line."""

    gbps: float
    lanes: int | None
    negotiate: bool


def speed_of(node: Node) -> Speed | None:
    """The ``speed`` line of an interface; None without one and for ``speed auto``."""
    line = node.first("speed")
    words = line.words.split() if line is not None else []
    found = re.match(r"([\d.]+)([mgt]?)\D*(?:-(\d))?$", words[-1]) if len(words) > 1 else None
    if found is None:
        return None
    gbps = float(found[1]) * {"": 0.001, "m": 0.001, "g": 1, "t": 1000}[found[2]]
    return Speed(gbps, int(found[3]) if found[3] else None, "auto" in words)


def lane_ports(device: DeviceSpec) -> tuple[str, ...]:
    """Every Ethernet interface of a switch: the specification's ports, cages with all their lanes."""
    lanes = _lanes(device.model)
    names: list[str] = []
    for port in device.ports:
        cage = _cage(port)
        names += [port] if cage is None else [f"{cage}/{lane}" for lane in range(1, lanes + 1)]
    return tuple(dict.fromkeys(names))


@functools.lru_cache(maxsize=64)
def lane_numbers(device: DeviceSpec) -> dict[str, int]:
    """The place of every Ethernet interface, from 1 on."""
    return {name: number for number, name in enumerate(lane_ports(device), start=1)}


def _lanes(model: str) -> int:
    """Lanes of a cage by its letter in Arista's model names: C and Q are QSFP, D and P are QSFP-DD and OSFP."""
    kind = re.match(r"(?:DCS-)?\d{4}([A-Z])", model)
    return _LANES_OF_QSFP if kind is not None and kind[1] in "CQ" else _LANES_OF_QSFP_DD


def _cage(port: str) -> str | None:
    """``Ethernet1`` of Ethernet1/1, ``Ethernet2/5`` of Ethernet2/5/1; None for a port of one lane."""
    found = re.fullmatch(r"(Ethernet\d+(?:/\d+)?)/1", port)
    return found[1] if found else None


def dark_ports(ports: Iterable[Node]) -> frozenset[str]:
    """Interfaces whose lanes another one of their cage uses: lower lanes win, unconfigured ones take the last width."""
    cages: dict[str, list[tuple[int, Node]]] = {}
    for node in ports:
        cage, _, lane = node.params["name"].rpartition("/")
        if cage and lane.isdigit():
            cages.setdefault(cage, []).append((int(lane), node))
    dark: set[str] = set()
    for members in cages.values():
        dark |= _dark_in(sorted(members, key=lambda member: member[0]))
    return frozenset(dark)


def _dark_in(members: list[tuple[int, Node]]) -> set[str]:
    dark: set[str] = set()
    free_from, width = 1, len(members)
    for lane, node in members:
        speed = speed_of(node)
        if lane < free_from or (lane != 1 and speed is None and (lane - 1) % width):
            dark.add(node.params["name"])
            continue
        width = (speed.lanes if speed is not None else None) or (len(members) if lane == 1 else width)
        free_from = lane + width
    return dark
