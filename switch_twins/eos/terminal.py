"""EOS's command line as a person has it at a terminal: prompts, privilege, refusals, all text.

Prompts and the words after ``terminal length`` and ``width`` are those that Netmiko 4.8.0 (arista.py) and scrapli
2026.2.20 (arista_eos) wait for, the six characters of a session's name too; the names of modes are from memory.
Nothing is paged: a client's ``terminal length 0`` changes nothing.
"""

from __future__ import annotations

import re

from ..engine import Node
from .rights import needs_privilege
from .shell import CommandFailedError, Shell
from .view import short_name

_SESSION_CHARACTERS = 6
_FIXED = {
    "address-family": "af",
    "ip prefix-list": "ip-pfx",
    "management ssh": "mgmt-ssh",
    "management api": "mgmt-api-http-cmds",
    "management security": "mgmt-security",
    "mlag configuration": "mlag",
    "router bfd": "router-bfd",
    "router bgp": "router-bgp",
    "system control-plane": "system-cp",
}
_NAMED = {"ip access-list": "acl-{}", "route-map": "route-map-{}", "vrf instance": "vrf-{}", "vlan": "vlan-{}"}


class Terminal:
    """One login. ``closed``: the user has left."""

    def __init__(self, shell: Shell, *, is_privileged: bool) -> None:
        self._shell, self.is_privileged = shell, is_privileged
        self.closed = False
        self.waits_for_password = False

    @property
    def prompt(self) -> str:
        """Of the present mode; while a password is waited for, the question for it."""
        if self.waits_for_password:
            return "Password: "
        name, editor = self._shell.hostname, self._shell.editor
        if editor is None:
            return f"{name}{'#' if self.is_privileged else '>'}"
        if editor.waits_for_text:
            return ""
        session = self._shell.session_name
        parts = ["config", *([f"s-{session[:_SESSION_CHARACTERS]}"] if session else [])]
        return f"{name}({'-'.join([*parts, *map(_mode, editor.path[1:])])})#"

    def run(self, line: str) -> str:
        """One line and what is printed for it."""
        if self.waits_for_password:
            self.waits_for_password = False
            self.is_privileged = self._shell.is_enable_password(line)
            return "" if self.is_privileged else "% Bad secret\n"
        words = " ".join(line.split())
        if self._shell.editor is None:
            own = self._own(words)
            if own is not None:
                return own
        return self._passed_on(line)

    def _own(self, words: str) -> str | None:
        """What the terminal itself answers; None if it is the shell's."""
        size = re.fullmatch(r"term(?:inal)? (len|length|width) (\d+)", words)
        if size is not None:
            return _sized(size[1], int(size[2]))
        if words in ("exit", "logout", "quit"):
            self.closed = True
        elif words in ("enable", "en"):
            self.waits_for_password = self._shell.has_enable_password and not self.is_privileged
            self.is_privileged = not self.waits_for_password
        elif words == "disable":
            self.is_privileged = False
        elif not self.is_privileged and needs_privilege(words):
            return "% Invalid input (privileged mode required)\n"
        elif words not in ("", "!"):
            return None
        return ""

    def _passed_on(self, line: str) -> str:
        try:
            answer = self._shell.run(line, None, True)
        except CommandFailedError as failure:
            return f"% {failure.words}\n"
        text = str(answer["output"])
        saves = re.fullmatch(r"(?:copy \S+ \S+|write(?: memory)?)", line.strip())
        return "Copy completed successfully.\n" if saves and not text else text


def _sized(what: str, number: int) -> str:
    if what == "width":
        return f"Width set to {number} columns.\n"
    return "Pagination disabled.\n" if number == 0 else f"Pagination set to {number} lines.\n"


def _mode(node: Node) -> str:
    words = node.words.split()
    if words[0] == "interface":
        return f"if-{short_name(words[1])}"
    two = " ".join(words[:2])
    if two in _FIXED or words[0] in _FIXED:
        return _FIXED.get(two) or _FIXED[words[0]]
    form = _NAMED.get(two) or _NAMED.get(words[0])
    if form is not None:
        return form.format(words[2 if two in _NAMED else 1])
    return words[0]
