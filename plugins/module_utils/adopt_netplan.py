"""What netplan's files configure on our ports: whole entries, single members, and default routes of others.

curtin (by which MAAS installs), cloud-init and subiquity write them: /etc/netplan/50-cloud-init.yaml with ``match`` by
MAC and ``set-name`` (canonical/maas, src/maasserver/preseed_network.py, _generate_physical_operation, commit
061581ae53726979deae93132ebc9d830de1b931), 00-installer-config.yaml (canonical/subiquity, subiquity/models/network.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.adopt_claims import DEFAULTS, MIXED, Found, Links
    from ansible_collections.gpufabric.host.plugins.module_utils.name_netplan import FOLDERS, child, pairs, values, yaml
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
    from adopt_claims import DEFAULTS, MIXED, Found, Links
    from name_netplan import FOLDERS, child, pairs, values, yaml
    from name_settings import NameSetting, Port, kept_for, layered, like, line_at, shown, text_of

PHYSICAL = "ethernets"
STACKED = ("bonds", "bridges", "vlans", "vrfs")
OURS = "gpufabric"
TRUE = ("true", "yes", "on", "y")


@dataclass
class _File:
    """One file as YAML nodes, and what is cut out of it."""

    path: str
    text: str
    top: Any
    cut: set[int] = field(default_factory=set)
    """Identities of key nodes and of items of lists."""

    def spans(self) -> list[tuple[int, int, str]]:
        """What to cut; a mapping or list of which nothing is left goes with its key."""
        return list(_spans(self.text, self.top, self.cut))


@dataclass
class _Place:
    """One occurrence of an entry; netplan merges those of one section and name."""

    file: _File
    key: Any
    value: Any


def netplan(root: Path, ports: Sequence[Port], own: Sequence[str], families: Sequence[int]) -> Found:
    """``own``: our ports by their present names; ``families``: those whose default route is by a port of ours."""
    files, found = [], Found()
    for path in layered(root, FOLDERS, ".yaml"):
        if OURS in path.name:
            continue
        if yaml is None:
            found.blocks.append(f"{shown(path, root)}: Ansible's Python here has no yaml; install python3-yaml")
            continue
        text = text_of(path)
        try:
            files.append(_File(shown(path, root), text, yaml.compose(text, Loader=yaml.SafeLoader)))
        except yaml.YAMLError as error:
            found.blocks.append(f"{shown(path, root)}: is not YAML, mend it: {' '.join(str(error).split())}")
    entries: dict[tuple[str, str], list[_Place]] = {}
    for file in files:
        for section, inside in pairs(child(file.top, "network")):
            if section.value in (PHYSICAL, *STACKED):
                for key, value in pairs(inside):
                    entries.setdefault((section.value, key.value), []).append(_Place(file, key, value))
    links = _links(entries, ports, own)
    for (section, name), places in entries.items():
        _judge(section, name, places, links, families, found)
    _collapse(files, found)
    return found


def _links(entries: dict[tuple[str, str], list[_Place]], ports: Sequence[Port], own: Sequence[str]) -> Links:
    links = Links(ports, own)
    for (section, name), places in entries.items():
        if section == PHYSICAL:
            matched = _matched(places, ports)
            if matched is not None:
                links.stack(name, matched or {f"{name} (no port here)"})
        else:
            for place in places:
                for key in ("interfaces", "link"):
                    lower = child(place.value, key)
                    links.stack(name, values(lower) if lower is not None else ())
    for name in links.below:  # a port that an entry is called by is that port
        links.below[name].discard(name)
    return links


def _matched(places: Sequence[_Place], ports: Sequence[Port]) -> set[str] | None:
    """The ports that an entry's ``match`` reaches; None without one, where its name is the interface's."""
    match: dict[str, list[str]] = {}
    for place in places:
        match.update({key.value: values(value) for key, value in pairs(child(place.value, "match"))})
    if not match:
        return None
    return {
        port.netdev
        for port in ports
        if ("macaddress" not in match or match["macaddress"][0].lower() == port.mac)
        and ("name" not in match or like(port.netdev, match["name"][0]))
        and ("driver" not in match or any(like(one.driver, each) for each in match["driver"] for one in port.parents))
    }


def _judge(
    section: str, name: str, places: Sequence[_Place], links: Links, families: Sequence[int], found: Found
) -> None:
    """Sort one entry: all of it goes, a member of it, its default route, or nothing."""
    for place in places:
        where = f"network.{section}.{name}"
        if links.is_ours([name]):
            _take(found.taken, place.file, place.key, where, links.touches([name]))
            continue
        ours = links.touches([name])
        if not ours:
            found.stays.append(f"{place.file.path}, line {_line(place.file, place.key)}, {where}")
            _default(place, where, families, found)
        elif section == PHYSICAL:  # a match of several ports: ours comes before it by name
            found.stays.append(f"{place.file.path}, line {_line(place.file, place.key)}, {where}")
        else:
            _members(place, where, links, ours, found)
            _default(place, where, families, found)


def _members(place: _Place, where: str, links: Links, ours: set[str], found: Found) -> None:
    """Take our ports out of a bond or bridge that has others', too."""
    listed = child(place.value, "interfaces")
    for item in listed.value if listed is not None and listed.id == "sequence" else ():
        if links.is_ours([item.value]):
            _take(found.taken, place.file, item, f"{where}.interfaces: {item.value}", links.touches([item.value]))
    if child(place.value, "link") is not None:
        step = MIXED.format(ports=" and ".join(sorted(ours)))
        found.blocks.append(f"{place.file.path}, line {_line(place.file, place.key)}, {where}: {step}")


