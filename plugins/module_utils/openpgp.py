"""Fingerprints of an OpenPGP key file, without gpg. Runs on hosts: standard library only, Python 3.9."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterator

PUBLIC_KEY = 6
"""Tag of a primary public key's packet (RFC 4880, 4.3)."""
BEGIN = b"-----BEGIN PGP PUBLIC KEY BLOCK-----"


def fingerprints(content: bytes) -> list[str]:
    """Fingerprints of the primary keys in a file, armoured or binary, 40 hexadecimal digits each.

    ValueError if the file is no OpenPGP key of version 4 (RFC 4880, 12.2), which is the one that apt verifies with.
    """
    found = [_fingerprint(body) for tag, body in _packets(_binary(content)) if tag == PUBLIC_KEY]
    if not found:
        raise ValueError("it contains no public key")
    return found


def armoured(content: bytes) -> bool:
    """Is it text? apt reads text from .asc files and binary keys from .gpg files (apt-secure(8))."""
    return BEGIN in content


def _binary(content: bytes) -> bytes:
    if not armoured(content):
        return content
    lines = content[content.index(BEGIN) :].splitlines()[1:]
    start = next((number for number, line in enumerate(lines) if not line.strip()), 0)  # after the armour's headers
    body = []
    for line in lines[start:]:
        if line.startswith((b"=", b"-----END")):
            break
        body.append(line.strip())
    try:
        return base64.b64decode(b"".join(body), validate=True)
    except binascii.Error as error:
        raise ValueError(f"its armour is broken: {error}") from error


def _fingerprint(body: bytes) -> str:
    if body[:1] != b"\x04":
        raise ValueError(f"its key is of version {body[0] if body else '(none)'}, not 4")
    return hashlib.sha1(b"\x99" + len(body).to_bytes(2, "big") + body).hexdigest().upper()  # noqa: S324 RFC 4880 says so


def _packets(content: bytes) -> Iterator[tuple[int, bytes]]:
    """(tag, body) of each packet (RFC 4880, 4.2). A file that ends within one is refused."""
    at = 0
    while at < len(content):
        head = content[at]
        if not head & 0x80:
            raise ValueError("it is no OpenPGP file")
        new = bool(head & 0x40)
        tag = head & 0x3F if new else (head >> 2) & 0x0F
        at, length = _new_length(content, at + 1) if new else _old_length(content, at + 1, head & 3)
        if at + length > len(content):
            raise ValueError("it ends within a packet")
        yield tag, content[at : at + length]
        at += length


def _old_length(content: bytes, at: int, kind: int) -> tuple[int, int]:
    size = (1, 2, 4, 0)[kind]
    return at + size, int.from_bytes(content[at : at + size], "big") if size else len(content) - at


def _new_length(content: bytes, at: int) -> tuple[int, int]:
    first = content[at] if at < len(content) else 0
    if first < 192:
        return at + 1, first
    if first < 224:
        return at + 2, ((first - 192) << 8) + content[at + 1] + 192
    if first == 255:
        return at + 5, int.from_bytes(content[at + 1 : at + 5], "big")
    raise ValueError("it has packets of partial length, which no key has")
