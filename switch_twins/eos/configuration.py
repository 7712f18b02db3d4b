"""An EOS switch's configurations: running and startup, configuration sessions, files, checkpoints, the commit timer.

A session is a copy of the running configuration and the lines typed into it. If the running configuration has changed
since, a commit replays the lines onto the new one, so that two sessions do not undo each other's work.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field

from ..clock import Clock, TimerHandle
from ..engine import EOS, ConfigSession, Context, LineError, Tree, load_text
from ..spec import DeviceSpec
from .brownfield import day0_text, factory_text
from .grammar import eos_grammar
from .ports import lane_ports

MAX_OPEN_SESSIONS = 5
"""Sessions that may be pending at a time. Source: ``maxOpenSessions`` in published ``show configuration sessions``."""

_CLEAN = "rollback clean-config"


class RefusedCommand(Exception):  # noqa: N818  (EOS's refusal is an answer, not a failure of ours)
    """A valid command that cannot be executed; the text is EOS's or close to it."""


class IncompleteCommand(RefusedCommand):
    """A command that this switch knows only with more words."""


@dataclass(slots=True)
class Session:
    """One configuration session. ``state``: pending, pendingCommitTimer or completed."""

    name: str
    user: str
    editor: ConfigSession
    base: int
    typed: list[tuple[str, str | None]] = field(default_factory=list)
    state: str = "pending"

    @property
    def tree(self) -> Tree:
        """The candidate."""
        return self.editor.tree


@dataclass(slots=True)
class CommitTimer:
    """A commit that is undone at ``expires_s`` (the clock's time) unless it is confirmed."""

    session: str
    before: Tree
    expires_s: float
    handle: TimerHandle


