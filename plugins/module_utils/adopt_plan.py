"""What of a host's network goes, stays and is exchanged when its ports become ours: files and running interfaces.

A port is ours if the intent gives it to a rail or to a bond. Pure but for reading files below a root; it runs on hosts,
Python 3.9.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.adopt_claims import Found
    from ansible_collections.gpufabric.host.plugins.module_utils.adopt_ifupdown import ifupdown
    from ansible_collections.gpufabric.host.plugins.module_utils.adopt_netplan import netplan
    from ansible_collections.gpufabric.host.plugins.module_utils.adopt_networkd import networkd
    from ansible_collections.gpufabric.host.plugins.module_utils.adopt_profiles import profiles
    from ansible_collections.gpufabric.host.plugins.module_utils.name_cloud_init import cloud_init
    from ansible_collections.gpufabric.host.plugins.module_utils.name_settings import (
        ASIDE,
        DISABLE,
        NameSetting,
        Port,
        text_of,
    )
    from ansible_collections.gpufabric.host.plugins.module_utils.name_sources import name_settings
    from ansible_collections.gpufabric.host.plugins.module_utils.name_takeover import Edit, edits_of, is_in_the_way
except ImportError:  # in a test
    from adopt_claims import Found
    from adopt_ifupdown import ifupdown
    from adopt_netplan import netplan
    from adopt_networkd import networkd
    from adopt_profiles import profiles
    from name_cloud_init import cloud_init
    from name_settings import ASIDE, DISABLE, NameSetting, Port, text_of
    from name_sources import name_settings
    from name_takeover import Edit, edits_of, is_in_the_way

OUR_LINKS = "06-gpufabric-bonds-"
"""What is before these .link files is before all of ours."""
TAKEN_DOWN = ("bond", "bridge", "team", "vlan")
"""Kinds of interfaces on our ports that go; others have a user, who must end first."""
RESOLVERS = re.compile(r"(?im)(?:^|[\s{,])nameservers\s*:|^\s*dns-nameservers?\s|^\s*dns\d*\s*=")
"""Servers for names, as netplan, ifupdown, networkd, NetworkManager and ifcfg files have them. Our ports have none."""
MADE_AT_BOOT = "take what makes it out of the initramfs or the kernel's command line (ip=, rd.*), and run again"

NO_FILE = ", which no file makes: nothing brings it back"


@dataclass
class Ours:
    """What the intent wants of this host."""

    ports: Mapping[str, str]
    """Present name -> wanted one, of the ports that are adopted now."""
    also: frozenset[str] = frozenset()
    """Ports of ours, by present name, that are adopted at another time."""
    links: frozenset[str] = frozenset()
    """Our bonds and VLANs that our own files made already."""
    addresses: frozenset[str] = frozenset()
    """With prefix length."""
    families: tuple[int, ...] = ()
    """Those whose default route is by a port of ours."""


@dataclass
class Plan:
    """What is done, in order; ``blocks`` first if there are any."""

    taken: list[NameSetting] = field(default_factory=list)
    resolvers: list[str] = field(default_factory=list)
    """Files whose servers for names go with what is taken."""
    defaults: list[NameSetting] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    default_edits: list[Edit] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    """Running interfaces that are deleted, the upper ones first."""
    release: dict[str, str] = field(default_factory=dict)
    """Port of ours -> what others' it is taken out of."""
    flush: dict[str, list[str]] = field(default_factory=dict)
    """Port of ours -> addresses that go."""
    stays: list[str] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Is there nothing to adopt?"""
        return not (self.edits or self.default_edits or self.links or self.release or self.flush)

    def makes(self, name: str) -> bool:
        """Does a file that goes make this interface?"""
        keys = (re.sub(r"^network\.\w+\.", "", each.key) for each in self.taken)
        return any(name in re.split(r"[\s,]+", key) for key in keys)

    def lines(self) -> list[str]:
        """The plan as people read it, one thing a line."""
        return [
            *(f"goes: {_place(each)} ({', '.join(each.netdevs)})" for each in self.taken if each.way != DISABLE),
            *(
                f"goes with it: servers for names in {each}; egress_client_nameservers gives others"
                for each in self.resolvers
            ),
            *(f"not read any more: {_place(each)}" for each in self.taken if each.way == DISABLE),
            *(f"made: {each.file}" for each in self.edits if not each.before),
            *(f"goes once ours works: {_place(each)}" for each in self.defaults),
            *(f"goes now: interface {name}{'' if self.makes(name) else NO_FILE}" for name in self.links),
            *(f"goes now: {port} out of {upper}" for port, upper in self.release.items()),
            *(f"goes now: {port} address {each}" for port, every in self.flush.items() for each in every),
            *(f"stays: {each}" for each in self.stays),
        ]


def plan(root: Path, ports: Sequence[Port], ours: Ours, entries: Sequence[Mapping[str, Any]]) -> Plan:
    """``entries``: what ``ip -j -d address show`` prints."""
    every = [*ours.ports, *ours.also]
    found = Found()
    for read in (netplan, networkd, profiles, ifupdown):
        found.add(read(root, ports, every, ours.families))
    made = Plan(stays=found.stays, blocks=list(found.blocks))
    cloud = cloud_init(root, ports)
    names, unread, _ = name_settings(root, ports, OUR_LINKS)
    in_the_way = [each for each in names if is_in_the_way(each, ours.ports)]
    taken = list(_sorted(found.taken, ours, made))
    made.taken = taken + [each for each in in_the_way if not any(_covers(whole, each) for whole in taken)]
    made.resolvers = sorted({each.file for each in taken if RESOLVERS.search(_text(root, each))})
    made.defaults = list(_sorted(found.defaults, None, made))
    disable = any(each.way == DISABLE for each in in_the_way) or (cloud.is_active and bool(made.taken or made.defaults))
    if disable and cloud.kept:
        made.blocks.append(f"cloud-init would configure the ports again: {cloud.kept}")
    made.blocks += unread
    made.edits = edits_of(root, made.taken, disable=disable)
    made.default_edits = edits_of(root, made.defaults, disable=False)
    _running(entries, ours, made)
    return made


def _place(each: NameSetting) -> str:
    line = f", line {each.line}" if each.line else ""
    return f"{each.file}{line}, {each.key}"


def _text(root: Path, each: NameSetting) -> str:
    """What goes of a file."""
    text = text_of(root / each.file.lstrip("/"))
    return text if each.way == ASIDE else text[each.span[0] : each.span[1]]


def _covers(whole: NameSetting, part: NameSetting) -> bool:
    """Does a part of a file go with what goes already?"""
    inside = whole.span[0] <= part.span[0] and part.span[1] <= whole.span[1]
    return whole.file == part.file and (whole.way == ASIDE or (whole.way == part.way and inside))


def _sorted(settings: Sequence[NameSetting], ours: Ours | None, made: Plan) -> Iterator[NameSetting]:
    """Those of the ports that are adopted now; what cannot be changed where it is blocks."""
    for each in settings:
        if ours is not None and not set(each.netdevs) & set(ours.ports):
            continue
        if each.kept:
            step = MADE_AT_BOOT if each.file.startswith("/run/") else "and run again"
            made.blocks.append(f"{_place(each)}: {each.kept}; {step}")
        else:
            yield each


def _running(entries: Sequence[Mapping[str, Any]], ours: Ours, made: Plan) -> None:
    """Interfaces on our ports that go, and what our ports have of others."""
    known = {each["ifname"]: each for each in entries}
    below: dict[str, set[str]] = {}
    for name, each in known.items():
        if each.get("master") in known:
            below.setdefault(each["master"], set()).add(name)
        if each.get("linkinfo", {}).get("info_kind") in ("vlan", "macvlan", "macvtap", "ipvlan", "ipvtap"):
            below.setdefault(name, set()).add(each.get("link") or "")
    every, now = set(ours.ports) | ours.also, set(ours.ports)
    uppers = sorted(below, key=lambda name: -_height(name, below))
    for name in uppers:
        physical = _physical(name, below)
        kind = known[name].get("linkinfo", {}).get("info_kind") if name in known else None
        if name in ours.links or not physical & now:
            continue
        if kind in TAKEN_DOWN and physical <= every:
            made.links.append(name)
        elif kind in TAKEN_DOWN:
            made.release.update({port: name for port in sorted(below[name]) if port in now | set(made.links)})
        else:
            step = "stop what uses it, and run again"
            made.blocks.append(f"{name} ({kind}) is on {' and '.join(sorted(physical & now))}: {step}")
    for port in ours.ports:
        has = [f"{one['local']}/{one['prefixlen']}" for one in _global(known.get(port, {}))]
        gone = [each for each in has if each not in ours.addresses]
        if gone:
            made.flush[port] = gone


def _global(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [each for each in entry.get("addr_info", ()) if each.get("scope") == "global"]


def _height(name: str, below: Mapping[str, set[str]], seen: frozenset[str] = frozenset()) -> int:
    lower = below.get(name, set()) - seen
    return 1 + max((_height(each, below, seen | {name}) for each in lower), default=0) if name in below else 0


def _physical(name: str, below: Mapping[str, set[str]], seen: frozenset[str] = frozenset()) -> set[str]:
    if name in seen or name not in below:
        return {name}
    return {port for each in below[name] for port in _physical(each, below, seen | {name})}
