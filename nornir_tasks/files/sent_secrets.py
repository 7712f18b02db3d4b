"""What was sent to places of secrets that switches do not show: a digest for each, under a key of this site alone.

Kept beside the journal, in a folder that only its owner may read. It says whether a value was sent, never which.
"""

import hashlib
import hmac
import json
import secrets
import threading
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from nornir_tasks.errors import LocalError, Problem, words_of
from nornir_tasks.files.documents import write_documents

FILE = "sent_secrets.json"


class SentSecrets:
    """The digests of one site. Safe in several threads."""

    def __init__(self, state_directory: Path) -> None:
        """Reads the file, if there is one. Raises LocalError if it cannot be read."""
        self._path = state_directory / FILE
        self._lock = threading.Lock()
        self._kept: dict[str, Any] = {"key": secrets.token_hex(32), "sent": {}}
        try:
            if self._path.exists():
                self._kept = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            hint = "remove it: then secrets that switches do not show are sent once more"
            raise LocalError(Problem(str(self._path), f"cannot be read: {words_of(error)}", hint=hint)) from error

    def is_sent(self, device: str, place: str, name: str, value: str) -> bool:
        """Was just this value, of this secret, what was sent last to this place?"""
        entry = self._kept["sent"].get(device, {}).get(place)
        return entry is not None and hmac.compare_digest(str(entry[1]), self._digest(name, value))

    def name_at(self, device: str, place: str) -> str | None:
        """The secret that was sent last to this place."""
        entry = self._kept["sent"].get(device, {}).get(place)
        return None if entry is None else str(entry[0])

    def note(self, device: str, places: Mapping[str, tuple[str, str]]) -> None:
        """Places -> name and value that a confirmed push has sent. Raises LocalError if it cannot be written."""
        with self._lock:
            for place, (name, value) in places.items():
                self._kept["sent"].setdefault(device, {})[place] = [name, self._digest(name, value)]
            write_documents({self._path: json.dumps(self._kept, indent=1, sort_keys=True) + "\n"})
            self._path.chmod(0o600)

    def _digest(self, name: str, value: str) -> str:
        """Slow on purpose, as a secret may be short; made once for each in a run."""
        return _scrypt(bytes.fromhex(self._kept["key"]) + name.encode(), value.encode())


@lru_cache(maxsize=1024)
def _scrypt(salt: bytes, value: bytes) -> str:
    return hashlib.scrypt(value, salt=salt, n=2**14, r=8, p=1, dklen=16).hex()