class Configuration:
    """All configurations of one switch. ``on_change`` is called after every change of the running one."""

    def __init__(self, device: DeviceSpec, login: tuple[str, str], clock: Clock) -> None:
        self.context = Context(
            release=device.release,
            asic=device.asic,
            model=device.model,
            ports=frozenset(lane_ports(device)),
            allowed_from_memory=frozenset(device.allow_from_memory),
        )
        self._clock = clock
        self.on_change: Callable[[], None] = lambda: None
        self.factory = _loaded(self.context, factory_text(device)).copy()
        self.running = self.factory.copy()
        _load(self.running, self.context, day0_text(device, *login), device.name)
        self.startup = self.running.copy()
        self.files: dict[str, Tree] = {}
        self.sessions: dict[str, Session] = {}
        self.timer: CommitTimer | None = None
        self.version = 0
        self._saved_version = 0

    @property
    def is_saved(self) -> bool:
        """Is the running configuration unchanged since startup was written? False also if a change was undone."""
        return self._saved_version == self.version

    def boot(self) -> None:
        """Start with the startup configuration; sessions and a commit's timer are gone, files and checkpoints are not.

        Sessions that are not committed are discarded: Arista's user manual, "Configure Session". That a commit whose
        timer runs is none either follows from its being in no startup configuration.
        """
        if self.timer is not None:
            self.timer.handle.cancel()
            self.timer = None
        self.sessions.clear()
        self.replace(self.startup)
        self._saved_version = self.version

    # -- running configuration -------------------------------------------------------------------------------------

    def changed(self) -> None:
        """Report that the running configuration has changed."""
        self.version += 1
        self.on_change()

    def replace(self, tree: Tree) -> None:
        """Make a copy of ``tree`` the running configuration."""
        self.running = tree.copy()
        self.changed()

    def terminal(self) -> ConfigSession:
        """Plain configuration mode: lines take effect as they are typed."""
        return ConfigSession(self.running, self.context)

    # -- sessions --------------------------------------------------------------------------------------------------

    def open(self, name: str, user: str) -> Session:
        """Enter a session; create it if there is none of this name. Raises RefusedCommand."""
        found = self.sessions.get(name)
        if found is not None and found.state == "pending":
            found.editor.path = found.editor.path[:1]
            found.editor.ended = False
            return found
        if found is not None:
            raise RefusedCommand(f"Cannot enter session {name} (session is already completed)")
        if sum(session.state == "pending" for session in self.sessions.values()) >= MAX_OPEN_SESSIONS:
            raise RefusedCommand(
                "Maximum number of pending sessions has been reached. Please commit or abort previous sessions "
                "before creating a new one."
            )
        session = Session(name, user, ConfigSession(self.running.copy(), self.context), self.version)
        self.sessions[name] = session
        return session

    def type_line(self, session: Session, line: str, body: str | None) -> None:
        """Add one line to a session. Raises LineError; then the session is unchanged."""
        session.editor.feed(line, body)
        session.typed.append((line, body))

    def clean(self, session: Session) -> None:
        """``rollback clean-config``: start the candidate from the factory's configuration."""
        session.editor = ConfigSession(self.factory.copy(), self.context)
        session.typed = [(_CLEAN, None)]

    def abort(self, name: str) -> None:
        """Delete a pending session, or undo a commit that waits for its timer. Raises RefusedCommand."""
        session = self._known(name)
        if self.timer is not None and self.timer.session == name:
            self._revert()
            return
        if session.state == "completed":
            raise RefusedCommand(f"Cannot abort session {name} (session is already completed)")
        del self.sessions[name]

    def commit(self, name: str, timer_s: float | None = None) -> None:
        """Commit a session, or confirm the one that waits for its timer. Raises RefusedCommand or LineError."""
        session = self._known(name)
        if self.timer is not None:
            self._commit_while_waiting(session, self.timer, timer_s)
            return
        if session.state == "completed":
            raise RefusedCommand(f"Cannot commit session {name} (session is already completed)")
        candidate = self._rebased(session)
        before, self.running = self.running, candidate
        if timer_s is None:
            self._complete(session)
        else:
            session.state = "pendingCommitTimer"
            handle = self._clock.call_later(timer_s, self._revert)
            self.timer = CommitTimer(name, before, self._clock.now_s() + timer_s, handle)
        self.changed()

    def _commit_while_waiting(self, session: Session, timer: CommitTimer, timer_s: float | None) -> None:
        if timer.session != session.name:
            raise RefusedCommand(f"Cannot commit session {session.name}: {timer.session} waits for its commit timer")
        timer.handle.cancel()
        if timer_s is None:
            self.timer = None
            self._complete(session)
            return
        timer.expires_s = self._clock.now_s() + timer_s
        timer.handle = self._clock.call_later(timer_s, self._revert)

    def _complete(self, session: Session) -> None:
        """EOS keeps one completed session (``maxSavedSessions``)."""
        for name in [name for name, other in self.sessions.items() if other.state == "completed"]:
            del self.sessions[name]
        session.state = "completed"

    def _revert(self) -> None:
        if self.timer is None:
            return
        timer, self.timer = self.timer, None
        timer.handle.cancel()
        self.sessions.pop(timer.session, None)
        self.replace(timer.before)

    def _rebased(self, session: Session) -> Tree:
        """The candidate on top of the present running configuration. Raises LineError if it does not fit any more."""
        if session.base == self.version:
            candidate = session.tree.copy()
        else:
            is_clean = bool(session.typed) and session.typed[0][0] == _CLEAN
            editor = ConfigSession((self.factory if is_clean else self.running).copy(), self.context)
            for line, body in session.typed[1 if is_clean else 0 :]:
                editor.feed(line, body)
            candidate = editor.tree
        errors = ConfigSession(candidate, self.context).check()
        if errors:
            raise errors[0]
        return candidate

    def _known(self, name: str) -> Session:
        if name not in self.sessions:
            raise RefusedCommand(f"Session {name} does not exist")
        return self.sessions[name]

    # -- files -----------------------------------------------------------------------------------------------------

    def read_source(self, name: str) -> Tree:
        """The content of ``running-config``, ``startup-config`` or a file. Raises RefusedCommand."""
        if name in ("running-config", "system:/running-config"):
            return self.running
        if name in ("startup-config", "flash:startup-config", "flash:/startup-config"):
            return self.startup
        found = self.files.get(_file_name(name))
        if found is None:
            raise RefusedCommand(f"Error opening {name}: No such file or directory")
        return found

    def copy(self, source: str, target: str) -> None:
        """``copy SOURCE TARGET`` among configurations and files. Raises RefusedCommand or LineError."""
        tree = self.read_source(source)
        if target in ("startup-config", "flash:startup-config", "flash:/startup-config"):
            self.startup = tree.copy()
            self._saved_version = self.version if tree is self.running else -1
        elif target in ("running-config", "system:/running-config"):
            self._merge(tree)
        else:
            self.files[_file_name(target)] = tree.copy()

    def _merge(self, tree: Tree) -> None:
        candidate = self.running.copy()
        errors = load_text(candidate, self.context, tree.text())
        if errors:
            raise errors[0][1]
        self.replace(candidate)

    def delete(self, name: str) -> None:
        """``delete FILE``. Raises RefusedCommand."""
        self.read_source(name)
        self.files.pop(_file_name(name), None)


def _file_name(name: str) -> str:
    """flash:/x and flash:x are one file; checkpoints are separate files."""
    place, _, path = name.partition(":")
    if place not in ("flash", "checkpoint", "file") or not path.strip("/"):
        raise RefusedCommand(f"Invalid file name {name}")
    return f"{place}:{path.lstrip('/')}"


__all__ = [
    "MAX_OPEN_SESSIONS",
    "CommitTimer",
    "Configuration",
    "IncompleteCommand",
    "LineError",
    "RefusedCommand",
    "Session",
]


@functools.lru_cache(maxsize=8)
def _loaded(context: Context, text: str) -> Tree:
    """A configuration with which many switches of a lab start; copy it before use."""
    tree = Tree(eos_grammar(), EOS)
    _load(tree, context, text, context.model)
    return tree


def _load(tree: Tree, context: Context, text: str, name: str) -> None:
    errors = load_text(tree, context, text)
    if errors:
        raise ValueError(f"{name}: day-0 configuration: " + "; ".join(f"line {n}: {error}" for n, error in errors))
