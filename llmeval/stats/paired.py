"""Is a difference between two runs over the same cases real? One difference per case; the case is the unit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import comb, fsum, gcd, sqrt
from typing import Final

from llmeval.stats.rates import Interval, Z

__all__ = ["ALPHA", "detectable_difference", "difference_interval", "holm", "mcnemar", "paired_test", "sign_flip"]

ALPHA: Final = 0.05
"""A difference is called real when its p-value is below this."""

POWER_Z: Final = 0.8416212335729143
"""The standard normal's 0.8 quantile: the power of the smallest detectable difference."""

EXACT_CASES: Final = 16
"""Up to so many differing cases all sign flips are counted, however much work it is."""

EXACT_WORK: Final = 300_000
"""Beyond, they are counted where it takes no more additions than this (40 ms), or else `DRAWS` of them are drawn."""

DRAWS: Final = 100_000
SEED: Final = 20241101
"""Any number, as long as it stays: the same reports always give the same p-value."""

SMALLEST: Final = 1e-15
"""Smaller p-values are not told apart."""

FEWEST_CASES: Final = 6
"""The smallest number of differing cases that can give a two-sided p-value below 0.05: 2 / 2**6 = 0.031."""


def mcnemar(improved: int, regressed: int) -> float:
    """Returns the exact two-sided p-value of so many cases that changed one way and so many the other.

    Source: Q. McNemar, "Note on the sampling error of the difference between correlated proportions or percentages",
    Psychometrika 12 (1947); exact, by the binomial distribution.
    """
    fewer, total = sorted((improved, regressed))[0], improved + regressed
    if 2 * fewer >= total - 1:
        return 1.0
    term = comb(total, fewer) / (1 << total)
    terms = [term]
    for count in range(fewer, 0, -1):
        term *= count / (total - count + 1)
        terms.append(term)
    return min(1.0, 2 * fsum(terms))


