"""Rates and means with their intervals, and how they are written."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum, isfinite, sqrt
from typing import Final, NamedTuple

__all__ = ["Interval", "Z", "mean", "mean_interval", "percent", "points", "stdev", "wilson"]

Z: Final = 1.959963984540054
"""The standard normal's 0.975 quantile: every interval here is a two-sided 95 % interval."""

STUDENT: Final = (12.706204736432095, 4.302652729911275, 3.182446305284263, 2.7764451051977987)
"""Student's 0.975 quantiles for 1 to 4 degrees of freedom, where the expansion below is too coarse."""


class Interval(NamedTuple):
    """A 95 % interval; both ends belong to it."""

    low: float
    high: float


def wilson(passed: int, total: int) -> Interval | None:
    """Returns the score interval of a rate; `None` for 0 of 0.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).
    """
    if total <= 0:
        return None
    rate, spread = passed / total, Z * Z / total
    middle = rate + spread / 2
    half = Z * sqrt(rate * (1 - rate) / total + spread / (4 * total))
    low = 0.0 if passed == 0 else (middle - half) / (1 + spread)
    high = 1.0 if passed == total else (middle + half) / (1 + spread)
    return Interval(low, high)


def mean(values: Iterable[float | None]) -> float | None:
    """Returns the mean of what is a finite number; `None` when nothing is."""
    known = _known(values)
    return fsum(known) / len(known) if known else None


def stdev(values: Iterable[float | None]) -> float | None:
    """Returns the sample standard deviation (n - 1) of what is a finite number; `None` for fewer than two."""
    known = _known(values)
    if len(known) < 2:
        return None
    middle = fsum(known) / len(known)
    return sqrt(fsum((value - middle) ** 2 for value in known) / (len(known) - 1))


def mean_interval(values: Iterable[float | None]) -> Interval | None:
    """Returns Student's interval of a mean; `None` for fewer than two finite numbers.

    Values that belong together (the repetitions of a case) are to be averaged first: one value per case makes the
    interval clustered by case.

    Source: Student, "The probable error of a mean", Biometrika 6 (1908).
    """
    known = _known(values)
    spread = stdev(known)
    if spread is None:
        return None
    middle = fsum(known) / len(known)
    half = _student(len(known) - 1) * spread / sqrt(len(known))
    return Interval(middle - half, middle + half)


def percent(passed: int, total: int) -> str:
    """Returns a rate as text such as `66.7%`; `n/a` for 0 of 0.

    Only all is `100%` and only none is `0%`: 999 of 1000 is `99.9%`, 1 of 100,000 is `0.001%`.
    """
    if total <= 0:
        return "n/a"
    if passed * 100 % total == 0:
        return f"{passed * 100 // total}%"
    return f"{_digits(passed / total * 100, ('0', '100'))}%"


def points(difference: float) -> str:
    """Returns a difference of two rates in percentage points, such as `+12.5 points`; only no difference is `0`."""
    if difference == 0:
        return "0 points"
    sign = "+" if difference > 0 else "-"
    text = _digits(abs(difference) * 100, ("0", "100") if abs(difference) < 1 else ("0",))
    return f"{sign}{text.removesuffix('.0')} points"


def _digits(number: float, forbidden: tuple[str, ...]) -> str:
    """Returns `number` with one decimal, or with as many as it takes not to read as one of `forbidden`."""
    for decimals in range(1, 16):
        text = f"{number:.{decimals}f}"
        if text.rstrip("0").removesuffix(".") not in forbidden:
            return text
    return f"{number:.3g}"


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None and isfinite(value)]


def _student(degrees: int) -> float:
    """Returns Student's 0.975 quantile, by Cornish-Fisher.

    Source: M. Abramowitz and I. A. Stegun, "Handbook of mathematical functions", 26.7.5 (1964).
    """
    if degrees <= len(STUDENT):
        return STUDENT[degrees - 1]
    first = (Z**3 + Z) / 4
    second = (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96
    third = (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384
    fourth = (79 * Z**9 + 776 * Z**7 + 1482 * Z**5 - 1920 * Z**3 - 945 * Z) / 92160
    return Z + first / degrees + second / degrees**2 + third / degrees**3 + fourth / degrees**4
