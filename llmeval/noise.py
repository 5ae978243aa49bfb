"""Noise: how often an evaluator contradicts itself when it is asked again about the same evidence."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from llmeval.results import Choice, Probability, Result
from llmeval.stats import mean, stdev
from llmeval.stats.rates import Z

if TYPE_CHECKING:
    from llmeval.report import Report
    from llmeval.trials import Trial

__all__ = ["Noise", "NoiseMeter", "Unstable", "noise_of"]


class Unstable(NamedTuple):
    """A trial whose verdicts disagree."""

    case: str
    repetition: int


@dataclass(frozen=True, kw_only=True)
class Noise:
    """How one criterion came out when each trial was graded up to `gradings` times on the same evidence.

    `trials` are those with at least two verdicts, `unstable` those of them whose verdicts disagree. `measured` are
    those with at least two numbers (probabilities or scores); a number has a verdict only where there is a minimum.
    `errors` counts the gradings that delivered nothing, which are left out. `disagreement` is the estimated probability
    that two gradings of the same evidence differ, `deviation` the standard deviation of the numbers given for it.
    With repetitions in the report, `across_disagreement` and `across_deviation` are the same for two repetitions of a
    case, in which the application varies too.
    """

    gradings: int
    trials: int = 0
    unstable: tuple[Unstable, ...] = ()
    measured: int = 0
    errors: int = 0
    disagreement: float | None = None
    deviation: float | None = None
    across_disagreement: float | None = None
    across_deviation: float | None = None

    @property
    def flip_rate(self) -> float | None:
        """Trials whose verdicts disagree, of those with at least two; `None` when there are none."""
        return len(self.unstable) / self.trials if self.trials else None

    @property
    def application_disagreement(self) -> float | None:
        """What the application adds to the disagreement of two repetitions; `None` without repetitions."""
        if self.across_disagreement is None or self.disagreement is None:
            return None
        return max(0.0, self.across_disagreement - self.disagreement)

    @property
    def application_deviation(self) -> float | None:
        """The standard deviation that the application adds over repetitions; `None` without repetitions."""
        if self.across_deviation is None or self.deviation is None:
            return None
        return sqrt(max(0.0, self.across_deviation**2 - self.deviation**2))

    @property
    def floor(self) -> float | None:
        """The difference between two pass rates of as many trials that the evaluator alone makes, in 95 of 100 pairs.

        A verdict that differs with probability d has the variance d / 2, so that the difference of two rates over n
        trials has the variance d / n.
        """
        return None if self.disagreement is None else min(1.0, Z * sqrt(self.disagreement / self.trials))

    def to_dict(self) -> dict[str, Any]:
        """Returns plain JSON."""
        return {
            "gradings": self.gradings,
            "trials": self.trials,
            "flip_rate": self.flip_rate,
            "unstable": [{"case": case, "repetition": repetition} for case, repetition in self.unstable],
            "measured": self.measured,
            "errors": self.errors,
            "disagreement": self.disagreement,
            "deviation": self.deviation,
            "across_disagreement": self.across_disagreement,
            "across_deviation": self.across_deviation,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Noise:
        """Returns what `to_dict` wrote."""
        kept = {key: value for key, value in data.items() if key != "flip_rate"}
        return cls(**{**kept, "unstable": tuple(Unstable(one["case"], one["repetition"]) for one in data["unstable"])})


def noise_of(report: Report | Mapping[str, Any]) -> dict[str, Noise]:
    """Returns the noise of each criterion that a report, or its JSON, has measured; empty for a plain run's."""
    if isinstance(report, Mapping):
        return {name: Noise.from_dict(one) for name, one in report.get("noise", {}).items()}
    return report.noise


@dataclass(slots=True)
class NoiseMeter:
    """Counts one criterion's repeated gradings trial by trial; `noise` says what they come to."""

    gradings: int = 0
    errors: int = 0
    unstable: list[Unstable] = field(default_factory=list)
    _verdicts: dict[str, list[Counter[str]]] = field(default_factory=lambda: defaultdict(list))
    """For each case, how often each of its trials got each verdict."""
    _numbers: dict[str, list[tuple[float, ...]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, trial: Trial, result: Result) -> None:
        """Counts one trial's result and its repeats."""
        outcomes = (result, *result.repeats)
        self.gradings = max(self.gradings, len(outcomes))
        self.errors += sum(one.error is not None for one in outcomes)
        verdicts = Counter(verdict for one in outcomes if (verdict := one.verdict) is not None)
        if verdicts.total() > 1:
            self._verdicts[trial.case.name].append(verdicts)
        if len(verdicts) > 1:
            self.unstable.append(Unstable(trial.case.name, trial.repetition))
        numbers = tuple(number for one in outcomes if (number := _number(one)) is not None)
        if len(numbers) > 1:
            self._numbers[trial.case.name].append(numbers)

    def noise(self) -> Noise:
        """Returns what was counted so far."""
        verdicts, numbers = self._verdicts.values(), self._numbers.values()
        variance = mean(_variance(one) for trials in numbers for one in trials)
        across = mean(_across_variance(trials) for trials in numbers)
        return Noise(
            gradings=self.gradings,
            trials=sum(map(len, verdicts)),
            unstable=tuple(self.unstable),
            measured=sum(map(len, numbers)),
            errors=self.errors,
            disagreement=mean(_disagreement(one) for trials in verdicts for one in trials),
            deviation=None if variance is None else sqrt(variance),
            across_disagreement=mean(_across_disagreement(trials) for trials in verdicts),
            across_deviation=None if across is None else sqrt(across),
        )


def _number(result: Result) -> float | None:
    value = result.value
    if result.error is not None or value is None or isinstance(value, (bool, Choice)):
        return None
    return value.probability if isinstance(value, Probability) else value.score


def _disagreement(verdicts: Counter[str]) -> float:
    """Returns the unbiased estimate that two gradings of one trial disagree.

    Source: E. H. Simpson, "Measurement of diversity", Nature 163 (1949): the complement of his index.
    """
    total = verdicts.total()
    return 1 - sum(count * (count - 1) for count in verdicts.values()) / (total * (total - 1))


def _across_disagreement(trials: Sequence[Counter[str]]) -> float | None:
    """Returns how often gradings of two different trials of one case disagree, over all pairs; `None` for one trial."""
    if len(trials) < 2:
        return None
    shares = [{verdict: count / one.total() for verdict, count in one.items()} for one in trials]
    agreeing = 0.0
    for verdict in {verdict for one in shares for verdict in one}:
        parts = [one.get(verdict, 0.0) for one in shares]
        agreeing += sum(parts) ** 2 - sum(part * part for part in parts)
    return max(0.0, 1 - agreeing / (len(trials) * (len(trials) - 1)))


def _variance(numbers: Sequence[float]) -> float:
    spread = stdev(numbers)
    assert spread is not None
    return spread**2


def _across_variance(trials: Sequence[Sequence[float]]) -> float | None:
    """Returns half the mean squared difference between gradings of two different trials of one case.

    For trials of one kind it is the variance that evaluator and application make together.
    """
    if len(trials) < 2:
        return None
    means = [sum(numbers) / len(numbers) for numbers in trials]
    within = [
        sum((number - middle) ** 2 for number in numbers) / len(numbers)
        for numbers, middle in zip(trials, means, strict=True)
    ]
    return sum(within) / len(within) + _variance(means)
