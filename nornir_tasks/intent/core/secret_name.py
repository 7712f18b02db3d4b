"""A secret by its name, as it stands in files, and the placeholders that stand for secrets in configurations.

A placeholder of a rendered line names the secret: ``<secret:NAME>``. In a running configuration it stands where the
switch has just the value of that secret; any other value is ``<hidden:DIGEST>``, of which equal values have equal
digests within one process, and what a switch itself does not show is ``<hidden>``. Only drivers know values.
"""

import re
from dataclasses import dataclass

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
"""What a secret may be called: no path, and the same in the environment and as a file."""


@dataclass(frozen=True, slots=True)
class Secret:
    """The name of a secret, as ``!secret NAME`` stands in a file."""

    name: str


HIDDEN = "<hidden>"
"""A value that the switch does not show."""
PLACEHOLDER = r"<secret:[a-z0-9][a-z0-9_-]{0,63}>|<hidden(?::[0-9a-f]{16})?>"
"""Pattern of all placeholders, without groups."""

_NAMED = re.compile(rf"<secret:({NAME.pattern})>")
_HIDDEN = re.compile(r"<hidden(?::[0-9a-f]{16})?>")
_STORED = re.compile(r"\$(?:[0-9][a-z]?|y|gy|nvsec)\$[^\s\"':]+")
"""As crypt(5) has hashes, and as switches have values that they encrypt themselves."""


def placeholder(name: str) -> str:
    """What stands for the value of this secret."""
    return f"<secret:{name}>"


def name_in(text: str) -> str | None:
    """The secret that a placeholder names; None if it names none, or is no placeholder."""
    found = _NAMED.fullmatch(text)
    return found[1] if found else None


def hidden(digest: str) -> str:
    """What stands for a value that is no secret of ours. ``digest``: 16 hexadecimal digits."""
    return f"<hidden:{digest}>"


def has_hidden(text: str) -> bool:
    """Does a value stand in this text that only its switch knows?"""
    return _HIDDEN.search(text) is not None


def without_names(text: str) -> str:
    """The same text with every placeholder as what a switch does not show: where values stand, and not which."""
    return re.sub(PLACEHOLDER, HIDDEN, text)


def for_others(text: str) -> str:
    """The same text for a file that others read: names of secrets stay, digests go, which only this process compares.

    Hashes and encrypted values go wherever they stand: a switch may show one as a key, where no value is looked for.
    """
    return _STORED.sub(HIDDEN, _HIDDEN.sub(HIDDEN, text))
