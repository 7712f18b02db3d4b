"""One command-line session, over any transport: modes, exec commands, configuration lines, output filters."""

from __future__ import annotations

import json
import re

from ..engine import ConfigSession, LineError
from .commands import ACTIONS, invalid, refused
from .reply import Reply, View
from .rights import DENIED, may_configure, reads
from .shows import SHOWS
from .store import FileError

_ENTER = re.compile(r"conf(?:igure|ig)?(?: t(?:erminal)?)?")
_PROMPTS = {"interface": "config-if", "router": "config-router", "vlan": "config-vlan", "line": "config-line"}


class Cli:
    """Runs lines. ``in_config`` starts in configuration mode, as NX-API does for all but exec commands."""

    def __init__(self, view: View, user: str, *, in_config: bool = False) -> None:
        self.view, self.user = view, user
        self._session: ConfigSession | None = self._new_session() if in_config else None
        self._changed = False
        self.closed = False
        self.is_exec = False
        """Was the last line an exec command?"""

    @property
    def prompt(self) -> str:
        """The prompt of the current mode, followed by a blank."""
        name = self.view.store.hostname
        if self._session is None:
            return f"{name}# "
        inner = self._session.path[-1].words.split()
        return f"{name}({_PROMPTS.get(inner[0], 'config-mode') if inner else 'config'})# "

    def run(self, line: str) -> Reply:
        """Run one line and answer; a configuration line takes effect at once."""
        if self._session is not None and self._session.waits_for_text:
            return self._configure(line)
        command, *filters = [part.strip() for part in re.split(r" \| ", line.strip())]
        if not command or command.startswith("!"):
            return Reply()
        command = " ".join(command.split())
        if not reads(command) and not may_configure(self.view.store.running, self.user):
            self.is_exec = command.startswith("sh")
            return refused(DENIED)
        reply = self._exec(command)
        self.is_exec = reply is not None
        if reply is None:
            reply = self._configure(line) if self._session is not None else invalid()
        for text in filters:
            reply = _filtered(reply, text)
        return reply

    def finish(self) -> None:
        """Report the configuration changes since the last call to the fabric: once, however many lines there were."""
        if self._changed:
            self._changed = False
            self.view.store.committed()

    def _exec(self, command: str) -> Reply | None:
        """An exec command's answer; None if the line is not one."""
        if _ENTER.fullmatch(command):
            self._session = self._new_session()
            return Reply("Enter configuration commands, one per line. End with CNTL/Z.\n")
        if self._session is None and command in ("exit", "end", "logout"):
            self.closed = command != "end"
            return Reply()
        for pattern, action in ACTIONS:
            found = pattern.fullmatch(command)
            if found is not None:
                self.finish()
                try:
                    return action(self.view, found, self.user)
                except FileError as error:
                    return refused(str(error))
        return self._show(command) if re.match(r"sh(ow?)?\b", command) else None

    def _show(self, command: str) -> Reply:
        self.finish()
        line = "show " + command.partition(" ")[2]
        for pattern, show in SHOWS:
            found = pattern.fullmatch(line)
            if found is not None:
                return show(self.view, found)
        return invalid(len("show "))

    def _new_session(self) -> ConfigSession:
        return ConfigSession(self.view.store.running, self.view.store.context)

    def _configure(self, line: str) -> Reply:
        assert self._session is not None  # noqa: S101  (the caller asked)
        if self._session.tree is not self.view.store.running:
            self._session = self._new_session()
        try:
            self._session.feed(line)
        except LineError as error:
            return refused(self._session.tree.dialect.error_text(error))
        self._changed = self._changed or line.strip() not in ("exit", "end")
        if self._session.ended:
            self._session = None
        return Reply()


def _filtered(reply: Reply, text: str) -> Reply:
    """Output through ``| include X``, ``| section X``, ``| json`` and the like."""
    word, _, rest = text.partition(" ")
    if word in ("no-more", "nomore"):
        return reply
    if word.startswith("json"):
        if reply.body is None:
            return refused("structured output unsupported")
        return Reply(json.dumps(reply.body) + "\n", reply.body)
    bare = rest.strip("\"'")
    pattern = re.compile(bare if re.search(r"[\^$.*\[]", bare) else re.escape(bare))
    lines = reply.text.splitlines()
    if word.startswith("inc") or word == "i":
        kept = [line for line in lines if pattern.search(line)]
    elif word.startswith("exc"):
        kept = [line for line in lines if not pattern.search(line)]
    elif word.startswith("beg"):
        start = next((number for number, line in enumerate(lines) if pattern.search(line)), len(lines))
        kept = lines[start:]
    elif word.startswith("sec"):
        kept = _sections(lines, pattern)
    else:
        return invalid()
    return Reply("\n".join(kept) + "\n" if kept else "", None, reply.is_refused)


def _sections(lines: list[str], pattern: re.Pattern[str]) -> list[str]:
    """Matching lines with all lines indented below them."""
    kept: list[str] = []
    depth: int | None = None
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if depth is not None and line.strip() and indent > depth:
            kept.append(line)
            continue
        depth = None
        if pattern.search(line):
            depth = indent
            kept.append(line)
    return kept
