"""SwitchSession: the one seam between deploy and a switch.

``deploy.transaction`` is one function over it for all OSes: read, equal? stop; stage; server's diff equals the plan?;
commit under a timer the switch itself runs; connect anew; gate; confirm. Every method maps the lower library's errors
to :mod:`nornir_tasks.errors`, with the device's name and a hint, and without a secret.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from nornir_tasks.checks.observed import Observed
from nornir_tasks.platforms.config_tree import Change
from nornir_tasks.platforms.platform import Candidate


@dataclass(frozen=True, slots=True)
class Endpoint:
    """How to reach one switch, and how to know it: by a CA file or a pinned fingerprint; there is no third way."""

    device: str
    address: str
    api_port: int
    ssh_port: int
    username: str
    password: str = field(repr=False)
    ca_file: Path | None
    fingerprint: str | None
    """SHA-256 of the certificate, hex, lower case, as ``nornir trust`` recorded it."""
    known_hosts: Path | None
    timeout_s: float = 30.0


@dataclass(frozen=True, slots=True)
class Facts:
    """Who answers: compared with the intent at every open."""

    hostname: str
    release: str
    model: str
    serial: str


@dataclass(frozen=True, slots=True)
class Running:
    """The running configuration as the switch prints it (NVUE: JSON of the applied revision, defaults hidden)."""

    facts: Facts
    text: str


@dataclass(frozen=True, slots=True)
class Staged:
    """A candidate the switch has accepted but not committed."""

    diff: str
    """The switch's own words."""
    changes: frozenset[Change]


class SwitchSession(Protocol):
    """One connection to one switch. Not thread-safe; one per device and task."""

    endpoint: Endpoint

    def read(self) -> Running:
        """Connect if need be and read: at most two requests, one connection."""

    def stage(self, candidate: Candidate) -> Staged:
        """Hand the candidate over without committing. StageError carries the switch's words; nothing is left behind."""

    def commit(self, confirm_within_s: int) -> str:
        """Commit the staged candidate under a timer that runs on the switch. Returns a token for ``confirm``."""

    def confirm(self, token: str) -> None:
        """Make a commit permanent, startup configuration included; works on a new session too."""

    def revert(self, token: str) -> None:
        """Take a commit back now instead of waiting for its timer; works on a new session too."""

    def abort(self) -> None:
        """Drop what is staged. Safe to call when nothing is."""

    def established(self) -> frozenset[str]:
        """Addresses of the BGP neighbours whose session is up: one request, for a push has no use for the rest."""

    def observe(self) -> Observed:
        """Read the live state that the checks judge."""

    def close(self) -> None:
        """End the connection. Safe to call twice."""
