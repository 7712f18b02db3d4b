"""A rendered EOS configuration as the switch prints it."""

import re
from functools import cache

from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.defaults import FACTORY, Defaults
from nornir_tasks.platforms.eos.defaults import ETHERNET
from nornir_tasks.platforms.eos.parse import BLOCKS
from nornir_tasks.platforms.lines import Hidden, hidden_lines, visible

_BFD = "router bfd"


def canonical(tree: ConfigTree, defaults: Defaults = FACTORY) -> ConfigTree:
    """A rendered tree as a switch with these defaults prints it: without hidden lines, otherwise unchanged.

    An MTU is printed whatever the default is (tests/corpus/eos/NOTES.md).
    """
    plain = visible(tree, _hidden(defaults.is_shut))
    if tree.get(_BFD) and not plain.children[_BFD]:
        del plain.children[_BFD]
    return plain


@cache
def _hidden(is_shut: bool) -> Hidden:
    """The hidden lines; where ports are down unless they say otherwise, theirs are turned round."""
    factory = hidden_lines(BLOCKS)
    if not is_shut:
        return factory
    return tuple(
        each for above, lines in factory for each in (_turned(lines) if "no shutdown" in lines else ((above, lines),))
    )


def _turned(lines: frozenset[str]) -> Hidden:
    return (
        ((re.compile(rf"interface (?!{ETHERNET.removeprefix('interface ')})"),), lines),
        ((re.compile(ETHERNET),), lines - {"no shutdown"} | {"shutdown"}),
    )
