"""``show system environment power`` (tests/recorded/eos_show/environment.txt): what of a switch can be exchanged."""

from collections.abc import Iterator
from typing import Any

from nornir_tasks.platforms.observed import Supply


def supplies(shown: dict[str, Any]) -> Iterator[Supply]:
    """Power supplies by their numbers."""
    for number, each in sorted(shown.get("powerSupplies", {}).items()):
        yield Supply(number, works=each["state"] == "ok", state=each["state"])
