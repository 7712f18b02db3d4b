"""Taking values out of NVUE data: what is understood is taken away, so what is left over is what nobody understood."""

from typing import Any

Data = dict[str, Any]


def take(data: Data, *path: str) -> Any:  # noqa: ANN401 - a JSON value; callers say what they expect
    """Remove and return the value at a path, with the mappings it leaves empty above it; None if there is none."""
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
    """Like take, but only an integer; anything else stays where it is."""
    value = look(data, *path)
    return take(data, *path) if isinstance(value, int) and not isinstance(value, bool) else None


def take_text(data: Data, *path: str) -> str | None:
    """Like take, but only a text."""
    return take(data, *path) if isinstance(look(data, *path), str) else None


def take_word(data: Data, word: str, *path: str) -> bool:
    """True if exactly this word stands there; another value stays where it is."""
    if look(data, *path) != word:
        return False
    take(data, *path)
    return True


def take_empty(data: Data, *path: str) -> bool:
    """True if an entry without content stands there, such as ``{"up": {}}``."""
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
    """Keys and mappings of a collection, in a list of its own so that entries may be taken away meanwhile."""
    collection = look(data, *path)
    if not isinstance(collection, dict):
        return []
    return [(key, value) for key, value in collection.items() if isinstance(value, dict)]


def drop_if_empty(data: Data, *path: str) -> None:
    """Take an entry away once all of it has been understood."""
    if look(data, *path) == {}:
        take(data, *path)
