"""NVUE's data as a ConfigTree and back: a mapping's key is a node, a scalar a leaf ``key: json``.

NVUE has two kinds of mapping. A collection's entry (``interface / swp1``) exists or not, even when it is empty. A
section of the schema (``vrf / default / router / bgp``) always exists and has no meaning of its own. Sections with
several owners are CONTAINERS here: every tree has them and no data shows them, so a container is never a change and
never has an owner.
"""

import json
import re
from functools import cache, lru_cache
from typing import Any

from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.nvue.access_lists import in_one_spelling
from nornir_tasks.platforms.platform import OpenTrunk

QOS_KINDS = (
    "advance-buffer-config",
    "congestion-control",
    "egress-queue-mapping",
    "egress-scheduler",
    "egress-shaper",
    "link-pause",
    "mapping",
    "pfc",
    "remark",
)
"""Sections of ``qos`` that hold profiles by name (nvueschema 0.1.0 v5_14 and v5_16, NvueConfigQos)."""

_BGP: Path = ("vrf", "default", "router", "bgp")
_IPV4: Path = (*_BGP, "address-family", "ipv4-unicast")
_IPV6: Path = (*_BGP, "address-family", "ipv6-unicast")

BRIDGE = "br_default"
"""The one bridge that exists without configuration (docs514 VLAN-aware-Bridge-Mode.md)."""

CONTAINERS: tuple[Path, ...] = (
    ("acl",),
    ("bridge",),
    ("bridge", "domain"),
    ("bridge", "domain", BRIDGE),
    ("bridge", "domain", BRIDGE, "vlan"),
    ("interface",),
    ("qos",),
    *(("qos", kind) for kind in QOS_KINDS),
    ("router",),
    ("router", "bfd"),
    ("router", "bfd", "profile"),
    ("router", "policy"),
    ("router", "policy", "as-path-list"),
    ("router", "policy", "prefix-list"),
    ("router", "policy", "route-map"),
    ("service",),
    ("service", "dhcp-relay"),
    ("service", "dhcp-relay", "default"),
    ("service", "dhcp-relay", "default", "downstream-interface"),
    ("service", "dhcp-relay", "default", "server-group"),
    ("service", "dns"),
    ("service", "ntp"),
    ("system",),
    ("system", "aaa"),
    ("system", "aaa", "authentication"),
    ("system", "aaa", "user"),
    ("system", "date-time"),
    ("system", "dns"),
    ("system", "forwarding"),
    ("system", "message"),
    ("system", "ntp"),
    ("system", "syslog"),
    ("system", "api"),
    ("system", "ssh-server"),
    ("vrf",),
    ("vrf", "default"),
    ("vrf", "default", "router"),
    ("vrf", "default", "router", "static"),
    ("vrf", "mgmt"),
    ("vrf", "mgmt", "router"),
    ("vrf", "mgmt", "router", "static"),
    _BGP,
    (*_BGP, "neighbor"),
    (*_BGP, "peer-group"),
    (*_BGP, "address-family"),
    _IPV4,
    (*_IPV4, "aggregate-route"),
    (*_IPV4, "network"),
    _IPV6,
    (*_IPV6, "aggregate-route"),
    (*_IPV6, "network"),
)
"""Sections of the schema, parents first. The only entries of collections are ``vrf / default``, ``vrf / mgmt`` (docs514
Management-VRF.md) and the bridge, which always exist."""

_IS_CONTAINER = frozenset(CONTAINERS)

ALL_VLANS = 'vlan: "all"'
"""A member of the bridge that lists no VLANs carries all of the bridge (docs514 VLAN-aware-Bridge-Mode.md). It has this
line in a tree, which no data shows, so that a list that takes its place is a difference."""
_MEMBER: Path = ("bridge", "domain", BRIDGE)
VLAN_ENTRY = rf"interface / (?P<port>\S+) / bridge / domain / {BRIDGE} / vlan / (?P<vlan>\d+)"
"""One VLAN of a port's list."""


def from_data(data: dict[str, Any]) -> ConfigTree:
    """A tree of NVUE data from JSON answers or YAML files."""
    tree = _containers()
    _fill(tree, data)
    _note_open_members(tree)
    in_one_spelling(tree.children["acl"])
    return tree


def _note_open_members(tree: ConfigTree) -> None:
    for port in tree.children["interface"].children.values():
        member = port.get(*_MEMBER)
        if member is not None and not any(text.startswith(("vlan", "access: ")) for text in member.children):
            member.add(ALL_VLANS)


