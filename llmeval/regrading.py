"""Grades the saved evidence of a report again, without running the application."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from llmeval.cases import Case
from llmeval.datasets import Dataset
from llmeval.errors import OptionError, ReportFileError, SelectionError
from llmeval.evaluations import Evaluation
from llmeval.grading import grading_of
from llmeval.jsonable import digest, freeze
from llmeval.options import RUN_OPTIONS, Options, merged, parse_require
from llmeval.plans import Plan, hooks_digest
from llmeval.prices import configure
from llmeval.regraded_trials import RegradedTrial, has_evidence
from llmeval.report import Report, load_report
from llmeval.runner import Run
from llmeval.selection import check_references, select
from llmeval.trials import NotRun, Trial
from llmeval.usage import Usage

if TYPE_CHECKING:
    from llmeval.executors import Lane
    from llmeval.telemetry import RunTrace

__all__ = ["RegradePlan", "Source", "build_regrading", "regrade", "source_of"]

_KEPT: Final = ("dataset", "where", "limit", "repetitions", "timeout", "params", "require")
"""Options that say how the evidence came about: they are the source's."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """The report whose evidence is graded, the SHA-256 of its file, and where that is, if it was read from one."""

    report: Report
    digest: str
    path: Path | None = None

    @property
    def text(self) -> str:
        """What it is called."""
        return f"{self.report.name}@{self.report.id}"


@dataclass(frozen=True, kw_only=True)
class RegradePlan(Plan):
    """What a regrading is going to do; its trials are those of the source, in their order, graded `repeat` times."""

    source: Source
    trials: tuple[Trial, ...]
    never_run: tuple[NotRun, ...] = ()
    repeat: int = 1

    @property
    def total(self) -> int:
        """Trials in all."""
        return len(self.trials)

    @property
    def graded(self) -> int:
        """Trials that have evidence to grade."""
        return sum(map(has_evidence, self.trials))

    def at(self, index: int) -> tuple[Case, int]:
        """Returns the case and the repetition of trial `index`."""
        trial = self.trials[index]
        return trial.case, trial.repetition

    def trial_run(self, index: int, lifespan: Any, lane: Lane, trace: RunTrace) -> RegradedTrial:
        """Returns what grades trial `index`."""
        return RegradedTrial(self, self.trials[index], lane, trace)

    @property
    def lifespan(self) -> Callable[..., Any] | None:
        """Nothing: the application does not run."""
        return None

    def spent(self, trial: Trial) -> Usage:
        """Returns what grading consumed; the application's requests were made in another run."""
        return trial.evaluator_usage

    def saved_options(self) -> dict[str, Any]:
        """Returns the options as the journal and the report keep them: those of the source, and how it was regraded."""
        saved, before = self.options.to_json(), self.source.report.options
        path = self.source.path
        return {
            **saved,
            **{name: before[name] for name in _KEPT if name in before},
            "only": saved["only"] or before.get("only"),
            "repeat": self.repeat,
            "regraded": {
                "id": self.source.report.id,
                "name": self.source.report.name,
                "digest": self.source.digest,
                "path": None if path is None else self.evaluation.project.shown(path),
                "only": saved["only"],
            },
        }

    @cached_property
    def hooks_changed(self) -> bool:
        """Whether the hooks that assert are others than when the source was run."""
        return bool(self.definitions["assertions"] != self.source.report.definitions.get("assertions"))

    @cached_property
    def definitions(self) -> dict[str, Any]:
        """The criteria, evaluators and hooks of now, and the dataset of the source, as JSON."""
        dataset = dict(self.source.report.definitions.get("dataset") or {})
        return {
            **self.grading.definitions(),
            "dataset": {**dataset, "selected": len(self.cases)},
            "assertions": hooks_digest(self.evaluation),
        }

    @cached_property
    def requests(self) -> tuple[tuple[str, int, bool], ...]:
        """For each evaluator its key, the grading requests of the whole run, and whether that number is exact."""
        trials = Counter(trial.case.name for trial in self.trials if has_evidence(trial))
        found: dict[str, tuple[int, bool]] = {}
        for case in self.cases:
            for group in self.groups(case)[0]:
                count = group.evaluator.requests(group.criteria)
                requests, exact = found.get(group.key, (0, True))
                asked = count.requests * trials[case.name] * self.repeat
                found[group.key] = (requests + asked, exact and count.exact)
        return tuple((key, requests, exact) for key, (requests, exact) in found.items())

    @cached_property
    def _fingerprints(self) -> dict[str, str]:
        before = super()._fingerprints
        return {name: digest([one, self.source.digest, self.repeat]) for name, one in before.items()}


