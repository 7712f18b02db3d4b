"""What the rules in a kernel do to a packet: read from ``nft -j list ruleset``, without anything that made them.

Written for the lists of switches: addresses, protocols, ports, ICMP types and TCP flags. Anything else is an error.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_address, ip_network
from typing import Any

_NUMBERS = {"tcp": 6, "udp": 17, "icmp": 1, "icmpv6": 58, "ipv6-icmp": 58}
_TYPES = {
    "echo-request": 8, "echo-reply": 0, "destination-unreachable": 3, "time-exceeded": 11, "redirect": 5,
}  # fmt: skip
_TYPES_6 = {
    "destination-unreachable": 1, "packet-too-big": 2, "time-exceeded": 3, "parameter-problem": 4,
    "echo-request": 128, "echo-reply": 129, "nd-router-solicit": 133, "nd-router-advert": 134,
    "nd-neighbor-solicit": 135, "nd-neighbor-advert": 136, "nd-redirect": 137,
}  # fmt: skip
_FLAGS = {"fin": 1, "syn": 2, "rst": 4, "psh": 8, "ack": 16, "urg": 32}
_SYN, _SYN_ACK = 2, 18


@dataclass(frozen=True)
class Sent:
    """One packet: what opens a conversation, or with ``is_answer`` what is answered to it."""

    source: str
    target: str
    protocol: str
    port: int
    is_ipv6: bool = False
    own_port: int = 30_000
    is_answer: bool = False

    @property
    def answer(self) -> Sent:
        return replace(self, source=self.target, target=self.source, is_answer=True)

    def field(self, protocol: str, name: str) -> Any:
        """A field, as nftables names it; None of a protocol that it has not."""
        family = "ip6" if self.is_ipv6 else "ip"
        ports = (self.port, self.own_port)
        icmp = "icmpv6" if self.is_ipv6 else "icmp"
        types = ((128, 129) if self.is_ipv6 else (8, 0))[self.is_answer]
        known: dict[tuple[str, str], Any] = {
            (family, "saddr"): self.source,
            (family, "daddr"): self.target,
            (family, "protocol" if family == "ip" else "nexthdr"): self.number,
            (self.protocol, "dport"): ports[self.is_answer],
            (self.protocol, "sport"): ports[not self.is_answer],
            ("tcp", "flags"): (_SYN_ACK if self.is_answer else _SYN) if self.protocol == "tcp" else None,
            (icmp, "type"): types if self.protocol == "icmp" else None,
            (icmp, "code"): 0 if self.protocol == "icmp" else None,
        }
        return known.get((protocol, name))

    @property
    def number(self) -> int:
        return _NUMBERS["icmpv6" if self.protocol == "icmp" and self.is_ipv6 else self.protocol]


class Rules:
    """All tables of one kernel."""

    def __init__(self, text: str) -> None:
        self._rules: dict[tuple[str, str, str], list[list[dict[str, Any]]]] = {}
        for each in json.loads(text)["nftables"]:
            if (found := each.get("rule")) is not None:
                where = found["family"], found["table"], found["chain"]
                self._rules.setdefault(where, []).append(found["expr"])

    def __len__(self) -> int:
        return sum(map(len, self._rules.values()))

    def takes(self, sent: Sent, direction: str, vlan: int) -> bool:
        """Does a packet that is routed come in, or go out, at a VLAN's interface, whatever the system calls that?"""
        family = "ip6" if sent.is_ipv6 else "ip"
        names = (f"Vlan{vlan}", f"vlan{vlan}")
        return self._passes((family, "lists", direction), sent, {"iifname": names, "oifname": names, "vlan": None})

    def bridges(self, sent: Sent, vlan: int) -> bool:
        """Does a frame within a VLAN pass?"""
        meta = {"iifname": (), "oifname": (), "vlan": vlan}
        return all(self._passes(("bridge", "lists", way), sent, meta) for way in ("in", "out"))

    def _passes(self, chain: tuple[str, str, str], sent: Sent, meta: Mapping[str, Any]) -> bool:
        return self._verdict(chain, sent, meta) != "drop"

    def _verdict(self, chain: tuple[str, str, str], sent: Sent, meta: Mapping[str, Any]) -> str:
        for rule in self._rules.get(chain, []):
            for part in rule:
                ((word, what),) = part.items()
                if word == "match":
                    if not _matches(what, sent, meta):
                        break
                elif word in ("accept", "drop"):
                    return word
                elif word == "goto":
                    return self._verdict((*chain[:2], what["target"]), sent, meta)
                elif word != "counter":
                    raise ValueError(f"unknown statement: {part}")
        return "accept"


def _matches(match: Mapping[str, Any], sent: Sent, meta: Mapping[str, Any]) -> bool:
    left, right, operator = match["left"], match["right"], str(match["op"])
    value = _value(left, sent, meta)
    if value is None:
        return False
    if left.get("payload", {}).get("field") == "flags":
        if operator != "in":
            raise ValueError(f"unknown match: {match}")
        return bool(value & sum(_FLAGS[each] for each in right))
    is_equal = any(_is_one(each, right, left) for each in (value if isinstance(value, tuple) else (value,)))
    if operator not in ("==", "!=", "in"):
        raise ValueError(f"unknown operator: {match}")
    return is_equal != (operator == "!=")


def _value(left: Mapping[str, Any], sent: Sent, meta: Mapping[str, Any]) -> Any:
    if "payload" in left:
        field = left["payload"]
        if field["protocol"] == "vlan":
            ethertype = "ip6" if sent.is_ipv6 else "ip"
            return {"id": meta["vlan"], "type": ethertype}[field["field"]]
        return sent.field(field["protocol"], field["field"])
    key = left["meta"]["key"]
    if key in ("iifname", "oifname"):
        return meta[key]
    if key == "l4proto":
        return sent.number
    raise ValueError(f"unknown field: {left}")


def _is_one(value: Any, right: Any, left: Mapping[str, Any]) -> bool:
    if isinstance(right, Mapping):
        if "set" in right:
            return any(_is_one(value, each, left) for each in right["set"])
        if "prefix" in right:
            network = ip_network(f"{right['prefix']['addr']}/{right['prefix']['len']}")
            return ip_address(value) in network
        if "range" in right:
            low, high = right["range"]
            return _number(low) <= _number(value) <= _number(high)
        raise ValueError(f"unknown value: {right}")
    if isinstance(right, str) and isinstance(value, int):
        is_type = left.get("payload", {}).get("field") == "type"
        types = _TYPES_6 if left.get("payload", {}).get("protocol") == "icmpv6" else _TYPES
        return value == (types if is_type else _NUMBERS).get(right, -1)
    return bool(value == right)


def _number(value: Any) -> int:
    return value if isinstance(value, int) else int(ip_address(value))
