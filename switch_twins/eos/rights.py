"""What an account may run: by its privilege level, and by its role where commands are authorized.

EOS looks at roles under ``aaa authorization commands ... local`` alone. Without that line every account becomes
privileged by ``enable``, unless an enable password is set, and configures, whatever role the account has. Sources, and
what is from memory: tests/corpus/eos/NOTES.md, Accounts without rights.
"""

from __future__ import annotations

import re

from ..engine import Node, Tree

PRIVILEGED_LEVEL = 15
OPERATOR = "network-operator"
"""The role of an account without one, too."""

_PRIVILEGED = re.compile(r"(?:conf|copy|write|wr\b|delete|reload|sh\w* (?:run|start|session-config|configuration))")
_NOT_OPERATORS = re.compile(r"conf|bash|python-shell")


def level(tree: Tree, user: str) -> int:
    """The privilege level of an account; 1 for one without it."""
    account = _account(tree, user)
    return int(account.params.get("level", 1)) if account is not None else 1


def needs_privilege(words: str) -> bool:
    """Is a command refused in user mode?"""
    return _PRIVILEGED.match(words) is not None


def is_denied(tree: Tree, user: str, words: str) -> bool:
    """Does command authorization keep this account from a command of exec mode?"""
    return _are_commands_authorized(tree) and _role(tree, user) == OPERATOR and bool(_NOT_OPERATORS.match(words))


def _are_commands_authorized(tree: Tree) -> bool:
    """By the switch's own roles: servers, which the lab has not, are taken not to answer."""
    for line in tree.find("aaa authorization commands"):
        levels = line.params["levels"].split(",")
        if line.params["list"] == "default" and {"all", str(PRIVILEGED_LEVEL)} & {*levels}:
            return "local" in line.params["methods"].split()
    return False


def _role(tree: Tree, user: str) -> str:
    account = _account(tree, user)
    return account.params.get("role", OPERATOR) if account is not None else ""


def _account(tree: Tree, user: str) -> Node | None:
    lines = tree.find(f"username {user}")
    return next((line for line in lines if "key" not in line.params), None)
