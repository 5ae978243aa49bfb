"""What became of each criterion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, TypeAlias

from llmeval.diff.comparability import Comparability
from llmeval.diff.facts import CaseFacts, ResultFacts
from llmeval.diff.figures import Figures, Rates, figures
from llmeval.diff.pairs import Pair
from llmeval.noise import Noise
from llmeval.stats import Interval, flip_rate, mean, mean_interval

__all__ = ["CriterionDiff", "criterion_diffs"]


@dataclass(frozen=True, kw_only=True)
class CriterionDiff(Figures):
    """One criterion over the cases that it applies to on both sides.

    `incomparable` says why it is not compared. `graded` counts those cases, `measured` those with a number on both
    sides. `counts_a` and `counts_b` are its trials by status, `choices_a` and `choices_b` by the option chosen. The
    means, one value per case, are of probabilities or scores; they have no verdict, because only the criterion's author
    knows whether more is better. `flips_a` and `flips_b` are how often two repetitions of one case disagree;
    `noise_a` and `noise_b` how often the evaluator contradicts itself, where a report was regraded repeatedly.
    """

    name: str
    incomparable: str | None = None
    graded: int = 0
    measured: int = 0
    regressed: tuple[str, ...] = ()
    improved: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    counts_a: Mapping[str, int] = field(default_factory=dict)
    counts_b: Mapping[str, int] = field(default_factory=dict)
    choices_a: Mapping[str, int] = field(default_factory=dict)
    choices_b: Mapping[str, int] = field(default_factory=dict)
    mean_a: float | None = None
    mean_b: float | None = None
    mean_difference: float | None = None
    mean_interval: Interval | None = None
    flips_a: float | None = None
    flips_b: float | None = None
    noise_a: Noise | None = None
    noise_b: Noise | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns plain JSON."""
        interval = self.mean_interval
        return {
            "name": self.name,
            "incomparable": self.incomparable,
            "graded": self.graded,
            **self.figures(),
            "regressed": list(self.regressed),
            "improved": list(self.improved),
            "unchanged": list(self.unchanged),
            "counts": {"a": dict(self.counts_a), "b": dict(self.counts_b)},
            "choices": {"a": dict(self.choices_a), "b": dict(self.choices_b)},
            "mean": {
                "a": self.mean_a,
                "b": self.mean_b,
                "difference": self.mean_difference,
                "interval": None if interval is None else list(interval),
                "cases": self.measured,
            },
            "flips": {"a": self.flips_a, "b": self.flips_b},
            "noise": {"a": self.noise_a and self.noise_a.to_dict(), "b": self.noise_b and self.noise_b.to_dict()},
        }


Graded: TypeAlias = tuple[Pair, list[str], list[str]]
"""A pair of cases and one criterion's statuses in A and in B, one a trial."""


def criterion_diffs(
    pairs: Sequence[Pair], rules: Comparability, noise_a: Mapping[str, Noise], noise_b: Mapping[str, Noise]
) -> Iterator[CriterionDiff]:
    """Returns every criterion of either report, over the pairs of cases that can be compared."""
    for name, reason in rules.criteria.items():
        graded = list(_graded(name, pairs))
        both = [one for one in graded if one[1] and one[2]]
        found = {} if reason is not None else {**_outcomes(both), **_measures(name, both)}
        yield CriterionDiff(
            name=name,
            incomparable=reason,
            graded=len(both),
            counts_a=dict(Counter(chain.from_iterable([a for _, a, _ in graded]))),
            counts_b=dict(Counter(chain.from_iterable([b for _, _, b in graded]))),
            noise_a=noise_a.get(name),
            noise_b=noise_b.get(name),
            **found,
        )


def _graded(name: str, pairs: Iterable[Pair]) -> Iterator[Graded]:
    for pair in pairs:
        one, two = _statuses(name, pair.a), _statuses(name, pair.b)
        if one or two:
            yield pair, one + _ungraded(name, pair.a, one), two + _ungraded(name, pair.b, two)


def _statuses(name: str, case: CaseFacts) -> list[str]:
    return [trial.results[name].status for trial in case.trials if name in trial.results]


def _ungraded(name: str, case: CaseFacts, statuses: Sequence[str]) -> list[str]:
    """Returns an error for each trial that ended before it was graded, so that it stays in the denominator."""
    if len(statuses) == len(case.trials):
        return []
    return ["error" for trial in case.trials if trial.error is not None and name not in trial.results]


def _outcomes(graded: Sequence[Graded]) -> dict[str, Any]:
    """Returns the figures and the names of cases by outcome; nothing when no trial was passed or failed."""
    if not any(status in ("passed", "failed") for _, a, b in graded for status in a + b):
        return {}
    rates = [Rates(a.count("passed"), len(a), b.count("passed"), len(b)) for _, a, b in graded]
    names: dict[str, list[str]] = {"regressed": [], "improved": [], "unchanged": []}
    for (pair, _, _), (passed_a, trials_a, passed_b, trials_b) in zip(graded, rates, strict=True):
        change = passed_b * trials_a - passed_a * trials_b
        names["unchanged" if change == 0 else "improved" if change > 0 else "regressed"].append(pair.b.name)
    return {
        **figures(rates),
        **{outcome: tuple(cases) for outcome, cases in names.items()},
        "flips_a": mean([flip_rate(passed, trials) for passed, trials, _, _ in rates if trials > 1]),
        "flips_b": mean([flip_rate(passed, trials) for _, _, passed, trials in rates if trials > 1]),
    }


def _measures(name: str, graded: Sequence[Graded]) -> dict[str, Any]:
    """Returns what was measured: counts of choices, and means over the cases with a number on both sides."""
    results = (result for pair, _, _ in graded for case in pair[:2] for result in _results(name, case))
    if all(result.number is result.choice is None for result in results):
        return {}
    known = []
    for pair, _, _ in graded:
        one = mean(result.number for result in _results(name, pair.a))
        two = mean(result.number for result in _results(name, pair.b))
        if one is not None and two is not None:
            known.append((one, two))
    return {
        "choices_a": _choices(_results(name, pair.a) for pair, _, _ in graded),
        "choices_b": _choices(_results(name, pair.b) for pair, _, _ in graded),
        "measured": len(known),
        "mean_a": mean(one for one, _ in known),
        "mean_b": mean(two for _, two in known),
        "mean_difference": mean(two - one for one, two in known),
        "mean_interval": mean_interval(two - one for one, two in known),
    }


def _results(name: str, case: CaseFacts) -> list[ResultFacts]:
    return [trial.results[name] for trial in case.trials if name in trial.results]


def _choices(sides: Iterable[Sequence[ResultFacts]]) -> dict[str, int]:
    chosen = (result.choice for side in sides for result in side)
    return dict(Counter(str(choice) for choice in chosen if choice is not None))
