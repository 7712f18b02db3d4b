"""Communities in NX-OS' words: numbers first, then those that have a name.

Order: cisco.nxos 11.1.0, rm_templates/route_maps.py, set.community. Of those with a name GRACEFUL_SHUTDOWN is left a
number, as it is in what was published of this switch; both are taken.
"""

from collections.abc import Iterable

_NAMES = {"65535:65281": "no-export"}
_NUMBERS = {name: number for number, name in _NAMES.items()} | {"graceful-shutdown": "65535:0"}

WORD = rf"(?:\d+:\d+|{'|'.join(_NUMBERS)})"
"""A pattern for one of them."""


def to_words(communities: Iterable[str]) -> str:
    """``("65535:0", "65535:65281")`` -> ``65535:0 no-export``."""
    words = [_NAMES.get(each, each) for each in communities]
    return " ".join(sorted(words, key=lambda word: word in _NUMBERS))


def from_words(text: str) -> tuple[str, ...]:
    """The inverse, as numbers."""
    return tuple(_NUMBERS.get(each, each) for each in text.split())
