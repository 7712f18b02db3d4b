"""What a match of a rule asks of packets, as sets: exact, or known not to be understood.

What is not spelled in a rule is what nft adds to it (``nft --debug=netlink`` of 1.0.6): ``tcp dport`` asks for TCP,
``ip saddr`` for IPv4, ``icmp type`` for both IPv4 and ICMP, also where the match is ``!=``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Any

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.proofs.rules.packets import (
    FLAGS,
    PLACES,
    STATES,
    TRACKED,
    Limits,
    Packets,
    Ports,
    limits,
    split,
)
from nornir_tasks.proofs.rules.ranges import Ranges, numbers, ranges
from nornir_tasks.proofs.rules.ruleset import Elements, Key, Ruleset
from nornir_tasks.proofs.rules.spellings import ICMP_TYPES, ICMPV6_TYPES, PROTOCOLS

NOTHING: Limits = ((PLACES["entry"], ()),)
"""No packet is within it."""
WORD: dict[str, Family] = {"ip": "ipv4", "ip6": "ipv6"}


class NotUnderstoodError(Exception):
    """A part of a rule that may match or not."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Packets that a match lets on: what it needs, and then any of these (or none, if negated)."""

    needs: Limits
    any_of: tuple[Limits, ...]
    negated: bool = False
    unsure: Limits | None = None
    """Of these it is not known: ``eth*`` and a port of a name that is not known."""

    def split(self, packets: Packets) -> tuple[list[Packets], list[Packets]]:
        """Those that match, and those that do not."""
        inside, misses = split(packets, self.needs)
        if inside is None:
            return [], misses
        hits, rest = [], [inside]
        for each in self.any_of:
            left = []
            for one in rest:
                hit, parts = split(one, each)
                if hit is not None:
                    hits.append(hit)
                left += parts
            rest = left
        return (rest, misses + hits) if self.negated else (hits, misses + rest)


