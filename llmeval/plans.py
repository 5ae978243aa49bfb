"""A plan: everything that a run is going to do, known before its first trial."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from llmeval.callables import wrapped
from llmeval.cases import Case
from llmeval.evaluations import Evaluation
from llmeval.grading import Grading, Group, applies, grading_of
from llmeval.jsonable import FrozenDict, digest, freeze
from llmeval.options import Options, Require, parse_require
from llmeval.prices import configure
from llmeval.selection import check_references, select, sourced

if TYPE_CHECKING:
    from llmeval.datasets import Dataset
    from llmeval.executors import Lane
    from llmeval.telemetry import RunTrace
    from llmeval.trial_runner import TrialRun
    from llmeval.trials import NotRun, Trial
    from llmeval.usage import Usage

__all__ = ["Plan", "build_plan", "hooks_digest", "shown_path"]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One run of one evaluation. Trials are numbered from 0, in dataset and repetition order."""

    evaluation: Evaluation
    options: Options
    id: str
    dataset: Dataset
    cases: tuple[Case, ...]
    grading: Grading
    params: Mapping[str, Any] = field(default_factory=FrozenDict)
    require: Require | None = None
    timeout: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def repetitions(self) -> int:
        """Trials of each case."""
        return self.options.repetitions

    @property
    def total(self) -> int:
        """Trials in all."""
        return len(self.cases) * self.repetitions

    def at(self, index: int) -> tuple[Case, int]:
        """Returns the case and the repetition (from 1) of trial `index`."""
        position, repetition = divmod(index, self.repetitions)
        return self.cases[position], repetition + 1

    def trial_run(self, index: int, lifespan: Any, lane: Lane, trace: RunTrace) -> TrialRun:
        """Returns what runs trial `index`."""
        from llmeval.trial_runner import TrialRun  # `--plan` runs none

        case, repetition = self.at(index)
        return TrialRun(self, case, repetition, lifespan, lane, trace)

    @property
    def lifespan(self) -> Callable[..., Any] | None:
        """What is entered around the whole run."""
        return self.evaluation.hook("lifespan")

    @property
    def never_run(self) -> tuple[NotRun, ...]:
        """What is not among its trials, and never ran."""
        return ()

    def spent(self, trial: Trial) -> Usage:
        """Returns what a finished trial consumed of the budget."""
        return trial.usage

    def saved_options(self) -> dict[str, Any]:
        """Returns the options as the journal and the report keep them."""
        return self.options.to_json()

    def groups(self, case: Case) -> tuple[tuple[Group, ...], tuple[str, ...]]:
        """Returns who grades `case`, and the criteria that do not apply to it."""
        return self._groups[case.name]

    def fingerprint(self, case: Case) -> str:
        """Returns the digest of what decides the outcome of a trial of `case` beside chance and the application."""
        return self._fingerprints[case.name]

    @cached_property
    def definitions(self) -> dict[str, Any]:
        """The criteria, evaluators, dataset and hooks as JSON, each with its fingerprint."""
        path = self.dataset.path
        return {
            **self.grading.definitions(),
            "dataset": {
                "name": self.dataset.name,
                "path": None if path is None else self.evaluation.project.shown(path),
                "fingerprint": self.dataset.digest,
                "selected": len(self.cases),
            },
            "assertions": hooks_digest(self.evaluation),
            "params": {"fingerprint": digest(self.params)},
        }

    @cached_property
    def requests(self) -> tuple[tuple[str, int, bool], ...]:
        """For each evaluator its key, the grading requests of the whole run, and whether that number is exact."""
        found: dict[str, tuple[int, bool]] = {}
        for case in self.cases:
            for group in self.groups(case)[0]:
                count = group.evaluator.requests(group.criteria)
                requests, exact = found.get(group.key, (0, True))
                found[group.key] = (requests + count.requests * self.repetitions, exact and count.exact)
        return tuple((key, requests, exact) for key, (requests, exact) in found.items())

    def prepare(self) -> None:
        """Works out what the trials and the report will need, before they need it."""
        _ = self._fingerprints, self.definitions

    @cached_property
    def _groups(self) -> dict[str, tuple[tuple[Group, ...], tuple[str, ...]]]:
        return {case.name: self.grading.applicable(case) for case in self.cases}

    @cached_property
    def _fingerprints(self) -> dict[str, str]:
        definitions = self.grading.definitions()
        criteria = {one["name"]: one["fingerprint"] for one in definitions["criteria"]}
        evaluators = {key: one["fingerprint"] for key, one in definitions["evaluators"].items()}
        shared: dict[object, str] = {}
        found = {}
        for case in self.cases:
            groups, absent = self.groups(case)
            if absent not in shared:
                used = {group.key: evaluators[group.key] for group in groups}
                applying = {name: value for name, value in criteria.items() if name not in absent}
                shared[absent] = digest([applying, used, dict(self.params)])
            found[case.name] = digest([case.fingerprint, shared[absent]])
        return found


def build_plan(evaluation: Evaluation, options: Options) -> Plan:
    """Returns the plan of a run.

    Raises:
        ConfigurationError: anything that can be known to be wrong before the first trial.
    """
    require = options.require or (None if evaluation.require is None else parse_require(evaluation.require))
    if require is not None and options.repetitions == 1:
        options = replace(options, repetitions=require.trials)
    configure(evaluation.project.settings.get("prices", {}))
    dataset = sourced(evaluation, options.dataset)
    cases = select(dataset.cases, only=options.only, where=options.where, limit=options.limit)
    grading = grading_of(evaluation, options.evaluator, options.grading)
    for group in grading.groups:
        for criterion in group.criteria:
            if criterion.compares and group.evaluator.needs_reference:
                check_references((case for case in cases if applies(criterion, case)), criterion)
    plan = Plan(
        evaluation=evaluation,
        options=options,
        id=str(uuid4()) if options.id is None else options.id,
        dataset=dataset,
        cases=cases,
        grading=grading,
        params=freeze(dict(options.params or {})),
        require=require,
        timeout=evaluation.timeout if options.timeout is None else options.timeout,
        notes=(*dataset.notes, *grading.notes),
    )
    _ = plan._groups  # a `when` that raises is found before the first trial
    return plan


def hooks_digest(evaluation: Evaluation) -> str:
    """Returns the SHA-256 of the source of the hooks that assert: what decides how a trial is checked."""

    def find(name: str) -> Any:
        return getattr(evaluation.target, name, None) if evaluation.is_class else evaluation.hook(name)

    return digest([_source(hook) for name in ("setup", "assertions", "teardown") if (hook := find(name))])


def _source(function: Callable[..., Any] | type) -> str:
    import inspect

    try:
        return inspect.getsource(function if isinstance(function, type) else wrapped(function))
    except (OSError, TypeError):
        code = getattr(wrapped(function), "__code__", None)
        return f"{function!r:.80}" if code is None else code.co_code.hex()


def shown_path(plan: Plan, path: Path | None) -> str | None:
    """Returns where the dataset came from, for people."""
    return None if path is None else plan.evaluation.project.shown(path)
