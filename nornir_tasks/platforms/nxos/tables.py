"""Tables in NX-OS' structured output. Pure."""

from collections.abc import Iterator
from typing import Any


def rows(body: Any, name: str) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - an API answer
    """The rows of ``TABLE_<name>``: none, one (an object) or many (a list)."""
    table = body.get(f"TABLE_{name}") if isinstance(body, dict) else None
    for part in table if isinstance(table, list) else [table]:
        row = part.get(f"ROW_{name}") if isinstance(part, dict) else None
        for each in row if isinstance(row, list) else [row]:
            if isinstance(each, dict):
                yield each
