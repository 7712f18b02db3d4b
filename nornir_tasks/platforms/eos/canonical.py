"""A rendered EOS configuration as the switch prints it."""

from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.eos.parse import BLOCKS
from nornir_tasks.platforms.lines import hidden_lines, visible

_HIDDEN = hidden_lines(BLOCKS)
_BFD = "router bfd"


def canonical(tree: ConfigTree) -> ConfigTree:
    """A rendered tree as the switch prints it: without hidden defaults, otherwise unchanged."""
    plain = visible(tree, _HIDDEN)
    if tree.get(_BFD) and not plain.children[_BFD]:
        del plain.children[_BFD]
    return plain
