"""SNMP of a switch in the common model: version 3 alone, authenticated and encrypted, read-only."""

from dataclasses import dataclass
from typing import Literal, get_args

SnmpAuth = Literal["sha", "sha256"]
"""How messages are authenticated: HMAC-SHA-96 (RFC 3414), HMAC-192-SHA-256 (RFC 7860). Encrypted by AES-128."""
SNMP_AUTHS: tuple[SnmpAuth, ...] = get_args(SnmpAuth)
KeyForm = Literal["v1", "v2"]
"""``v1``: a key as RFC 3414 localizes it to the switch's engine. ``v2``: the form of a system of its own."""
KEY_FORMS: tuple[KeyForm, ...] = get_args(KeyForm)


@dataclass(frozen=True, slots=True)
class SnmpUser:
    """Who may ask; all of them may read everything."""

    name: str
    auth: SnmpAuth
    auth_key: str
    """The placeholder of the secret whose value is the localized key."""
    privacy_key: str
    """The same, of the key of AES-128."""
    form: KeyForm = "v1"


@dataclass(frozen=True, slots=True)
class Snmp:
    """Users, and where notifications go."""

    users: tuple[SnmpUser, ...]
    """By name; at least one."""
    vrf: str | None
    """The VRF that is asked in and notified in, by the name that the switch has for it; None: the default one, or
    nothing is said of it."""
    engine: str | None = None
    """Identity of the switch that keys are localized to, hexadecimal digits; None: the system's own is not set."""
    location: str | None = None
    contact: str | None = None
    targets: tuple[str, ...] = ()
    """Addresses that notifications (traps) are sent to."""
    target_user: str | None = None
    """The user that they are sent as, if there are any."""