def open_trunks(running: ConfigTree) -> tuple[OpenTrunk, ...]:
    """The members of the bridge that list no VLANs, with the VLANs of the bridge."""
    ports = running.children["interface"].children if "interface" in running.children else {}
    names = [name for name, port in ports.items() if ALL_VLANS in (port.get(*_MEMBER) or ConfigTree()).children]
    bridge = running.get("bridge", "domain", BRIDGE, "vlan") if names else None
    places = ((name, ("interface", name, *_MEMBER)) for name in names)
    vlans = tuple(sorted(int(text) for text in (bridge.children if bridge else ()) if text.isdecimal()))
    return tuple(OpenTrunk(name, (*at, ALL_VLANS), vlans, (*at, "vlan")) for name, at in places)


def empty_lists(tree: ConfigTree) -> frozenset[str]:
    """The members of the bridge without a VLAN of their own: they carry all of the bridge."""
    ports = tree.children["interface"].children if "interface" in tree.children else {}
    members = ((name, port.get(*_MEMBER)) for name, port in ports.items())
    return frozenset(name for name, member in members if member is not None and not _has_vlans(member))


def _has_vlans(member: ConfigTree) -> bool:
    listed = member.children.get("vlan")
    return bool(listed) or any(text.startswith("access: ") for text in member.children)


def _containers() -> ConfigTree:
    tree = ConfigTree()
    for path in CONTAINERS:
        tree.add_path(path)
    return tree


def _fill(node: ConfigTree, data: dict[str, Any]) -> None:
    for key, value in data.items():
        name = spelled(str(key))
        if isinstance(value, dict):
            _fill(node.add(name), value)
        elif isinstance(value, list):
            node.add(f"{name}: {json.dumps(value, ensure_ascii=False)}")
        else:
            node.add(f"{name}: {_encoded_scalar(value)}")


