"""Sets of numbers as sorted ranges that neither overlap nor touch."""

from collections.abc import Iterable
from ipaddress import ip_address, ip_network

Ranges = tuple[tuple[int, int], ...]
"""First and last of each."""


def ranges(found: Iterable[tuple[int, int]]) -> Ranges:
    """All numbers of these, in as few ranges as hold just them."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(found):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(joined[-1][1], last)
        else:
            joined.append((first, last))
    return tuple(joined)


def numbers(found: Iterable[int]) -> Ranges:
    """Just these numbers."""
    return ranges((each, each) for each in found)


def common(one: Ranges, other: Ranges) -> Ranges:
    """What is in both. Most calls of a proof are for fields that both have whole, or for one range each."""
    if one is other:
        return one
    found, here, there = [], 0, 0
    while here < len(one) and there < len(other):
        (low, high), (start, end) = one[here], other[there]
        first, last = low if low > start else start, high if high < end else end
        if first <= last:
            found.append((first, last))
        if high < end:
            here += 1
        else:
            there += 1
    return tuple(found)


def without(one: Ranges, other: Ranges) -> Ranges:
    """What is in the first and not in the second."""
    found, there = [], 0
    for first, last in one:
        low = first
        while there < len(other) and other[there][1] < low:
            there += 1
        place = there
        while place < len(other) and other[place][0] <= last:
            if low < other[place][0]:
                found.append((low, other[place][0] - 1))
            low = max(low, other[place][1] + 1)
            place += 1
        if low <= last:
            found.append((low, last))
    return tuple(found)


def of_prefixes(prefixes: Iterable[str]) -> Ranges:
    """The addresses of prefixes of one family, as numbers."""
    found = map(ip_network, prefixes)
    return ranges((int(each.network_address), int(each.broadcast_address)) for each in found)


def of_address(address: str) -> Ranges:
    """One address as a number."""
    number = int(ip_address(address))
    return ((number, number),)
