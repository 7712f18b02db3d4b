"""The NX-OS grammar: data files in the engine's notation, loaded once, in the order of a running configuration."""

from __future__ import annotations

import functools
from importlib import resources

from ...engine import Grammar, load_grammar
from ..hooks import HOOKS
from ..words import TYPES

_FILES = ("1_system.grammar", "2_services.grammar", "3_interfaces.grammar", "4_bgp.grammar")


@functools.cache
def nxos_grammar() -> Grammar:
    """The grammar of NX-OS on Nexus 9000. Raises GrammarError if a data file is wrong."""
    folder = resources.files(__package__)
    text = "".join((folder / name).read_text(encoding="utf-8") for name in _FILES)
    return load_grammar(text, name="nxos", types=TYPES, hooks=HOOKS)
