"""A table of line patterns as one pattern: every line of a first push goes through it."""

import re
from collections.abc import Sequence

from nornir_tasks.design.capabilities import Disruption
from nornir_tasks.platforms.config_tree import Change


class LineClasses:
    """What the change of a line does to traffic, by the first pattern that matches its whole path."""

    def __init__(self, rows: Sequence[tuple[str, Disruption]]) -> None:
        """``rows``: a regular expression over ``" / ".join(path)``, without named groups, and its class."""
        self._classes = {f"row_{number}": worst for number, (_, worst) in enumerate(rows)}
        texts = (f"(?P<row_{number}>{pattern})" for number, (pattern, _) in enumerate(rows))
        self._fullmatch = re.compile("|".join(texts)).fullmatch

    def of(self, change: Change) -> Disruption:
        """The class of one change; none where no pattern knows its line."""
        found = self._fullmatch(" / ".join(change.path))
        return self._classes[str(found.lastgroup)] if found else Disruption.NONE
