"""Where secrets stand in configurations: the one place of a line, and of NVUE's data, at which a value is one.

A value is exchanged at such a place alone, in both directions: a placeholder that was typed elsewhere (into a
description) stays text, and never becomes a secret.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nornir_tasks.platforms.config_tree import Path

Swap = Callable[[str, str], str]
"""(place, value) -> what is put there instead. The place tells secrets of one switch apart, and holds no secret."""


def _as_it_is(text: str, swap: Swap) -> str:
    del swap
    return text


def _payload_as_it_is(payload: Any, swap: Swap) -> Any:  # noqa: ANN401 - each OS's own type
    del swap
    return payload


def _path_as_it_is(path: Path, swap: Swap) -> Path:
    del swap
    return path


def _value_as_it_is(place: str, value: str) -> str:
    del place
    return value


@dataclass(frozen=True, slots=True)
class SecretPlaces:
    """The places of one OS. Each function gives its argument back with the values there exchanged."""

    in_text: Callable[[str, Swap], str] = _as_it_is
    """Of a running configuration as the switch prints it, and of messages that quote lines."""
    in_payload: Callable[[Any, Swap], Any] = _payload_as_it_is
    """Of a candidate's payload."""
    in_path: Callable[[Path, Swap], Path] = _path_as_it_is
    """Of a line's path in a tree."""
    stored: Swap = _value_as_it_is
    """(place, value of a secret) -> the text that the switch has there for it."""
    known_by: Swap = _value_as_it_is
    """(place, text) -> the value that the switch has that text for; the text itself if that is not known."""
    unshown: str = ""
    """What the switch shows in place of a secret that it keeps to itself; empty: it shows all as they are stored."""


NO_PLACES = SecretPlaces()
"""Of an OS that nothing is known of yet."""


WORDS = (" secret ", "password ", " key ", "snmp-server ")
"""Every line with a secret has one of these: looking for them in all lines is much faster than for patterns. A line may
begin with ``password``: in a path lines stand without what indents them."""


def of_lines(first: str, *patterns: str) -> SecretPlaces:
    """Places in lines. ``first``: pattern of how lines with secrets begin, after spaces, ``no`` and ``default``.

    Each further pattern has two groups, what stands before the secret and the secret itself.
    """
    begins = re.compile(rf"\s*(?:(?:no|default) )?(?:{first})\b")
    places = tuple(map(re.compile, patterns))

    def in_line(line: str, swap: Swap) -> str:
        if begins.match(line) is None:
            return line
        for each in places:
            line = each.sub(lambda found: found[1] + swap(" ".join(found[1].split()), found[2]), line)
        return line

    def in_text(text: str, swap: Swap) -> str:
        made, end = list[str](), 0
        for start, last in sorted(_lines_with_a_word(text)):
            made += [text[end:start], in_line(text[start:last], swap)]
            end = last
        return "".join((*made, text[end:])) if made else text

    def in_payload(payload: str | tuple[str, ...], swap: Swap) -> str | tuple[str, ...]:
        return in_text(payload, swap) if isinstance(payload, str) else tuple(in_text(line, swap) for line in payload)

    def in_path(path: Path, swap: Swap) -> Path:
        return tuple(in_text(line, swap) for line in path)

    return SecretPlaces(in_text, in_payload, in_path)


def _lines_with_a_word(text: str) -> set[tuple[int, int]]:
    """Where these lines begin and end."""
    found = set()
    for word in WORDS:
        at = text.find(word)
        while at >= 0:
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            found.add((text.rfind("\n", 0, at) + 1, end))
            at = text.find(word, end)
    return found


def exchange(data: dict[str, Any], keys: frozenset[str], swap: Swap, above: Path = ()) -> None:
    """Exchange the texts under these keys of nested mappings, in place; a place is the keys that lead to it."""
    for key in keys & data.keys():
        if isinstance(value := data[key], str):
            data[key] = swap(" / ".join((*above, key)), value)
    for key, value in data.items():
        if isinstance(value, dict) and value:
            exchange(value, keys, swap, (*above, key))
