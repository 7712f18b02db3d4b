"""What to change in a host's files so that its rails keep their names: exact edits, one a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.name_cloud_init import DISABLING, DISABLING_TEXT
    from ansible_collections.gpufabric.host.plugins.module_utils.name_settings import (
        ASIDE,
        CUT,
        DISABLE,
        NameSetting,
        Port,
        text_of,
    )
    from ansible_collections.gpufabric.host.plugins.module_utils.name_sources import name_settings
except ImportError:  # in a test
    from name_cloud_init import DISABLING, DISABLING_TEXT
    from name_settings import ASIDE, CUT, DISABLE, NameSetting, Port, text_of
    from name_sources import name_settings

ORIGINALS = "var/lib/gpufabric/replaced"
CLOUD_INITS = "cloud-init"
"""Part of the name of each file that cloud-init writes for netplan, udev and NetworkManager."""


@dataclass(frozen=True)
class Edit:
    """One file before and after; after is None where it is moved away."""

    file: str
    before: str
    after: str | None

    @property
    def is_netplans(self) -> bool:
        return self.file.startswith("/etc/netplan/")

    @property
    def is_udevs(self) -> bool:
        return self.file.startswith(("/etc/udev/", "/etc/systemd/network/"))

    @property
    def is_networkmanagers(self) -> bool:
        return self.file.startswith("/etc/NetworkManager/")

    def content(self) -> bytes:
        """The bytes afterwards."""
        return (self.after or "").encode("utf-8", errors="surrogateescape")


def edits(root: Path, ports: Sequence[Port], wanted: Mapping[str, str]) -> list[Edit]:
    """All edits, cloud-init's first, as it would write the others again. ``wanted``: interface -> the rail's name."""
    found, _, cloud_is_active = name_settings(root, ports)
    taken = [each for each in found if is_in_the_way(each, wanted)]
    again = cloud_is_active and any(CLOUD_INITS in Path(each.file).name for each in taken)
    return edits_of(root, taken, disable=again or any(each.way == DISABLE for each in taken))


def edits_of(root: Path, taken: Sequence[NameSetting], *, disable: bool) -> list[Edit]:
    """One edit a file. ``disable``: cloud-init is told to leave the network alone."""
    result = []
    path = root / DISABLING
    if disable and not (path.is_file() and text_of(path) == DISABLING_TEXT):
        result.append(Edit(f"/{DISABLING}", text_of(path) if path.exists() else "", DISABLING_TEXT))
    for file in sorted({each.file for each in taken if each.way in (CUT, ASIDE)}):
        text = text_of(root / file.lstrip("/"))
        own = [each for each in taken if each.file == file]
        aside = any(each.way == ASIDE for each in own)
        result.append(Edit(file, text, None if aside else without(text, (each.span for each in own))))
    return result


def is_in_the_way(setting: NameSetting, wanted: Mapping[str, str]) -> bool:
    """Does it give a rail another name than its own, and nothing to others, in a file that we may change?"""
    of_rails = set(wanted).issuperset(setting.netdevs)
    other = any(wanted.get(netdev) != setting.name for netdev in setting.netdevs)
    return of_rails and other and setting.certain and not setting.kept


def without(text: str, spans: Iterable[tuple[int, int, str]]) -> str:
    """The text with each span exchanged; what overlaps is cut as a whole."""
    merged: list[tuple[int, int, str]] = []
    for start, end, instead in sorted(set(spans)):
        if merged and start < merged[-1][1]:
            before = merged[-1]
            merged[-1] = (before[0], max(before[1], end), before[2])
        else:
            merged.append((start, end, instead))
    for start, end, instead in reversed(merged):
        text = text[:start] + instead + text[end:]
    return text
