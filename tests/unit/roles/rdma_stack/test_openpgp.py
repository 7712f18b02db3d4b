"""A key's fingerprint is what gpg says, and what is no key is refused in words."""

import base64
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[4] / "plugins/module_utils"))
from openpgp import armoured, fingerprints

# gpg --quick-gen-key 'toys <nobody@example.com>' ed25519 sign never; gpg --armor --export
KEY = b"""-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEawMyORYJKwYBBAHaRw8BAQdAJbEmGXE0FPGmaASMZVjaMuZaYpKyv4xjzNT5
cCUW/gm0GXRveXMgPG5vYm9keUBleGFtcGxlLmNvbT6IkAQTFggAOBYhBLGeuEu4
DfE3CNMq56KXrHFco1hQBQJrAzI5AhsDBQsJCAcCBhUKCQgLAgQWAgMBAh4BAheA
AAoJEKKXrHFco1hQYTcA/0G1ry9hABn/ZXpEjc9GTeu2gQSiwFMp5w85LD9IB5UO
AQDlWu/1Tu4EhL9zMZ/I1QE/qf8c6opYgZMTpyPGS+biDQ==
=KeRX
-----END PGP PUBLIC KEY BLOCK-----
"""
FINGERPRINT = "B19EB84BB80DF13708D32AE7A297AC715CA35850"
BINARY = base64.b64decode(b"".join(KEY.splitlines()[2:7]))


@pytest.mark.parametrize("content", [KEY, BINARY, b"a header that a web server adds\n" + KEY])
def test_a_keys_fingerprint_is_gpgs_in_text_and_binary(content: bytes) -> None:
    assert fingerprints(content) == [FINGERPRINT]


def test_two_keys_in_one_file_are_both_told() -> None:
    assert fingerprints(BINARY + BINARY) == [FINGERPRINT] * 2


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"<html>not found</html>", "no OpenPGP file"),
        (b"", "no public key"),
        (BINARY[:40], "ends within a packet"),
        (KEY.replace(b"mDME", b"m?ME"), "armour is broken"),
        (BINARY[:2] + b"\x03" + BINARY[3:], "version 3, not 4"),
    ],
)
def test_what_is_no_key_is_refused_in_words(content: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        fingerprints(content)


def test_apt_is_given_a_key_by_the_name_of_its_form() -> None:
    assert armoured(KEY)
    assert not armoured(BINARY)
