"""How NX-OS stores passwords of BGP sessions: Cisco's type 7, which can be read back from the text.

Each byte is added to one of a key that all switches have, from a place on that the first two digits name (netutils
1.19.2, password.py, encrypt_cisco_type7 and decrypt_cisco_type7).
"""

import re

_KEY = b"dsfd;kfoA,.iyewrkldJKDHSUBsgvca69834ncxv9873254k;fg87"
_STARTS = 16
_PLACE = "password 7"
"""What stands before it below a neighbour or template; accounts and servers have lines of other words."""
_TEXT = re.compile(r"(0\d|1[0-5])((?:[0-9A-Fa-f]{2})+)")


def stored(place: str, password: str) -> str:
    """The text that a switch is told for a password, from a place of the key on that hangs on the password alone.

    Itself at places where it keeps something else.
    """
    if place != _PLACE:
        return password
    text = password.encode()
    start = sum(text) % _STARTS
    return f"{start:02}{_crossed(text, start).hex().upper()}"


def known_by(place: str, text: str) -> str:
    """The password that a text at a place stands for; the text itself where it stands for none."""
    found = _TEXT.fullmatch(text)
    if place != _PLACE or found is None:
        return text
    try:
        return _crossed(bytes.fromhex(found[2]), int(found[1])).decode()
    except UnicodeDecodeError:
        return text


def _crossed(data: bytes, start: int) -> bytes:
    return bytes(each ^ _KEY[(start + at) % len(_KEY)] for at, each in enumerate(data))
