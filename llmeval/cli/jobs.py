"""From the command line to plans: which evaluations run, with which options, under which ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from llmeval.archive import PLACES, Archive
from llmeval.cli.flags import Flags
from llmeval.cli.project import current_project
from llmeval.cli.variants import variants
from llmeval.errors import OptionError, ResumeError, SelectionError
from llmeval.evaluations import Evaluation
from llmeval.gates import Gate, parse_rate
from llmeval.journal import discard_empty
from llmeval.options import Options, parse_require
from llmeval.plans import Plan, build_plan

__all__ = ["Job", "check_free", "evaluations_of", "job_of", "jobs_of", "parse_concurrency"]


@dataclass(frozen=True, kw_only=True)
class Job:
    """One run to do: its plan, where its report belongs, and what is asked of it; `name` tells it from the others."""

    plan: Plan
    path: Path
    gate: Gate
    name: str

    @property
    def journal(self) -> Path:
        """Where its finished trials go."""
        return Path(self.plan.options.journal or "")

    @property
    def evaluation(self) -> str:
        """The evaluation's name."""
        return self.plan.evaluation.name


def jobs_of(flags: Flags, archive: Archive) -> list[Job]:
    """Returns the runs that the command line asks for, each checked as far as it can be before it starts.

    They share one id, to which variants add a number.

    Raises:
        ConfigurationError: anything that is wrong.
    """
    evaluations = _tagged(evaluations_of(flags.evaluations or ()), flags.tag or ())
    if len(evaluations) > 1 and flags.dataset is not None:
        raise OptionError(f"--dataset is for one evaluation, and there are {len(evaluations)}: name one")
    common = _options(flags)
    params = variants(flags.set or ())
    jobs = []
    for evaluation, selection in _chosen(evaluations, flags.only):
        _check_repetitions(evaluation, flags)
        for number, values in enumerate(params, 1):
            variant = f".{number}" if len(params) > 1 else ""
            options = replace(common, params=values, id=f"{common.id}{variant}", **selection)
            jobs.append(job_of(evaluation, options, flags, archive, variant))
    return jobs


def job_of(evaluation: Evaluation, options: Options, flags: Flags, archive: Archive, variant: str = "") -> Job:
    """Returns one run to do.

    Raises:
        ConfigurationError: its plan cannot be made, or its id is taken.
    """
    path = archive.report_path(evaluation.name, str(options.id))
    journal = archive.journal_path(evaluation.name, str(options.id))
    if not options.resume:
        check_free(path, journal, evaluation.name, str(options.id))
    plan = build_plan(evaluation, replace(options, journal=journal, keep=False))
    rate = None if flags.fail_under is None else parse_rate(flags.fail_under)
    gate = Gate(require=plan.require, fail_under=rate)
    return Job(plan=plan, path=path, gate=gate, name=evaluation.name + variant)


def check_free(path: Path, journal: Path, name: str, id: str) -> None:
    """Refuses an id that has a report or a journal.

    Raises:
        ResumeError: it says what to give instead.
    """
    discard_empty(journal)
    if path.exists() or journal.exists():
        raise ResumeError(f"run {id!r} of {name} exists: give another --id, or --resume {id}")


def evaluations_of(names: Sequence[str]) -> list[Evaluation]:
    """Returns the evaluations that names or paths mean; all for none.

    Raises:
        ConfigurationError: there is none of a name, or a file cannot be imported.
    """
    from llmeval.declarations import default_registry
    from llmeval.discovery import find

    return find(names, current_project(), default_registry)


def parse_concurrency(text: str | None) -> int | str:
    """Returns the number, or `auto`, that `--concurrency` says; 1 without it.

    Raises:
        OptionError: it says neither.
    """
    if text is None:
        return 1
    if text != "auto" and not text.isdecimal():
        raise OptionError(f"concurrency is {text!r}: give a whole number of 1 or more, or auto")
    return text if text == "auto" else int(text)


def _options(flags: Flags) -> Options:
    from llmeval.selection import parse_where

    require = None if flags.require is None else parse_require(flags.require)
    if require is not None and flags.repetitions not in (None, require.trials):
        raise OptionError(
            f"--require {flags.require} implies {require.trials} repetitions, but {flags.repetitions} are given"
        )
    if flags.no_grading and flags.evaluator is not None:
        raise OptionError("--no-grading and --evaluator contradict each other: keep one")
    if flags.id in PLACES:
        raise OptionError(f"--id {flags.id} has a meaning of its own, as in NAME@{flags.id}: give another")
    return Options(
        dataset=_from_here(flags.dataset),
        where=parse_where(flags.where or ()),
        limit=flags.limit,
        repetitions=require.trials if require else 1 if flags.repetitions is None else flags.repetitions,
        concurrency=parse_concurrency(flags.concurrency),
        timeout=flags.timeout,
        evaluator=flags.evaluator,
        grading=not flags.no_grading,
        retry_errors=flags.retry_errors or 0,
        require=require,
        max_requests=flags.max_requests,
        max_cost=flags.max_cost,
        id=str(uuid4()) if flags.id is None else flags.id,
    )


def _check_repetitions(evaluation: Evaluation, flags: Flags) -> None:
    """Refuses repetitions that do not fit what the evaluation itself requires."""
    if evaluation.require is None or flags.require is not None or flags.repetitions is None:
        return
    declared = parse_require(evaluation.require)
    if flags.repetitions != declared.trials:
        raise OptionError(
            f"{evaluation.name} declares require={evaluation.require!r}, which implies {declared.trials} repetitions, "
            f"but {flags.repetitions} are given: give --require K/{flags.repetitions}"
        )


def _tagged(evaluations: list[Evaluation], tags: Sequence[str]) -> list[Evaluation]:
    if not tags:
        return evaluations
    kept = [evaluation for evaluation in evaluations if {*tags} & {*evaluation.tags}]
    if not kept:
        known = sorted({tag for evaluation in evaluations for tag in evaluation.tags})
        raise SelectionError(
            f"no evaluation has the tag {' or '.join(map(repr, tags))}: there are {', '.join(known) or 'none'}"
        )
    return kept


def _chosen(evaluations: list[Evaluation], only: Sequence[str] | None) -> Iterator[tuple[Evaluation, dict[str, Any]]]:
    """Yields each evaluation with the cases that it has of `only`; of several, those without any are left out.

    A dataset that was loaded for that is handed on: a function that gives the cases is called once a run.
    """
    if not only or len(evaluations) == 1:
        yield from ((evaluation, {"only": only or None}) for evaluation in evaluations)
        return
    from llmeval.selection import sourced

    datasets = [(evaluation, sourced(evaluation)) for evaluation in evaluations]
    known = {case.name for _, dataset in datasets for case in dataset}
    if lost := [name for name in only if name not in known]:
        from llmeval.registry import unknown

        raise SelectionError("; ".join(unknown("case", name, sorted(known)) for name in lost))
    for evaluation, dataset in datasets:
        names = {case.name for case in dataset}
        if matching := [name for name in only if name in names]:
            yield evaluation, {"only": matching, "dataset": dataset}


def _from_here(path: str | None) -> str | None:
    """A path on the command line is relative to the working directory too, where that is not the project's root."""
    if path is None or not Path(path).exists() or current_project().root == Path.cwd():
        return path
    return str(Path(path).absolute())