@dataclass(frozen=True, slots=True)
class _Subject:
    """What a match looks at."""

    needs: Limits
    place: str
    """The field; empty: the same for all packets of a family."""
    one: Callable[[Any], Ranges]
    """A single value of it."""
    last: int
    """Its greatest value."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads matches of one ruleset for packets of one family."""

    ruleset: Ruleset
    ports: Ports
    family: Family
    local: Ranges = ()
    """Addresses of the machine itself."""

    def condition(self, body: Mapping[str, Any], chain: Key) -> Condition:
        """What this match asks. Raises NotUnderstoodError."""
        left, right, op = body["left"], body["right"], body["op"]
        subjects = self._subjects(left)
        found = tuple(self._limits(subjects, right, op, chain))
        needs = tuple(each for one in subjects for each in one.needs)
        return Condition(needs, found, negated=op == "!=", unsure=self._unsure(subjects, right))

    def choices(self, body: Mapping[str, Any], chain: Key) -> Iterator[tuple[Condition, Mapping[str, Any]]]:
        """Each key of a verdict map with its verdict. Raises NotUnderstoodError."""
        subjects = self._subjects(body["key"])
        needs = tuple(each for one in subjects for each in one.needs)
        data = body["data"]
        elements = self._named(data, chain) if isinstance(data, str) else data["set"]
        for key, verdict in elements:
            found = tuple(self._limits(subjects, _bare(key), "==", chain))
            yield Condition(needs, found, unsure=self._unsure(subjects, key)), verdict

    def needs(self, left: object) -> Condition:
        """What is needed to look at this at all, as for an element that is put into a set."""
        inner = left["&"][0] if isinstance(left, Mapping) and "&" in left else left
        subjects = self._subjects(inner)
        return Condition(tuple(each for one in subjects for each in one.needs), ((),))

    def _named(self, name: str, chain: Key) -> tuple[Any, ...]:
        found: Elements | None = self.ruleset.sets.get((*chain[:2], name.removeprefix("@")))
        if found is None or found.is_changing:
            raise NotUnderstoodError
        return found.elements

    def _subjects(self, left: object) -> list[_Subject]:
        if isinstance(left, Mapping) and "concat" in left:
            return [self._subject(each) for each in left["concat"]]
        return [self._subject(left)]

    def _subject(self, left: object) -> _Subject:  # noqa: PLR0911 - one for each thing to look at
        match left:
            case {"payload": {"protocol": str(protocol), "field": str(field)}}:
                return self._payload(protocol, field)
            case {"meta": {"key": "iifname" | "iif"}}:
                return _Subject((), "entry", self._port, self.ports.other)
            case {"meta": {"key": "oifname" | "oif"}}:
                return _Subject((), "exit", self._port, self.ports.other)
            case {"meta": {"key": "l4proto"}}:
                return _Subject((), "protocol", _by_name(PROTOCOLS), 255)
            case {"meta": {"key": "nfproto"}}:
                return _Subject((), "", lambda value: _holds(value == self.family), 1)
            case {"meta": {"key": "protocol"}}:
                return _Subject((), "", lambda value: _holds(WORD.get(value) == self.family), 1)
            case {"&": [{"payload": {"protocol": "tcp", "field": "flags"}}, mask]}:
                bits = _bits(mask)
                found = limits(protocol=((6, 6),))
                return _Subject(found, "flags", lambda value: _masked(bits, _bits(value)), 255)
        return self._of_connection(left)

    def _of_connection(self, left: object) -> _Subject:
        """What no field of the packet says, but the kernel knows."""
        match left:
            case {"ct": {"key": "state"}}:
                return _Subject((), "state", _by_name({name: n for n, name in enumerate(STATES)}), len(STATES) - 1)
            case {"ct": {"key": "direction"}}:
                needs = limits(state=TRACKED)
                return _Subject(needs, "direction", _by_name({"original": 0, "reply": 1}), 1)
            case {"fib": {"result": "type", "flags": ["saddr"]}}:
                return _Subject((), "source", self._of_type, 2**128 - 1)
            case {"fib": {"result": "type", "flags": ["daddr"]}}:
                return _Subject((), "destination", self._of_type, 2**128 - 1)
        raise NotUnderstoodError

    def _payload(self, protocol: str, field: str) -> _Subject:
        if protocol in WORD:
            needs = () if WORD[protocol] == self.family else NOTHING
            fields: dict[str, _Subject] = {
                "saddr": _Subject(needs, "source", _address, 2**128 - 1),
                "daddr": _Subject(needs, "destination", _address, 2**128 - 1),
                "ttl": _Subject(needs, "hop_limit", _number, 255),
                "hoplimit": _Subject(needs, "hop_limit", _number, 255),
                "version": _Subject(needs, "", lambda value: _holds(f"ipv{value}" == self.family), 1),
            }
            if protocol == "ip":
                fields["protocol"] = _Subject(needs, "protocol", _by_name(PROTOCOLS), 255)
        elif protocol in ("icmp", "icmpv6"):
            family: Family = "ipv4" if protocol == "icmp" else "ipv6"
            number = PROTOCOLS[protocol]
            needs = limits(protocol=((number, number),)) if family == self.family else NOTHING
            types = ICMP_TYPES if protocol == "icmp" else ICMPV6_TYPES
            fields = {
                "type": _Subject(needs, "icmp_type", _by_name(types), 255),
                "code": _Subject(needs, "icmp_code", _number, 255),
            }
        else:
            number = PROTOCOLS.get(protocol, -1)
            needs = () if protocol == "th" else limits(protocol=((number, number),))
            fields = {
                "sport": _Subject(needs, "source_port", _number, 65535),
                "dport": _Subject(needs, "destination_port", _number, 65535),
            }
            if protocol == "tcp":
                fields["flags"] = _Subject(needs, "flags", lambda value: numbers([_bits(value)]), 255)
            if protocol != "th" and number < 0:
                raise NotUnderstoodError
        if field not in fields:
            raise NotUnderstoodError
        return fields[field]

    def _of_type(self, value: object) -> Ranges:
        if value != "local":
            raise NotUnderstoodError
        return self.local

    def _port(self, value: object) -> Ranges:
        if not isinstance(value, str):
            raise NotUnderstoodError
        return self.ports.of(value)

    def _unsure(self, subjects: Iterable[_Subject], right: object) -> Limits | None:
        for each in subjects:
            if each.place in ("entry", "exit") and "*'" in repr(right):
                return ((PLACES[each.place], ((self.ports.other, self.ports.other),)),)
        return None

    def _limits(self, subjects: list[_Subject], right: object, op: str, chain: Key) -> Iterator[Limits]:
        if isinstance(right, str) and right.startswith("@"):
            elements: Iterable[Any] = self._named(right, chain)
        elif isinstance(right, Mapping) and "set" in right:
            elements = right["set"]
        else:
            elements = (right,)
        if len(subjects) > 1:
            for each in map(_bare, elements):
                if not (isinstance(each, Mapping) and "concat" in each) or len(each["concat"]) != len(subjects):
                    raise NotUnderstoodError
                fields = [_of_value(one, part) for one, part in zip(subjects, each["concat"], strict=True)]
                yield tuple(_within(one, found) for one, found in zip(subjects, fields, strict=True) if one.place)
            return
        (subject,) = subjects
        found = ranges(each for one in elements for each in _compared(subject, _bare(one), op))
        if subject.place:
            yield (_within(subject, found),)
        elif found:
            yield ()


