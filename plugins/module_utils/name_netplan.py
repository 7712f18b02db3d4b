"""Names that netplan gives: ``set-name`` in its files, as it merges them.

For ``set-name`` with ``match: macaddress`` (or driver) netplan writes /run/udev/rules.d/99-netplan-<id>.rules, which
sets NAME after systemd's .link files were read, so it wins over them (canonical/netplan, src/networkd.c,
write_rules_file, commit e9dd90a96727bc6b7264c36526b39d1dacccc00f). Files count by name, of one name /run before /etc
before /lib; later ones add to earlier ones (netplan's manual, "netplan - YAML configuration format").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.name_settings import (
        NameSetting,
        Port,
        kept_for,
        layered,
        like,
        line_at,
        shown,
        text_of,
    )
except ImportError:  # in a test
    from name_settings import NameSetting, Port, kept_for, layered, like, line_at, shown, text_of

try:
    import yaml
except ImportError:  # netplan's package brings it for the distribution's Python
    yaml = None

FOLDERS = ("run/netplan", "etc/netplan", "usr/lib/netplan", "lib/netplan")


@dataclass
class _Definition:
    """One entry of ``ethernets``, merged over all files."""

    match: dict[str, Any] = field(default_factory=dict)
    places: list[tuple[Path, str, Any, Any, bool]] = field(default_factory=list)
    """File, its text, key and value of each ``set-name``, and whether it is the only key there."""


def netplan_names(root: Path, ports: Sequence[Port]) -> tuple[list[NameSetting], list[str]]:
    """Every ``set-name`` that reaches a port, and what could not be read."""
    files = list(layered(root, FOLDERS, ".yaml"))
    if not files:
        return [], []
    if yaml is None:
        what = "cannot be read, as Ansible's Python on this host has no yaml; install python3-yaml"
        return [], [f"{shown(files[0], root)}: {what}"]
    merged: dict[str, _Definition] = {}
    unread = []
    for path in files:
        text = text_of(path)
        try:
            _merge(path, text, yaml.compose(text, Loader=yaml.SafeLoader), merged)
        except yaml.YAMLError as error:
            unread.append(f"{shown(path, root)}: is not YAML: {' '.join(str(error).split())}")
    found = [each for ident, one in merged.items() for each in _settings(ident, one, ports, root)]
    return found, unread


def _merge(path: Path, text: str, top: Any, merged: dict[str, _Definition]) -> None:  # noqa: ANN401 (a YAML node)
    for ident, one in pairs(child(child(top, "network"), "ethernets")):
        definition = merged.setdefault(ident.value, _Definition())
        keys = list(pairs(one))
        for key, value in keys:
            if key.value == "match":
                definition.match.update({name.value: values(each) for name, each in pairs(value)})
            elif key.value == "set-name" and value.value:
                definition.places.append((path, text, key, value, len(keys) == 1))


def _settings(ident: str, one: _Definition, ports: Sequence[Port], root: Path) -> Iterator[NameSetting]:
    netdevs = tuple(port.netdev for port in ports if _matches(one.match, port))
    for path, text, key, value, alone in one.places if netdevs else ():
        file = shown(path, root)
        span = _span(text, key.start_mark.index, value.end_mark.index, alone)
        where = f"network.ethernets.{ident}.set-name"
        line = line_at(text, key.start_mark.index)
        yield NameSetting("netplan", file, line, where, value.value, netdevs, kept=kept_for(file), span=span)


def _matches(match: Mapping[str, Sequence[str]], port: Port) -> bool:
    """Does netplan write a rule for it that udev finds to be this port's? A name alone gives none."""
    mac, drivers = match.get("macaddress"), match.get("driver")
    if not (mac or drivers):
        return False
    by_driver = not drivers or any(like(parent.driver, each) for each in drivers for parent in port.parents)
    return by_driver and (not mac or mac[0].lower() == port.mac)


def _span(text: str, start: int, end: int, alone: bool) -> tuple[int, int, str]:
    """What to cut for one key: its line, or in braces the key with its comma; the last key leaves braces behind."""
    if alone:
        return start, end, "{}"
    before = text.rfind("\n", 0, start) + 1
    after = text.find("\n", end) + 1 or len(text)
    rest = text[end:after].strip()
    if not text[before:start].strip() and (not rest or rest.startswith("#")):
        return before, after, ""
    comma = len(text[end:]) - len(text[end:].lstrip())
    if text[end + comma : end + comma + 1] == ",":
        behind = text[end + comma + 1 :]
        return start, end + comma + 1 + len(behind) - len(behind.lstrip(" ")), ""
    return len(text[:start].rstrip().removesuffix(",")), end, ""


def pairs(node: Any) -> Iterator[tuple[Any, Any]]:  # noqa: ANN401 (YAML nodes)
    """Keys and values of a mapping; nothing of what is none."""
    yield from node.value if node is not None and node.id == "mapping" else ()


def child(node: Any, name: str) -> Any:  # noqa: ANN401 (YAML nodes)
    """The value of a key; None if there is none."""
    return next((value for key, value in pairs(node) if key.value == name), None)


def values(node: Any) -> list[str]:  # noqa: ANN401 (a YAML node)
    """A scalar, or each of a list."""
    return [str(each.value) for each in node.value] if node.id == "sequence" else [str(node.value)]
