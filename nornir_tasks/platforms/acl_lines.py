"""Rules of access lists as lines: read as numbers, and put into the one spelling that trees are compared in.

Systems print rules in words of their own: ports by name, a host as ``host`` or /32, with or without host bits. Each
rule that the model can hold gets the same spelling wherever it came from; any other line stays as it is, and is never
read as a wider rule.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Network

from nornir_tasks.design.config.access_lists import (
    ICMP,
    TCP,
    UDP,
    AccessList,
    AclBinding,
    AclRule,
    Direction,
    Family,
    PortRange,
)
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.lines import Row, row

LIST = re.compile(r"(ip|ipv6) access-list (?!standard )(\S+)")
"""The first line of a list."""
_FAMILY: Mapping[str, Family] = {"ip": "ipv4", "ipv6": "ipv6"}
_ANY: Mapping[Family, str] = {"ipv4": "ip", "ipv6": "ipv6"}
_LAST_PORT = 65535


@dataclass(frozen=True, slots=True, eq=False)
class AclWords:
    """The words of one OS."""

    counters: str
    """The line that makes a list count."""
    icmp: Mapping[Family, str]
    """ICMP of each family."""
    protocols: Mapping[str, int]
    """Protocols besides TCP, UDP and ICMP by name."""
    icmp_types: Mapping[Family, Mapping[str, int]]
    """ICMP types, with any code, by name."""
    ports: Mapping[int, Mapping[str, int]]
    """Protocol number -> ports by name."""
    named_types: frozenset[Family] = frozenset()
    """Families whose ICMP types are written by name, of those that have one here; in the others by number."""
    has_wildcards: bool = False
    """An address may be followed by a mask of the bits that do not matter: ``10.0.0.0 0.0.0.255``."""

    def read_list(self, block: ConfigTree, word: str, name: str) -> tuple[AccessList, list[ConfigTree]]:
        """A list's block -> the list, and the lines that the model does not hold. ``word``: ``ip`` or ``ipv6``."""
        rules, unknown = [], []
        for line in block.children.values():
            if (rule := self.rule_of(line.text, _FAMILY[word])) is not None and not line.children:
                rules.append(rule)
            elif line.text != self.counters:
                unknown.append(line)
        return AccessList(name, _FAMILY[word], tuple(rules), counted=self.counters in block.children), unknown

    def in_one_spelling(self, block: ConfigTree) -> ConfigTree:
        """A list's block with each rule in the one spelling; any other block itself."""
        if LIST.fullmatch(block.text) is None:
            return block
        plain = ConfigTree(block.text, block.line)
        plain.repeats = block.repeats
        for line in block.children.values():
            kept = plain.add(self.one_spelling(line.text, block.text), line.line)
            kept.repeats += line.repeats
            kept.children.update(line.children)
        return plain

    def one_spelling(self, line: str, above: str) -> str:
        """A line of the list that begins with ``above`` in the one spelling; itself if the model does not hold it."""
        found = LIST.fullmatch(above)
        return line if found is None else _one_spelling(self, line, _FAMILY[found[1]])

    def line_of(self, rule: AclRule, family: Family) -> str:
        words = {None: _ANY[family], TCP: "tcp", UDP: "udp", ICMP[family]: self.icmp[family]}
        parts = [str(rule.sequence), "permit" if rule.permit else "deny", words.get(rule.protocol, str(rule.protocol))]
        parts += [rule.source or "any", *_ports(rule.source_ports)]
        parts += [rule.destination or "any", *_ports(rule.destination_ports)]
        parts += ["established"] if rule.established else []
        return " ".join(parts if rule.icmp_type is None else [*parts, self._type(rule.icmp_type, family)])

    def _type(self, number: int, family: Family) -> str:
        names = {value: name for name, value in self.icmp_types[family].items()}
        return names.get(number, str(number)) if family in self.named_types else str(number)

    def rule_of(self, line: str, family: Family) -> AclRule | None:
        """The rule of a line; None if the model cannot hold it: a remark, a mask with holes, several ports, a TTL."""
        return _rule_of(self, line, family)

    def read(self, line: str, family: Family) -> AclRule | None:
        """As ``rule_of``, which keeps what it has read."""
        found = _RULE.fullmatch(line)
        if found is None:
            return None
        try:
            rule = self._rule(found, family)
        except (ValueError, KeyError):
            return None
        if rule.established and rule.protocol != TCP:
            return None
        return None if rule.icmp_type is not None and rule.protocol != ICMP[family] else rule

    def _rule(self, found: re.Match[str], family: Family) -> AclRule:
        """Raises ValueError or KeyError for a word that the model does not know."""
        word, message = found["protocol"], found["message"]
        names = {**self.protocols, "tcp": TCP, "udp": UDP, self.icmp[family]: ICMP[family]}
        protocol = None if word == _ANY[family] else _number(word, names)
        ports = self.ports.get(protocol if protocol is not None else -1, {})
        has_ports = protocol in {TCP, UDP}
        if not has_ports and (found["source_ports"] or found["destination_ports"]):
            raise ValueError(word)
        return AclRule(
            sequence=int(found["sequence"]),
            permit=found["action"] == "permit",
            protocol=protocol,
            source=self._prefix(found["source"], family),
            destination=self._prefix(found["destination"], family),
            source_ports=_range(found["source_ports"], ports),
            destination_ports=_range(found["destination_ports"], ports),
            established=found["established"] is not None,
            icmp_type=None if message is None else _number(message, self.icmp_types[family]),
        )

    def _prefix(self, words: str, family: Family) -> str | None:
        if words == "any":
            return None
        address, _, mask = words.removeprefix("host ").partition(" ")
        if mask:
            address = f"{address}/{_length_of(mask)}" if self.has_wildcards and family == "ipv4" else words
        kind = IPv4Network if family == "ipv4" else IPv6Network
        network = kind(address, strict=False)
        return str(network) if network.prefixlen else None


