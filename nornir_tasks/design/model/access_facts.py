"""What local accounts and SNMP of an OS are like: the types. The figures are in ``platforms/<os>/capabilities.py``."""

from dataclasses import dataclass

from nornir_tasks.design.config.snmp import KeyForm, SnmpAuth


@dataclass(frozen=True, slots=True)
class AccountFacts:
    """What local accounts of an OS are like."""

    hash_pattern: str
    """Regular expression of the hashes of passwords that it takes, as a whole."""
    hash_words: str
    """The same for the operator, with the command that makes one."""
    kept: frozenset[str] = frozenset()
    """Accounts that it does not do without."""
    key_pattern: str = r"(?!)"
    """Regular expression of the keys of TACACS+ and RADIUS servers that it takes, as a whole."""
    key_words: str = "none: no servers of accounts are configured on this system"
    """The same for the operator."""
    hidden_radius_timeout_s: int | None = None
    """The timeout of RADIUS servers that it does not print, as it is its own."""


@dataclass(frozen=True, slots=True)
class KeyFacts:
    """What keys of SNMP users of one kind look like."""

    pattern: str
    """Regular expression of the whole key."""
    words: str
    """The same for the operator."""


@dataclass(frozen=True, slots=True)
class SnmpFacts:
    """What SNMPv3 of an OS is like."""

    sha: KeyFacts
    sha256: KeyFacts
    privacy: KeyFacts
    second: KeyFacts | None = None
    """Of keys of all kinds in a second form; None: it has none."""
    is_in_one_vrf: bool = True
    """Does a line say in which VRF it answers? Else it does in all, and only where notifications go has a VRF."""
    engine_prefix: str = ""
    """The beginning of its identity (RFC 3411, snmpEngineID) up to the format, hexadecimal digits, where lines of users
    name it; empty: they do not."""

    def form(self, wanted: KeyForm) -> KeyForm:
        """The form that its keys have."""
        return wanted if self.second is not None else "v1"

    def auth_key(self, auth: SnmpAuth, form: KeyForm) -> KeyFacts:
        """Of the keys that authenticate."""
        first = self.sha if auth == "sha" else self.sha256
        return first if self.form(form) == "v1" or self.second is None else self.second

    def privacy_key(self, form: KeyForm) -> KeyFacts:
        """Of the keys that encrypt."""
        return self.privacy if self.form(form) == "v1" or self.second is None else self.second


NO_ACCOUNTS = AccountFacts(r"(?!)", "none: no accounts are configured on this system")
"""Of an OS of which nothing is known."""
