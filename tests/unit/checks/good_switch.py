"""What every good switch shows, whatever the site: a new field of Observed gets its value here."""

from typing import Any

from nornir_tasks.platforms.observed import Supply

GOOD: dict[str, Any] = {"supplies": (Supply("1", works=True, state="ok"),)}
