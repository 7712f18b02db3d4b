"""NX-OS's hidden defaults: a rendered configuration as ``show running-config`` prints it."""

from collections.abc import Collection
from functools import cache

from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.defaults import FACTORY, Defaults
from nornir_tasks.platforms.lines import Hidden, hidden_lines, visible
from nornir_tasks.platforms.nxos.defaults import PORT, ROUTED, SWITCHED, hidden_admin_state
from nornir_tasks.platforms.nxos.parse import BLOCKS


def canonical(tree: ConfigTree, defaults: Defaults = FACTORY) -> ConfigTree:
    """The tree without the lines that NX-OS hides under these defaults, otherwise unchanged."""
    kept = visible(tree, _hidden(defaults.is_routed))
    for text, node in kept.children.items():
        if text.startswith(PORT) and node:  # a copy already: lines of ports are hidden
            node.children.pop(_hidden_state(text, node.children, defaults), None)
    return kept


@cache
def _hidden(is_routed: bool) -> Hidden:
    """The hidden lines; where ports are routed unless they say otherwise, their mode is turned round."""
    factory = hidden_lines(BLOCKS)
    if not is_routed:
        return factory
    return tuple((above, lines - {SWITCHED} | {ROUTED} if SWITCHED in lines else lines) for above, lines in factory)


def _hidden_state(port: str, lines: Collection[str], defaults: Defaults) -> str:
    """Of a port with these printed lines."""
    return hidden_admin_state(port, SWITCHED not in lines if defaults.is_routed else ROUTED in lines, defaults)


def is_hidden_state(path: Path, beside: Collection[str], defaults: Defaults = FACTORY) -> bool:
    """Is this the admin state that a port does not print? ``beside``: its lines."""
    return len(path) == 2 and path[0].startswith(PORT) and path[1] == _hidden_state(path[0], beside, defaults)


def is_hidden(path: Path, beside: Collection[str] = (), defaults: Defaults = FACTORY) -> bool:
    """Does the switch hide this line because it is the default? ``beside``: its sibling lines."""
    return is_hidden_state(path, beside, defaults) or any(
        path[-1] in lines
        and len(above) == len(path) - 1
        and all(pattern.match(line) for pattern, line in zip(above, path, strict=False))
        for above, lines in _hidden(defaults.is_routed)
    )
