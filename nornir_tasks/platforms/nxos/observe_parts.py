"""``show environment power`` (tests/recorded/nxos_show/environment.txt): what of a switch can be exchanged."""

from collections.abc import Iterator
from typing import Any

from nornir_tasks.platforms.nxos.tables import rows
from nornir_tasks.platforms.observed import Supply


def supplies(shown: Any) -> Iterator[Supply]:  # noqa: ANN401 - an API answer
    """Power supplies by their numbers."""
    for row in rows(shown.get("powersup", {}) if isinstance(shown, dict) else {}, "psinfo"):
        yield Supply(str(row["psnum"]), works=row["ps_status"] == "Ok", state=row["ps_status"])
