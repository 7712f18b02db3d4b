"""What rails may be called on a host, for all roles alike, and how systemd writes such a name in that of a unit."""

from __future__ import annotations

import re
from collections.abc import Sequence

RAIL = re.compile(r"[a-z][a-z0-9_-]{0,14}")
"""15 characters: the kernel's IFNAMSIZ less the final zero. What ``port_names`` of the intent makes is among these."""
RAIL_IN_WORDS = "up to 15 of a-z, 0-9, - and _, a letter first"


def not_rails(names: Sequence[str]) -> list[str]:
    """Those that no rail may be called."""
    return [name for name in names if not RAIL.fullmatch(name)]


def as_instance(name: str) -> str:
    r"""The name of a rail as the instance of a unit: ``rail-0`` is ``rail\x2d0``, as a dash stands for a slash there.

    systemd.unit(5), "String Escaping for Inclusion in Unit Names".
    """
    return name.replace("-", r"\x2d")


def of_instance(instance: str) -> str:
    """The name that an instance stands for."""
    return instance.replace(r"\x2d", "-")
