"""NX-OS's forms of stored passwords: SHA-256 crypt ($5$, ``username X password 5 $5$...``), and Cisco's type 7.

SHA-256 crypt is implemented here because Python has no alternative: its crypt module is gone from Python 3.13.
Algorithm: Ulrich Drepper, "Unix crypt using SHA-256 and SHA-512" (2008), 5000 rounds.
"""

from __future__ import annotations

import functools
import hashlib
import hmac
import re
import secrets

from ..engine import Node

_ROUNDS = 5000
_ALPHABET = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_GROUPS = (
    (0, 10, 20),
    (21, 1, 11),
    (12, 22, 2),
    (3, 13, 23),
    (24, 4, 14),
    (15, 25, 5),
    (6, 16, 26),
    (27, 7, 17),
    (18, 28, 8),
    (9, 19, 29),
)


def make_hash(password: str, salt: str | None = None) -> str:
    """``$5$SALT$DIGEST`` of a password; with a random salt if none is given."""
    salt = salt or "".join(secrets.choice(_ALPHABET[2:]) for _ in range(8))
    return f"$5${salt}${_encode(_digest(password.encode(), salt.encode()))}"


@functools.lru_cache(maxsize=256)
def is_password(password: str, stored: str) -> bool:
    """Does a password belong to a stored hash? Cached: a client sends its password with every request."""
    parts = stored.split("$")
    if len(parts) != 4 or parts[1] != "5":
        return False
    return hmac.compare_digest(make_hash(password, parts[2]), stored)


def _digest(key: bytes, salt: bytes) -> bytes:
    alternate = hashlib.sha256(key + salt + key).digest()
    first = key + salt + _stretched(alternate, len(key))
    length = len(key)
    while length:
        first += alternate if length & 1 else key
        length >>= 1
    digest = hashlib.sha256(first).digest()
    p = _stretched(hashlib.sha256(key * len(key)).digest(), len(key))
    s = _stretched(hashlib.sha256(salt * (16 + digest[0])).digest(), len(salt))
    for number in range(_ROUNDS):
        text = p if number & 1 else digest
        text += s if number % 3 else b""
        text += p if number % 7 else b""
        text += digest if number & 1 else p
        digest = hashlib.sha256(text).digest()
    return digest


def _stretched(block: bytes, length: int) -> bytes:
    return (block * (length // len(block) + 1))[:length]


def _encode(digest: bytes) -> str:
    text = ""
    for a, b, c in _GROUPS:
        text += _letters(digest[a] << 16 | digest[b] << 8 | digest[c], 4)
    return text + _letters(digest[31] << 8 | digest[30], 3)


def _letters(value: int, count: int) -> str:
    letters = ""
    for _ in range(count):
        letters += _ALPHABET[value & 63]
        value >>= 6
    return letters


_LINE = re.compile(r"password 7 \d\d(?:[0-9A-Fa-f]{2})+")
_OF_TYPE_7 = b"dsfd;kfoA,.iyewrkldJKDHSUBsgvca69834ncxv9873254k;fg87"
"""The key of type 7, the same in all switches (netutils 1.19.2, password.py, decrypt_cisco_type7)."""


def of_type_7(stored: str) -> str:
    """The password that a text of type 7 stands for. Raises ValueError for a text that is none."""
    start, content = int(stored[:2]), bytes.fromhex(stored[2:])
    return "".join(chr(each ^ _OF_TYPE_7[(start + at) % len(_OF_TYPE_7)]) for at, each in enumerate(content))


def password_in(line: Node | None) -> str | None:
    """The password of ``password 7 TEXT``; None where it cannot be known (type 3)."""
    return of_type_7(line.params["key"]) if line is not None and _LINE.fullmatch(line.words) else None
