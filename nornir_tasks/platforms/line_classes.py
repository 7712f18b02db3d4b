"""A table of line patterns combined into one pattern: every line of a first push is matched."""

import re
from collections.abc import Sequence

from nornir_tasks.design.model.capabilities import Disruption
from nornir_tasks.platforms.config_tree import Change


class LineClasses:
    """The effect on traffic when a line changes, by the first pattern that matches its whole path."""

    def __init__(self, rows: Sequence[tuple[str, Disruption]]) -> None:
        """``rows``: a regular expression over ``" / ".join(path)``, without named groups, and its class."""
        self._classes = {f"row_{number}": worst for number, (_, worst) in enumerate(rows)}
        texts = (f"(?P<row_{number}>{pattern})" for number, (pattern, _) in enumerate(rows))
        self._fullmatch = re.compile("|".join(texts)).fullmatch

    def of(self, change: Change) -> Disruption:
        """The class of one change; none if no pattern matches its line."""
        found = self._fullmatch(" / ".join(change.path))
        return self._classes[str(found.lastgroup)] if found else Disruption.NONE
