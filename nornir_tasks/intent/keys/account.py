"""What the intent says of local accounts of switches: names, roles, and hashes by the names of secrets."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator

from nornir_tasks.intent.core.fields import SystemName, Written, text
from nornir_tasks.intent.core.findings import Finding, wrong
from nornir_tasks.intent.core.intent_model import Part
from nornir_tasks.intent.core.secret_name import NAME as SECRET_NAME
from nornir_tasks.intent.core.secret_name import Secret

Role = Literal["admin", "operator"]
"""``admin`` may do everything, ``operator`` may look."""
ROLES: tuple[Role, ...] = get_args(Role)

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,27}")
_A_NAME = "1-28 small letters, digits, - and _, a letter first"
_RESERVED = re.compile(
    "adm|bin|daemon|ftp|ftpuser|games|gdm|gopher|halt|lp|mail|mailnull|man|mtsuser|news|nobody|nscd|operator|root|rpc"
    "|rpcuser|san-admin|shutdown|sync|sys|uucp|xfs"
)
"""Names that a system keeps for itself: of Cisco Nexus 3548 System Management guide, "User Account Configuration
Restrictions", and of every Linux."""


def secret_only(value: object) -> Secret:
    """A secret by its name. The value itself is repeated in no message: it may be a password, written by mistake."""
    if not isinstance(value, Secret):
        raise wrong("not the name of a secret", "!secret NAME; the value is kept where docs/own-site.md says", "")
    return value


SecretName = Annotated[Secret, BeforeValidator(secret_only), Written("`!secret NAME`", text(SECRET_NAME))]


def _by_system(value: object) -> object:
    """One secret for all systems, or one for each."""
    if isinstance(value, Mapping) and value:
        return value
    if not isinstance(value, Secret):
        raise wrong("not the name of a secret", "!secret NAME, or {SYSTEM: !secret NAME} with one for each", "")
    return {"": value}


_HASH_SCHEMA = {
    "anyOf": [text(SECRET_NAME), {"type": "object", "minProperties": 1, "additionalProperties": text(SECRET_NAME)}]
}
HashName = Annotated[
    dict[SystemName | Literal[""], SecretName],
    BeforeValidator(_by_system),
    Written("`!secret NAME`, or system: `!secret NAME` for each", _HASH_SCHEMA),
]
"""System -> secret; under the empty name that of every system that is not named."""


def secret_on(system: str, names: Mapping[str, Secret]) -> str | None:
    """The name of the secret on this system; None: none is named for it."""
    found = names.get(system) or names.get("")
    return None if found is None else found.name


class AccountIntent(Part):
    """One local account."""

    role: Role = "admin"
    """``admin`` may do everything (EOS ``privilege 15 role network-admin``, NX-OS ``network-admin``, Cumulus Linux
    ``system-admin``); ``operator`` may look (``privilege 1 role network-operator``, ``network-operator``,
    ``nvue-monitor``)."""
    hash: HashName
    """The name of a secret whose value is a hash of the password, as the switch stores it: it is sent and compared as
    it is, never hashed again. EOS takes ``$6$`` (``openssl passwd -6``), NX-OS ``$5$`` (``openssl passwd -5``),
    Cumulus Linux ``$6$`` and other crypt hashes. Systems that need hashes of different kinds get a name each."""


def _account_name(value: object) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise wrong("not a name that an account can have on every system", _A_NAME, value)
    if _RESERVED.fullmatch(value):
        raise wrong("a name that a system keeps for itself", "another name", value)
    return value


AccountName = Annotated[str, BeforeValidator(_account_name), Written(_A_NAME, text(_NAME))]


def account_findings(accounts: Mapping[str, AccountIntent]) -> Iterator[Finding]:
    """At least one account can change something: it is what is left when nothing else answers."""
    if not any(each.role == "admin" for each in accounts.values()):
        yield Finding(("accounts",), "no account may change anything", "at least one with role: admin")
