"""What a trial takes: time, tokens and dollars, before and after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, Final

from llmeval.diff.facts import CaseFacts
from llmeval.diff.pairs import Pair
from llmeval.stats import Interval, mean, mean_interval

__all__ = ["USAGE", "Delta", "deltas"]

USAGE: Final = ("duration", "task_tokens", "task_cost", "evaluator_tokens", "evaluator_cost")
"""What is compared: seconds of `perform`, and what the application and the evaluators consumed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Delta:
    """The mean of a trial in A and in B, each of `cases` counting equally: seconds, tokens or US dollars.

    `a`, `b` and what follows from them are `None` when a price or a number of tokens is unknown.
    """

    name: str
    a: float | None
    b: float | None
    difference: float | None
    interval: Interval | None
    cases: int

    def to_dict(self) -> dict[str, Any]:
        """Returns plain JSON."""
        return {
            "name": self.name,
            "a": self.a,
            "b": self.b,
            "difference": self.difference,
            "interval": None if self.interval is None else list(self.interval),
            "cases": self.cases,
        }


def deltas(pairs: Sequence[Pair]) -> Iterator[Delta]:
    """Returns what the trials of paired cases take; what neither side consumed is left out."""
    if not pairs:
        return
    before = zip(*[_means(pair.a) for pair in pairs], strict=True)
    after = zip(*[_means(pair.b) for pair in pairs], strict=True)
    for name, one, two in zip(USAGE, before, after, strict=True):
        if any(one) or any(two):
            yield _delta(name, one, two)


def _delta(name: str, before: Sequence[float], after: Sequence[float]) -> Delta:
    a, b = _known(before), _known(after)
    if a is None or b is None:
        return Delta(name=name, a=a, b=b, difference=None, interval=None, cases=len(before))
    differences = [two - one for one, two in zip(before, after, strict=True)]
    return Delta(
        name=name, a=a, b=b, difference=mean(differences), interval=mean_interval(differences), cases=len(before)
    )


def _known(values: Sequence[float]) -> float | None:
    return None if any(map(isnan, values)) else mean(values)


def _means(case: CaseFacts) -> Sequence[float]:
    """Returns what a trial of the case takes on average; NaN when that is not known of one of them."""
    if len(case.trials) == 1:
        return case.trials[0].duration, *case.trials[0].usage
    columns = zip(*[(trial.duration, *trial.usage) for trial in case.trials], strict=True)
    return [sum(column) / len(case.trials) for column in columns]
