"""NX-OS's hidden defaults: a rendered configuration as ``show running-config`` prints it."""

from collections.abc import Collection

from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.lines import hidden_lines, visible
from nornir_tasks.platforms.nxos.parse import BLOCKS

_HIDDEN = hidden_lines(BLOCKS)

PORT = ("interface Ethernet", "interface port-channel")
"""How ports and groups of ports begin, whose admin state depends on whether they are routed."""
_ROUTED = "no switchport"


def canonical(tree: ConfigTree) -> ConfigTree:
    """The tree without the defaults that NX-OS hides, otherwise unchanged."""
    kept = visible(tree, _HIDDEN)
    for text, node in kept.children.items():
        if text.startswith(PORT) and node:  # a copy already: lines of ports are hidden
            node.children.pop(hidden_admin_state(text, node.children), None)
    return kept


def hidden_admin_state(port: str, lines: Collection[str]) -> str:
    """The line of a port's admin state that is not printed: a routed one is down by default, a switched one is up.

    Published configurations of 9.3 and 10.4(2): routed ports print "no shutdown" when up and nothing when down, and
    switched ones that are down print "shutdown" (``system default switchport shutdown`` is off unless set). A
    subinterface is routed without saying so, and is down like any other.
    """
    return "shutdown" if _ROUTED in lines or "." in port else "no shutdown"


def is_hidden(path: Path, beside: Collection[str] = ()) -> bool:
    """Does the switch hide this line because it is the default? ``beside``: its sibling lines."""
    if len(path) == 2 and path[0].startswith(PORT) and path[1] == hidden_admin_state(path[0], beside):
        return True
    return any(
        path[-1] in lines
        and len(above) == len(path) - 1
        and all(pattern.match(line) for pattern, line in zip(above, path, strict=False))
        for above, lines in _HIDDEN
    )
