"""Access lists of switches as rules of nftables: what routed packets meet where they come in and go out.

Words of rules: those that EOS and NX-OS have in common (tests/corpus/<os>: access lists). Words of nftables: nft(8).
A list ends with a rule that denies all. Frames that a switch only bridges meet lists where the system has it so.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from .names import gateway_name, kernel_name

Direction = Literal["in", "out", "control"]
"""``control``: what comes to the switch itself, by any port of the default VRF."""
Family = Literal["ip", "ip6"]
"""As nftables calls them."""
_LAST_PORT = 65535
_BOTH = {"tcp": "tcp", "udp": "udp", "gre": "gre", "esp": "esp", "ahp": "ah", "pim": "pim", "vrrp": "vrrp"}
_PROTOCOLS: Mapping[Family, Mapping[str, str]] = {
    "ip": {**_BOTH, "ip": "", "icmp": "icmp", "igmp": "igmp", "ospf": "ospfigp"},
    "ip6": {**_BOTH, "ipv6": "", "ip": "", "icmp": "icmpv6", "icmpv6": "icmpv6", "ospf": "ospfigp"},
}
_WITH_PORTS = frozenset({"tcp", "udp"})
_MESSAGES = {
    "echo-reply": "icmp type echo-reply",
    "unreachable": "icmp type destination-unreachable",
    "host-unreachable": "icmp type destination-unreachable icmp code 1",
    "port-unreachable": "icmp type destination-unreachable icmp code 3",
    "redirect": "icmp type redirect",
    "echo": "icmp type echo-request",
    "ttl-exceeded": "icmp type time-exceeded icmp code 0",
}
_MESSAGES_6 = {
    "unreachable": "icmpv6 type destination-unreachable",
    "packet-too-big": "icmpv6 type packet-too-big",
    "time-exceeded": "icmpv6 type time-exceeded",
    "parameter-problem": "icmpv6 type parameter-problem",
    "redirect-message": "icmpv6 type nd-redirect",
    "echo-request": "icmpv6 type echo-request",
    "echo-reply": "icmpv6 type echo-reply",
    "router-solicitation": "icmpv6 type nd-router-solicit",
    "router-advertisement": "icmpv6 type nd-router-advert",
    "neighbor-solicitation": "icmpv6 type nd-neighbor-solicit",
    "neighbor-advertisement": "icmpv6 type nd-neighbor-advert",
    "nd-ns": "icmpv6 type nd-neighbor-solicit",
    "nd-na": "icmpv6 type nd-neighbor-advert",
}
_WITHOUT_EFFECT = frozenset({"log"})
"""Options that change nothing of which packets pass."""
_TABLE = "lists"


@dataclass(frozen=True, slots=True)
class AccessList:
    """``rules``: each as nftables has it, in their order. ``denies_rest``: is what none of them matches refused?"""

    name: str
    rules: tuple[str, ...]
    family: Family = "ip"
    denies_rest: bool = True


@dataclass(frozen=True, slots=True)
class Bound:
    """A list that an interface uses; ``interface`` is "" where it is the switch's own."""

    interface: str
    direction: Direction
    name: str
    family: Family = "ip"
    bridged_vlan: int | None = None
    """Of an interface of a VLAN: frames that are only bridged in it meet the list, too."""


class UnknownRule(ValueError):  # noqa: N818  (the caller names the line, and the switch is not routed)
    """A rule with a word that has no counterpart here."""


def rule(text: str, port_names: Mapping[str, int], family: Family = "ip") -> str:
    """A rule as the switch prints it, without its number, as nftables has it. Raises UnknownRule."""
    words = _Words(text.split(), port_names, family)
    matches = list(words.matches())
    return " ".join([*matches, "counter", "accept" if words.permits else "drop"])