@lru_cache(maxsize=8192, typed=True)
def _encoded_scalar(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def to_data(tree: ConfigTree) -> dict[str, Any]:
    """The data of a tree; empty containers are left out."""
    return _data(tree, ())


def _data(node: ConfigTree, above: Path) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for text, child in node.children.items():
        if text == ALL_VLANS:
            continue
        key, value = key_and_value(text)
        if value is None:
            below = _data(child, (*above, text))
            if below or (*above, text) not in _IS_CONTAINER:
                data[key] = below
        else:
            data[key] = _decoded(value)
    return data


def _decoded(text: str) -> Any:  # noqa: ANN401 - JSON
    """A value of JSON text. A few scalars occur on thousands of lines, so they are cached."""
    return json.loads(text) if text[0] in "[{" else _decoded_scalar(text)


@lru_cache(maxsize=8192)
def _decoded_scalar(text: str) -> Any:  # noqa: ANN401 - JSON
    return json.loads(text)


def spelled(key: str) -> str:
    """A key as a line of the tree: unchanged, or in quotes where it would be read as a leaf."""
    return json.dumps(key) if ": " in key or key.startswith('"') else key


def key_and_value(text: str) -> tuple[str, str | None]:
    """A line's key, and its value as JSON text; None for a mapping."""
    if text.startswith('"'):
        key, end = json.JSONDecoder().raw_decode(text)
        return str(key), text[end + 2 :] or None
    key, colon, value = text.partition(": ")
    return (key, value) if colon else (text, None)


def setting(path: Path) -> str:
    """The key of the last line of a path: NVUE holds one value for each."""
    return key_and_value(path[-1])[0]


_ROW = re.compile(r'(?P<indent> *)(?P<key>"(?:[^"\\]|\\.)*"|[A-Za-z][\w-]*):(?: (?P<value>\S.*))?', re.ASCII)
_WORD = re.compile(r"[A-Za-z][\w-]*", re.ASCII)
"""Text that needs no quotes, unless it is one of the following."""
_OWN_KEY = re.compile(r"[a-z][a-z0-9-]*")
"""Keys that we write without quotes."""
_NOT_TEXT = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
"""Plain words that some version of YAML reads as another type, capital letters or not."""


def to_tree(text: str) -> ConfigTree:
    """A tree of a switch's JSON answer, a rendered file, or any YAML 1.2. ValueError for other text.

    The output of our templates is a subset of YAML that is read row by row, which is much faster.
    """
    if text.lstrip().startswith("{"):
        return from_data(_mapping(json.loads(text)))
    tree = _from_rows(text)
    return from_data(_mapping(_load_yaml(text))) if tree is None else tree


def _mapping(data: object) -> dict[str, Any]:
    if not isinstance(data, dict):
        message = f"NVUE configuration is a mapping, not {type(data).__name__}"
        raise ValueError(message)  # noqa: TRY004 - the text is wrong, not a type in our code
    return _keys_as_text(data)


def _from_rows(text: str) -> ConfigTree | None:
    """A tree of rows of ``key:`` and ``key: json``; None if any row is something else."""
    root = _containers()
    stack: list[tuple[int, ConfigTree, set[str]]] = [(-1, root, set())]
    deepest = 0
    for number, row in enumerate(text.splitlines(), start=1):
        if not row or row[0] == "#":
            continue
        line = row.lstrip(" ")
        indent = len(row) - len(line)
        key, colon, value = line.partition(": ")
        name = _name(key if colon else key.removesuffix(":"))
        if name is None or indent > deepest or not (value or key.endswith(":")):
            return None
        while stack[-1][0] >= indent:
            stack.pop()
        _, parent, keys = stack[-1]
        if name in keys:
            return None
        keys.add(name)
        deepest = indent
        if not colon:
            stack.append((indent, parent.add(name, number), set()))
            deepest += 8
        elif value == "{}":
            parent.add(name, number)
        elif value[0] == "{" or (respelled := _respelled(value)) is None:
            return None
        else:
            parent.add(f"{name}: {respelled}", number)
    _note_open_members(root)
    in_one_spelling(root.children["acl"])
    return root


@lru_cache(maxsize=8192)
def _respelled(value: str) -> str | None:
    """JSON text, or a plain word, in the one spelling that trees use; None if it is neither."""
    if _WORD.fullmatch(value) and value.lower() not in _NOT_TEXT:
        return f'"{value}"'
    try:
        return json.dumps(json.loads(value), ensure_ascii=False)
    except ValueError:
        return None


@lru_cache(maxsize=8192)
def _name(key: str) -> str | None:
    """A row's key as trees have it; None if our templates would not print it this way."""
    if _ROW.fullmatch(f"{key}:") is None or key.lower() in _NOT_TEXT:
        return None
    try:
        return spelled(json.loads(key)) if key[0] == '"' else key
    except ValueError:
        return None


@cache
def _yaml() -> Any:  # noqa: ANN401 - ruamel.yaml is imported where a user's own YAML is read, and only there
    from ruamel.yaml import YAML  # noqa: PLC0415

    return YAML(typ="safe", pure=True)


def _load_yaml(text: str) -> Any:  # noqa: ANN401 - whatever stands in the text
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415

    try:
        return _yaml().load(text) or {}
    except YAMLError as error:
        message = f"not YAML: {error}"
        raise ValueError(message) from error


def _keys_as_text(data: dict[Any, Any]) -> dict[str, Any]:
    """Convert keys to strings, as NVUE's always are (a person writes ``3:``), and empty values to empty mappings."""
    return {
        str(key): _keys_as_text(value) if isinstance(value, dict) else {} if value is None else value
        for key, value in data.items()
    }


def to_text(tree: ConfigTree) -> str:
    """A tree as YAML 1.2, sorted like a switch's own answers, each scalar as JSON: ``to_tree(to_text(t)) == t``."""
    rows: list[str] = []
    _write(to_data(tree), "", rows)
    return "".join(rows)


def _write(data: dict[str, Any], indent: str, rows: list[str]) -> None:
    for key in sorted(data, key=natural) if len(data) > 1 else data:
        name = _plain_or_quoted(key)
        value = data[key]
        if isinstance(value, dict) and value:
            rows.append(f"{indent}{name}:\n")
            _write(value, f"{indent}  ", rows)
        else:
            rows.append(f"{indent}{name}: {_encoded(value)}\n")


def _encoded(value: object) -> str:
    """JSON text of a value. A few scalars occur on thousands of lines, so they are cached."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else _encoded_scalar(value)


@lru_cache(maxsize=8192)
def _plain_or_quoted(key: str) -> str:
    return key if _OWN_KEY.fullmatch(key) and key not in _NOT_TEXT else json.dumps(key)


@lru_cache(maxsize=8192)
def natural(key: str) -> tuple[tuple[int, int | str], ...]:
    """Order of keys with numbers in them: ``swp2`` before ``swp10``."""
    parts = re.split(r"(\d+)", key)
    return tuple((1, int(part)) if part.isdecimal() else (0, part) for part in parts if part)
