r"""NVUE's revisions: branches of the configuration, and the state machine that makes one of them the running one.

    pending --apply--> apply -> checking -> [ays] -> reloading -> applied | applied_and_saved
                                   |          |           \-> confirm --confirm_yes--> applied
                                   |          |                  \--time or confirm_no--> confirm_fail (rolled back)
                                invalid    ays_fail

States and bodies: Cumulus Linux docs NVUE-API.md and NVUE-CLI.md; gpncfg's and NVIDIA's own NVUE clients. Behaviour
without a source is decided here and marked (M): a pending revision is merged onto the running one when its turn comes;
an applied one that is applied again is restored as a whole; ``rev=applied`` is the new tree while a confirm is open.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..clock import Clock, TimerHandle
from ..spec import DeviceSpec
from . import checks
from .dialect import Dialect
from .tree import Tree, changes, get_or, merge

MAX_REVISIONS = 100
AYS_TIMEOUT_S = 60.0
_STEP_S = 0.005
_FINAL = ("applied", "applied_and_saved")
_RESTARTS = (("router", "bgp"), ("system", "forwarding", "hash-seed"), ("qos", "roce"), ("interface", "eth0"))


class RevisionError(Exception):
    """A refused request about revisions: HTTP status and message."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail


@dataclass(slots=True)
class Revision:
    """One revision. ``base`` is the tree it was branched from; ``parent`` the revision that ran before it."""

    id: str
    tree: Tree
    base: Tree
    state: str = "pending"
    progress: str = ""
    issue: dict[str, Any] = field(default_factory=dict)
    parent: str | None = None
    user: str = ""
    was_applied: bool = False
    answers: dict[str, str] = field(default_factory=dict)
    confirm_s: float | None = None
    timer: TimerHandle | None = None

    def body(self) -> dict[str, Any]:
        """The answer to ``GET /revision/<id>``."""
        return {"state": self.state, "transition": {"issue": self.issue, "progress": self.progress}}


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One apply: revision, the clock's time, user, and result."""

    revision: str
    at_s: float
    user: str
    result: str


