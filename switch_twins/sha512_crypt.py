"""SHA-512 crypt: the hash that switches keep of a local user's password, ``$6$SALT$HASH``.

Implemented here because Python 3.13 has no ``crypt`` any more. Source: U. Drepper, "Unix crypt using SHA-256 and
SHA-512", version 0.6; tests/lab/test_eos_twin_passwords.py compares with libcrypt's results.
"""

from __future__ import annotations

import hashlib
import hmac

_ALPHABET = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ROUNDS = 5000


def sha512_crypt(password: str, salt: str) -> str:
    """``$6$SALT$HASH`` with the standard 5,000 rounds. ``salt`` is cut at 16 characters."""
    secret, seasoning = password.encode(), salt[:16].encode()
    other = hashlib.sha512(secret + seasoning + secret).digest()
    first = hashlib.sha512(secret + seasoning + _repeat(other, len(secret)))
    length = len(secret)
    while length:
        first.update(other if length & 1 else secret)
        length >>= 1
    digest = first.digest()
    by_password = _repeat(hashlib.sha512(secret * len(secret)).digest(), len(secret))
    by_salt = _repeat(hashlib.sha512(seasoning * (16 + digest[0])).digest(), len(seasoning))
    for number in range(_ROUNDS):
        digest = _round(number, digest, by_password, by_salt)
    return f"$6${salt[:16]}${_encode(digest)}"


def matches(password: str, stored: str) -> bool:
    """Is this the password of a stored ``$6$`` hash? Other kinds of hash never match."""
    parts = stored.split("$")
    if len(parts) != 4 or parts[1] != "6":
        return False
    return hmac.compare_digest(sha512_crypt(password, parts[2]), stored)


def _round(number: int, digest: bytes, by_password: bytes, by_salt: bytes) -> bytes:
    mix = by_password if number & 1 else digest
    if number % 3:
        mix += by_salt
    if number % 7:
        mix += by_password
    mix += digest if number & 1 else by_password
    return hashlib.sha512(mix).digest()


def _repeat(block: bytes, length: int) -> bytes:
    return (block * (length // len(block) + 1))[:length]


def _encode(digest: bytes) -> str:
    text = []
    high, middle, low = 0, 21, 42
    for _ in range(21):
        text.append(_base64((digest[high] << 16) | (digest[middle] << 8) | digest[low], 4))
        high, middle, low = middle + 1, low + 1, high + 1
    text.append(_base64(digest[63], 2))
    return "".join(text)


def _base64(value: int, characters: int) -> str:
    text = ""
    for _ in range(characters):
        text += _ALPHABET[value & 0x3F]
        value >>= 6
    return text
