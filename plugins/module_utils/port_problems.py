"""What keeps a NIC port from being configured: not there, in use, named by another tool. In words, for filters.

Each problem as `where: what is wrong, found and expected; remedy`. Runs on the controller.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Facts = Mapping[str, Any]

ADOPT = "gpufabric_adopt_network"
"""The variable by which roles take over what others configured on our ports."""
OR_ADOPT = f"or have it adopted: {ADOPT}: plan shows what goes and what stays"


def key_of(match: Mapping[str, Any]) -> str:
    """The address that identifies a port, in lower case: its PCI address or its MAC."""
    return str(match.get("pci") or match.get("mac") or "").lower()


def plain(match: Mapping[str, Any]) -> str:
    """A match as in the variables, its address alone."""
    return " ".join(f"{key} {each}" for key, each in match.items() if each)


def not_found(where: str, match: Mapping[str, Any], found: Facts | None, intent: str) -> Iterator[str]:
    """No interface at the place of a port, or several; ``found``: what the host says of it."""
    if found is None or not (found["netdev"] or found["candidates"]):
        look = "lspci -D -d ::0200" if match.get("pci") else "ip link"
        yield f"{where}: no interface there on this host; compare with `{look}`, correct {intent} or load its driver"
    elif not found["netdev"]:
        yield f"{where}: several interfaces ({', '.join(found['candidates'])}); tell them apart by mac in {intent}"


def way_in(where: str, netdev: str, facts: Facts, intent: str, adopt: Facts | None = None) -> Iterator[str]:
    """A port that the host is reached by; one that is adopted is judged by what would be left of that way."""
    if netdev in facts["management"] and not adopt:
        is_in_use = f"is {netdev}, which this host is reached by or has its default route on"
        yield f"{where}: {is_in_use}; correct {intent}, {OR_ADOPT}"


def gone(adopt: Facts | None) -> set[str]:
    """Interfaces of others that are deleted, or that our ports are taken out of, by an adoption's plan."""
    adopted = (adopt or {}).get("adopted") or {}
    return {*adopted.get("links", ()), *adopted.get("release", {}).values()}


def blocks(adopt: Facts | None) -> Iterator[str]:
    """What must be done by hand before an adoption."""
    yield from (f"{ADOPT}: {each}" for each in (adopt or {}).get("blocks", ()))


def one_port_twice(variable: str, found: Mapping[str, str | None], intent: str) -> Iterator[str]:
    """Two places that are one interface. ``found``: PCI or MAC address -> interface."""
    for netdev, times in Counter(each for each in found.values() if each).items():
        if times > 1:
            keys = sorted(key for key, each in found.items() if each == netdev)
            yield f"{variable}: {' and '.join(keys)} are one interface, {netdev}; correct {intent}"


def place_of(setting: Mapping[str, Any]) -> str:
    """File, line and key of what names an interface at the next boot."""
    return setting["file"] + (f", line {setting['line']}" if setting["line"] else "") + f", {setting['key']}"


def other_name(where: str, name: str, netdev: str | None, settings: Sequence[Facts], switch: str = "") -> Iterator[str]:
    """What would give a port another name than ``name`` at the next boot.

    ``switch``: the variable by which the role takes such a setting away; "": it does so with all of the network alone.
    """
    for each in settings:
        if netdev in each["netdevs"] and each["name"] != name and each["certain"]:
            gives = f"gives {netdev} the name {each['name']}" if each["name"] else f"takes {netdev}"
            or_set = f", or set {switch}: true" if switch else f", {OR_ADOPT}"
            away = f"take it away: {each['kept']}" if each["kept"] else f"take it away{or_set}"
            yield f"{where}: {each['by']} {gives} at the next boot: {place_of(each)}; {away}"


def no_manager(setting: str, chosen: str, facts: Facts, remedy: str) -> Iterator[str]:
    """No network manager to configure interfaces. ``chosen``: by name, or what runs the host."""
    if chosen == "none":
        yield f"{setting}: neither netplan, systemd-networkd nor NetworkManager runs this host; {remedy}"
    if chosen == "netplan" and facts["backend"] == "none":
        yield f"{setting}: netplan is here, but neither systemd-networkd nor NetworkManager runs; start one of them"
