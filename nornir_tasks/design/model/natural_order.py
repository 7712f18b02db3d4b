"""The order in which people count: ``leaf-g2`` before ``leaf-g10``."""

import re

_DIGITS = re.compile(r"(\d+)")


def natural_key(name: str) -> tuple[tuple[str, int], ...]:
    """Sort key: the numbers within a name by value, the rest as text."""
    parts = _DIGITS.split(name)
    numbers = (*parts[1::2], "-1")
    return tuple((text, int(number)) for text, number in zip(parts[::2], numbers, strict=True))
