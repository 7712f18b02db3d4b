"""What a packet meets on its way between two routers."""

from typing import NamedTuple

from nornir_tasks.design.config.access_lists import AclBinding, Direction


class Met(NamedTuple):
    """Access lists of an interface that a packet meets on its way between two routers."""

    device: str
    interface: str
    acls: tuple[AclBinding, ...]
    direction: Direction


Way = frozenset[Met]
"""All that are met on one way; of several ways those are left out that meet all of another's and more."""


def least(ways: list[Way]) -> tuple[Way, ...]:
    """Without those that meet all of another way, and more."""
    return tuple(way for way in dict.fromkeys(ways) if not any(other < way for other in ways))
