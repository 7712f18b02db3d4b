"""What is wanted, for tests of candidates: with the first lines of blocks that stay, as lines of others are in them."""

from __future__ import annotations

from nornir_tasks.platforms.config_tree import ConfigTree

ALWAYS_THERE = "vrf context management"
"""NX-OS never removes it, whatever is taken out of it."""


def with_kept_blocks(wanted: ConfigTree, owned: ConfigTree, foreign: ConfigTree) -> ConfigTree:
    """Not of a BGP process or a VRF: these do not outlive what made them."""
    after = wanted.copy()
    for path, _ in owned.walk():
        strangers = foreign.get(*path)
        if path[0].startswith(("router bgp ", "vrf instance ")):
            continue
        if path == (ALWAYS_THERE,) or (strangers is not None and strangers.children):
            after.add_path(path)
    return after
