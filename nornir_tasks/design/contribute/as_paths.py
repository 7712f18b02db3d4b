"""Regular expressions for ranges of AS numbers: no system's lists of AS paths know ranges."""

from collections.abc import Collection, Iterable, Iterator

from nornir_tasks.design.config.routing_policy import AsPathList, AsPathRule


def containing(name: str, ranges: Iterable[tuple[int, int]], but: Collection[int]) -> AsPathList:
    """The list of paths with any AS number of these ranges (first, last), except those in ``but``."""
    texts = (text for first, last in ranges for part in _without(first, last, but) for text in patterns(*part))
    rules = (AsPathRule(10 * place, permit=True, pattern=f"_{text}_") for place, text in enumerate(texts, start=1))
    return AsPathList(name, tuple(rules))


def patterns(first: int, last: int) -> Iterator[str]:
    """Patterns that match just the decimal numbers from first to last: ``6451[2-9]``, ``645[2-9][0-9]``."""
    while first <= last:
        size = 1  # of the numbers that differ in their last digits alone
        while first and first % (10 * size) == 0 and first + 10 * size - 1 <= last:
            size *= 10
        digit, most = first // size % 10, 9
        while first + (most - digit + 1) * size - 1 > last:
            most -= 1
        head = str(first // size // 10) if first // size >= 10 else ""
        yield head + (str(digit) if most == digit else f"[{digit}-{most}]") + "[0-9]" * (len(str(size)) - 1)
        first += (most - digit + 1) * size


def _without(first: int, last: int, but: Collection[int]) -> Iterator[tuple[int, int]]:
    for gap in sorted(each for each in but if first <= each <= last):
        if first < gap:
            yield first, gap - 1
        first = gap + 1
    if first <= last:
        yield first, last
