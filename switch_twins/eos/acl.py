"""Rules of access lists as EOS takes and prints them: ports by name, prefixes without host bits, hosts as ``host``.

Sources: tests/corpus/eos/NOTES.md, "Front fabric: access lists" (um-eos ACLs and Route Maps; rules typed with numbers
and what a switch printed of them, document 7886487292).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

PORT_NAMES = {
    "tcpmux": 1,
    "echo": 7,
    "discard": 9,
    "ftp-data": 20,
    "ftp": 21,
    "ssh": 22,
    "telnet": 23,
    "smtp": 25,
    "domain": 53,
    "bootps": 67,
    "bootpc": 68,
    "tftp": 69,
    "finger": 79,
    "www": 80,
    "sunrpc": 111,
    "ntp": 123,
    "snmp": 161,
    "bgp": 179,
    "ptp-event": 319,
    "ptp-general": 320,
    "ldap": 389,
    "ups": 401,
    "https": 443,
    "syslog": 514,
    "rip": 520,
    "dhcpv6-client": 546,
    "dhcpv6-server": 547,
    "msdp": 639,
    "ldp": 646,
    "netconf-ssh": 830,
    "nfs": 2049,
    "bfd": 3784,
    "bfd-echo": 3785,
    "mlag": 4432,
    "multihop-bfd": 4784,
    "micro-bfd": 6784,
    "gnmi": 6030,
    "sbfd": 7784,
}
"""Names that published lists of switches have, with their numbers (IANA; batfish NamedPort for EOS's own ones; that of
gnmi, EOS's own default for it, from memory)."""
_NAME_OF = {number: name for name, number in PORT_NAMES.items()}
_PROTOCOL_NAMES = {"1": "icmp", "2": "igmp", "6": "tcp", "17": "udp", "46": "rsvp", "47": "gre", "50": "esp"} | {
    "51": "ahp",
    "58": "icmpv6",
    "89": "ospf",
    "103": "pim",
    "112": "vrrp",
}
_WITH_PORTS = {"tcp", "udp"}
_ICMP = {"icmp", "icmpv6"}
_MESSAGES = {"echo", "echo-reply", "unreachable", "ttl-exceeded", "redirect", "port-unreachable", "host-unreachable"}
_MESSAGES_6 = {
    "unreachable": 1,
    "packet-too-big": 2,
    "time-exceeded": 3,
    "parameter-problem": 4,
    "echo-request": 128,
    "echo-reply": 129,
    "router-solicitation": 133,
    "router-advertisement": 134,
    "neighbor-solicitation": 135,
    "neighbor-advertisement": 136,
    "redirect-message": 137,
}
_SINGLE_6 = {
    "no-route",
    "no-admin",
    "beyond-scope",
    "address-unreachable",
    "port-unreachable",
    "source-address-failed",
} | {
    "reject-route",
    "source-routing-error",
    "hop-limit-exceeded",
    "fragment-reassembly-exceeded",
    "erroneous-header",
    "unrecognized-next-header",
    "unrecognized-ipv6-option",
}
"""Words of one code each. All of ICMPv6: arista.eos (ansible 12.3.0) eos_acls."""
_NAME_OF_6 = {number: word for word, number in _MESSAGES_6.items()}
_FLAGS = {"established", "ack", "fin", "psh", "rst", "syn", "urg", "log", "tracked", "fragments"}
_COMPARED = {"ttl", "hop-limit"}
_MAX_PORTS = 10
_INCOMPLETE = -1


class WrongWord(Exception):  # noqa: N818  (the switch's refusal is an answer, not a failure of ours)
    """A rule that EOS refuses: the index of the offending word in the rule; -1 if words are missing."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


def printed(rule: str, *, is_ipv6: bool) -> str:
    """A rule without its number as EOS prints it: ``eq 22`` as ``eq ssh``, 10.1.1.5/24 as 10.1.1.0/24; or WrongWord."""
    words = _Words(rule.split(), is_ipv6=is_ipv6)
    return " ".join(words.rule())


class _Words:
    """The words of one rule, read from left to right."""

    def __init__(self, words: list[str], *, is_ipv6: bool) -> None:
        self._words, self._at, self._is_ipv6 = words, 0, is_ipv6

    def rule(self) -> Iterator[str]:
        yield self._next()
        protocol = self._next().lower()
        protocol = _PROTOCOL_NAMES.get(protocol, protocol)
        yield protocol
        for _ in ("source", "destination"):
            yield from self._address()
            if protocol in _WITH_PORTS:
                yield from self._ports()
        if protocol == "icmpv6":
            yield from self._message_6()
        elif protocol in _ICMP:
            yield from self._message()
        while self._at < len(self._words):
            yield from self._option()

    def _next(self) -> str:
        if self._at == len(self._words):
            raise WrongWord(_INCOMPLETE)
        self._at += 1
        return self._words[self._at - 1]

    def _peek(self) -> str:
        return self._words[self._at].lower() if self._at < len(self._words) else ""

    def _wrong(self) -> WrongWord:
        return WrongWord(self._at - 1)

    def _address(self) -> Iterator[str]:
        word = self._next()
        if word.lower() == "any":
            yield "any"
        elif word.lower() == "host":
            yield from ("host", str(self._parsed(self._next())))
        elif "/" in word:
            network = self._network(word)
            yield from self._as_printed(network)
        else:
            yield str(self._parsed(word))
            yield str(self._parsed(self._next()))  # a mask, which may have holes

    def _as_printed(self, network: ipaddress.IPv4Network | ipaddress.IPv6Network) -> tuple[str, ...]:
        if network.prefixlen == 0:
            return ("any",)
        is_host = network.prefixlen == network.max_prefixlen
        return ("host", str(network.network_address)) if is_host else (str(network),)

    def _parsed(self, word: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
        try:
            return ipaddress.IPv6Address(word) if self._is_ipv6 else ipaddress.IPv4Address(word)
        except ValueError:
            raise self._wrong() from None

    def _network(self, word: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
        try:
            if self._is_ipv6:
                return ipaddress.IPv6Network(word, strict=False)
            return ipaddress.IPv4Network(word, strict=False)
        except ValueError:
            raise self._wrong() from None

    def _ports(self) -> Iterator[str]:
        word = self._peek()
        if word in {"gt", "lt"}:
            yield from (self._next(), _name(self._port()))
        elif word == "range":
            yield from (self._next(), _name(self._port()), _name(self._port()))
        elif word in {"eq", "neq"}:
            yield self._next()
            ports = [self._port()]
            while self._peek().isdigit() or self._peek() in PORT_NAMES:
                ports.append(self._port())
                if len(ports) > _MAX_PORTS:
                    raise self._wrong()
            yield from map(_name, sorted(ports))

    def _port(self) -> int:
        word = self._next().lower()
        if word in PORT_NAMES:
            return PORT_NAMES[word]
        if word.isascii() and word.isdigit() and int(word) <= 65535:
            return int(word)
        raise self._wrong()

    def _message(self) -> Iterator[str]:
        if self._peek() in _MESSAGES:
            yield self._next()
            return
        for _ in ("type", "code"):
            if self._peek().isdigit():
                yield str(self._number(255))

    def _message_6(self) -> Iterator[str]:
        """A type by number is printed as its word."""
        if self._peek() in _MESSAGES_6 or self._peek() in _SINGLE_6:
            yield self._next().lower()
        elif self._peek().isdigit():
            number = self._number(255)
            yield str(number) if self._peek().isdigit() else _NAME_OF_6.get(number, str(number))
            if self._peek().isdigit():
                yield str(self._number(255))

    def _number(self, greatest: int) -> int:
        word = self._next()
        if not word.isdigit() or int(word) > greatest:
            raise self._wrong()
        return int(word)

    def _option(self) -> Iterator[str]:
        word = self._next().lower()
        if word in _FLAGS:
            yield word
        elif word in _COMPARED:
            yield word
            operator = self._next()
            if operator not in {"eq", "gt", "lt", "neq"}:
                raise self._wrong()
            yield from (operator, str(self._number(255)))
        elif word == "dscp":
            yield from (word, self._next())
        else:
            raise self._wrong()


def _name(port: int) -> str:
    return _NAME_OF.get(port, str(port))
