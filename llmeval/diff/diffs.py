"""The difference between two reports: values, without a word of how they are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

from llmeval.diff.case_diffs import CaseDiff, Change
from llmeval.diff.criterion_diffs import CriterionDiff
from llmeval.diff.deltas import Delta
from llmeval.diff.facts import RunFacts
from llmeval.diff.figures import Figures, Verdict
from llmeval.diff.slices import Slice

__all__ = ["Diff", "RunInfo"]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunInfo:
    """Which report one side is, and how many of its trials passed."""

    id: str
    name: str
    started_at: str
    commit: str | None
    dirty: bool
    params: Mapping[str, Any]
    options: Mapping[str, Any]
    cases: int
    trials: int
    passed: int

    @classmethod
    def of(cls, run: RunFacts) -> RunInfo:
        """Returns what a heading says of a report."""
        trials = [trial for case in run.cases.values() for trial in case.trials]
        return cls(
            id=run.id,
            name=run.name,
            started_at=run.started_at,
            commit=run.environment.get("commit"),
            dirty=bool(run.environment.get("dirty")),
            params=run.params,
            options=run.options,
            cases=len(run.cases),
            trials=len(trials),
            passed=sum([trial.status == "passed" for trial in trials]),
        )

    def to_dict(self) -> dict[str, Any]:
        """Returns plain JSON."""
        return {
            "id": self.id,
            "name": self.name,
            "started_at": self.started_at,
            "commit": self.commit,
            "dirty": self.dirty,
            "params": dict(self.params),
            "cases": self.cases,
            "trials": self.trials,
            "passed": self.passed,
        }


@dataclass(frozen=True, kw_only=True)
class Diff(Figures):
    """What report B differs in from report A.

    The figures are over the cases that can be compared, and so are `criteria`, `usage` (what a trial takes) and
    `slices` (by the metadata field `by`). `incomparable` says what could not be compared, and what else differs between
    the runs. A case that passed and was removed is among the `regressed` ones, though not in the figures.
    """

    a: RunInfo
    b: RunInfo
    case_diffs: tuple[CaseDiff, ...] = ()
    criteria: tuple[CriterionDiff, ...] = ()
    usage: tuple[Delta, ...] = ()
    by: str | None = None
    slices: tuple[Slice, ...] = ()
    incomparable: tuple[str, ...] = ()
    allow_changed: bool = False

    @cached_property
    def regressed(self) -> tuple[str, ...]:
        """Cases that pass less often in B, and cases that passed in A and were removed."""
        removed = (case.name for case in self.of(Change.REMOVED) if case.passing_a)
        return (*self._names[Change.REGRESSED], *removed)

    @property
    def improved(self) -> tuple[str, ...]:
        """Cases that pass more often in B."""
        return self._names[Change.IMPROVED]

    @property
    def unchanged(self) -> tuple[str, ...]:
        """Cases that pass as often in B as in A."""
        return self._names[Change.UNCHANGED]

    @cached_property
    def changed(self) -> tuple[str, ...]:
        """Cases whose inputs or reference differ; they are compared only when changes are allowed."""
        return tuple(case.name for case in self.case_diffs if case.edited)

    @property
    def added(self) -> tuple[str, ...]:
        """Cases that only B has."""
        return self._names[Change.ADDED]

    @property
    def removed(self) -> tuple[str, ...]:
        """Cases that only A has."""
        return self._names[Change.REMOVED]

    @cached_property
    def renamed(self) -> tuple[str, ...]:
        """The new names of cases with equal content and another name; they are compared like any other."""
        return tuple(case.name for case in self.case_diffs if case.former_name is not None)

    @property
    def not_run(self) -> tuple[str, ...]:
        """Cases of one side that the other did not select or did not get to run."""
        return self._names[Change.NOT_RUN]

    @cached_property
    def erroring(self) -> tuple[str, ...]:
        """Cases with an error in B that had none in A, or are new."""
        return tuple(case.name for case in self.case_diffs if case.errors)

    @cached_property
    def decided(self) -> bool:
        """Whether any trial that was compared passed or did not, rather than only measuring something."""
        compared = (case for case in self.case_diffs if case.compared)
        sides = (side for case in compared for side in (case.a, case.b) if side is not None)
        return any(trial.status != "measured" for side in sides for trial in side.trials)

    @cached_property
    def new_failures(self) -> tuple[str, ...]:
        """Added cases that do not pass."""
        return tuple(case.name for case in self.of(Change.ADDED) if not case.passing_b)

    def of(self, *changes: Change) -> list[CaseDiff]:
        """Returns the cases that any of `changes` happened to, in order."""
        return [case for case in self.case_diffs if case.change in changes]

    def counts(self) -> dict[str, int]:
        """Returns how many cases there are of each change; a passing case that was removed counts as regressed too."""
        found = {change.value: len(names) for change, names in self._names.items()}
        return {**found, Change.REGRESSED.value: len(self.regressed)}

    def fails(self, on: Literal["any", "regression"]) -> bool:
        """Returns whether a gate is not met.

        `any`: a comparable case got worse or has an error that it had not, a passing case was removed, or a new case
        does not pass. `regression`: the verdict is *regressed*.
        """
        if on == "regression":
            return self.verdict is Verdict.REGRESSED
        worse = any(case.errors and case.change is not Change.CHANGED for case in self.case_diffs)
        return bool(self.regressed or self.new_failures or worse)

    def to_dict(self) -> dict[str, Any]:
        """Returns plain JSON: the figures, the names by change, and both trials of each case that is not unchanged."""
        return {
            **self.figures(),
            "runs": {"a": self.a.to_dict(), "b": self.b.to_dict()},
            "counts": self.counts(),
            **{name: list(getattr(self, name)) for name in NAMES},
            "incomparable": list(self.incomparable),
            "allow_changed": self.allow_changed,
            "criteria": [criterion.to_dict() for criterion in self.criteria],
            "usage": [delta.to_dict() for delta in self.usage],
            "by": self.by,
            "slices": [part.to_dict() for part in self.slices],
            "details": [case.to_dict() for case in self.case_diffs if case.change is not Change.UNCHANGED],
        }

    @cached_property
    def _names(self) -> dict[Change, tuple[str, ...]]:
        found: dict[Change, list[str]] = {change: [] for change in Change}
        for case in self.case_diffs:
            found[case.change].append(case.name)
        return {change: tuple(names) for change, names in found.items()}


NAMES: Final = (
    "regressed",
    "improved",
    "unchanged",
    "changed",
    "added",
    "removed",
    "renamed",
    "not_run",
    "erroring",
    "new_failures",
)
