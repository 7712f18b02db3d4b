"""Lines that somebody types on a lone switch between pushes, and trees without them."""

from lone_switches import LoneSwitch

from nornir_tasks.platforms.config_tree import ConfigTree, Path

LISTS = ("CUSTOMER-7", "COMPUTE-OLD", "STORAGE-OLD")
"""Prefix lists that somebody types: nobody's, and two that begin as the names of planes do."""
SESSION = "203.0.113.77"


def without(tree: ConfigTree, typed: frozenset[Path]) -> ConfigTree:
    """The tree less these lines; containers that only they were in are among them."""
    left = tree.copy()
    for path in sorted(typed, key=len, reverse=True):
        above = left.get(*path[:-1])
        if above is not None and path[-1] in above.children and not above.children[path[-1]].children:
            del above.children[path[-1]]
    return left


def tree_of(paths: frozenset[Path]) -> ConfigTree:
    tree = ConfigTree()
    for path in paths:
        tree.add_path(path)
    return tree


def type_at(switch: LoneSwitch, what: str, runs: ConfigTree) -> None:
    """A prefix list, or a session in the switch's own process."""
    if switch.os == "nvue":
        rule = {"10": {"action": "permit", "match": {"10.1.0.0/16": {"max-prefix-len": 24}}}}
        switch.hand.nvue({"router": {"policy": {"prefix-list": {what: {"rule": rule}}}}})
    elif what == SESSION:
        (process,) = (line for line in runs.children if line.startswith("router bgp "))
        lines = {"eos": [f"neighbor {what} remote-as 64999"], "nxos": [f"neighbor {what}", "remote-as 64999"]}
        switch.hand.configure(process, *lines[switch.os])
    else:
        switch.hand.configure(f"ip prefix-list {what} seq 10 permit 10.1.0.0/16")
