"""Lines of others that announce routes by BGP, redistributions and aggregates: do they concern our prefixes? Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_network

from nornir_tasks.platforms.config_tree import ConfigTree, Path


@dataclass(frozen=True, slots=True)
class Announcing:
    """How an OS writes both, over ``" / ".join(path)``."""

    redistributed: re.Pattern[str]
    """With groups ``source``, and ``map`` where a route map is on the same line."""
    aggregate: re.Pattern[str]
    """With group ``prefix``."""
    map_below: str = ""
    """Beginning of the line below a redistribution that names its route map."""


_CONNECTED = frozenset({"connected", "direct"})


def concern(
    announcing: Announcing, path: Path, tree: ConfigTree, pools: Iterable[str], *, has_statics: bool
) -> str | None:
    """What a line of others does to our prefixes: words, empty where it is none of our business, None: no such line.

    ``tree``: what runs; ``has_statics``: a static route of ours, or to a prefix of ours, runs there.
    """
    line = " / ".join(path)
    if found := announcing.aggregate.fullmatch(line):
        covered = next((pool for pool in pools if _overlap(pool, found["prefix"])), None)
        return f"it covers prefixes of ours ({covered})" if covered else ""
    found = announcing.redistributed.fullmatch(line)
    if found is None:
        return None
    is_ours = found["source"] in _CONNECTED or (found["source"] == "static" and has_statics)
    if not is_ours:
        return ""
    if found["map"] or _has_map(announcing, tree.get(*path)):
        return "cannot tell whether it announces prefixes of ours: a route map decides"
    return f"it announces prefixes of ours, which are {found['source']} there"


def _has_map(announcing: Announcing, node: ConfigTree | None) -> bool:
    begins = announcing.map_below
    return bool(begins) and node is not None and any(text.startswith(begins) for text in node.children)


def _overlap(pool: str, prefix: str) -> bool:
    try:
        one, other = ip_network(pool), ip_network(prefix, strict=False)
    except ValueError:
        return False
    return one.version == other.version and one.overlaps(other)
