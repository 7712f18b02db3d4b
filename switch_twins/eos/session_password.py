"""Passwords of BGP sessions as EOS keeps them: type 7, with a key made of the neighbour's or peer group's name.

The method: isotopp/arista_type_7, pypoc.py; tests/corpus/eos/NOTES.md, Passwords of sessions.
"""

from __future__ import annotations

import base64
import functools
import re

from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.modes import CBC

from ..engine import Node

_LINE = re.compile(r"(?:no )?neighbor (\S+) password ([07]) (\S+)")
_SEED = b"\xd5\xa8\xc9\x1e\xf5\xd5\x8a\x23"
_HEAD = b"\x4c\x88\xbb"


def password_in(line: Node | None) -> str | None:
    """The password of ``neighbor NAME password 0|7 TEXT``; None where it cannot be known."""
    found = None if line is None or line.negated else _LINE.fullmatch(line.words)
    if found is None:
        return None
    try:
        return of_type_7(found[1], found[3]) if found[2] == "7" else found[3]
    except ValueError:
        return None


@functools.lru_cache(maxsize=4096)
def of_type_7(name: str, kept: str) -> str:
    """The password that a text stands for. Raises ValueError for one that is none of this name."""
    words = f"{name}_passwd".encode()
    key = bytearray(_SEED)
    for at in range(8):
        for each in words[at::8]:
            key[at] ^= each
    opened = Cipher(TripleDES(bytes(each % 128 for each in key) * 3), CBC(bytes(8))).decryptor()
    plain = opened.update(base64.b64decode(kept, validate=True)) + opened.finalize()
    if len(plain) < 8 or plain[:3] != _HEAD or plain[3] >= 0x80:
        raise ValueError("no password of this name")
    return plain[4 : len(plain) - plain[3] // 16].decode()
