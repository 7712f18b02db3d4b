"""Parameter types of a grammar: the words that each accepts and the operating system's spelling of them."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping

from .context import Context

WordType = Callable[[str, Context], str | None]
"""Takes one typed word; returns its canonical spelling, or None if it is not of this type."""


def _word(word: str, _: Context) -> str | None:
    return word


def _address(version: int | None) -> WordType:
    def convert(word: str, _: Context) -> str | None:
        try:
            address = ipaddress.ip_address(word)
        except ValueError:
            return None
        return str(address) if version in (None, address.version) else None

    return convert


def _cidr(version: int | None, keep_host_bits: bool) -> WordType:
    def convert(word: str, _: Context) -> str | None:
        if "/" not in word or not word.rpartition("/")[2].isdigit():
            return None
        try:
            interface = ipaddress.ip_interface(word)
        except ValueError:
            return None
        if version not in (None, interface.version):
            return None
        return str(interface) if keep_host_bits else str(interface.network)

    return convert


def _mask4(word: str, _: Context) -> str | None:
    try:
        return str(ipaddress.ip_network(f"0.0.0.0/{word}").netmask) if "." in word else None
    except ValueError:
        return None


def _mac(word: str, _: Context) -> str | None:
    digits = re.sub(r"[.:-]", "", word)
    return word.lower() if re.fullmatch(r"[0-9a-fA-F]{12}", digits) else None


BUILT_IN: dict[str, WordType] = {
    "word": _word,
    "ipv4": _address(4),
    "ipv6": _address(6),
    "ip": _address(None),
    "cidr4": _cidr(4, True),
    "cidr6": _cidr(6, True),
    "cidr": _cidr(None, True),
    "prefix4": _cidr(4, False),
    "prefix6": _cidr(6, False),
    "prefix": _cidr(None, False),
    "mask4": _mask4,
    "mac": _mac,
}
LINE = "line"


def whole_number(low: int, high: int) -> WordType:
    """A type that accepts whole numbers from low to high and drops leading zeros."""

    def convert(word: str, _: Context) -> str | None:
        return str(int(word)) if word.isascii() and word.isdigit() and low <= int(word) <= high else None

    return convert


def decimal_number(low: float, high: float) -> WordType:
    """A type that accepts decimal numbers from low to high, spelt as typed."""

    def convert(word: str, _: Context) -> str | None:
        return word if re.fullmatch(r"\d+(\.\d+)?", word) and low <= float(word) <= high else None

    return convert


def keyword(spelling: str) -> WordType:
    """A type that accepts one keyword in any case."""
    return lambda word, _: spelling if word.lower() == spelling.lower() else None


def regular_expression(expression: str) -> WordType:
    """A type that accepts words that the expression fully matches."""
    compiled = re.compile(expression)
    return lambda word, _: word if compiled.fullmatch(word) else None


class TypeTable:
    """The types available to a grammar: built-in ones, those from Python, and those that it defines with @type."""

    def __init__(self, extra: Mapping[str, WordType]) -> None:
        self._types = {**BUILT_IN, **extra}

    def define(self, name: str, expression: str) -> None:
        """Add a type by regular expression."""
        self._types[name] = regular_expression(expression)

    def __contains__(self, name: str) -> bool:
        return name in self._types or name == LINE

    def resolve(self, text: str) -> tuple[WordType, ...]:
        """The alternatives of a type expression such as ``ipv4|'all'|1-10``. Raises ValueError for an unknown type."""
        return tuple(self._one(part) for part in text.split("|"))

    def _one(self, part: str) -> WordType:
        if found := re.fullmatch(r"'([^']+)'", part):
            return keyword(found[1])
        if found := re.fullmatch(r"(\d+)(?:-(\d+))?", part):
            return whole_number(int(found[1]), int(found[2] or found[1]))
        if found := re.fullmatch(r"(\d+\.\d+|\d+)-(\d+\.\d+|\d+)", part):
            return decimal_number(float(found[1]), float(found[2]))
        if part in self._types:
            return self._types[part]
        raise ValueError(f"unknown type {part!r}")
