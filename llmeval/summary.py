"""What the trials of a run add up to, counted as they finish."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from llmeval.results import Choice, Probability, Result, Status
from llmeval.trials import Trial
from llmeval.usage import NO_USAGE, Usage

if TYPE_CHECKING:
    from llmeval.noise import NoiseMeter

__all__ = ["CriterionSummary", "Summary"]


@dataclass(slots=True)
class CriterionSummary:
    """How one criterion went: trials by status, those it did not apply to, and the sum of what was measured."""

    statuses: Counter[Status] = field(default_factory=Counter)
    not_applicable: int = 0
    measured: int = 0
    measured_sum: float = 0.0

    @property
    def decided(self) -> int:
        """Trials that it passed or failed."""
        return self.statuses[Status.PASSED] + self.statuses[Status.FAILED]

    @property
    def mean(self) -> float | None:
        """The mean probability or score; `None` when there is none."""
        return self.measured_sum / self.measured if self.measured else None

    def add(self, result: Result) -> None:
        """Counts one result."""
        self.statuses[result.status] += 1
        value = result.value
        if value is None or isinstance(value, (bool, Choice)):
            return
        self.measured += 1
        self.measured_sum += value.probability if isinstance(value, Probability) else value.score


@dataclass(slots=True)
class Summary:
    """Counts over trials; `add` them one by one, so that they need not be kept."""

    ran: int = 0
    counts: Counter[Status] = field(default_factory=Counter)
    criteria: dict[str, CriterionSummary] = field(default_factory=dict)
    cases: dict[str, tuple[int, int]] = field(default_factory=dict)
    """For each case in order of its first trial: how many of its trials passed, and how many ran."""
    noise: dict[str, NoiseMeter] = field(default_factory=dict)
    """For each criterion that was graded repeatedly, what the repeats say of its evaluator."""
    assertions: int = 0
    task_usage: Usage = NO_USAGE
    evaluator_usage: Usage = NO_USAGE
    duration: float = 0.0
    masked: int = 0

    @classmethod
    def of(cls, trials: Iterable[Trial]) -> Summary:
        """Returns the summary of `trials`."""
        summary = cls()
        for trial in trials:
            summary.add(trial)
        return summary

    def add(self, trial: Trial) -> None:
        """Counts one trial."""
        status = trial.status
        self.ran += 1
        self.counts[status] += 1
        passed, ran = self.cases.get(trial.case.name, (0, 0))
        self.cases[trial.case.name] = (passed + (status is Status.PASSED), ran + 1)
        for result in trial.evaluations:
            self.criterion(result.name).add(result)
            if result.repeats:
                self._noise(result.name).add(trial, result)
        for name in trial.not_applicable:
            self.criterion(name).not_applicable += 1
        self.assertions += trial.assertion_count
        self.task_usage += trial.task_usage
        self.evaluator_usage += trial.evaluator_usage
        self.duration += trial.duration
        self.masked += trial.masked

    def order(self, names: Iterable[str]) -> None:
        """Puts the criteria into the order of `names`, whichever a trial had first."""
        known = [name for name in names if name in self.criteria]
        self.criteria = {name: self.criteria[name] for name in dict.fromkeys([*known, *self.criteria])}

    def criterion(self, name: str) -> CriterionSummary:
        """Returns the counts of one criterion."""
        return self.criteria.setdefault(name, CriterionSummary())

    def _noise(self, name: str) -> NoiseMeter:
        if name not in self.noise:
            from llmeval.noise import NoiseMeter  # a plain run measures none

            self.noise[name] = NoiseMeter()
        return self.noise[name]

    @property
    def passed(self) -> int:
        """Trials that passed."""
        return self.counts[Status.PASSED]

    @property
    def pass_rate(self) -> float | None:
        """Passed ÷ trials that ran; `None` when none ran."""
        return self.passed / self.ran if self.ran else None

    @property
    def usage(self) -> Usage:
        """What the application and the evaluators consumed together."""
        return self.task_usage + self.evaluator_usage

    @property
    def consistency(self) -> tuple[list[str], list[str], list[str]]:
        """The cases that always passed, those that sometimes did, and those that never did."""
        always: list[str] = []
        sometimes: list[str] = []
        never: list[str] = []
        for name, (passed, ran) in self.cases.items():
            (always if passed == ran else sometimes if passed else never).append(name)
        return always, sometimes, never

    def cases_passing(self, needed: int) -> int:
        """Returns how many cases passed at least `needed` of their trials."""
        return sum(passed >= needed for passed, _ in self.cases.values())