def sign_flip(differences: Sequence[int]) -> float:
    """Returns the two-sided p-value of the sum of the differences, given in any common unit.

    Under the null hypothesis each case's difference is as likely with either sign. Up to 16 differing cases, and as
    many more as differ by few sizes (with equal repetitions they do), every assignment of signs is counted; beyond,
    100,000 are drawn with a fixed seed. The result is never 0, and depends neither on the order of the cases nor on
    which run is called A.

    Source: R. A. Fisher, "The design of experiments" (1935), section 21; drawn: B. Phipson and G. K. Smyth,
    "Permutation p-values should never be zero", Stat. Appl. Genet. Mol. Biol. 9 (2010).
    """
    unit = gcd(*differences) or 1
    sizes = sorted(abs(difference) // unit for difference in differences if difference)
    observed = abs(sum(differences)) // unit
    if observed == 0:
        return 1.0
    counted = _counted(sizes, observed)
    return _drawn(sizes, observed) if counted is None else counted


def paired_test(differences: Sequence[int]) -> float:
    """Returns McNemar's exact p-value when all differing cases differ equally (one repetition); else sign_flip's."""
    kinds = Counter(differences)
    if len({abs(difference) for difference in kinds if difference}) > 1:
        return sign_flip(differences)
    improved = sum(count for difference, count in kinds.items() if difference > 0)
    return mcnemar(improved, len(differences) - improved - kinds[0])


def difference_interval(differences: Sequence[float], repetitions: float = 1) -> Interval | None:
    """Returns the 95 % interval of the mean of differences of rates, each from -1 to 1; `None` without any.

    One difference per case makes it clustered by case. Two imagined cases, one better and one worse by as much as the
    differing cases are in root mean square (one repetition if none differs), keep it honest for few cases: ten cases
    without any difference do not prove that there is none.

    Source: E. Miller, "Adding error bars to evals", arXiv:2411.00640 (2024), for clustered and paired standard errors;
    D. G. Bonett and R. M. Price, "Adjusted Wald confidence interval for a difference of binomial proportions based on
    paired data", J. Educ. Behav. Stat. 37 (2012), for the imagined cases, which are theirs with one repetition.
    """
    if not differences:
        return None
    middle, error = _adjusted(differences, repetitions)
    return Interval(max(-1.0, middle - Z * error), min(1.0, middle + Z * error))


def detectable_difference(differences: Sequence[float], repetitions: float = 1) -> float | None:
    """Returns the smallest true difference that such a comparison finds with a power of 0.8; `None` if not even 1.

    It is the larger of (1.960 + 0.842) standard errors, which assumes that the cases vary as they were seen to, and of
    what six cases make that differ by one repetition each: fewer differing cases never give a p-value below 0.05.

    Source: E. Miller, "Adding error bars to evals", arXiv:2411.00640 (2024), section 5.
    """
    if len(differences) < FEWEST_CASES:
        return None
    _, error = _adjusted(differences, repetitions)
    smallest = max((Z + POWER_Z) * error, FEWEST_CASES / repetitions / len(differences))
    return smallest if smallest <= 1 else None


def holm(p_values: Sequence[float]) -> list[float]:
    """Returns the p-values, in their order, adjusted for being several.

    Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Stat. 6 (1979).
    """
    adjusted = [1.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted


def _adjusted(differences: Sequence[float], repetitions: float) -> tuple[float, float]:
    """Returns the mean and its standard error with the two imagined cases of `difference_interval`."""
    cases = len(differences) + 2
    kinds = Counter(differences)
    middle = fsum(difference * count for difference, count in kinds.items()) / cases
    squares = fsum(difference * difference * count for difference, count in kinds.items())
    differing = len(differences) - kinds[0]
    squares += 2 * (squares / differing if differing else 1 / repetitions)
    return middle, sqrt(max(0.0, squares / cases - middle * middle) / cases)


def _counted(sizes: Sequence[int], observed: int) -> float | None:
    """Returns the share of all sign flips whose sum is at least as far from 0; `None` when that is too much work.

    Cases of one size are taken together: how many of them are positive is binomial.
    """
    chances, work = {0: 1.0}, 0
    for size, cases in Counter(sizes).items():
        steps = [(size * (2 * positive - cases), chance) for positive, chance in _binomial(cases)]
        work += len(chances) * len(steps)
        if work > EXACT_WORK and len(sizes) > EXACT_CASES:
            return None
        longer: dict[int, float] = {}
        for total, chance in chances.items():
            for step, share in steps:
                longer[total + step] = longer.get(total + step, 0.0) + chance * share
        chances = longer
    share = fsum(chance for total, chance in chances.items() if abs(total) >= observed)
    return min(1.0, max(share, SMALLEST))


def _binomial(cases: int) -> list[tuple[int, float]]:
    """Returns (count, chance) pairs of how many of `cases` fair coins show heads, without those that never happen."""
    count = cases // 2
    chance = comb(cases, count) / (1 << cases)
    lower: list[tuple[int, float]] = []
    while count >= 0 and chance > SMALLEST / 1000:
        lower.append((count, chance))
        chance *= count / (cases - count + 1)
        count -= 1
    return lower + [(cases - count, chance) for count, chance in lower if 2 * count != cases]


def _drawn(sizes: Sequence[int], observed: int) -> float:
    """Returns the share of drawn sign flips whose sum is at least as far from 0, the observed one included.

    One draw is one random integer with a bit per case. Its sum is a few masked bit counts, so that the time grows with
    the number of sizes (or their binary digits, if fewer), not with the product of cases and draws.
    """
    # The module costs 3 ms, and only comparisons with many differing cases need it.
    from random import Random

    whole, masks = sum(sizes), _masks(sizes)
    high = (whole + observed) // 2
    low = whole - high
    bits, cases, extreme = Random(SEED).getrandbits, len(sizes), 0
    for _ in range(DRAWS):
        flips = bits(cases)
        total = 0
        for weight, mask in masks:
            total += weight * (flips & mask).bit_count()
        if total >= high or total <= low:
            extreme += 1
    return (extreme + 1) / (DRAWS + 1)


def _masks(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Returns (weight, mask) pairs: the sizes of a set of cases are the weighted bit counts of the masked set."""
    by_size: dict[int, int] = {}
    by_digit: dict[int, int] = {}
    for index, size in enumerate(sizes):
        by_size[size] = by_size.get(size, 0) | (1 << index)
        for digit in range(size.bit_length()):
            if size >> digit & 1:
                by_digit[1 << digit] = by_digit.get(1 << digit, 0) | (1 << index)
    return list(min(by_size, by_digit, key=len).items())
