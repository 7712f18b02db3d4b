"""Does an access list let a client in? Only what decides that: the rules that a first segment of TCP may match."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

_RULE = re.compile(
    r"(?P<number>\d+) (?P<action>permit|deny) (?P<protocol>\S+) (?P<source>any|host \S+|\S+)"
    r"(?P<from> (?:eq|range|gt|lt|neq) .*?)? (?P<to>any|host \S+|\d\S+)(?P<rest>(?: .*)?)"
)


@dataclass(frozen=True, slots=True)
class Opening:
    """The first segment of a connection."""

    source: IPv4Address
    port: int
    names: frozenset[str]
    """What lists call this port, besides its number."""


def admits(lines: Iterable[str], opening: Opening) -> bool:
    """Of the rules of a list as EOS and NX-OS print them, in their order: the first that matches decides, else no."""
    found = [each for each in map(_RULE.fullmatch, lines) if each]
    for rule in sorted(found, key=lambda each: int(each["number"])):
        if _matches(rule, opening):
            return rule["action"] == "permit"
    return False


def _matches(rule: re.Match[str], opening: Opening) -> bool:
    """An opening has a random port of its own and no ACK: rules about either do not match it."""
    if rule["protocol"] not in ("ip", "tcp") or rule["from"] or "established" in rule["rest"]:
        return False
    ports = rule["rest"].split()[1:] if rule["rest"].strip().startswith("eq ") else []
    if rule["rest"].strip() and not opening.names.intersection(ports) and str(opening.port) not in ports:
        return rule["rest"].strip() == "log"
    return covers(rule["source"], opening.source)


def covers(prefix: str, address: IPv4Address) -> bool:
    """Is the address in what a rule calls ``any``, ``host A`` or a prefix?"""
    if prefix.lower() == "any":
        return True
    return address in IPv4Network(prefix.removeprefix("host "), strict=False)
