"""SwitchSession: the one interface between deploy and a switch.

``deploy.transaction`` is one function over it for all OSes: read, stop if equal; stage; compare the switch's diff with
the plan; commit under a timer on the switch; connect again; gate; confirm. Every method maps the lower library's errors
to :mod:`nornir_tasks.errors`, with the device's name and a hint, and without a secret.

A candidate has a token: the configuration session's name, the revision's number, the file's name. It is recorded
before it is sent, so that the next push can identify the leftovers of a push that died.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from nornir_tasks.design.config.vrfs import SessionKey
from nornir_tasks.drivers.company import Company
from nornir_tasks.platforms.config_tree import Change
from nornir_tasks.platforms.counted import Counter, Reading
from nornir_tasks.platforms.counting import ALL
from nornir_tasks.platforms.observed import FIELDS, Observed
from nornir_tasks.platforms.platform import Candidate


@dataclass(frozen=True, slots=True)
class Login:
    """An account of a switch, and its password."""

    username: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """How to reach one switch, and how to verify it: by a CA file or a pinned fingerprint."""

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
    once: Login | None = None
    """The account that day 0 made, until a push has made the one above; None: there is none."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The switch's identity, compared with the intent at every open."""

    hostname: str
    release: str
    model: str
    serial: str


MARK = "gpufabric-"
"""The prefix of all our configuration sessions and files."""

Note = Callable[[str], None]
"""Called with a candidate's token before it is sent."""


class Depth(StrEnum):
    """The scope of a read."""

    TEXT = "facts and text"
    USUAL = "all that two requests can tell, who answers not always among it"
    ALL = "all, with requests more where an OS needs them"


class Fate(StrEnum):
    """The fate of a candidate on its switch."""

    STAGED = "staged"
    """Staged, and not committed."""
    WAITING = "waiting"
    """It runs, and goes back by itself unless it is confirmed."""
    KEPT = "kept"
    """It runs, confirmed."""
    GONE = "gone"
    """It does not run: never arrived, refused, or reverted."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An unconfirmed commit, ours or another's."""

    token: str
    left_s: float | None
    """Seconds until the switch reverts it, at most; None if the switch does not report it."""
    timer_s: int | None = None
    """The timer that the switch was given, where ``left_s`` also includes the time until it starts."""


@dataclass(frozen=True, slots=True)
class Running:
    """The running configuration as the switch prints it (NVUE: JSON of the applied revision, defaults hidden)."""

    facts: Facts | None
    """None: not read (``Depth.USUAL`` on NVUE)."""
    text: str
    is_saved: bool = True
    """It is saved."""
    waiting: Waiting | None = None
    unshown: tuple[str, ...] = ()
    """Places of secrets that the switch does not show, taken for what was sent there last; sorted."""
    company: tuple[Company, ...] = ()
    """Open changes, of others or of a push of ours that died, beside which the switch is not pushed to."""
    free_bytes: int | None = None
    """Room for the files of a push; None: it needs none there, or the switch does not say."""


@dataclass(frozen=True, slots=True)
class Staged:
    """A candidate the switch has accepted but not committed."""

    diff: str
    """The switch's own words."""
    changes: frozenset[Change]
    token: str


def unnoted(token: str) -> None:
    """The callback without a journal."""
    del token


class SwitchSession(Protocol):
    """One connection to one switch. Not thread-safe; one per device and task."""

    endpoint: Endpoint

    def read(self, depth: Depth = Depth.ALL) -> Running:
        """Connect if need be and read: one connection; at most two requests, but for ``Depth.ALL`` on NVUE.

        Values that were not read have their defaults.
        """

    def stage(self, candidate: Candidate, name: str = "", note: Note = unnoted) -> Staged:
        """Stage the candidate without committing. StageError has the switch's message; nothing is left behind.

        ``name`` is the token on an OS whose candidates have names; empty: a unique one.
        """

    def commit(self, confirm_within_s: int | None) -> str:
        """Commit the staged candidate under a timer that runs on the switch (None: without one). Returns its token.

        CommitError: the switch refused, and is unchanged. Any other error: its answer was lost; read the ``fate``.
        """

    def fate(self, token: str) -> Fate:
        """The fate of a candidate. Waits, for a limited time, while the switch still works on it."""

    def confirm(self, token: str) -> None:
        """Stop a commit's timer, so that the change stays; works on a new session; idempotent. Nothing is saved.

        CommitError: the switch reverted it before.
        """

    def revert(self, token: str) -> None:
        """Revert a commit now instead of waiting for its timer; works on a new session; idempotent."""

    def save(self) -> None:
        """Save the running configuration. ConnectError also where the switch restarted since it was read."""

    def tidy(self, token: str) -> None:
        """Remove what a confirmed commit leaves on the switch beside the configuration; idempotent."""

    def drop(self, tokens: Iterable[str]) -> None:
        """Remove abandoned candidates, with everything of ours that belongs to them."""

    def abort(self) -> None:
        """Drop what is staged. Safe to call when nothing is."""

    def established(self) -> frozenset[SessionKey]:
        """The BGP sessions that are up: one request, as a push needs nothing else."""

    def observe(self, fields: Collection[str] = FIELDS, vrfs: Sequence[str] = ()) -> Observed:
        """Read the live state that fills these fields; others stay empty.

        ``vrfs``: VRFs besides the default one that matter. More may be shown.
        """

    def counters(self, wanted: Collection[Counter] = ALL) -> Reading:
        """Read these counters of all ports, and the switch's clock. What was not understood is in its ``problems``."""

    def close(self) -> None:
        """End the connection. Safe to call twice."""
