"""EOS's command line behind eAPI: exec commands, configuration modes, configuration sessions.

One Shell exists for one request: its commands run in sequence, modes carry over from one to the next, and the first
failure ends the request.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..engine import EOS, ConfigSession, LineError
from .configuration import IncompleteCommand, RefusedCommand, Session
from .exec import run_exec
from .listing import as_commands, include, listing, section, session_diff, startup_diff
from .passwords import matches
from .rights import is_denied, needs_privilege
from .shows import find_show
from .shows.texts import find_text
from .view import View

INVALID, COULD_NOT_RUN, UNCONVERTED, UNAUTHORIZED = 1002, 1000, 1003, 1005
"""Error codes of eAPI. Source: pyeapi 1.0.4 eapilib, Arista eAPI recordings in public test suites."""

REASONS = {
    INVALID: "invalid command",
    COULD_NOT_RUN: "could not run command",
    UNCONVERTED: "unconverted command",
    UNAUTHORIZED: "permission denied",  # from memory; of this code pyeapi says "Command unauthorized"
}
_NO_JSON = "Command cannot be used over the API at this time. To see ASCII output, set format='text' in your request"


@dataclass(slots=True)
class CommandFailedError(Exception):
    """One command failed: eAPI's code and EOS's message (without ``% ``)."""

    code: int
    words: str


_PIPES = ("section", "begin", "include", "grep", "no-more", "json")


class Shell:
    """Runs the commands of one request for one user."""

    def __init__(self, view: View, user: str, *, is_privileged: bool = True) -> None:
        self._view, self._user, self._is_privileged = view, user, is_privileged
        self._session: Session | None = None
        self._terminal: ConfigSession | None = None

    @property
    def hostname(self) -> str:
        """Of the switch, as configured now."""
        return self._view.state.hostname

    @property
    def editor(self) -> ConfigSession | None:
        """The configuration that lines are typed into; None outside configuration modes."""
        return self._session.editor if self._session is not None else self._terminal

    @property
    def session_name(self) -> str:
        """The configuration session's, "" outside one."""
        return self._session.name if self._session is not None else ""

    @property
    def has_enable_password(self) -> bool:
        """Is a password needed to become privileged?"""
        return self._view.tree.first("enable password") is not None

    def is_enable_password(self, password: str) -> bool:
        """Is it this one?"""
        line = self._view.tree.first("enable password")
        return line is not None and matches(password, line.params["key"])

    def run(self, command: str, body: str | None, is_text: bool) -> dict[str, Any]:
        """Run one command; returns eAPI's answer. Raises CommandFailedError."""
        line = command.strip()
        try:
            answer = self._dispatch(line, body, is_text)
        except RefusedCommand as refusal:
            code = INVALID if isinstance(refusal, IncompleteCommand) else COULD_NOT_RUN
            raise CommandFailedError(code, str(refusal)) from refusal
        except LineError as error:
            code = COULD_NOT_RUN if error.kind in ("reference", "conflict", "from_memory") else INVALID
            raise CommandFailedError(code, EOS.error_text(error)) from error
        if isinstance(answer, str):
            return {"output": answer}
        if is_text:  # of `| json` as well
            return {"output": json.dumps(answer, indent=4) + "\n" if answer else ""}
        return answer

    def _require_right(self, words: str) -> None:
        """Of a command in exec mode."""
        if is_denied(self._view.tree, self._user, words):
            raise CommandFailedError(UNAUTHORIZED, f"Authorization denied for command '{words}'")
        if not self._is_privileged and needs_privilege(words):
            raise CommandFailedError(INVALID, "Invalid input (privileged mode required)")

    def _enable(self, password: str) -> None:
        """Become privileged; the words for a wrong password are from memory."""
        if not self._is_privileged and self.has_enable_password and not self.is_enable_password(password.strip()):
            raise CommandFailedError(COULD_NOT_RUN, "Bad secret")
        self._is_privileged = True

    def _dispatch(self, line: str, body: str | None, is_text: bool) -> dict[str, Any] | str:
        words = " ".join(line.split())
        if self.editor is None:
            self._require_right(words)
            if words in ("enable", "en"):
                self._enable(body or "")
                return {}
        if re.match(r"show\s", line, re.IGNORECASE):
            return self._show(words, is_text)
        if self._session is not None or self._terminal is not None:
            self._configure(line, body)
            return {}
        answer = run_exec(self._view, words, is_text)
        if answer is not None:
            return answer
        for pattern, command in _EXEC:
            found = pattern.fullmatch(words)
            if found:
                command(self, found)
                return {}
        word = next(iter(line.split()), "")
        raise CommandFailedError(INVALID, f"Invalid input (at token 0: '{word}')")

    # -- configuration modes ---------------------------------------------------------------------------------------

    def _configure(self, line: str, body: str | None) -> None:
        if self._session is not None:
            self._in_session(self._session, line, body)
            return
        if self._terminal is not None:
            self._in_terminal(self._terminal, line, body)

    def _in_terminal(self, editor: ConfigSession, line: str, body: str | None) -> None:
        before = editor.tree.text(all_lines=True)
        editor.feed(line, body)
        if editor.ended:
            self._terminal = None
        if editor.tree.text(all_lines=True) != before:
            self._view.configuration.changed()

    def _in_session(self, session: Session, line: str, body: str | None) -> None:
        words = " ".join(line.lower().split())
        timer = re.fullmatch(r"commit timer (\d\d:\d\d:\d\d)", words)
        if words == "commit" or timer:
            self._view.configuration.commit(session.name, _seconds(timer[1]) if timer else None)
            self._session = None
        elif words == "abort":
            self._view.configuration.abort(session.name)
            self._session = None
        elif words == "rollback clean-config":
            self._view.configuration.clean(session)
        else:
            self._view.configuration.type_line(session, line, body)
            if session.editor.ended:
                self._session = None

    # -- exec ------------------------------------------------------------------------------------------------------

    def _enter_terminal(self, _: re.Match[str]) -> None:
        self._terminal = self._view.configuration.terminal()

    def _enter_session(self, found: re.Match[str]) -> None:
        name = found["name"] or f"sess-{len(self._view.configuration.sessions)}--{int(self._view.clock.now_s())}"
        self._session = self._view.configuration.open(name, self._user)

    def _commit(self, found: re.Match[str]) -> None:
        timer = found["timer"]
        self._view.configuration.commit(found["name"], _seconds(timer) if timer else None)

    def _abort(self, found: re.Match[str]) -> None:
        self._view.configuration.abort(found["name"])

    def _replace(self, found: re.Match[str]) -> None:
        self._view.configuration.replace(self._view.configuration.read_source(found["source"]))

    def _checkpoint(self, found: re.Match[str]) -> None:
        self._view.configuration.copy("running-config", f"checkpoint:{found['name']}")

    def _restore(self, found: re.Match[str]) -> None:
        self._view.configuration.replace(self._view.configuration.read_source(f"checkpoint:{found['name']}"))

    def _copy(self, found: re.Match[str]) -> None:
        self._view.configuration.copy(found["source"], found["target"])

    def _save(self, _: re.Match[str]) -> None:
        self._view.configuration.copy("running-config", "startup-config")

    def _delete(self, found: re.Match[str]) -> None:
        self._view.configuration.delete(found["name"])

    def _nothing(self, _: re.Match[str]) -> None:
        """Terminal settings: no effect over eAPI."""

    # -- show ------------------------------------------------------------------------------------------------------

    def _show(self, line: str, is_text: bool) -> dict[str, Any] | str:
        command, *pipes = _parts(line)
        if pipes and pipes[-1].lower() == "json":
            is_text = False
            pipes.pop()
        answer = self._show_config(command, is_text)
        if answer is None:
            answer = self._show_other(command, is_text)
        if isinstance(answer, str):
            for pipe in pipes:
                answer = _piped(answer, pipe)
        return answer

    def _show_other(self, command: str, is_text: bool) -> dict[str, Any] | str:
        text = find_text(command) if is_text else None
        if text is not None:
            return text[0](self._view, text[1])
        found = find_show(command)
        if found is None:
            words = command.split()
            raise CommandFailedError(INVALID, f"Invalid input (at token 1: '{words[1]}')")
        show, params = found
        answer = show.text if is_text else show.json
        if answer is None:
            raise CommandFailedError(UNCONVERTED, _NO_JSON)
        result: dict[str, Any] | str = answer(self._view, params)
        return result

    def _show_config(self, command: str, is_text: bool) -> dict[str, Any] | str | None:
        configuration, device = self._view.configuration, self._view.device
        running = re.fullmatch(r"show running-config( all)?( sanitized)?", command)
        if running:
            text = listing(device, configuration.running, command, bool(running[1]), bool(running[2]))
            return text if is_text else as_commands(text)
        if command == "show startup-config":
            text = listing(device, configuration.startup, command)
            return text if is_text else as_commands(text)
        if command == "show running-config diffs":
            return self._unsaved(is_text)
        block = re.fullmatch(r"show running-config (?:interfaces?|section) (.+)", command)
        if block:
            return self._running_block(block[1])
        if re.fullmatch(r"show configuration sessions( detail)?", command):
            return self._sessions_text() if is_text else self._sessions()
        return self._show_session(command, is_text)

    def _unsaved(self, is_text: bool) -> str:
        if not is_text:
            raise CommandFailedError(UNCONVERTED, _NO_JSON)
        store = self._view.configuration
        return "" if store.is_saved else startup_diff(self._view.device, store.startup, store.running)

    def _running_block(self, expression: str) -> str:
        name = re.sub(r"(?i)^et(hernet)?\s*", "Ethernet", expression)
        node = self._view.tree.first(f"interface {name}")
        if node is not None:
            return self._view.tree.block_text(node)
        return section(self._view.tree.text(), expression)

    def _show_session(self, command: str, is_text: bool) -> dict[str, Any] | str | None:
        if command == "show configuration checkpoints":
            return self._checkpoints(is_text)
        found = re.fullmatch(r"show session-config(?:uration)?(?: named (\S+))?( diffs)?( sanitized)?( all)?", command)
        if found is None:
            return None
        configuration = self._view.configuration
        session = configuration.sessions.get(found[1]) if found[1] else self._session
        if session is None:
            raise RefusedCommand(f"Session {found[1] or ''} does not exist")
        if found[2]:
            return session_diff(self._view.device, configuration.running, session.tree, session.name)
        text = listing(self._view.device, session.tree, command, bool(found[4]), bool(found[3]))
        return text if is_text else as_commands(text)

    def _sessions(self) -> dict[str, Any]:
        configuration = self._view.configuration
        found: dict[str, Any] = {
            "maxSavedSessions": 1,
            "maxOpenSessions": 5,
            "sessions": {
                session.name: {"state": session.state, "commitUser": "", "description": "", "instances": {}}
                for session in configuration.sessions.values()
            },
        }
        if configuration.timer is not None:
            found["commitTimerSessionName"] = configuration.timer.session
            found["commitTimerExpireTime"] = configuration.timer.expires_s - self._view.booted_s
        return found

    def _sessions_text(self) -> str:
        lines = ["Maximum number of completed sessions: 1", "Maximum number of pending sessions: 5", ""]
        lines += [f"  {'Name':<24} {'State':<20} User", f"  {'-' * 24} {'-' * 20} ----"]
        lines += [f"  {s.name:<24} {s.state:<20} {s.user}" for s in self._view.configuration.sessions.values()]
        return "\n".join(lines) + "\n"

    def _checkpoints(self, is_text: bool) -> dict[str, Any] | str:
        names = [
            name.removeprefix("checkpoint:")
            for name in self._view.configuration.files
            if name.startswith("checkpoint:")
        ]
        if is_text:
            return "\n".join(["   Filename", "   --------", *(f"   {name}" for name in names)]) + "\n"
        return {"maxCheckpoints": 20, "checkpoints": {name: {"fileUser": self._user} for name in names}}


