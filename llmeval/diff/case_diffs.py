"""What became of each case."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, NamedTuple

from llmeval.diff.comparability import Comparability
from llmeval.diff.facts import CaseFacts, TrialFacts
from llmeval.diff.figures import Rates
from llmeval.diff.pairs import Pair, Pairing
from llmeval.stats import k_of_n

__all__ = ["CaseDiff", "Change", "case_diffs"]


class Change(StrEnum):
    """What became of a case, the most important first; only the first two and the last were compared."""

    REGRESSED = "regressed"
    IMPROVED = "improved"
    CHANGED = "changed"
    REMOVED = "removed"
    ADDED = "added"
    NOT_RUN = "not_run"
    INCOMPARABLE = "incomparable"
    UNCHANGED = "unchanged"


COMPARED = frozenset((Change.REGRESSED, Change.IMPROVED, Change.UNCHANGED))


class CaseDiff(NamedTuple):
    """One case on both sides; the side that does not have it is `None`.

    `passes_a` and `passes_b` say of each trial whether it passed by what can be compared. `edited` is true when the
    inputs or the reference differ; `errors` when B has an error where A had none. Of a case that only one side has,
    `passing_a` or `passing_b` says whether it passes there.
    """

    name: str
    change: Change
    former_name: str | None = None
    edited: bool = False
    errors: bool = False
    a: CaseFacts | None = None
    b: CaseFacts | None = None
    passes_a: tuple[bool, ...] = ()
    passes_b: tuple[bool, ...] = ()
    passing_a: bool = False
    passing_b: bool = False

    @property
    def compared(self) -> bool:
        """Whether the figures of the diff count it."""
        return self.change in COMPARED

    @property
    def rates(self) -> Rates:
        """How many of its trials passed."""
        return Rates(sum(self.passes_a), len(self.passes_a), sum(self.passes_b), len(self.passes_b))

    @property
    def trial_a(self) -> TrialFacts | None:
        """The trial of A to show: one that passed, unless the case improved."""
        return _shown(self.a, self.passes_a, self.change is not Change.IMPROVED)

    @property
    def trial_b(self) -> TrialFacts | None:
        """The trial of B to show: one that did not pass, unless the case improved."""
        return _shown(self.b, self.passes_b, self.change is Change.IMPROVED)

    def to_dict(self) -> dict[str, Any]:
        """Returns plain JSON, with the trial to show of either side."""
        rates = self.rates
        return {
            "case": self.name,
            "former_name": self.former_name,
            "change": self.change.value,
            "edited": self.edited,
            "errors": self.errors,
            "a": _side(self.trial_a, rates.passed_a, rates.trials_a),
            "b": _side(self.trial_b, rates.passed_b, rates.trials_b),
        }


def _side(trial: TrialFacts | None, passed: int, trials: int) -> dict[str, Any] | None:
    return None if trial is None else {"passed": passed, "trials": trials, "trial": trial.to_dict()}


def case_diffs(
    pairing: Pairing,
    rules: Comparability,
    allow_changed: bool,
    needed_a: int | None = None,
    needed_b: int | None = None,
) -> Iterator[CaseDiff]:
    """Returns every case of both reports: the pairs in the order of A, then what only one side has.

    A case passes when `needed_a` (in A) or `needed_b` (in B) of its trials do; all of them when that is `None`.
    """
    for pair in pairing.pairs:
        yield _of_pair(pair, rules, allow_changed)
    for change, cases in ((Change.REMOVED, pairing.removed), (Change.NOT_RUN, pairing.not_run_b)):
        for case in cases:
            passes = _passed(case)
            passing = k_of_n(passes, needed_a or len(passes))
            yield CaseDiff(name=case.name, change=change, a=case, passes_a=passes, passing_a=passing)
    for change, cases in ((Change.ADDED, pairing.added), (Change.NOT_RUN, pairing.not_run_a)):
        for case in cases:
            passes = _passed(case)
            passing = k_of_n(passes, needed_b or len(passes))
            yield CaseDiff(
                name=case.name, change=change, errors=_errors(case), b=case, passes_b=passes, passing_b=passing
            )


def _of_pair(pair: Pair, rules: Comparability, allow_changed: bool) -> CaseDiff:
    a, b, edited = pair
    passes_a, passes_b = _passes(a, rules), _passes(b, rules)
    if edited and not allow_changed:
        change = Change.CHANGED
    elif not rules.whole and not any(rules.judges(trial) for trial in (*a.trials, *b.trials)):
        change = Change.INCOMPARABLE
    else:
        change = _change(sum(passes_b) * len(passes_a) - sum(passes_a) * len(passes_b))
    return CaseDiff(
        name=b.name,
        former_name=a.name if a.name != b.name else None,
        change=change,
        edited=edited,
        errors=not all(passes_b) and _errors(b) and not _errors(a),
        a=a,
        b=b,
        passes_a=passes_a,
        passes_b=passes_b,
    )


def _change(difference: int) -> Change:
    if difference == 0:
        return Change.UNCHANGED
    return Change.IMPROVED if difference > 0 else Change.REGRESSED


def _passes(case: CaseFacts, rules: Comparability) -> tuple[bool, ...]:
    if rules.whole:
        return _passed(case)
    return tuple([rules.passed(trial) for trial in case.trials])


def _passed(case: CaseFacts) -> tuple[bool, ...]:
    return tuple([trial.status == "passed" for trial in case.trials])


def _errors(case: CaseFacts) -> bool:
    return "error" in [trial.status for trial in case.trials]


def _shown(case: CaseFacts | None, passes: tuple[bool, ...], wanted: bool) -> TrialFacts | None:
    """Returns the first trial that passed, or did not, as wanted; the first one when there is none such."""
    if case is None:
        return None
    return case.trials[passes.index(wanted) if wanted in passes else 0]
