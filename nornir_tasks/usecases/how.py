"""How a push or rollback goes about its switches, where that is not as usual."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from nornir_tasks.deploy.fleet import Judge
from nornir_tasks.deploy.planned import Planned
from nornir_tasks.deploy.problems import Ways
from nornir_tasks.files.push_lock import PushLock


@dataclass(frozen=True, slots=True)
class How:
    """How a push or rollback goes about its switches, where that is not as usual."""

    lock: PushLock | None = None
    """The site's, where the caller has it."""
    planned: Planned | None = None
    """The plan that a push carries out; None: what it shows."""
    judge: Judge | None = None
    jobs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Job -> hosts that it runs on: no wave has two rails, pairs or planes of one."""
    ways: Ways | None = None
    """What hints name, of a verb that is neither push nor rollback."""
    is_backwards: bool = False
    """The last wave first. Out-of-band switches go as always: a bad one leaves the way to all nearer ones."""


USUAL = How()
