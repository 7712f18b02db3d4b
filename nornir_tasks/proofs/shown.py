"""Values that lines beside the model show."""

import re
from collections.abc import Iterable

from nornir_tasks.platforms.config_tree import Path


def first_value(pattern: str, paths: Iterable[Path]) -> tuple[Path, str] | None:
    """The first of these lines that matches, and its group ``value``."""
    matches = re.compile(pattern).fullmatch
    return next(((path, found["value"]) for path in paths if (found := matches(" / ".join(path)))), None)
