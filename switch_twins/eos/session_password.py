"""Passwords of BGP sessions as EOS keeps them: type 7, with a key made of the neighbour's or peer group's name.

The method: isotopp/arista_type_7, pypoc.py; tests/corpus/eos/NOTES.md, Passwords of sessions.
"""

from __future__ import annotations

import base64

from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.modes import CBC

_SEED = b"\xd5\xa8\xc9\x1e\xf5\xd5\x8a\x23"
_HEAD = b"\x4c\x88\xbb"


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
