"""What became of each criterion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from llmeval.diff.comparability import Comparability
from llmeval.diff.facts import CaseFacts, ResultFacts
from llmeval.diff.figures import Figures, Rates, figures
from llmeval.diff.pairs import Pair
from llmeval.stats import Interval, flip_rate, mean, mean_interval

__all__ = ["CriterionDiff", "criterion_diffs"]

NOT_GRADED = ResultFacts("error", "the trial ended in an error before it was graded")


@dataclass(frozen=True, kw_only=True)
class CriterionDiff(Figures):
    """One criterion over the cases that it applies to on both sides.

    `incomparable` says why it is not compared. `counts_a` and `counts_b` are its trials by status, `choices_a` and
    `choices_b` by the option chosen. The means, one value per case, are of probabilities or scores; they have no
    verdict, because only the criterion's author knows whether more is better. `flips_a` and `flips_b` are how often two
    repetitions of one case disagree.
    """

    name: str
    incomparable: str | None = None
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

    def to_dict(self) -> dict[str, Any]:
        """Returns plain JSON."""
        interval = self.mean_interval
        return {
            "name": self.name,
            "incomparable": self.incomparable,
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
            },
            "flips": {"a": self.flips_a, "b": self.flips_b},
        }


Graded: TypeAlias = tuple[str, list[ResultFacts], list[ResultFacts]]
"""A case's name and its results by one criterion in A and in B, one a trial."""


def criterion_diffs(pairs: Sequence[Pair], rules: Comparability) -> Iterator[CriterionDiff]:
    """Returns every criterion of either report, over the pairs of cases that can be compared."""
    for name, reason in rules.criteria.items():
        graded = list(_graded(name, pairs))
        both = [(case, a, b) for case, a, b in graded if a and b]
        found = {} if reason is not None else {**_outcomes(both), **_measures(both)}
        yield CriterionDiff(
            name=name,
            incomparable=reason,
            counts_a=_counts([a for _, a, _ in graded]),
            counts_b=_counts([b for _, _, b in graded]),
            **found,
        )


def _graded(name: str, pairs: Iterable[Pair]) -> Iterator[Graded]:
    for a, b, _ in pairs:
        one, two = _results(name, a), _results(name, b)
        if any(result is not NOT_GRADED for result in one + two):
            yield b.name, one, two


def _results(name: str, case: CaseFacts) -> list[ResultFacts]:
    """Returns a case's results; a trial that ended before grading has not passed, and stays in the denominator."""
    return [
        trial.results.get(name, NOT_GRADED) for trial in case.trials if name in trial.results or trial.error is not None
    ]


def _counts(sides: Iterable[Sequence[ResultFacts]]) -> dict[str, int]:
    return dict(Counter([result.status for side in sides for result in side]))


def _outcomes(graded: Sequence[Graded]) -> dict[str, Any]:
    """Returns the figures and the names of cases by outcome; nothing when no trial was passed or failed."""
    if not any(result.status in ("passed", "failed") for _, a, b in graded for result in a + b):
        return {"choices_a": _choices([a for _, a, _ in graded]), "choices_b": _choices([b for _, _, b in graded])}
    rates = [Rates(_passed(a), len(a), _passed(b), len(b)) for _, a, b in graded]
    names: dict[str, list[str]] = {"regressed": [], "improved": [], "unchanged": []}
    for (name, _, _), (passed_a, trials_a, passed_b, trials_b) in zip(graded, rates, strict=True):
        change = passed_b * trials_a - passed_a * trials_b
        names["unchanged" if change == 0 else "improved" if change > 0 else "regressed"].append(name)
    return {
        **figures(rates),
        **{outcome: tuple(cases) for outcome, cases in names.items()},
        "flips_a": mean([flip_rate(passed, trials) for passed, trials, _, _ in rates if trials > 1]),
        "flips_b": mean([flip_rate(passed, trials) for _, _, passed, trials in rates if trials > 1]),
    }


def _passed(results: Sequence[ResultFacts]) -> int:
    return sum([result.status == "passed" for result in results])


def _choices(sides: Iterable[Sequence[ResultFacts]]) -> dict[str, int]:
    chosen = (result.choice for side in sides for result in side)
    return dict(Counter(str(choice) for choice in chosen if choice is not None))


def _measures(graded: Sequence[Graded]) -> dict[str, Any]:
    """Returns the means of what was measured, over the cases with a number on both sides."""
    if not any(result.number is not None for _, a, _ in graded for result in a):
        return {}
    known = []
    for _, a, b in graded:
        one, two = mean(result.number for result in a), mean(result.number for result in b)
        if one is not None and two is not None:
            known.append((one, two))
    return {
        "mean_a": mean(one for one, _ in known),
        "mean_b": mean(two for _, two in known),
        "mean_difference": mean(two - one for one, two in known),
        "mean_interval": mean_interval(two - one for one, two in known),
    }