def _holds(does: bool) -> Ranges:
    return ((1, 1),) if does else ()


def _within(subject: _Subject, found: Ranges) -> tuple[int, Ranges]:
    if not subject.place:
        raise NotUnderstoodError
    return PLACES[subject.place], found


def address_ranges(found: object) -> Ranges:
    """Addresses that a translation may give. Raises NotUnderstoodError."""
    return _of_value(_Subject((), "source", _address, 2**128 - 1), found)


def _bare(element: object) -> object:
    """Without the counter or timeout that an element may have."""
    return element["elem"]["val"] if isinstance(element, Mapping) and "elem" in element else element


def _compared(subject: _Subject, value: object, op: str) -> Ranges:
    if op in ("==", "!="):
        return _of_value(subject, value)
    if op == "in":
        if subject.place == "flags":
            bits = _bits(value)
            return numbers(each for each in range(256) if each & bits)
        values = value if isinstance(value, list) else [value]
        return ranges(each for one in values for each in subject.one(one))
    if op in ("<", ">", "<=", ">=") and subject.place:
        ((number, _),) = subject.one(value)
        low, high = {"<": (0, number - 1), "<=": (0, number), ">": (number + 1, subject.last)}.get(
            op, (number, subject.last)
        )
        return ((low, high),) if low <= high else ()
    raise NotUnderstoodError


def _of_value(subject: _Subject, value: object) -> Ranges:
    match value:
        case {"range": [first, last]}:
            ((low, _),), ((_, high),) = subject.one(first), subject.one(last)
            return ((low, high),)
        case {"prefix": {"addr": address, "len": length}}:
            network = ip_network(f"{address}/{length}", strict=False)
            return ((int(network.network_address), int(network.broadcast_address)),)
        case {"set": list(elements)}:
            return ranges(each for one in elements for each in _of_value(subject, _bare(one)))
        case {"elem": _}:
            return _of_value(subject, _bare(value))
    return subject.one(value)


def _address(value: object) -> Ranges:
    try:
        number = int(ip_address(str(value)))
    except ValueError:
        raise NotUnderstoodError from None
    return ((number, number),)


def _number(value: object) -> Ranges:
    if isinstance(value, bool) or not isinstance(value, int):
        raise NotUnderstoodError
    return ((value, value),)


def _by_name(names: Mapping[str, int]) -> Callable[[Any], Ranges]:
    def read(value: object) -> Ranges:
        return _number(names.get(value, value) if isinstance(value, str) else value)

    return read


def _bits(value: object) -> int:
    """Flags of TCP: ``syn``, ``[fin, syn]``, or a number."""
    if isinstance(value, int):
        return value
    names = value if isinstance(value, list) else [value]
    if isinstance(value, Mapping) and "|" in value:
        names = value["|"]
    if not all(each in FLAGS for each in names if isinstance(each, str)):
        raise NotUnderstoodError
    return sum(1 << FLAGS.index(each) for each in names)


def _masked(mask: int, wanted: int) -> Ranges:
    return numbers(each for each in range(256) if each & mask == wanted)