def _default(place: _Place, where: str, families: Sequence[int], found: Found) -> None:
    """Default routes of an entry that is of others."""
    for family in families:
        for key, value in pairs(place.value):
            if key.value == f"gateway{family}":
                _take(found.defaults, place.file, key, f"{where}.{key.value}", {value.value})
            elif key.value == "routes" and value.id == "sequence":
                for item in value.value:
                    to, via = child(item, "to"), child(item, "via")
                    table = child(item, "table")
                    if to is None or to.value not in DEFAULTS[family] or (table is not None and table.value != "254"):
                        continue
                    if via is not None and (6 if ":" in via.value else 4) == family:
                        _take(found.defaults, place.file, item, f"{where}.routes: {to.value}", {via.value})
            elif key.value == f"dhcp{family}" and value.value.lower() in TRUE:
                _by_dhcp(place, f"{where}.{key.value}", family, value, found)


def _by_dhcp(place: _Place, where: str, family: int, value: Any, found: Found) -> None:  # noqa: ANN401 (YAML)
    """Have an entry keep its address and not take the default route that DHCP offers."""
    named = f"dhcp{family}-overrides"
    overrides = child(place.value, named)
    routes = child(overrides, "use-routes")
    if routes is not None and routes.value.lower() not in TRUE:
        return
    line = _line(place.file, value)
    if overrides is not None:
        found.blocks.append(f"{place.file.path}, line {line}, {where}: set use-routes: false in its {named}, run again")
        return
    start = place.value.value[0][0].start_mark
    indent = ", " if place.value.flow_style else "\n" + " " * start.column
    added = f"{indent}{named}: {{use-routes: false}}"
    end = value.end_mark.index
    netdevs = ("default",)
    setting = NameSetting(
        "netplan", place.file.path, line, where, "", netdevs, kept=kept_for(place.file.path), span=(end, end, added)
    )
    found.defaults.append(setting)


def _take(into: list[NameSetting], file: _File, node: Any, where: str, netdevs: set[str]) -> None:  # noqa: ANN401
    file.cut.add(id(node))
    place = int(node.start_mark.index)
    kept, span = kept_for(file.path), (place, place, "")
    into.append(
        NameSetting("netplan", file.path, _line(file, node), where, "", tuple(sorted(netdevs)), kept=kept, span=span)
    )


def _line(file: _File, node: Any) -> int:  # noqa: ANN401 (a YAML node)
    return line_at(file.text, node.start_mark.index)


def _collapse(files: Sequence[_File], found: Found) -> None:
    """Have what leaves nothing of a mapping or list go with its key."""
    for file in files:
        spans = file.spans()
        for settings in (found.taken, found.defaults):
            for place, each in enumerate(settings):
                if each.file == file.path and not each.span[2]:
                    (span,) = (one for one in spans if one[0] <= each.span[0] < one[1])
                    settings[place] = replace(each, span=span)


def _spans(text: str, node: Any, cut: set[int]) -> Iterator[tuple[int, int, str]]:  # noqa: ANN401 (YAML nodes)
    """Spans of what goes, the outermost of each."""
    mapping = node is not None and node.id == "mapping"
    items = node.value if node is not None and node.id in ("mapping", "sequence") else ()
    for item in items:
        head, inside = item if mapping else (item, item)
        if id(head) in cut or _empties(inside, cut):
            yield _span(text, head, inside, mapping, bool(node.flow_style))
        else:
            yield from _spans(text, inside, cut)


def _empties(node: Any, cut: set[int]) -> bool:  # noqa: ANN401 (a YAML node)
    """Is nothing left of a mapping or list that had something?"""
    if node is None or node.id not in ("mapping", "sequence") or not node.value:
        return False
    parts = [item if node.id == "mapping" else (item, item) for item in node.value]
    return all(id(head) in cut or _empties(inside, cut) for head, inside in parts)


def _end(node: Any) -> int:  # noqa: ANN401 (a YAML node)
    """Where a node ends, without the comments and blank lines after it."""
    if node.id == "scalar" or node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _end(last[1] if isinstance(last, tuple) else last)


def _span(text: str, head: Any, inside: Any, mapping: bool, flow: bool) -> tuple[int, int, str]:  # noqa: ANN401
    start, end = int(head.start_mark.index), _end(inside)
    if flow:
        behind = len(text[end:]) - len(text[end:].lstrip())
        if text[end + behind : end + behind + 1] == ",":
            after = text[end + behind + 1 :]
            return start, end + behind + 1 + len(after) - len(after.lstrip()), ""
        return len(text[:start].rstrip().removesuffix(",")), end, ""
    line = text.rfind("\n", 0, start) + 1
    after = text.find("\n", end) + 1 or len(text)
    before = text[line:start].strip()
    if before in ("", "-") if not mapping else not before:
        return line, after, ""
    return start, after, ""
