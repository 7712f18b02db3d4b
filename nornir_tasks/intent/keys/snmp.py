"""What the intent says of SNMP: version 3 alone, with keys by the names of secrets."""

import re
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from nornir_tasks.intent.core.address_fields import HostAddress
from nornir_tasks.intent.core.fields import Prefix, Written, text
from nornir_tasks.intent.core.findings import Finding, wrong
from nornir_tasks.intent.core.intent_model import Part
from nornir_tasks.intent.keys.account import AccountName, SecretName

SnmpAuth = Literal["sha", "sha256"]
KeyForm = Literal["v1", "v2"]

_TEXT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 .,:_@/()+-]{0,58}[A-Za-z0-9.)])?")
_A_TEXT = "1-60 letters, digits, spaces and . , : _ @ / ( ) + -"


def _text(value: object) -> str:
    if not isinstance(value, str) or not _TEXT.fullmatch(value) or "  " in value:
        raise wrong("not a text that every system keeps as it is", f"{_A_TEXT}, as Hall 3, row 7", value)
    return value


SnmpText = Annotated[str, BeforeValidator(_text), Written(_A_TEXT, text(_TEXT))]


class SnmpUserIntent(Part):
    """One user of SNMPv3: authenticated, encrypted by AES-128, may read everything and write nothing."""

    auth: SnmpAuth = "sha"
    """``sha``: HMAC-SHA-96; ``sha256``: HMAC-192-SHA-256, which not every manager has."""
    auth_key: SecretName
    """The name of secrets, one for each switch: ``!secret nms-auth`` is the secret ``nms-auth-leaf-1`` on ``leaf-1``,
    as a key is localized to the switch (RFC 3414, 2.6). Its value is the localized key as the switch prints it, and is
    sent and compared as it is: EOS hexadecimal digits, NX-OS the same after ``0x``."""
    privacy_key: SecretName
    """The same, of the key that encrypts: EOS 32 hexadecimal digits, NX-OS 32 or more after ``0x``."""


class SnmpTrapsIntent(Part):
    """Where notifications go, by UDP port 162. Which ones are sent stays as the switch has it."""

    to: Annotated[tuple[HostAddress, ...], Field(min_length=1)]
    """Addresses, reached as ``vrf`` of ``base`` says. Traps are not acknowledged. Targets of others stay until
    they are adopted."""
    user: AccountName
    """The user that they are sent as, one of ``users``."""

    def findings(self) -> Iterator[Finding]:
        """Each address once."""
        for number, server in enumerate(self.to):
            if server in self.to[:number]:
                found = f"{server}, also in to[{self.to.index(server)}]"
                yield Finding(("to", number), "a target that is named twice", "each target once", found)


class SnmpIntent(Part):
    """SNMP of switches: of ours version 3 alone.

    Communities (versions 1 and 2c), groups, views and users of others stay until they are adopted.
    """

    users: Annotated[dict[AccountName, SnmpUserIntent], Field(min_length=1)]
    """By name, which no account may have; a user of that name is as it is here, however it was made. NX-OS keeps an
    account and a user of one name as one: users of accounts that stay are left as they are, and where accounts are
    managed, one of others goes when both are adopted."""
    keys: KeyForm = "v1"
    """The form of keys on NX-OS: ``v1`` is its ``localizedkey``, ``v2`` its ``localizedV2key``, as the release prints
    them. Other systems have the first alone."""
    location: SnmpText | None = None
    """Where switches are. Without it none is configured; that of others is in the way of ours until it is adopted."""
    contact: SnmpText | None = None
    """Who looks after them, likewise."""
    managers: Annotated[tuple[Prefix, ...], Field(min_length=1)] | None = None
    """Prefixes from which switches are asked: the list of ``control_plane`` lets them in on UDP port 161. Those of
    ``allowed`` there need not be named. Without it only those get in."""
    traps: SnmpTrapsIntent | None = None
    """Where notifications go. Without it to none of ours."""

    def findings(self) -> Iterator[Finding]:
        """Notifications are sent as a user that there is."""
        if self.traps is not None and self.traps.user not in self.users:
            expected = f"one of {', '.join(self.users)}"
            yield Finding(("traps", "user"), "not a user of SNMP", expected, self.traps.user)