class _Words:
    """The words of one rule, read from left to right."""

    def __init__(self, words: list[str], port_names: Mapping[str, int], family: Family) -> None:
        self._words, self._names, self._family, self._at = words, port_names, family, 0
        self.permits = False

    def matches(self) -> Iterator[str]:
        """What a packet must be."""
        action, protocol = self._next(), self._next()
        if action not in ("permit", "deny"):
            raise UnknownRule(action)
        self.permits = action == "permit"
        if protocol not in _PROTOCOLS[self._family] and not protocol.isdigit():
            raise UnknownRule(protocol)
        name = _PROTOCOLS[self._family].get(protocol, protocol)
        body = [*self._side("s", protocol), *self._side("d", protocol), *self._options(protocol)]
        if name and not any(each.startswith((f"{name} ", "tcp flags")) for each in body):
            yield f"meta l4proto {name}"
        yield from body

    def _next(self) -> str:
        if self._at == len(self._words):
            raise UnknownRule("")
        self._at += 1
        return self._words[self._at - 1]

    def _peek(self) -> str:
        return self._words[self._at] if self._at < len(self._words) else ""

    def _side(self, side: str, protocol: str) -> Iterator[str]:
        network = self._network()
        if network:
            yield f"{self._family} {side}addr {network}"
        if protocol in _WITH_PORTS:
            yield from self._ports(protocol, f"{protocol} {side}port")

    def _network(self) -> str:
        word = self._next()
        if word == "any":
            return ""
        text = self._next() if word == "host" else word
        try:
            if self._family == "ip6":
                found: ipaddress.IPv4Network | ipaddress.IPv6Network = ipaddress.IPv6Network(text, strict=False)
            elif word != "host" and "/" not in word:  # a mask of the bits that may differ
                found = ipaddress.IPv4Network(f"{text}/{self._next()}", strict=False)
            else:
                found = ipaddress.IPv4Network(text, strict=False)
        except ValueError:
            raise UnknownRule(word) from None
        return "" if found.prefixlen == 0 else str(found).removesuffix(f"/{found.max_prefixlen}")

    def _ports(self, protocol: str, field: str) -> Iterator[str]:
        word = self._peek()
        if word == "range":
            self._next()
            yield f"{field} {self._port()}-{self._port()}"
        elif word in ("gt", "lt"):
            self._next()
            port = self._port()
            yield f"{field} {port + 1}-{_LAST_PORT}" if word == "gt" else f"{field} 0-{port - 1}"
        elif word in ("eq", "neq"):
            self._next()
            ports = [self._port()]
            while self._peek().isdigit() or self._peek() in self._names:
                ports.append(self._port())
            several = str(ports[0]) if len(ports) == 1 else f"{{ {', '.join(map(str, ports))} }}"
            yield f"{field} {'!= ' if word == 'neq' else ''}{several}"

    def _port(self) -> int:
        word = self._next()
        found = self._names.get(word, int(word) if word.isdigit() else -1)
        if not 0 <= found <= _LAST_PORT:
            raise UnknownRule(word)
        return found

    def _options(self, protocol: str) -> Iterator[str]:
        if protocol in ("icmp", "icmpv6"):
            yield from self._message("icmp" if self._family == "ip" else "icmpv6")
        while self._peek():
            word = self._next()
            if word == "established" and protocol == "tcp":
                yield "tcp flags & (ack | rst) != 0"
            elif word not in _WITHOUT_EFFECT:
                raise UnknownRule(word)

    def _message(self, icmp: str) -> Iterator[str]:
        known = _MESSAGES if self._family == "ip" else _MESSAGES_6
        if self._peek() in known:
            yield known[self._next()]
        elif self._peek().isdigit():
            kind = self._next()
            code = f" {icmp} code {self._next()}" if self._peek().isdigit() else ""
            yield f"{icmp} type {kind}{code}"


# -- the tables of a switch ----------------------------------------------------------------------------------------


def ruleset(lists: Iterable[AccessList], bound: Iterable[Bound]) -> str:
    """The lines for ``nft -f -`` that make these lists, in place of those that were there; they say no more twice.

    A packet comes in at an interface, or at the gateway on it that both switches of a pair answer for.
    """
    known, used = tuple(lists), tuple(bound)
    families: tuple[Family, ...] = ("ip", "ip6")
    tables = [line for family in families for line in _table(family, known, used)]
    return "\n".join([*tables, *_bridged(known, used), ""])


def _table(family: Family, lists: Iterable[AccessList], bound: Iterable[Bound]) -> Iterator[str]:
    yield f"add table {family} {_TABLE}"
    yield f"delete table {family} {_TABLE}"
    places = [each for each in bound if each.family == family]
    used = {each.name for each in places}
    chosen = [each for each in lists if each.name in used and each.family == family]
    if not chosen:
        return
    yield f"table {family} {_TABLE} {{"
    for each in chosen:
        yield from _chain_of(each)
    for hook, priority, side, way in (("prerouting", "raw", "iifname", "in"), ("forward", "filter", "oifname", "out")):
        yield f" chain {way} {{ type filter hook {hook} priority {priority}; policy accept;"
        yield from (f"  {side} {_ports(one)} goto {_chain(one.name)}" for one in places if one.direction == way)
        yield " }"
    yield from _control([one for one in places if one.direction == "control"])
    yield "}"


def _control(places: Iterable[Bound]) -> Iterator[str]:
    """What comes to the switch itself, but not from itself, nor in another VRF."""
    for one in places:
        yield " chain control { type filter hook input priority filter; policy accept;"
        yield '  iifname "lo" accept'
        yield '  meta iifkind "vrf" accept'
        yield f"  goto {_chain(one.name)}"
        yield " }"


def _bridged(lists: Iterable[AccessList], bound: Iterable[Bound]) -> Iterator[str]:
    """Frames within a VLAN meet the list of what comes in, then that of what goes out."""
    yield f"add table bridge {_TABLE}"
    yield f"delete table bridge {_TABLE}"
    places = [each for each in bound if each.bridged_vlan is not None]
    chosen = [each for each in lists if any((each.name, each.family) == (one.name, one.family) for one in places)]
    if not chosen:
        return
    yield f"table bridge {_TABLE} {{"
    for each in chosen:
        yield from _chain_of(each)
    for priority, way in ((0, "in"), (1, "out")):
        yield f" chain {way} {{ type filter hook forward priority {priority}; policy accept;"
        for one in places:
            if one.direction == way:
                yield f"  vlan id {one.bridged_vlan} vlan type {one.family} goto {_chain(one.name)}"
        yield " }"
    yield "}"


def _chain_of(found: AccessList) -> list[str]:
    rest = ["counter drop"] if found.denies_rest else []
    return [f" chain {_chain(found.name)} {{", *(f"  {one}" for one in (*found.rules, *rest)), " }"]


def _ports(bound: Bound) -> str:
    names = [kernel_name(bound.interface), gateway_name(bound.interface)]
    if bound.family == "ip6":
        names.append(gateway_name(bound.interface, is_six=True))
    quoted = ", ".join(f'"{name}"' for name in names)
    return f"{{ {quoted} }}"


def _chain(name: str) -> str:
    """A name that nftables takes: a letter, then letters, digits, and ``_``; others as their number."""
    return "list_" + re.sub(r"[^A-Za-z0-9]", lambda found: f"_{ord(found[0]):x}_", name)
