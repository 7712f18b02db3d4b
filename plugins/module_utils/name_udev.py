"""Names that udev gives: rules with NAME=, and .link files that count before ours.

Rules win over .link files, whatever their number: before 80-net-setup-link.rules a NAME keeps systemd from setting one,
after it a NAME replaces it (systemd, rules.d/80-net-setup-link.rules: ``NAME=="", ENV{ID_NET_NAME}!="",
NAME="$env{ID_NET_NAME}"``). Of .link files the first that matches counts (systemd.link(5)). What netplan writes into
/run is judged by its own files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.name_settings import (
        ASIDE,
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
    from name_settings import ASIDE, NameSetting, Port, kept_for, layered, like, line_at, shown, text_of

RULES = ("etc/udev/rules.d", "run/udev/rules.d", "usr/local/lib/udev/rules.d", "usr/lib/udev/rules.d")
LINKS = ("etc/systemd/network", "run/systemd/network", "usr/local/lib/systemd/network", "usr/lib/systemd/network")
OUR_LINK = "05-gpufabric-"
NETPLANS_RULE, NETPLANS_LINK = "99-netplan-", "10-netplan-"
FROM_LINK = re.compile(r"(\$env|%E)\{ID_NET_NAME\}")
"""The name that a .link file has given."""

TOKEN = re.compile(r'([A-Z_]+)(?:\{([^}]*)\})?\s*(==|!=|\+=|-=|:=|=)\s*([ei]?)"((?:\\.|[^"\\])*)"')
RULE = re.compile(r"(?:[^\n\\]|\\\n|\\.)*(?:\n|\Z)")
"""One rule: a line, or several that end in a backslash."""


def rule_names(root: Path, ports: Sequence[Port]) -> Iterator[NameSetting]:
    """Every rule that names a port."""
    for path in layered(root, RULES, ".rules"):
        if path.name.startswith(NETPLANS_RULE):
            continue
        text, file = text_of(path), shown(path, root)
        for found in RULE.finditer(text):
            rule = found[0].replace("\\\n", " ").strip()
            tokens = [] if rule.startswith("#") else TOKEN.findall(rule)
            name = next((value for key, _, sign, _, value in tokens if key == "NAME" and sign in ("=", ":=")), None)
            if name is None or "/" in name or FROM_LINK.fullmatch(name):  # mapper/control is a device's file
                continue
            sure, perhaps = _ports(tokens, ports)
            span = (found.start(), found.end(), "")
            place = (file, line_at(text, found.start()), "NAME", name)
            for netdevs, certain in ((sure, True), (perhaps, False)):
                if netdevs:
                    yield NameSetting("udev", *place, netdevs, kept=kept_for(file), certain=certain, span=span)


def _ports(tokens: Sequence[tuple[str, ...]], ports: Sequence[Port]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(ports that the rule is about, ports that it may be about)."""
    verdicts = {port.netdev: _judge(tokens, port) for port in ports}
    return tuple(name for name, fits in verdicts.items() if fits), tuple(
        n for n, fits in verdicts.items() if fits is None
    )


def _judge(tokens: Sequence[tuple[str, ...]], port: Port) -> bool | None:
    """Does the rule match the port as it appears at boot? None: that cannot be told from here."""
    tests = [(key, name, sign, value) for key, name, sign, _, value in tokens if sign in ("==", "!=")]
    upward = [each for each in tests if each[0] in ("KERNELS", "DRIVERS", "SUBSYSTEMS", "ATTRS")]
    verdicts = [_test(each, port) for each in tests if each not in upward]
    if upward:
        verdicts.append(any(_on_parent(upward, port, place) for place in range(len(port.parents))))
    if False in verdicts:
        return False
    known = [each for each in tests if each[0] in ("KERNELS", "ATTRS", "ATTR") or each[1] == "ID_PATH"]
    return None if None in verdicts and not known else True


def _test(test: tuple[str, ...], port: Port) -> bool | None:
    """One condition about the interface itself."""
    key, name, sign, pattern = test
    known: dict[str, str] = {"ACTION": "add", "SUBSYSTEM": "net"}
    if key in known:
        fits: bool | None = like(known[key], pattern)
    elif key == "ATTR" and name == "address":
        fits = like(port.mac, pattern.lower())
    elif key == "ATTR":
        fits = like(port.attribute(name) or "", pattern)
    elif key == "ENV" and name == "ID_PATH":
        fits = like(f"pci-{port.pci}", pattern)
    elif pattern in ("*", "?*"):
        fits = True
    else:
        return None  # the name that the kernel gives first, a program's answer, another rule's variable
    return fits if sign == "==" else not fits


def _on_parent(tests: Sequence[tuple[str, ...]], port: Port, place: int) -> bool:
    """All of these conditions on one device of the way up, as udev takes them."""
    parent = port.parents[place]
    for key, name, sign, pattern in tests:
        value: str | None = {"KERNELS": parent.path.name, "DRIVERS": parent.driver, "SUBSYSTEMS": parent.subsystem}.get(
            key
        )
        if key == "ATTRS":
            value = port.attribute(name, place)
        if like(value, pattern.lower() if name == "address" else pattern) is not (sign == "=="):
            return False
    return True


def link_names(root: Path, ports: Sequence[Port], ours: str = OUR_LINK) -> Iterator[NameSetting]:
    """Every .link file before ``ours`` that matches a port: ours is then not read."""
    for path in layered(root, LINKS, ".link"):
        if path.name >= ours:
            return
        sections = sections_of(text_of(path))
        match, file = sections.get("Match", {}), shown(path, root)
        verdicts = {port.netdev: link_fits(match, port) for port in ports}
        name = sections.get("Link", {}).get("Name", "")
        key = "Link.Name" if name else "Match"
        for certain in (True, None):
            netdevs = tuple(netdev for netdev, fits in verdicts.items() if fits is certain)
            if netdevs:
                yield NameSetting(
                    "udev", file, 0, key, name, netdevs, ASIDE, kept_for(file), certain=certain is not None
                )


def link_fits(match: dict[str, str], port: Port) -> bool | None:
    """Does a [Match] section match? None: that cannot be told from here."""
    verdicts: list[bool | None] = []
    for key, value in match.items():
        words = value.split()
        wanted = not value.startswith("!")
        if key in ("MACAddress", "PermanentMACAddress"):
            verdicts.append(port.mac in (word.lower().replace("-", ":") for word in words))
        elif key == "Path":
            verdicts.append(any(like(f"pci-{port.pci}", word.lstrip("!")) for word in words) is wanted)
        elif key == "Driver":
            verdicts.append(
                any(like(each.driver, word.lstrip("!")) for word in words for each in port.parents[:2]) is wanted
            )
        elif key == "Type":
            verdicts.append(any(like("ether", word.lstrip("!")) for word in words) is wanted)
        else:
            verdicts.append(True if value == "*" else None)
    if False in verdicts:
        return False
    return None if None in verdicts else True


def sections_of(text: str) -> dict[str, dict[str, str]]:
    """Section -> key -> value of systemd's and NetworkManager's files; of a key given twice, all values."""
    found: dict[str, dict[str, str]] = {}
    section: dict[str, str] = {}
    for line in text.replace("\\\n", " ").splitlines():
        stripped = line.strip()
        if stripped.startswith("["):
            section = found.setdefault(stripped.strip("[]"), {})
        elif "=" in stripped and stripped[0] not in "#;":
            key, _, value = (part.strip() for part in stripped.partition("="))
            section[key] = f"{section[key]} {value}" if section.get(key) else value
    return found
