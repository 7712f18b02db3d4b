"""The outcome of a check. Standard library only: hosts that judge themselves run it (role node_health)."""

from enum import StrEnum


class Verdict(StrEnum):
    """Four outcomes: an undecided result never counts as passed; a skipped one counts neither way."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    ERROR = "could not tell"
    SKIPPED = "skipped"
    """There is nothing to check; the message gives the reason."""
