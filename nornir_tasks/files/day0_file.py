"""What day 0 uses once, kept between ``nornir day0`` and the first push: ``day0.json`` in the site's state folder.

Only its owner may read it: it holds tokens, and the passwords of one-time accounts until their first push.
"""

import fcntl
import json
import os
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from nornir_tasks.day0.first_boot import VALID_S
from nornir_tasks.errors import LocalError, Problem, words_of

NAME = "day0.json"
_LOCK = "day0.lock"
_TOKEN_BYTES, _PASSWORD_BYTES = 24, 24
_SALT = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_SALT_LENGTH = 16


@dataclass(frozen=True, slots=True)
class OnceSecrets:
    """What one switch uses once."""

    identity: str
    """The serial number or MAC address that it was made for."""
    token: str = field(repr=False)
    password: str = field(repr=False)
    """Of the one-time account."""
    salt: str
    nobodys_password: str = field(repr=False)
    """Made up, hashed and used nowhere."""
    made_s: int
    """When they were made, seconds since 1970: switches believe no earlier time, and none much later."""
    certificate_sha256: str = ""
    """Of the certificate that the switch was given for its token; empty: it has not asked yet."""

    @property
    def is_used(self) -> bool:
        """Was the token used?"""
        return bool(self.certificate_sha256)

    @property
    def is_too_old(self) -> bool:
        """Would its switch believe no time any more?"""
        return not self.is_used and time.time() > self.made_s + VALID_S


def _made(identity: str) -> OnceSecrets:
    salt = "".join(secrets.choice(_SALT) for _ in range(_SALT_LENGTH))
    passwords = [secrets.token_urlsafe(_PASSWORD_BYTES) for _ in range(2)]
    return OnceSecrets(
        identity, secrets.token_urlsafe(_TOKEN_BYTES), passwords[0], salt, passwords[1], int(time.time())
    )


class Day0File:
    """The file of one site. Every method reads it again: several commands may use it at the same time."""

    def __init__(self, state_directory: Path) -> None:
        self._path, self._lock = state_directory / NAME, state_directory / _LOCK

    def read(self) -> dict[str, OnceSecrets]:
        """Switch -> its secrets. Raises LocalError for a file that cannot be read."""
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
            return {name: OnceSecrets(**entry) for name, entry in found.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError) as error:
            hint = "move it away; nornir day0 makes new ones, and switches that wait for their first push start again"
            raise LocalError(Problem(str(self._path), f"cannot be read: {words_of(error)}", hint=hint)) from error

    def secrets_for(self, identities: Mapping[str, str], renew: frozenset[str] = frozenset()) -> dict[str, OnceSecrets]:
        """Those of these switches (name -> serial number or MAC address); made where there are none.

        A switch that was exchanged (another identity) and those of ``renew`` get new ones, and so does one that has
        not asked in the time for which they were made.
        """
        with self._alone():
            known = self.read()
            for name, identity in identities.items():
                before = known.get(name)
                if before is None or before.identity != identity or name in renew or before.is_too_old:
                    known[name] = _made(identity)
            self._write(known)
        return {name: known[name] for name in identities}

    def use(self, name: str, token: str, certificate_sha256: str) -> bool:
        """Note that a token was used. False: it was used already, or is none of this switch's."""
        with self._alone():
            known = self.read()
            entry = known.get(name)
            if entry is None or entry.is_used or not secrets.compare_digest(entry.token, token):
                return False
            known[name] = replace(entry, certificate_sha256=certificate_sha256)
            self._write(known)
        return True

    def forget(self, name: str) -> None:
        """Drop what a switch has used up: its one-time account is gone from it."""
        with self._alone():
            known = self.read()
            if known.pop(name, None) is not None:
                self._write(known)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        try:
            descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise LocalError(Problem(str(self._lock), f"cannot be written: {error.strerror}")) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _write(self, known: Mapping[str, OnceSecrets]) -> None:
        hidden = self._path.with_name(f".{NAME}.{secrets.token_hex(4)}")
        try:
            with os.fdopen(os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                json.dump({name: asdict(entry) for name, entry in known.items()}, file, indent=1, sort_keys=True)
            hidden.replace(self._path)
        except OSError as error:
            hidden.unlink(missing_ok=True)
            raise LocalError(Problem(str(self._path), f"cannot be written: {error.strerror}")) from error