def regrade(
    report: Report | str | os.PathLike[str],
    evaluator: Any = None,
    evaluation: Evaluation | None = None,
    repeat: int = 1,
    *,
    only: str | Iterable[str] | None = None,
    id: str | None = None,
    on_trial: Callable[[Trial], object] | None = None,
    concurrency: int | str = 1,
    journal: str | Path | None = None,
    options: Options | None = None,
) -> Report:
    """Grades the evidence in `report` again and returns a new report, which names its source.

    The application does not run. The criteria and assertions are those that the evaluation declares now; it is found by
    the report's name unless it is given. Without `evaluator` the one that the report's run was told grades, else the
    evaluation's own. With `repeat` above 1 each trial is graded so many times, and `Report.noise` says how often the
    evaluator contradicted itself.

    Raises:
        ConfigurationError: before anything is graded.
        KeyboardInterrupt: it was interrupted; the journal is whole.
    """
    given = {key: value for key, value in locals().items() if key in RUN_OPTIONS}
    plan = build_regrading(source_of(report), merged(options, given), evaluation=evaluation, repeat=repeat)
    done = Run(plan).execute()
    if done.interrupted:
        raise KeyboardInterrupt
    return done


def source_of(report: Report | str | os.PathLike[str]) -> Source:
    """Returns a report, or the one in the file at a path, as the source of a regrading.

    Raises:
        ReportFileError: the file is not a report.
    """
    if isinstance(report, Report):
        whole = sha256()
        for part in report._text():
            whole.update(part.encode())
        return Source(report=report, digest=whole.hexdigest())
    loaded, path = load_report(report), Path(report).absolute()
    return Source(report=loaded, digest=sha256(path.read_bytes()).hexdigest(), path=path)


def build_regrading(
    source: Source, options: Options, *, evaluation: Evaluation | None = None, repeat: int = 1
) -> RegradePlan:
    """Returns the plan of a regrading.

    Raises:
        ConfigurationError: anything that can be known to be wrong before anything is graded.
    """
    _check(options, repeat)
    report = source.report
    evaluation = _found(report) if evaluation is None else evaluation
    configure(evaluation.project.settings.get("prices", {}))
    if options.evaluator is None:
        options = replace(options, evaluator=report.options.get("evaluator"))
    cases = _cases(source, options)
    names = {case.name for case in cases}
    grading = grading_of(evaluation, options.evaluator, options.grading)
    for group in grading.groups:
        for criterion in group.criteria:
            if criterion.compares and group.evaluator.needs_reference:
                check_references(cases, criterion)
    require = report.options.get("require")
    plan = RegradePlan(
        evaluation=evaluation,
        options=options,
        id=str(uuid4()) if options.id is None else options.id,
        dataset=Dataset(name=report.name, cases=cases, path=source.path),
        cases=cases,
        grading=grading,
        params=freeze(report.params),
        require=None if require is None else parse_require(require),
        notes=(*_notes(source, evaluation, repeat), *grading.notes),
        source=source,
        trials=tuple(trial for trial in report if trial.case.name in names),
        never_run=tuple(one for one in report.not_run if options.only is None or one.case in names),
        repeat=repeat,
    )
    _ = plan._groups  # a `when` that raises is found before anything is graded
    return plan


def _check(options: Options, repeat: object) -> None:
    if isinstance(repeat, bool) or not isinstance(repeat, int) or repeat < 1:
        raise OptionError(f"repeat is {repeat!r}: give a whole number of 1 or more")
    default = Options()
    given = [name for name in _KEPT if getattr(options, name) != getattr(default, name)]
    if given:
        raise OptionError(f"a regrading takes no {' or '.join(given)}: the evidence is there already")


def _cases(source: Source, options: Options) -> tuple[Case, ...]:
    found: dict[str, Case] = {}
    for trial in source.report:
        found.setdefault(trial.case.name, trial.case)
    if not found:
        raise ReportFileError(f"{source.text} has no trial, so that there is nothing to grade")
    return select(tuple(found.values()), only=options.only)


def _found(report: Report) -> Evaluation:
    from llmeval.declarations import default_registry
    from llmeval.discovery import find
    from llmeval.project import project_at

    if report.name in default_registry:
        return default_registry.get(report.name)
    try:
        return find([report.name], project_at(Path.cwd()), default_registry)[0]
    except SelectionError as error:
        raise SelectionError(
            f"the report {report.id} is of the evaluation {report.name!r}, whose criteria grade it: {error}"
        ) from None


def _notes(source: Source, evaluation: Evaluation, repeat: int) -> list[str]:
    times = "" if repeat == 1 else f", {repeat} times each"
    notes = [f"graded again from the evidence of {source.text}{times}; the application did not run"]
    left = [name for name in ("setup", "teardown") if _has(evaluation, name)]
    if left:
        notes.append(f"{' and '.join(left)} did not run: what is asserted there is not checked again")
    return notes


def _has(evaluation: Evaluation, name: str) -> bool:
    return hasattr(evaluation.target, name) if evaluation.is_class else evaluation.hook(name) is not None
