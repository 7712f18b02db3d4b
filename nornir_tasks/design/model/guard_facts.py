"""What an OS has to guard sessions with networks of others: TCP's own signatures, and validation of origins."""

from dataclasses import dataclass

from nornir_tasks.design.model.access_facts import KeyFacts


@dataclass(frozen=True, slots=True)
class AoFacts:
    """TCP-AO (RFC 5925)."""

    algorithms: frozenset[str]
    """Of TcpAo.algorithm."""
    key: KeyFacts
    """What the value of the secret with its key looks like."""


@dataclass(frozen=True, slots=True)
class GuardFacts:
    """Of one OS release. Each source stands where it is written down."""

    md5: KeyFacts | None = None
    """What the value of the secret with a session's password looks like (TCP MD5, RFC 2385); None: it has none."""
    md5_gap: str = "nobody has compared the line for passwords of BGP sessions with a source"
    """Why not, for the operator's message."""
    ao: AoFacts | None = None
    """None: no TCP-AO."""
    ao_gap: str = "nobody has compared the lines for TCP-AO with a source"
    """Why not, for the operator's message."""
    has_rpki: bool = False
    """It asks validators for the origins of prefixes (RFC 8210), and route maps can match what they say."""
    rpki_gap: str = "nobody has compared the lines for validation of origins with a source"
    """Why not, for the operator's message."""


NO_GUARDS = GuardFacts()
