"""Cages and their parts: the swp ports of a switch, as ``link.breakout`` splits them, and the refused splits.

Source unless said otherwise: Cumulus Linux docs, Switch-Port-Attributes.md, "Breakout Ports" with its table per model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..spec import DeviceSpec
from .tree import Tree, get_or

_CAGE = re.compile(r"swp(\d+)")
_PART = re.compile(r"(swp\d+)s(\d+)")
_LANES = {"SN5600": 8, "SN5400": 8, "SN4700": 8, "SN4410": 8}
"""Lanes of a cage; models not named have 4."""
_CAGE_GBPS = {"SN5400": 400, "SN4700": 400, "SN3700": 200, "SN2201": 100}
_SPECTRUM_4_GBPS = 800
_TWISTED_PAIRS = {"SN2201": 48}
"""Model -> so many first ports are 1000BASE-T: "48x 1GBase-T ports (RJ45 up to 100m CAT5E/6)"."""


def ways_of(tree: Tree, cage: str) -> int:
    """Number of interfaces of a cage: 1 if it is not split, 0 if it is disabled."""
    modes = get_or(tree, {}, "interface", cage, "link", "breakout")
    mode = next(iter(modes), "1x") if isinstance(modes, dict) else "1x"
    return 0 if mode == "disabled" else int(mode.removesuffix("x")) if mode.removesuffix("x").isdecimal() else 1


def is_part(name: str) -> bool:
    """Is this the name of a cage's part?"""
    return _PART.fullmatch(name) is not None


def ports(device: DeviceSpec, tree: Tree) -> list[str]:
    """The existing swp interfaces: whole cages, and the parts of split ones."""
    found: list[str] = []
    for cage in device.ports:
        ways = 0 if _is_blocked(tree, cage) else ways_of(tree, cage)
        found += [cage] if ways == 1 else [f"{cage}s{part}" for part in range(ways)]
    return found


def _is_blocked(tree: Tree, cage: str) -> bool:
    """NVUE itself disables the even port below one that is split into 8."""
    found = _CAGE.fullmatch(cage)
    number = int(found[1]) if found else 1
    return number % 2 == 0 and ways_of(tree, f"swp{number - 1}") == 8


def share(device: DeviceSpec, tree: Tree, name: str) -> str:
    """The own speed of an interface: the cage's, or its part of it ("400G")."""
    if _is_twisted_pair(device, name):
        return "1G"
    found = _PART.fullmatch(name)
    ways = ways_of(tree, found[1]) if found else 1
    return f"{_CAGE_GBPS.get(device.model, _SPECTRUM_4_GBPS) // max(ways, 1)}G"


def _is_twisted_pair(device: DeviceSpec, name: str) -> bool:
    found = _CAGE.fullmatch(name)
    return found is not None and int(found[1]) <= _TWISTED_PAIRS.get(device.model, 0)


def parts_without_cage(device: DeviceSpec, tree: Tree) -> Iterator[tuple[str, str]]:
    """Configured parts that the cage's split does not create: (part, cage)."""
    there = set(ports(device, tree))
    for name in get_or(tree, {}, "interface"):
        found = _PART.fullmatch(name)
        if found and name not in there:
            yield name, found[1]


def wrong_splits(device: DeviceSpec, tree: Tree) -> Iterator[tuple[str, str]]:
    """Splits that the hardware does not support: (interface, why)."""
    lanes = _LANES.get(device.model, 4)
    for name, content in get_or(tree, {}, "interface").items():
        modes = get_or(content, {}, "link", "breakout")
        if not modes or not isinstance(modes, dict):
            continue
        ways = ways_of(tree, name)
        width = next((int(mode["lanes-per-port"]) for mode in modes.values() if mode.get("lanes-per-port")), 1)
        # nvueschema: "only valid on plug interfaces"; SN5600's swp65 cannot be split, nor a port without a plug
        if name not in device.ports or _is_twisted_pair(device, name):
            yield name, f"Breakout is not supported on {name}.\n"
        elif ways * width > lanes:
            yield name, f"{ways} ports of {width} lanes do not fit into the {lanes} lanes of {name}.\n"
        elif ways == 8 and int(name.removeprefix("swp")) % 2 == 0:  # "You must disable the adjacent OSFP port"
            yield name, f"Breakout 8x is only supported on odd ports, {name} is even.\n"
