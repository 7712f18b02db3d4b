"""Values of secrets, for drivers alone: which value a name has, and which name, or digest, a value is shown by."""

import hashlib
import hmac
import secrets
import threading
from collections.abc import Callable, Mapping
from typing import Protocol

from nornir_tasks.errors import IntentError, Problem
from nornir_tasks.intent.core.secret_name import hidden, placeholder

_KEY = secrets.token_bytes(32)
"""Of this process alone: digests tell that two values are equal, and nothing to a later reader."""

SHORTEST = 6
"""Characters: a shorter value is not searched for in messages, where it may be a part of any word."""


def digest_of(value: str) -> str:
    """A digest of a value, equal for equal values within this process: 16 hexadecimal digits."""
    return hmac.digest(_KEY, value.encode(), hashlib.sha256).hex()[:16]


class Sent(Protocol):
    """What was sent to the places that a switch does not show, kept between runs as digests."""

    def is_sent(self, device: str, place: str, name: str, value: str) -> bool:
        """Was just this value, of this secret, what was sent last to this place?"""

    def name_at(self, device: str, place: str) -> str | None:
        """The secret that was sent last to this place."""

    def note(self, device: str, places: Mapping[str, tuple[str, str]]) -> None:
        """Places -> name and value that a confirmed push has sent."""


class NothingSent:
    """Nothing is kept: a value that a switch does not show is sent again by each push."""

    def is_sent(self, device: str, place: str, name: str, value: str) -> bool:
        """Never."""
        del device, place, name, value
        return False

    def name_at(self, device: str, place: str) -> str | None:
        """It is not known."""
        del device, place
        return None

    def note(self, device: str, places: Mapping[str, tuple[str, str]]) -> None:
        """Forgotten at once."""
        del device, places


def _no_such_secret(name: str) -> str:
    what = f"the secret '{name}' is not known here"
    raise IntentError(Problem("secrets", what, hint="push with a site that names it"))


class Vault:
    """The secrets of one site. Shared by all connections of a run; safe in several threads."""

    def __init__(
        self,
        values: Mapping[str, str] | None = None,
        resolve: Callable[[str], str] = _no_such_secret,
        sent: Sent | None = None,
        others: Mapping[str, str] | None = None,
    ) -> None:
        """Values of secrets that the site names now, and of ``others`` that it has; ``resolve`` finds any other.

        Raises IntentError for two secrets with one value: a running value could not be told by its name.
        """
        self._values: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._resolve = resolve
        self._lock = threading.Lock()
        self._pending: dict[str, dict[str, str]] = {}
        self.sent: Sent = sent or NothingSent()
        for name, value in (values or {}).items():
            self._learn(name, value)
        for name, value in (others or {}).items():
            if value not in self._names and name not in self._values and len(value) >= SHORTEST:
                self._learn(name, value)

    def _learn(self, name: str, value: str) -> None:
        other = self._names.setdefault(value, name)
        if other != name:
            what = f"the secrets '{other}' and '{name}' have one value"
            hint = "name the one secret at both places, or give them different values"
            raise IntentError(Problem("secrets", what, expected="one name for each value", hint=hint))
        self._values[name] = value

    def value(self, name: str) -> str:
        """The value of a secret. Raises IntentError if it has none."""
        with self._lock:
            if name not in self._values:
                self._learn(name, self._resolve(name))
            return self._values[name]

    def shown(self, value: str) -> str:
        """What stands for a value: the name of the secret that has it, or a digest."""
        name = self._names.get(value)
        return hidden(digest_of(value)) if name is None else placeholder(name)

    def known(self) -> tuple[str, ...]:
        """All values, longest first: what must be in no message."""
        return tuple(sorted(self._names, key=len, reverse=True))

    # -- values that switches do not show --------------------------------------------------------------------------

    def unshown(self, device: str, place: str) -> str | None:
        """The secret that this place has, as far as we sent it: by the commit under way, else by the last push."""
        name = self._pending.get(device, {}).get(place)
        if name is not None:
            return name
        name = self.sent.name_at(device, place)
        if name is None or name not in self._values:
            return None
        return name if self.sent.is_sent(device, place, name, self._values[name]) else None

    def send(self, device: str, places: Mapping[str, str]) -> None:
        """A candidate with these secrets (place -> name) is staged."""
        self._pending[device] = dict(places)

    def keep(self, device: str) -> None:
        """The candidate is confirmed."""
        places = self._pending.pop(device, {})
        if places:
            self.sent.note(device, {place: (name, self.value(name)) for place, name in places.items()})

    def forget(self, device: str) -> None:
        """The candidate is dropped or taken back."""
        self._pending.pop(device, None)


NO_SECRETS = Vault()
"""Of a site that names none: every secret of a switch is shown as a digest."""
