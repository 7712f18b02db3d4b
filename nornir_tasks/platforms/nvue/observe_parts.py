"""``nv show platform environment psu`` (tests/recorded/nvue_show/supplies.txt): what of a switch can be exchanged."""

from collections.abc import Iterator
from typing import Any

from nornir_tasks.platforms.observed import Request, Supply

SUPPLIES = Request("platform/environment/psu")


def supplies(shown: dict[str, Any]) -> Iterator[Supply]:
    """Power supplies by their names, ``PSU1``."""
    for name, each in sorted(shown.items()):
        yield Supply(name, works=each["state"] == "ok", state=each["state"])
