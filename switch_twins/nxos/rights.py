"""What an account may run, by its roles: of these the configuration has one in the account's line or each in its own.

Who has none of the roles that configure may look (``network-operator``, which an account without a role has), but not
at configurations. Sources, and what is from memory: tests/corpus/nxos/NOTES.md, Accounts without rights.
"""

from __future__ import annotations

import re

from ..engine import Tree

DENIED = "% Permission denied for the role"

_CONFIGURE = frozenset({"network-admin", "vdc-admin", "priv-15"})
_READS = re.compile(
    r"sh(?:ow?)? (?!run|start)"
    r"|(?:conf(?:igure|ig)?(?: t(?:erminal)?)?|end|exit|logout)$"
    r"|dir\b|(?:no )?terminal "
)


def may_configure(running: Tree, user: str) -> bool:
    """May this account change the switch, and read its configurations?"""
    lines = [node for node in running.find("username") if node.params.get("user") == user]
    return not _CONFIGURE.isdisjoint(node.params.get("role", "") for node in lines)


def reads(command: str) -> bool:
    """May every account run it? Configuration mode may be entered: its lines are what is refused."""
    return _READS.match(command) is not None
