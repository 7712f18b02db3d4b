"""The SSH host keys that a known_hosts file lists for one switch.

paramiko's own reader compares each line with all before it, which for a thousand switches is a second for each of them.
"""

import binascii
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import paramiko
from paramiko.hostkeys import HostKeyEntry, InvalidHostKey

_HASHED = "|1|"
"""Beginning of a name that OpenSSH hashed (``HashKnownHosts``)."""


def listed_as(address: str, port: int) -> str:
    """The name of a host in known_hosts: with the port, unless it is SSH's own."""
    return address if port == paramiko.config.SSH_PORT else f"[{address}]:{port}"


def keys_of(name: str, file: Path) -> dict[str, paramiko.PKey]:
    """Kind of key -> the first one of it that is listed under this name, which is the one that paramiko goes by."""
    found: dict[str, paramiko.PKey] = {}
    for key in _listed(name, file):
        found.setdefault(key.get_name(), key)
    return found


def _listed(name: str, file: Path) -> Iterator[paramiko.PKey]:
    """The keys under a name in their order; a line that is broken, or of an unknown kind of key, lists none."""
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        names = line.split(maxsplit=1)[:1]
        if any(each == name or _is_hash(each, name) for each in ",".join(names).split(",")):
            with suppress(paramiko.SSHException, InvalidHostKey):
                entry = HostKeyEntry.from_line(line.strip())
                if entry is not None and entry.key is not None:
                    yield entry.key


def _is_hash(listed: str, name: str) -> bool:
    if not listed.startswith(_HASHED):
        return False
    try:
        return bool(paramiko.HostKeys.hash_host(name, listed) == listed)
    except (AssertionError, IndexError, binascii.Error):  # no salt of 20 bytes: no host's name
        return False
