"""SwitchSession: the one seam between deploy and a switch.

``deploy.transaction`` is one function over it for all OSes: read, equal? stop; stage; server's diff equals the plan?;
commit under a timer the switch itself runs; connect anew; gate; confirm. Every method maps the lower library's errors
to :mod:`nornir_tasks.errors`, with the device's name and a hint, and without a secret.

A candidate has a token: the configuration session's name, the revision's number, the file's name. It is noted before
the switch hears of it, so that whoever comes after a push that died knows what is its own.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from nornir_tasks.design.device_config import SessionKey
from nornir_tasks.platforms.config_tree import Change
from nornir_tasks.platforms.observed import FIELDS, Observed
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


MARK = "gpufabric-"
"""Every configuration session and every file of ours begins so."""

Note = Callable[[str], None]
"""Called with a candidate's token before the switch hears of it."""


class Depth(StrEnum):
    """How much a read asks for."""

    TEXT = "facts and text"
    USUAL = "all that two requests can tell, who answers not always among it"
    ALL = "all, with requests more where an OS needs them"


class Fate(StrEnum):
    """What became of a candidate, as its switch shows it."""

    STAGED = "staged"
    """It is there, and was not committed."""
    WAITING = "waiting"
    """It runs, and goes back by itself unless it is confirmed."""
    KEPT = "kept"
    """It runs for good."""
    GONE = "gone"
    """It does not run: never arrived, refused, or taken back."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A commit that is not confirmed, ours or somebody else's."""

    token: str
    left_s: float | None
    """Seconds until the switch takes it back, at most; None where the switch does not say."""


@dataclass(frozen=True, slots=True)
class Running:
    """The running configuration as the switch prints it (NVUE: JSON of the applied revision, defaults hidden)."""

    facts: Facts | None
    """None: not asked for (``Depth.USUAL`` on NVUE)."""
    text: str
    is_saved: bool = True
    """A reboot keeps it."""
    waiting: Waiting | None = None


@dataclass(frozen=True, slots=True)
class Staged:
    """A candidate the switch has accepted but not committed."""

    diff: str
    """The switch's own words."""
    changes: frozenset[Change]
    token: str


def unnoted(token: str) -> None:
    """The note of who keeps no journal."""
    del token


class SwitchSession(Protocol):
    """One connection to one switch. Not thread-safe; one per device and task."""

    endpoint: Endpoint

    def read(self, depth: Depth = Depth.ALL) -> Running:
        """Connect if need be and read: one connection; at most two requests, but for ``Depth.ALL`` on NVUE.

        What was not asked for is answered as if all were well.
        """

    def stage(self, candidate: Candidate, name: str = "", note: Note = unnoted) -> Staged:
        """Hand the candidate over without committing. StageError carries the switch's words; nothing is left behind.

        ``name`` is the token on an OS whose candidates bear names; empty: one that nobody else has.
        """

    def commit(self, confirm_within_s: int | None) -> str:
        """Commit the staged candidate under a timer that runs on the switch (None: without one). Returns its token.

        CommitError: the switch refused, and is as it was. Any other error: its answer was lost; ask for the ``fate``.
        """

    def fate(self, token: str) -> Fate:
        """What became of a candidate. Waits, for a bounded time, while the switch still works on it."""

    def confirm(self, token: str) -> None:
        """Make a commit permanent, startup configuration included; works on a new session, and twice, too.

        CommitError: the switch took it back before.
        """

    def revert(self, token: str) -> None:
        """Take a commit back now instead of waiting for its timer; works on a new session, and twice, too."""

    def save(self) -> None:
        """Keep what runs over a reboot."""

    def drop(self, tokens: Iterable[str]) -> None:
        """Remove candidates that nobody will commit any more, with everything of ours that belongs to them."""

    def abort(self) -> None:
        """Drop what is staged. Safe to call when nothing is."""

    def established(self) -> frozenset[SessionKey]:
        """The BGP sessions that are up: one request, for a push has no use for the rest."""

    def observe(self, fields: Collection[str] = FIELDS, vrfs: Sequence[str] = ()) -> Observed:
        """Read the live state, as far as it fills these fields; of others nothing is said.

        ``vrfs``: VRFs besides the default one that matter. More may be shown.
        """

    def close(self) -> None:
        """End the connection. Safe to call twice."""
