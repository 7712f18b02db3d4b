"""What ifupdown's files configure on our ports: /etc/network/interfaces and what is in interfaces.d.

Debian's installer, curtin and cloud-init write them (canonical/cloud-init, tests/unittests/net/network_configs.py,
expected_eni_ip_cmd, commit 016b0ab02b8708a5dbbda156721bf4f01d2a96d7). A stanza begins with ``iface``, ``auto``,
``allow-…``, ``mapping``, ``source``, ``rename`` or ``template``, and goes to the next one (interfaces(5)).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.adopt_claims import Found, Links
    from ansible_collections.gpufabric.host.plugins.module_utils.name_settings import (
        NameSetting,
        Port,
        kept_for,
        line_at,
        shown,
        text_of,
    )
except ImportError:  # in a test
    from adopt_claims import Found, Links
    from name_settings import NameSetting, Port, kept_for, line_at, shown, text_of

FILE, FOLDER = "etc/network/interfaces", "etc/network/interfaces.d"
STARTS = re.compile(r"(iface|auto|allow-\S+|no-auto-down|no-scripts|mapping|source|source-directory|rename|template)\b")
MEMBERS = ("bond-slaves", "bond_slaves", "slaves", "bridge-ports", "bridge_ports", "vlan-raw-device")
UPPER = ("bond-master", "bond_master")
RUN = ("pre-up", "up", "post-up", "pre-down", "down", "post-down")
NOBODY = ("none", "regex")


@dataclass(frozen=True)
class _Stanza:
    """One stanza: its first words, its options, and where it is."""

    path: str
    text: str
    start: int
    end: int
    words: tuple[str, ...]
    options: tuple[tuple[str, tuple[str, ...], int, int], ...]
    """Key, values, and the place of the line."""

    def of(self, *keys: str) -> list[str]:
        return [word for key, values, _, _ in self.options if key in keys for word in values]


def ifupdown(root: Path, ports: Sequence[Port], own: Sequence[str], families: Sequence[int]) -> Found:
    """``own``: our ports by their present names; ``families``: those whose default route is by a port of ours."""
    files = [root / FILE, *sorted((root / FOLDER).glob("*"))]
    stanzas = [each for path in files if path.is_file() for each in _stanzas(shown(path, root), text_of(path))]
    links, found = Links(ports, own), Found()
    faces = [each for each in stanzas if each.words[0] == "iface" and len(each.words) > 1]
    for each in faces:
        name = each.words[1]
        links.stack(name, [one for one in each.of(*MEMBERS) if one not in NOBODY])
        for upper in each.of(*UPPER):
            links.stack(upper, [name])
        on = re.match(r"([^.:]+)[.:]", name)  # bond0.300 and eth0:1
        if on is not None and not each.of("vlan-raw-device"):
            links.stack(name, [on[1]])
    for each in stanzas:
        if each.words[0] == "iface" and len(each.words) > 1:
            _sort(each, links, families, found)
        elif each.words[0] in ("auto", "no-auto-down", "no-scripts") or each.words[0].startswith("allow-"):
            _words(each, links, found)
    return found


def _stanzas(path: str, text: str) -> Iterator[_Stanza]:
    """Comments and blank lines before a stanza are the one's after them, and stay."""
    head: tuple[int, int, tuple[str, ...]] | None = None
    options: list[tuple[str, tuple[str, ...], int, int]] = []
    for match in re.finditer(r"(?:[^\n\\]|\\\n|\\.)*(?:\n|\Z)", text):
        words = tuple(match[0].replace("\\\n", " ").split())
        if not words or words[0].startswith("#"):
            continue
        if STARTS.fullmatch(words[0]):
            if head is not None:
                yield _stanza(path, text, head, options)
            head, options = (match.start(), match.end(), words), []
        elif head is not None:
            options.append((words[0], words[1:], match.start(), match.end()))
    if head is not None:
        yield _stanza(path, text, head, options)


def _stanza(
    path: str,
    text: str,
    head: tuple[int, int, tuple[str, ...]],
    options: list[tuple[str, tuple[str, ...], int, int]],
) -> _Stanza:
    end = options[-1][3] if options else head[1]
    return _Stanza(path, text, head[0], end, head[2], tuple(options))


def _sort(stanza: _Stanza, links: Links, families: Sequence[int], found: Found) -> None:
    name = stanza.words[1]
    key = " ".join(stanza.words)
    ours = links.touches([name])
    if links.is_ours([name]):
        found.taken.append(_cut(stanza, stanza.start, stanza.end, key, ours))
        # What a stanza runs may be about anything; it is part of the stanza all the same, and shown by itself.
        for option, values, start, end in stanza.options:
            if option in RUN:
                found.taken.append(_cut(stanza, start, end, " ".join((option, *values)), ours))
        return
    found.stays.append(f"{stanza.path}, line {line_at(stanza.text, stanza.start)}, {key}")
    for option, values, start, end in stanza.options:
        kept = [one for one in values if not links.is_ours([one])]
        if ours and option in MEMBERS and len(kept) < len(values):
            line = stanza.text[start:end]
            indent = line[: len(line) - len(line.lstrip())]
            left = f"{indent}{option} {' '.join(kept) or 'none'}\n"
            found.taken.append(_cut(stanza, start, end, f"{key}: {option}", ours, left))
        gateway = option == "gateway" and values
        if gateway and not ours and (6 if ":" in values[0] else 4) in families:
            found.defaults.append(_cut(stanza, start, end, f"{key}: gateway {values[0]}", {values[0]}))
    if not ours and stanza.words[2:4] == ("inet", "dhcp") and 4 in families:
        step = "give it a static address without gateway there, or set default_route: false on the plane"
        where = f"{stanza.path}, line {line_at(stanza.text, stanza.start)}, {key}"
        found.blocks.append(f"{where}: takes the default route that DHCP offers; {step}")


def _words(stanza: _Stanza, links: Links, found: Found) -> None:
    """Take our names out of a list such as ``auto bond0 eno1``."""
    ours = [each for each in stanza.words[1:] if links.is_ours([each])]
    if not ours:
        return
    left = [each for each in stanza.words if each not in ours]
    instead = f"{' '.join(left)}\n" if len(left) > 1 else ""
    key = " ".join((stanza.words[0], *ours))
    first = stanza.text.find("\n", stanza.start) + 1 or len(stanza.text)
    found.taken.append(_cut(stanza, stanza.start, first, key, links.touches(ours), instead))


def _cut(stanza: _Stanza, start: int, end: int, key: str, netdevs: set[str], instead: str = "") -> NameSetting:
    line, kept = line_at(stanza.text, start), kept_for(stanza.path)
    names = tuple(sorted(netdevs))
    return NameSetting("ifupdown", stanza.path, line, key, "", names, kept=kept, span=(start, end, instead))
