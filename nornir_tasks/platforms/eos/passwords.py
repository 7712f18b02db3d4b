"""How EOS stores passwords of BGP sessions: type 7, encrypted by the name of the neighbour or peer group.

DES in CBC, with a key that every switch makes of the name alone: the text and the name are enough to get the password.
The method: aristanetworks/avd at 3cac535c, python-avd/pyavd/_utils/password_utils/password_utils.py and password.py
(bgp_encrypt), after isotopp/arista_type_7.
"""

import base64
import re

_SEED = bytes.fromhex("d5a8c91ef5d58a23")
_MARK = bytes.fromhex("4c88bb")
"""What every password begins with before it is encrypted; then a byte with the length of what fills it up."""
_MARK_LOW = 0xE
_BLOCK = 8
_PLACE = re.compile(r"(?:.* )?neighbor (\S+) password 7")


def stored(place: str, password: str) -> str:
    """The text that a switch has at a place (``neighbor NAME password 7``) for a password.

    Itself at places where it keeps something else.
    """
    name = _PLACE.fullmatch(place)
    if name is None:
        return password
    text = password.encode()
    filled = -(len(text) + len(_MARK) + 1) % _BLOCK
    plain = _MARK + bytes([filled << 4 | _MARK_LOW]) + text + bytes(filled)
    return base64.b64encode(_des(name[1], plain, decrypts=False)).decode()


def known_by(place: str, text: str) -> str:
    """The password that a text at a place stands for; the text itself where it stands for none."""
    name = _PLACE.fullmatch(place)
    if name is None:
        return text
    try:
        secret = base64.b64decode(text, validate=True)
        plain = _des(name[1], secret, decrypts=True) if secret and not len(secret) % _BLOCK else b""
        start, filled = len(_MARK) + 1, plain[len(_MARK)] >> 4 if plain else _BLOCK
        if not plain.startswith(_MARK) or filled >= _BLOCK or len(plain) < start + filled:
            return text
        return plain[start : len(plain) - filled].decode()
    except ValueError:
        return text


def _des(name: str, data: bytes, *, decrypts: bool) -> bytes:
    from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES  # noqa: PLC0415 - most runs need none
    from cryptography.hazmat.primitives.ciphers import Cipher  # noqa: PLC0415
    from cryptography.hazmat.primitives.ciphers.modes import CBC  # noqa: PLC0415

    key = bytearray(_SEED)
    for place, each in enumerate(f"{name}_passwd".encode()):
        key[place % len(key)] ^= each
    # three equal keys are one; the method clears the highest bits, and DES ignores the lowest
    cipher = Cipher(TripleDES(bytes(each & 0x7F for each in key) * 3), CBC(bytes(_BLOCK)))
    made = cipher.decryptor() if decrypts else cipher.encryptor()
    return made.update(data) + made.finalize()
