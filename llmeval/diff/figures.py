"""The figures of a comparison: two pass rates over the same cases, their difference, and what it is worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import lcm
from typing import Any, NamedTuple

from llmeval.stats import Interval, detectable_difference, difference_interval, paired_test
from llmeval.stats.paired import ALPHA

__all__ = ["Figures", "Rates", "Verdict", "figures"]


class Verdict(StrEnum):
    """What a comparison has shown."""

    IMPROVED = "improved"
    REGRESSED = "regressed"
    NOT_ENOUGH_EVIDENCE = "not_enough_evidence"


class Rates(NamedTuple):
    """How many of one case's trials passed, in A and in B."""

    passed_a: int
    trials_a: int
    passed_b: int
    trials_b: int


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Two pass rates over the same `cases`; each case counts equally, however many trials it has.

    `difference` is the mean over cases of the pass fraction in B minus that in A, `interval` its 95 % interval,
    `detectable` the smallest difference that these cases could have shown; each is `None` when nothing can be said.
    `adjusted_p_value` is for being one of several comparisons, and decides the verdict.
    """

    cases: int = 0
    passed_a: int = 0
    trials_a: int = 0
    passed_b: int = 0
    trials_b: int = 0
    difference: float | None = None
    interval: Interval | None = None
    p_value: float | None = None
    adjusted_p_value: float | None = None
    detectable: float | None = None

    @property
    def verdict(self) -> Verdict:
        """*improved* or *regressed* when the adjusted p-value is below 0.05, else *not enough evidence*."""
        if self.difference is None or self.adjusted_p_value is None or self.adjusted_p_value >= ALPHA:
            return Verdict.NOT_ENOUGH_EVIDENCE
        return Verdict.IMPROVED if self.difference > 0 else Verdict.REGRESSED

    def figures(self) -> dict[str, Any]:
        """Returns these figures as plain JSON."""
        return {
            "verdict": self.verdict.value,
            "cases": self.cases,
            "a": {"passed": self.passed_a, "trials": self.trials_a},
            "b": {"passed": self.passed_b, "trials": self.trials_b},
            "difference": self.difference,
            "interval": None if self.interval is None else list(self.interval),
            "p_value": self.p_value,
            "adjusted_p_value": self.adjusted_p_value,
            "detectable": self.detectable,
        }


def figures(rates: Sequence[Rates]) -> dict[str, Any]:
    """Returns the fields of `Figures` for cases of which each ran at least once on both sides."""
    if not rates:
        return {}
    kinds = Counter(rates)  # a few, however many cases there are
    unit = lcm(*(trials for rate in kinds for trials in (rate.trials_a, rate.trials_b)))
    differences: list[int] = []
    for (passed_a, trials_a, passed_b, trials_b), count in kinds.items():
        differences += [passed_b * (unit // trials_b) - passed_a * (unit // trials_a)] * count
    fractions = [difference / unit for difference in differences]
    repetitions = _repetitions(kinds)
    p_value = paired_test(differences)
    return {
        "cases": len(rates),
        "passed_a": sum(rate.passed_a * count for rate, count in kinds.items()),
        "trials_a": sum(rate.trials_a * count for rate, count in kinds.items()),
        "passed_b": sum(rate.passed_b * count for rate, count in kinds.items()),
        "trials_b": sum(rate.trials_b * count for rate, count in kinds.items()),
        "difference": sum(differences) / unit / len(rates),
        "interval": difference_interval(fractions, repetitions),
        "p_value": p_value,
        "adjusted_p_value": p_value,
        "detectable": detectable_difference(fractions, repetitions),
    }


def _repetitions(kinds: Counter[Rates]) -> float:
    """Returns the harmonic mean of the trials that a case has on either side."""
    return 2 * kinds.total() / sum((1 / rate.trials_a + 1 / rate.trials_b) * count for rate, count in kinds.items())
