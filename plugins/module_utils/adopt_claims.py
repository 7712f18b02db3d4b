"""What files of others configure on a host's NIC ports: one place of a file each, in the form of name_settings.

Read by adopt_netplan, adopt_networkd, adopt_profiles and adopt_ifupdown; adopt_plan joins them. Pure but for reading
files below a root; it runs on hosts, Python 3.9.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.name_settings import NameSetting, Port
except ImportError:  # in a test
    from name_settings import NameSetting, Port

DEFAULTS = {4: ("default", "0.0.0.0/0", "0/0"), 6: ("default", "::/0")}
"""How files spell the default route of a family."""
MIXED = "interfaces that are not ours are part of it; take {ports} out of it there, and run again"
"""Why something on our ports and on others' stays."""


@dataclass
class Found:
    """What the files of one program say of our ports."""

    taken: list[NameSetting] = field(default_factory=list)
    """On our ports alone: it can go."""
    defaults: list[NameSetting] = field(default_factory=list)
    """Default routes by ports of others, which go once ours works."""
    blocks: list[str] = field(default_factory=list)
    """What must be done by hand first, each with its step."""
    stays: list[str] = field(default_factory=list)
    """What is of others, by file and key."""

    def add(self, other: Found) -> None:
        """Join what another program's files say."""
        self.taken += other.taken
        self.defaults += other.defaults
        self.blocks += other.blocks
        self.stays += other.stays


class Links:
    """Which NIC ports are below an interface, as the files stack them."""

    def __init__(self, ports: Sequence[Port], own: Iterable[str]) -> None:
        self.ports = {each.netdev for each in ports}
        self.own = frozenset(own)
        self.below: dict[str, set[str]] = {}

    def stack(self, upper: str, lower: Iterable[str]) -> None:
        """``upper`` is a bond, a bridge or a VLAN on ``lower``."""
        self.below.setdefault(upper, set()).update(lower)

    def ports_of(self, name: str, seen: frozenset[str] = frozenset()) -> set[str]:
        """The ports below; of an unexplained name, itself."""
        if name in seen or not self.below.get(name):
            return {name}
        return {port for each in self.below[name] for port in self.ports_of(each, seen | {name})}

    def is_ours(self, names: Iterable[str]) -> bool:
        """Are there ports below, and all of them ours?"""
        found = {port for name in names for port in self.ports_of(name)}
        return bool(found) and found <= self.own

    def touches(self, names: Iterable[str]) -> set[str]:
        """Those of our ports that are below."""
        return {port for name in names for port in self.ports_of(name)} & self.own


@dataclass(frozen=True)
class Line:
    """One ``key=value`` line, or a section's head (key ""), of systemd's and NetworkManager's files."""

    section: str
    key: str
    value: str
    start: int
    end: int


def ini(text: str) -> Iterator[Line]:
    """Heads of sections and keys with their places; ``end`` is after the line's end."""
    section, place = "", 0
    for line in text.splitlines(keepends=True):
        stripped = line.strip()
        if stripped.startswith("[") and stripped.endswith("]"):
            section = stripped[1:-1]
            yield Line(section, "", "", place, place + len(line))
        elif "=" in stripped and stripped[0] not in "#;":
            key, _, value = (part.strip() for part in stripped.partition("="))
            yield Line(section, key, value, place, place + len(line))
        place += len(line)


def is_on(value: str) -> bool:
    """A truth value as systemd, NetworkManager and RHEL's files have it."""
    return value.strip().strip("\"'").lower() in ("1", "yes", "true", "on", "y")


def words_of(value: str) -> list[str]:
    """Words of a list, however it is separated."""
    return [each for each in re.split(r"[\s,;]+", value.strip().strip("\"'")) if each]