class RevisionStore:
    """All revisions of one switch. ``on_running`` is called after every change of the running tree."""

    def __init__(
        self, device: DeviceSpec, running: Tree, dialect: Dialect, clock: Clock, on_running: Callable[[], None]
    ) -> None:
        first = Revision("1", running, {}, "applied_and_saved", was_applied=True)
        self.revisions: dict[str, Revision] = {"1": first}
        self.running: Tree = running
        self.startup: Tree = copy.deepcopy(running)
        self.history: list[HistoryEntry] = [HistoryEntry("1", clock.now_s(), "root", "applied_and_saved")]
        self._applied = "1"
        self._numbers = 1
        self._queue: list[str] = []
        self._busy: str | None = None
        self._device, self._dialect, self._clock, self._on_running = device, dialect, clock, on_running
        self._steps: set[asyncio.Task[None]] = set()

    # -- reading and editing ---------------------------------------------------------------------------------------

    def create(self, user: str) -> Revision:
        """A new pending revision, branched from the running one."""
        self._numbers += 1
        revision = Revision(str(self._numbers), copy.deepcopy(self.running), copy.deepcopy(self.running), user=user)
        self.revisions[revision.id] = revision
        self._prune()
        return revision

    def find(self, name: str) -> Revision:
        """A revision by id, or ``applied``. Raises RevisionError (404)."""
        wanted = self._applied if name == "applied" else name
        if wanted not in self.revisions:
            raise RevisionError(404, f"Revision {name!r} does not exist.")
        return self.revisions[wanted]

    def tree(self, name: str) -> Tree:
        """The configuration of ``applied``, ``startup`` or a revision. Raises RevisionError (404)."""
        if name == "applied":
            return self.running
        return self.startup if name == "startup" else self.find(name).tree

    def editable(self, name: str) -> Revision:
        """A revision that may be changed. Raises RevisionError: unknown (404), or no longer pending (400)."""
        if name in ("applied", "startup", "operational"):
            raise RevisionError(400, f"Revision {name!r} cannot be modified.")
        revision = self.find(name)
        if revision.was_applied or revision.state not in ("pending", "invalid", "ays_fail", "detached"):
            raise RevisionError(400, f"Revision {name!r} is not pending: its state is {revision.state}.")
        return revision

    def delete(self, name: str) -> None:
        """Delete a revision. RevisionError for the running one, its parent, and (M) one that is being applied."""
        revision = self.find(name)
        if revision.id in (self._applied, self.revisions[self._applied].parent):
            raise RevisionError(400, f"Revision {name!r} is the applied revision or its parent.")
        if revision.id == self._busy or revision.id in self._queue:
            raise RevisionError(400, f"Revision {name!r} is being applied.")
        del self.revisions[revision.id]

    def _prune(self) -> None:
        protected = {self._applied, self.revisions[self._applied].parent, self._busy, *self._queue}
        for name in [name for name in self.revisions if name not in protected]:
            if len(self.revisions) <= MAX_REVISIONS:
                return
            del self.revisions[name]

    def boot(self) -> None:
        """Start with the startup configuration, as a new revision; (M) those before it are gone with their applies."""
        for step in self._steps:
            step.cancel()
        for revision in self.revisions.values():
            if revision.timer is not None:
                revision.timer.cancel()
        self._queue.clear()
        self._busy = None
        self._numbers += 1
        self.running, self._applied = copy.deepcopy(self.startup), str(self._numbers)
        tree = copy.deepcopy(self.startup)
        self.revisions = {self._applied: Revision(self._applied, tree, {}, "applied_and_saved", was_applied=True)}
        self.history.append(HistoryEntry(self._applied, self._clock.now_s(), "root", "applied_and_saved"))
        self._on_running()

    # -- the state machine -----------------------------------------------------------------------------------------

    def request(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        """Execute ``PATCH /revision/<id>`` and return its answer. Raises RevisionError."""
        wanted = body.get("state")
        prompts = body.get("auto-prompt", {})
        if name in ("applied", "startup"):
            return self._save(wanted)
        revision = self.find(name)
        if wanted == "apply":
            return self._apply(revision, prompts, body.get("state-controls", {}))
        if wanted in ("ays_yes", "ays_no"):
            return self._answer_ays(revision, wanted)
        if wanted in ("confirm_yes", "confirm_no", "confirm_fail"):
            return self._answer_confirm(revision, wanted)
        if wanted == "save":
            return self._save(wanted)
        if wanted in ("pending", "detached"):
            return self._take_back(revision, wanted)
        raise RevisionError(400, f"{wanted!r} is not a state that can be asked for.")

    def confirm_left_s(self, revision: Revision, now_s: float) -> float | None:
        """Seconds until an open confirm rolls back; None if none is open."""
        return None if revision.confirm_s is None else max(0.0, revision.confirm_s - now_s)

    def _apply(self, revision: Revision, prompts: dict[str, str], controls: dict[str, Any]) -> dict[str, Any]:
        confirm_s = controls.get("confirm")
        if confirm_s is not None and (not isinstance(confirm_s, int) or isinstance(confirm_s, bool) or confirm_s < 1):
            raise RevisionError(400, f"{confirm_s!r} is not a number of seconds.")
        if revision.id == self._busy or revision.id in self._queue:
            return _in_state("apply")
        revision.answers = dict(prompts)
        revision.state, revision.progress, revision.issue = "apply", "", {}
        revision.confirm_s = None
        self._queue.append(revision.id)
        self._run(self._work(revision, confirm_s))
        return _in_state("apply")

    def _run(self, steps: Any) -> None:  # noqa: ANN401  (a coroutine of this class)
        task = asyncio.get_running_loop().create_task(steps)
        self._steps.add(task)
        task.add_done_callback(self._steps.discard)

    async def _work(self, revision: Revision, confirm_s: int | None) -> None:
        while self._busy is not None or self._queue[:1] != [revision.id]:
            await asyncio.sleep(_STEP_S)
            if revision.id not in self._queue:
                return
        self._queue.pop(0)
        self._busy = revision.id
        revision.state, revision.progress = "checking", "Checking"
        await asyncio.sleep(_STEP_S)
        candidate = self._candidate(revision)
        found = checks.findings(candidate, self._dialect, self._device)
        if found:
            self._refuse(revision, found)
        elif self._needs_answer(revision, candidate):
            self._ask(revision, candidate, confirm_s)
        else:
            await self._make_running(revision, candidate, confirm_s)

    def _candidate(self, revision: Revision) -> Tree:
        if revision.was_applied:
            return revision.tree
        candidate = copy.deepcopy(self.running)
        merge(candidate, changes(revision.base, revision.tree))
        return candidate

    def _refuse(self, revision: Revision, found: list[checks.Finding]) -> None:
        revision.state, revision.progress = "invalid", "Invalid config"
        revision.issue = {
            str(number): {
                "code": "config_invalid",
                "data": {"location": location, "reason": reason},
                "message": f"Config invalid at {location}: {reason}",
                "severity": "error",
            }
            for number, (location, reason) in enumerate(found)
        }
        self._done(revision, "invalid")

    def _needs_answer(self, revision: Revision, candidate: Tree) -> bool:
        """Without ays_yes the switch asks, if a service restarts or the management interface changes (M)."""
        if revision.answers.get("ays") == "ays_yes":
            return False
        return any(get_or(self.running, None, *path) != get_or(candidate, None, *path) for path in _RESTARTS)

    def _ask(self, revision: Revision, candidate: Tree, confirm_s: int | None) -> None:
        revision.state, revision.progress = "ays", "Are you sure?"
        if revision.answers.get("ays") == "ays_no":
            self._answer_ays(revision, "ays_no")
            return

        def late() -> None:
            revision.state, revision.progress = "ays_fail", "Aborted apply after warnings"
            revision.issue = {
                "0": {
                    "code": "client_timeout",
                    "data": {},
                    "severity": "error",
                    "message": "Timeout while waiting for client response",
                }
            }
            self._done(revision, "ays_fail")

        revision.timer = self._clock.call_later(AYS_TIMEOUT_S, late)
        revision.answers["confirm_s"] = "" if confirm_s is None else str(confirm_s)

    def _answer_ays(self, revision: Revision, answer: str) -> dict[str, Any]:
        if revision.state != "ays":
            raise RevisionError(400, f"Revision {revision.id!r} asks nothing: its state is {revision.state}.")
        if revision.timer is not None:
            revision.timer.cancel()
        if answer == "ays_yes":
            timer_s = revision.answers.get("confirm_s", "")
            self._run(self._make_running(revision, self._candidate(revision), int(timer_s) if timer_s else None))
        else:
            revision.state, revision.progress = "ays_fail", "Aborted apply after warnings"
            self._done(revision, "ays_fail")
        return _in_state(answer)

    async def _make_running(self, revision: Revision, candidate: Tree, confirm_s: int | None) -> None:
        revision.state, revision.progress = "reloading", "Reloading services"
        await asyncio.sleep(_STEP_S)
        before, before_id = self.running, self._applied
        revision.tree, revision.was_applied = candidate, True
        revision.parent = before_id if before_id != revision.id else revision.parent
        self.running, self._applied = copy.deepcopy(candidate), revision.id
        self._on_running()
        if confirm_s is None or revision.answers.get("confirm") == "confirm_yes":
            self._settle(revision)
            return
        revision.state, revision.progress = "confirm", "Waiting for confirmation"
        revision.confirm_s = self._clock.now_s() + confirm_s
        revision.timer = self._clock.call_later(confirm_s, lambda: self._roll_back(revision, before, before_id))
        revision.answers["rollback"] = before_id

    def _settle(self, revision: Revision) -> None:
        is_saved = get_or(self.running, "enabled", "system", "config", "auto-save", "state") == "enabled"
        is_saved = is_saved and get_or(self.running, "on", "system", "config", "auto-save", "enable") == "on"
        if is_saved:
            self.startup = copy.deepcopy(self.running)
        revision.state, revision.progress = ("applied_and_saved" if is_saved else "applied"), ""
        revision.confirm_s = None
        self._done(revision, revision.state)

    def _roll_back(self, revision: Revision, before: Tree, before_id: str) -> None:
        self.running, self._applied = before, before_id
        revision.state, revision.progress, revision.confirm_s = "confirm_fail", "Apply was not confirmed", None
        revision.was_applied = False
        revision.base = copy.deepcopy(before)
        self._done(revision, "confirm_fail")
        self._on_running()

    def _answer_confirm(self, revision: Revision, answer: str) -> dict[str, Any]:
        if revision.state != "confirm":
            raise RevisionError(400, f"Revision {revision.id!r} waits for no confirmation: it is {revision.state}.")
        if revision.timer is not None:
            revision.timer.cancel()
        if answer == "confirm_yes":
            self._settle(revision)
        else:
            before_id = revision.answers["rollback"]
            self._roll_back(revision, copy.deepcopy(self.revisions[before_id].tree), before_id)
        return _in_state(answer)

    def _take_back(self, revision: Revision, wanted: str) -> dict[str, Any]:
        """Make a waiting or refused revision pending again, but not one that is being applied."""
        if revision.id in self._queue:
            self._queue.remove(revision.id)
        elif revision.id == self._busy or revision.state in _FINAL:
            return _in_state(revision.state)
        revision.state, revision.progress, revision.issue = wanted, "", {}
        return _in_state(wanted)

    def _save(self, wanted: object) -> dict[str, Any]:
        if wanted != "save":
            raise RevisionError(400, f"{wanted!r} is not a state that can be asked for.")
        applied = self.revisions[self._applied]
        if applied.state != "confirm":
            self.startup = copy.deepcopy(self.running)
            applied.state = "applied_and_saved"
        return _in_state("save")

    def _done(self, revision: Revision, result: str) -> None:
        if self._busy == revision.id:
            self._busy = None
        revision.timer = None
        self.history.append(HistoryEntry(revision.id, self._clock.now_s(), revision.user, result))


def _in_state(state: str) -> dict[str, Any]:
    return {"state": state, "transition": {"issue": {}, "progress": ""}}
