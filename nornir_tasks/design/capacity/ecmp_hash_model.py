"""How unevenly a hash spreads flows over equal-cost paths: what the fullest of them gets.

The model: every flow takes one path by chance, independently of all others, with the path's share. That is what a good
hash does with flows whose fields differ. No vendor's hash function is modelled: a real one is as good at best, and
worse where tiers hash alike or flows differ in few bits.

The flows on the fullest of n paths are the largest cell of a multinomial distribution. Its distribution function is
computed by the representation of B. Levin, "A representation for multinomial cumulative distribution functions", The
Annals of Statistics 9 (1981), 1123-1126: Poisson variables that are each at most m, and whose sum is the number of
flows. The sum's probability is computed by convolution, or by an Edgeworth series above EXACT_FLOWS.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, exp, floor, lgamma, log, pi, prod, sqrt

EXACT_FLOWS = 48
"""Above this the Edgeworth series takes over; there the two differ by less than 0.02 of a flow (see the tests)."""
_RARE = 0.99
_REACH = 12.0
"""Standard deviations: what is farther from the mean has no probability worth counting."""
_NEGLIGIBLE = 1e-6
"""Of a flow: what more flows on the fullest path would still add."""


@dataclass(frozen=True, slots=True)
class Fullest:
    """Flows on the fullest path. ``expected``: on average; ``rare``: so many or fewer in 99 of 100 cases."""

    expected: float
    rare: int


def fullest(flows: int, shares: Iterable[float], switches: int = 1) -> Fullest:
    """What the fullest path gets of so many equal flows. ``shares``: each path's share of the flows; they sum to 1.

    Of several ``switches`` that each spread as many flows in this way, independently: the fullest path of them all.

    >>> fullest(1, [0.5, 0.5])
    Fullest(expected=1.0, rare=1)
    """
    return fullest_of(((flows, shares, switches),))


def fullest_of(kinds: Iterable[tuple[int, Iterable[float], int]]) -> Fullest:
    """The fullest path of all switches where they are not alike. Each kind: flows, shares of paths, how many switches.

    >>> fullest_of([(1, [1.0], 1), (2, [1.0], 3)])
    Fullest(expected=2.0, rare=2)
    """
    spelled = ((flows, tuple(sorted(Counter(shares).items(), reverse=True)), count) for flows, shares, count in kinds)
    return _fullest(tuple(each for each in spelled if each[2]))


def even(paths: int) -> list[float]:
    """Shares of so many paths that are alike."""
    return [1 / paths] * paths


@lru_cache(maxsize=200)
def _fullest(kinds: tuple[tuple[int, tuple[tuple[float, int], ...], int], ...]) -> Fullest:
    """Kinds of switches: flows, (share, how many paths have it) with the largest first, how many switches."""
    several = [_Switches.of(flows, shares, count) for flows, shares, count in kinds if flows]
    if not several:
        return Fullest(0.0, 0)
    first, last = max(each.first for each in several), max(each.last for each in several)
    expected, rare = float(first), None
    for most in range(first, last):
        below = prod(each.at_most(most) for each in several)
        if rare is None and below >= _RARE:
            rare = most
        if 1 - below < _NEGLIGIBLE:
            break
        expected += 1 - below
    return Fullest(expected, last if rare is None else rare)


@dataclass(frozen=True, slots=True)
class _Switches:
    """So many switches that each spread so many flows over paths of these kinds."""

    flows: int
    paths: "Paths"
    count: int
    first: int
    """The fullest path has at least so many."""
    last: int
    """And no more than so many, but for what has no probability worth counting."""
    whole: float
    """1 but for what the series leaves out, which is as much everywhere."""

    @classmethod
    def of(cls, flows: int, shares: tuple[tuple[float, int], ...], count: int) -> "_Switches":
        paths = [(_Poisson.of(flows * share), number) for share, number in shares]
        at_least_one_has = ceil(flows / sum(number for _, number in shares))
        first = max(at_least_one_has, min(each.first for each, _ in paths))
        last = min(flows, max(each.last for each, _ in paths))
        return cls(flows, paths, count, first, last, _at_most(last, flows, paths))

    def at_most(self, most: int) -> float:
        """The probability that no path of any of them gets more."""
        if most >= self.last:
            return 1.0
        return float(min(1.0, _at_most(most, self.flows, self.paths) / self.whole) ** self.count)


@dataclass(frozen=True, slots=True)
class _Poisson:
    """A Poisson variable, and it when it is cut off: that is, given that it is at most so large."""

    mean: float
    first: int
    """Smaller values have no probability worth counting."""
    sums: tuple[tuple[float, ...], ...]
    """For each value from ``first`` on: the sums up to it of probability x (value - mean) to the powers 0 to 4."""

    @classmethod
    def of(cls, mean: float) -> "_Poisson":
        reach = _REACH * sqrt(mean) + _REACH
        first, last = max(0, floor(mean - reach)), ceil(mean + reach)
        sums, total = [], [0.0] * 5
        for value in range(first, last + 1):
            chance, away = exp(_log_poisson(value, mean)), value - mean
            total = [each + chance * away**power for power, each in enumerate(total)]
            sums.append(tuple(total))
        return cls(mean, first, tuple(sums))

    @property
    def last(self) -> int:
        """Larger values have no probability worth counting."""
        return self.first + len(self.sums) - 1

    def up_to(self, most: int) -> tuple[float, ...]:
        """The sums of all values up to ``most``."""
        at = min(most - self.first, len(self.sums) - 1)
        return self.sums[at] if at >= 0 else (0.0,) * 5

    def cumulants(self, most: int) -> tuple[float, float, float, float]:
        """Mean, variance, and the third and fourth cumulants, cut off at ``most``."""
        mass, *sums = self.up_to(most)
        one, two, three, four = (each / mass for each in sums)
        second = two - one**2
        third = three - 3 * one * two + 2 * one**3
        fourth = four - 4 * one * three + 6 * one**2 * two - 3 * one**4
        return self.mean + one, second, third, fourth - 3 * second**2

    def weights(self, most: int) -> list[float]:
        """The probabilities of 0, 1, 2, ..., cut off at ``most``."""
        raw = [exp(_log_poisson(value, self.mean)) for value in range(most + 1)]
        mass = sum(raw)
        return [each / mass for each in raw]


def _log_poisson(value: int, mean: float) -> float:
    return value * log(mean) - mean - lgamma(value + 1)


Paths = Sequence[tuple[_Poisson, int]]
"""Flows of a path that has a certain share, and how many paths have that."""


def _at_most(most: int, flows: int, paths: Paths) -> float:
    """The probability that no path gets more than ``most`` of these flows."""
    if most >= flows:
        return 1.0
    masses = [(each.up_to(most)[0], count) for each, count in paths]
    if any(mass <= 0 for mass, _ in masses):
        return 0.0
    logarithm = sum(count * log(mass) for mass, count in masses) - _log_poisson(flows, flows)
    sums_up = _exactly(most, flows, paths) if flows <= EXACT_FLOWS else _roughly(most, flows, paths)
    return exp(logarithm) * sums_up


def _exactly(most: int, flows: int, paths: Paths) -> float:
    """The probability that the paths' flows, none of them more than ``most``, sum to ``flows``."""
    total: list[float] = [1.0]
    for each, count in paths:
        square, left = each.weights(most), count
        while left:
            if left % 2:
                total = _convolved(total, square, flows)
            left //= 2
            square = _convolved(square, square, flows) if left else square
    return total[flows] if len(total) > flows else 0.0


def _convolved(one: Sequence[float], other: Sequence[float], most: int) -> list[float]:
    found = [0.0] * min(most + 1, len(one) + len(other) - 1)
    for at, weight in enumerate(one[: len(found)]):
        for beside, factor in enumerate(other[: len(found) - at]):
            found[at + beside] += weight * factor
    return found


def _roughly(most: int, flows: int, paths: Paths) -> float:
    """As ``_exactly``, by an Edgeworth series."""
    parts = [(each.cumulants(most), count) for each, count in paths]
    mean, variance, third, fourth = (
        sum((count * each[power] for each, count in parts), start=0.0) for power in range(4)
    )
    if variance <= 0:
        return float(mean == flows)
    skewness, kurtosis = third / (variance * sqrt(variance)), fourth / variance**2
    x = (flows - mean) / sqrt(variance)
    series = 1 + skewness / 6 * (x**3 - 3 * x) + kurtosis / 24 * (x**4 - 6 * x**2 + 3)
    series += skewness**2 / 72 * (x**6 - 15 * x**4 + 45 * x**2 - 15)
    return max(0.0, exp(-x * x / 2) / sqrt(2 * pi * variance) * series)