def _seconds(clock: str) -> float:
    hours, minutes, seconds = (int(part) for part in clock.split(":"))
    return hours * 3600.0 + minutes * 60.0 + seconds


def _parts(line: str) -> list[str]:
    """A command and its pipes: a bar before another word than a pipe's belongs to the expression before it."""
    parts = [part.strip() for part in line.split(" | ")]
    found = parts[:1]
    for part in parts[1:]:
        if len(found) > 1 and part.partition(" ")[0].lower() not in _PIPES:
            found[-1] += f" | {part}"
        else:
            found.append(part)
    return found


def _piped(text: str, pipe: str) -> str:
    word, _, expression = pipe.partition(" ")
    if word.lower() in ("section", "begin") and expression:
        return section(text, expression)
    if word.lower() in ("include", "grep") and expression:
        return include(text, expression)
    if word.lower() == "no-more":
        return text
    raise CommandFailedError(INVALID, f"Invalid input (at token 0: '{word}')")


def _command(
    pattern: str, method: Callable[[Shell, re.Match[str]], None]
) -> tuple[re.Pattern[str], Callable[..., None]]:
    return re.compile(pattern, re.IGNORECASE), method


# The shell's own methods, by command line.
_EXEC = (
    _command(r"disable|terminal (length|width) \d+|exit|end", Shell._nothing),  # noqa: SLF001
    _command(r"configure( terminal)?", Shell._enter_terminal),  # noqa: SLF001
    _command(r"configure session (?P<name>\S+) commit( timer (?P<timer>\d\d:\d\d:\d\d))?", Shell._commit),  # noqa: SLF001
    _command(r"configure session (?P<name>\S+) abort", Shell._abort),  # noqa: SLF001
    _command(r"configure session(?: (?P<name>\S+))?", Shell._enter_session),  # noqa: SLF001
    _command(r"configure replace (?P<source>\S+)(?: (ignore-errors|skip-checkpoint|md5 \S+))*", Shell._replace),
    _command(r"configure checkpoint save(?: (?P<name>\S+))?", Shell._checkpoint),  # noqa: SLF001
    _command(r"configure checkpoint restore (?P<name>\S+)", Shell._restore),  # noqa: SLF001
    _command(r"copy (?P<source>\S+) (?P<target>\S+)", Shell._copy),  # noqa: SLF001
    _command(r"write( memory)?", Shell._save),  # noqa: SLF001
    _command(r"delete (?P<name>\S+)", Shell._delete),  # noqa: SLF001
)
