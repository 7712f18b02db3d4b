"""SNMP: what the intent declares of it, in the terms of each OS."""

from collections.abc import Iterator
from hashlib import sha256

from nornir_tasks.design.config.snmp import Snmp, SnmpUser
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.network import Network
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.core.findings import Finding, Path
from nornir_tasks.intent.core.secret_name import NAME, placeholder
from nornir_tasks.intent.keys.base import BaseIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.keys.snmp import KeyForm, SnmpUserIntent

_TEXT, _OCTETS = "04", "05"
_LONGEST_TEXT_BYTES = 27
"""RFC 3411, SnmpEngineID: the fifth octet says of what kind the up to 27 octets behind it are."""


def secret_of(name: str, device: str) -> str:
    """The name of a switch's own secret: keys are localized, so each switch has others."""
    return f"{name}-{device}"


def engine_of(prefix: str, device: str) -> str:
    """The identity that keys of this switch are localized to: known before the switch is there, and its own."""
    name = device.encode()
    if len(name) <= _LONGEST_TEXT_BYTES:
        return prefix + _TEXT + name.hex()
    return prefix + _OCTETS + sha256(name).hexdigest()[: 2 * _LONGEST_TEXT_BYTES]


def within(base: BaseIntent, vrf: str | None, device: str, capabilities: Capabilities) -> Snmp | None:
    """On this switch; ``vrf``: its name for the management VRF. One without SNMP is refused (``managed_base``)."""
    found, facts = base.snmp, capabilities.snmp
    if found is None or facts is None:
        return None
    form, traps = facts.form(found.keys), found.traps
    return Snmp(
        users=tuple(_user(name, each, device, form) for name, each in found.users.items()),
        vrf=vrf if facts.is_in_one_vrf or traps else None,
        engine=engine_of(facts.engine_prefix, device) if facts.engine_prefix else None,
        location=found.location,
        contact=found.contact,
        targets=tuple(map(str, traps.to)) if traps else (),
        target_user=traps.user if traps else None,
    )


def _user(name: str, user: SnmpUserIntent, device: str, form: KeyForm) -> SnmpUser:
    auth_key, privacy_key = (placeholder(secret_of(each.name, device)) for each in (user.auth_key, user.privacy_key))
    return SnmpUser(name, user.auth, auth_key, privacy_key, form)


def check(intent: Intent, network: Network) -> None:
    """Raises DesignError for users of SNMP whose keys on a switch cannot be the names of secrets."""
    found = tuple(dict.fromkeys(_findings(intent, network)))
    if found:
        raise DesignError(intent.marks.problems(found))


def _findings(intent: Intent, network: Network) -> Iterator[Finding]:
    for device in network.devices:
        base = network.base.get(device.fabric)
        if base is None or base.snmp is None or device.capabilities.snmp is None:
            continue
        for name, user in base.snmp.users.items():
            for key, secret in (("auth_key", user.auth_key), ("privacy_key", user.privacy_key)):
                if not NAME.fullmatch(found := secret_of(secret.name, device.name)):
                    at = (*place_of(intent, device.fabric), "users", name, key)
                    expected = "a name that, with a switch's behind it, is 1-64 small letters, digits, - and _"
                    yield Finding(at, "keys of a switch that cannot be the name of a secret", expected, found)


def place_of(intent: Intent, fabric: str) -> Path:
    """Where the intent says what SNMP of this fabric's switches is."""
    is_own = intent.has_own_base(fabric)
    return (*(("fabrics", fabric) if is_own else ()), "base", "snmp")
