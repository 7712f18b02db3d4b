"""``configure replace``: a whole configuration at once, optionally with a timer that undoes it unless confirmed.

Wording and order of a successful replace and of verify-only, and the log's form: a session on NX-OS 9.3(1), document
53215664192. Timer range 30-3600 s and roll-back on failure and expiry: Cisco system management guides, "Performing
Configuration Replace". The wording of failures, of ``configure replace commit`` and of an expired timer is this lab's:
no public source shows it.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field

from ..clock import Clock, TimerHandle
from ..engine import LineError, Tree
from .patch import patch
from .store import ConfigStore, FileError

MIN_TIMEOUT_S, MAX_TIMEOUT_S = 30, 3600
_PRECHECK = ["Version match between user file and running configuration.", "Pre-check for User config PASSED"]
_STARTED = [
    "ADVISORY: Config Replace operation started...",
    "Modifying running configuration from another VSH terminal in parallel",
    "is not recommended, as this may lead to Config Replace failure.",
    "",
    "Collecting Running-Config",
    "Generating Rollback patch for switch profile",
    "Rollback Patch is Empty",
    "Collecting Running-Config",
    "Generating Rollback Patch",
]
_DONE = (
    "Configure replace completed successfully. Please run 'show config-replace log exec' to see if there is any "
    "configuration that requires reload to take effect."
)
_FAILED = "Configure replace failed. Use 'show config-replace log exec' to see reasons"


def _stamp() -> str:
    return dt.datetime.now(dt.UTC).strftime("%a, %H:%M:%S %d %b %Y")


@dataclass(slots=True)
class _Log:
    """The content of ``show config-replace log``, of the last operation."""

    user: str
    started: str = field(default_factory=_stamp)
    ended: str = ""
    status: str = "In Progress"
    lines: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Pending:
    """A replace that waits for its commit."""

    before: Tree
    timer: TimerHandle
    due_s: float


class ConfigReplace:
    """One switch's configure replace."""

    def __init__(self, store: ConfigStore, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._pending: _Pending | None = None
        self._executed: _Log | None = None
        self._verified: _Log | None = None

    @property
    def is_pending(self) -> bool:
        """True while a commit timer runs."""
        return self._pending is not None

    # -- commands --------------------------------------------------------------------------------------------------

    def run(self, file: str, user: str, *, verify_only: bool = False, timeout_s: int | None = None) -> str:
        """``configure replace FILE [verify-only] [commit-timeout S]``: returns the switch's answer."""
        if self._pending is not None:
            return "ERROR: a config replace waits for its commit"
        try:
            text = self._store.read(file)
        except FileError as error:
            return f"ERROR: {file}: {error}"
        if not self._has_same_version(text):
            return "Version mismatch between user file and running configuration.\nPre-check for User config FAILED"
        target, errors = self._store.tree_of(text)
        commands = patch(self._store.running, target)
        if verify_only:
            return self._verify(user, commands, errors)
        return self._execute(user, target, commands, errors, timeout_s)

    def commit(self) -> str:
        """``configure replace commit``: keep the new configuration."""
        if self._pending is None:
            return "ERROR: there is no config replace to commit"
        self._pending.timer.cancel()
        self._pending = None
        return "Commit Successful"

    def forget(self) -> None:
        """The switch boots: no commit is waited for, and nothing was done."""
        if self._pending is not None:
            self._pending.timer.cancel()
        self._pending = self._executed = self._verified = None

    def log(self, kind: str) -> str:
        """``show config-replace log exec|verify``."""
        log = self._executed if kind == "exec" else self._verified
        if log is None:
            return "No log available"
        head = [
            "Operation            : Config-replace to user config",
            "Checkpoint file name : .replace_tmp_6048",
            "Scheme               : tmp",
            f"Cfg-replace done By  : {log.user}",
            "Cfg-replace mode     : atomic",
            "Verbose              : disabled",
            f"Start Time           : {log.started}",
            f"Start Time UTC       : {log.started}",
            f"End Time             : {log.ended}",
            f"End Time UTC         : {log.ended}",
            f"Rollback Status      : {log.status}",
            "",
            "Executing Patch:" if kind == "exec" else "Verification patch contains the following commands:",
            "----------------",
        ]
        return "\n".join(head + log.lines) + "\n"

    def status(self) -> str:
        """``show config-replace status``."""
        if self._pending is not None:
            left_s = max(0, round(self._pending.due_s - self._clock.now_s()))
            return f"Config-replace operation: waiting for commit, rolls back in {left_s} seconds"
        done = self._executed.status if self._executed else "none"
        return f"Config-replace operation: last status {done}"

    # -- carrying it out -------------------------------------------------------------------------------------------

    def _has_same_version(self, text: str) -> bool:
        versions = [row.split()[1] for row in text.splitlines() if row.startswith("version ") and len(row.split()) > 1]
        return versions == [self._store.device.release]

    def _verify(self, user: str, commands: list[str], errors: list[tuple[str, LineError]]) -> str:
        lines = quoted(commands) + [f"Syntax error while parsing '{row.strip()}'" for row, _ in errors]
        outcome = "Patch validation failed" if errors else "Patch validation completed successful"
        self._verified = _Log(user, ended=_stamp(), status="Failed" if errors else "Success", lines=lines)
        head = [
            "Collecting Running-Config",
            "Converting to checkpoint file",
            "Generating Rollback Patch",
            "Validating Patch",
        ]
        return "\n".join([*_PRECHECK, *head, "=" * 56, *lines, "=" * 56, outcome])

    def _execute(
        self, user: str, target: Tree, commands: list[str], errors: list[tuple[str, LineError]], timeout_s: int | None
    ) -> str:
        dialect = self._store.running.dialect
        log = self._executed = _Log(user, lines=quoted(commands))
        answer = [*_PRECHECK, *_STARTED]
        if errors:
            log.lines += [text for row, error in errors for text in (f"`{row.strip()}`", dialect.error_text(error))]
            log.status, log.ended = "Failed", _stamp()
            return "\n".join([*answer, "Executing Rollback Patch", _FAILED])
        answer += ["Executing Rollback Patch"] if commands else ["Rollback Patch is Empty"]
        before = self._store.running
        if commands:
            self._store.replace(target)
        if timeout_s is not None:
            self._arm(before, timeout_s)
        log.status, log.ended = "Success", _stamp()
        answer += ["Generating Running-config for verification", "Generating Rollback Patch", "", _DONE]
        return "\n".join(answer)

    def _arm(self, before: Tree, timeout_s: int) -> None:
        timer = self._clock.call_later(timeout_s, self._expire)
        self._pending = _Pending(before, timer, self._clock.now_s() + timeout_s)

    def _expire(self) -> None:
        pending, self._pending = self._pending, None
        if pending is None:
            return
        if self._executed is not None:
            self._executed.status = "Rolled back: commit timer expired"
        self._store.replace(pending.before)


def quoted(commands: list[str]) -> list[str]:
    """A patch as the log shows it, with an ``exit`` for each mode that it leaves.

    For nested modes no published log shows one; without the ``exit`` the next header could be read as a nested one.
    """
    if not commands:
        return []
    lines, deep = ["`config t `"], 0
    for command in commands:
        depth = (len(command) - len(command.lstrip(" "))) // 2
        lines += ["`exit`"] * (deep - depth)
        lines.append(f"`{command.strip()}`")
        deep = depth
    return [*lines, *["`exit`"] * max(deep, 1)]