@lru_cache(maxsize=8192)
def _rule_of(words: AclWords, line: str, family: Family) -> AclRule | None:
    """A switch's lists are read several times per push, and many switches have the same."""
    return words.read(line, family)


@lru_cache(maxsize=8192)
def _one_spelling(words: AclWords, line: str, family: Family) -> str:
    rule = words.rule_of(line, family)
    return line if rule is None else words.line_of(rule, family)


_ADDRESS = r"any|host \S+|[\da-fA-F.:]+/\d+|[\d.]+ [\d.]+"
_PORTS = r" eq \S+| range \S+ \S+| [gl]t \S+"
_RULE = re.compile(
    r"(?P<sequence>\d+) (?P<action>permit|deny) (?P<protocol>\w+)"
    rf" (?P<source>{_ADDRESS})(?P<source_ports>{_PORTS})?"
    rf" (?P<destination>{_ADDRESS})(?P<destination_ports>{_PORTS})?"
    r"(?P<established> established)?(?: (?P<message>[a-z-]+|\d+))?"
)


def _number(word: str, names: Mapping[str, int]) -> int:
    return int(word) if word.isdigit() else names[word]


def _length_of(wildcard: str) -> int:
    """Of a mask without holes; ValueError for any other."""
    bits = int(IPv4Address(wildcard))
    if bits & (bits + 1):
        raise ValueError(wildcard)
    return 32 - bits.bit_length()


def _range(words: str | None, names: Mapping[str, int]) -> PortRange | None:
    if words is None:
        return None
    operator, *ports = words.split()
    first, last = _number(ports[0], names), _number(ports[-1], names)
    return {"eq": (first, last), "range": (first, last), "gt": (first + 1, _LAST_PORT), "lt": (0, first - 1)}[operator]


def _ports(ports: PortRange | None) -> list[str]:
    if ports is None:
        return []
    first, last = ports
    return [f"eq {first}"] if first == last else [f"range {first} {last}"]


def applied(line: str, family: Family, field: str = "acls") -> Row:
    """The row of the lines that apply a list of one family to a port: ``line`` is what stands before its name."""

    def binding(found: re.Match[str]) -> AclBinding:
        direction: Direction = "in" if found[2] == "in" else "out"
        return AclBinding(family, direction, found[1])

    # that a second list of a direction replaces the first: memory (NOTES.md of the corpora)
    return row(rf"{line} (\S+) (in|out)", field, binding, single=rf"{line}(?= \S+ (in|out)$)", many=True)
