"""SHA-crypt: the hashes that switches keep of passwords, ``$5$`` (SHA-256) on NX-OS and ``$6$`` (SHA-512) elsewhere.

Implemented here because Python's own module is gone from 3.13. Algorithm: Ulrich Drepper, "Unix crypt using SHA-256 and
SHA-512", version 0.6, with its standard 5,000 rounds.
"""

import hashlib
from collections.abc import Iterator
from typing import Literal

Kind = Literal["5", "6"]

ALPHABET = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""What salts and hashes consist of."""
MAX_SALT = 16
_ROUNDS = 5000
_THIRD = {"5": 10, "6": 21}
"""Each group of the text is made of three bytes of the digest, so far apart."""


def sha_crypt(kind: Kind, password: str, salt: str) -> str:
    """``$KIND$SALT$HASH``. The salt is cut at 16 characters, as the algorithm does."""
    salt = salt[:MAX_SALT]
    return f"${kind}${salt}${_text(kind, _digest(kind, password.encode(), salt.encode()))}"


def _hash(kind: Kind, content: bytes) -> bytes:
    return (hashlib.sha256 if kind == "5" else hashlib.sha512)(content).digest()


def _digest(kind: Kind, key: bytes, salt: bytes) -> bytes:
    other = _hash(kind, key + salt + key)
    first = key + salt + _stretched(other, len(key))
    length = len(key)
    while length:
        first += other if length & 1 else key
        length >>= 1
    digest = _hash(kind, first)
    by_key = _stretched(_hash(kind, key * len(key)), len(key))
    by_salt = _stretched(_hash(kind, salt * (16 + digest[0])), len(salt))
    for number in range(_ROUNDS):
        mix = by_key if number & 1 else digest
        mix += by_salt if number % 3 else b""
        mix += by_key if number % 7 else b""
        digest = _hash(kind, mix + (digest if number & 1 else by_key))
    return digest


def _stretched(block: bytes, length: int) -> bytes:
    return (block * (length // len(block) + 1))[:length]


def _text(kind: Kind, digest: bytes) -> str:
    return "".join(_letters(number, letters) for number, letters in _groups(kind, digest))


def _groups(kind: Kind, digest: bytes) -> Iterator[tuple[int, int]]:
    """Numbers of up to three bytes, in the algorithm's order, and how many letters each becomes."""
    third = _THIRD[kind]
    for group in range(third):
        # The three places rotate with each group; the two hashes rotate in opposite directions.
        places = (group, group + third, group + 2 * third)
        turn = group % 3 if kind == "6" else -group % 3
        a, b, c = places[turn:] + places[:turn]
        yield digest[a] << 16 | digest[b] << 8 | digest[c], 4
    if kind == "5":
        yield digest[31] << 8 | digest[30], 3
    else:
        yield digest[63], 2


def _letters(number: int, count: int) -> str:
    return "".join(ALPHABET[number >> 6 * at & 63] for at in range(count))
