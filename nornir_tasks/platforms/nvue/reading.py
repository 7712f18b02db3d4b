"""Taking values out of NVUE data: every understood value is removed, so the rest is what was not understood."""

from typing import Any

Data = dict[str, Any]


def take(data: Data, *path: str) -> Any:  # noqa: ANN401 - a JSON value; callers say what they expect
    """Remove and return the value at a path, with the mappings that become empty above it; None if there is none."""
    head, *rest = path
    if head not in data:
        return None
    if not rest:
        return data.pop(head)
    below = data[head]
    if not isinstance(below, dict):
        return None
    value = take(below, *rest)
    if value is not None and not below:
        del data[head]
    return value


def take_int(data: Data, *path: str) -> int | None:
    """Like take, but only an integer; anything else stays."""
    value = look(data, *path)
    return take(data, *path) if isinstance(value, int) and not isinstance(value, bool) else None


def take_text(data: Data, *path: str) -> str | None:
    """Like take, but only a string."""
    return take(data, *path) if isinstance(look(data, *path), str) else None


def take_word(data: Data, word: str, *path: str) -> bool:
    """True if the value is exactly this word; another value stays."""
    if look(data, *path) != word:
        return False
    take(data, *path)
    return True


def take_empty(data: Data, *path: str) -> bool:
    """True if there is an entry without content, such as ``{"up": {}}``."""
    if look(data, *path) != {}:
        return False
    take(data, *path)
    return True


def look(data: Data, *path: str) -> Any:  # noqa: ANN401 - a JSON value
    """The value at a path; None if there is none."""
    value: Any = data
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return value


def entries(data: Data, *path: str) -> list[tuple[str, Data]]:
    """Keys and mappings of a collection, in a list of its own so that entries can be removed during iteration."""
    collection = look(data, *path)
    if not isinstance(collection, dict):
        return []
    return [(key, value) for key, value in collection.items() if isinstance(value, dict)]


def drop_if_empty(data: Data, *path: str) -> None:
    """Remove an entry once all of it has been understood."""
    if look(data, *path) == {}:
        take(data, *path)
