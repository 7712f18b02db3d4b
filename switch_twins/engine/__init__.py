"""One small engine for the EOS and NX-OS twins: vendor-notation grammar, tree of accepted lines, command session."""

from .context import Context
from .dialect import EOS, NXOS, Dialect
from .errors import GrammarError, LineError
from .grammar import Grammar, Rule
from .loader import load_grammar
from .session import Change, ConfigSession, load_text
from .tree import Node, Tree

__all__ = [
    "EOS",
    "NXOS",
    "Change",
    "ConfigSession",
    "Context",
    "Dialect",
    "Grammar",
    "GrammarError",
    "LineError",
    "Node",
    "Rule",
    "Tree",
    "load_grammar",
    "load_text",
]
