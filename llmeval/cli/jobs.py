"""From the command line to plans: which evaluations run, with which options, under which ids."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from llmeval.archive import Archive, read_head
from llmeval.cli.project import current_project
from llmeval.cli.flags import Flags
from llmeval.errors import OptionError, ResumeError, SelectionError
from llmeval.evaluations import Evaluation
from llmeval.gates import Gate, parse_rate
from llmeval.journal import restore_journal
from llmeval.options import Options, parse_require
from llmeval.plans import Plan, build_plan
from llmeval.selection import parse_where

__all__ = ["Job", "jobs_of"]


@dataclass(frozen=True, kw_only=True)
class Job:
    """One run to do: its plan, where its report belongs, and what is asked of it; `name` tells it from the others."""

    plan: Plan
    path: Path
    gate: Gate
    name: str


def jobs_of(flags: Flags, archive: Archive) -> list[Job]:
    """Returns the runs that the command line asks for, each checked as far as it can be before it starts.

    Raises:
        ConfigurationError: anything that is wrong.
    """
    if flags.resume is not None:
        return [_resumed(flags, archive)]
    evaluations = _tagged(_found(flags.evaluations or ()), flags.tag or ())
    if len(evaluations) > 1 and flags.dataset is not None:
        raise OptionError(f"--dataset is for one evaluation, and there are {len(evaluations)}: name one")
    chosen = _chosen(evaluations, flags.only)
    variants = _variants(flags.set or ())
    jobs = []
    for evaluation, only in chosen:
        id = str(uuid4()) if flags.id is None else flags.id
        for number, params in enumerate(variants, 1):
            variant = f".{number}" if len(variants) > 1 else ""
            options = replace(_options(flags), only=only, params=params, id=id + variant)
            jobs.append(_job(evaluation, options, flags, archive, evaluation.name + variant))
    return jobs


def _job(evaluation: Evaluation, options: Options, flags: Flags, archive: Archive, name: str) -> Job:
    path = archive.report_path(evaluation.name, str(options.id))
    journal = archive.journal_path(evaluation.name, str(options.id))
    if not options.resume and (path.exists() or journal.exists()):
        raise ResumeError(
            f"run {options.id!r} of {evaluation.name} exists: give another --id, or --resume {options.id}"
        )
    plan = build_plan(evaluation, replace(options, journal=journal, keep=False))
    rate = None if flags.fail_under is None else parse_rate(flags.fail_under)
    return Job(plan=plan, path=path, gate=Gate(require=plan.require, fail_under=rate), name=name)


def _options(flags: Flags) -> Options:
    require = None if flags.require is None else parse_require(flags.require)
    if require is not None and flags.repetitions not in (None, require.trials):
        raise OptionError(
            f"--require {flags.require} implies {require.trials} repetitions, but {flags.repetitions} are given"
        )
    if flags.no_grading and flags.evaluator is not None:
        raise OptionError("--no-grading and --evaluator contradict each other: keep one")
    return Options(
        dataset=_absolute(flags.dataset),
        where=parse_where(flags.where or ()),
        limit=flags.limit,
        repetitions=require.trials if require else 1 if flags.repetitions is None else flags.repetitions,
        concurrency=_concurrency(flags.concurrency),
        timeout=flags.timeout,
        evaluator=flags.evaluator,
        grading=not flags.no_grading,
        retry_errors=flags.retry_errors or 0,
        require=require,
        max_requests=flags.max_requests,
        max_cost=flags.max_cost,
        id=flags.id,
    )


def _resumed(flags: Flags, archive: Archive) -> Job:
    """Returns the run to go on with; its options come from its journal."""
    decided = (
        "only",
        "repetitions",
        "id",
        "dataset",
        "evaluator",
        "where",
        "limit",
        "set",
        "require",
        "no_grading",
        "tag",
    )
    given = [f"--{name.replace('_', '-')}" for name in decided if getattr(flags, name)]
    if given:
        raise OptionError(f"{', '.join(given)} cannot be given with --resume: a resumed run keeps its options")
    name, id = archive.find_run(str(flags.resume), list(flags.evaluations or ()))
    journal, path = archive.journal_path(name, id), archive.report_path(name, id)
    if not journal.exists():
        restore_journal(path, journal)
    head = read_head(journal)
    evaluation = _found([name])[0]
    options = replace(_from_journal(head), id=id, resume=True, allow_changed=flags.allow_changed)
    if flags.concurrency is not None:
        options = replace(options, concurrency=_concurrency(flags.concurrency))
    for option in ("timeout", "max_requests", "max_cost", "retry_errors"):
        if getattr(flags, option) is not None:
            options = replace(options, **{option: getattr(flags, option)})
    return _job(evaluation, options, flags, archive, evaluation.name)


def _from_journal(head: Mapping[str, Any]) -> Options:
    saved = dict(head["options"])
    saved["where"] = tuple((path, text) for path, text in saved["where"])
    saved["require"] = saved["require"] and parse_require(saved["require"])
    saved["params"] = head["params"] or None
    return Options(**saved)


def _found(names: Sequence[str]) -> list[Evaluation]:
    from llmeval.declarations import default_registry
    from llmeval.discovery import find

    return find(names, current_project(), default_registry)


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


def _chosen(evaluations: list[Evaluation], only: Sequence[str] | None) -> Iterator[tuple[Evaluation, Any]]:
    """Yields each evaluation with the case names that it has; of several, those without any are left out."""
    if not only or len(evaluations) == 1:
        yield from ((evaluation, only or None) for evaluation in evaluations)
        return
    known = [(evaluation, {case.name for case in evaluation.cases()}) for evaluation in evaluations]
    lost = [name for name in only if not any(name in names for _, names in known)]
    if lost:
        from llmeval.registry import unknown

        everywhere = sorted(set().union(*(names for _, names in known)))
        raise SelectionError("; ".join(unknown("case", name, everywhere) for name in lost))
    for evaluation, names in known:
        if matching := [name for name in only if name in names]:
            yield evaluation, matching


def _variants(texts: Sequence[str]) -> list[dict[str, Any] | None]:
    """Returns the params of each variant: every combination of the values that a key was given."""
    values: dict[str, list[Any]] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise OptionError(f"--set {text!r}: write KEY=VALUE")
        values.setdefault(key.strip(), []).append(_parsed(value))
    if not values:
        return [None]
    return [dict(zip(values, combination, strict=True)) for combination in itertools.product(*values.values())]


def _parsed(text: str) -> Any:
    """Returns a number, true, false, null, list or object for text that is JSON, else the text."""
    try:
        return json.loads(text, parse_constant=lambda name: name)
    except ValueError:
        return text


def _concurrency(text: str | None) -> int | str:
    if text is None:
        return 1
    if text != "auto" and not text.isdecimal():
        raise OptionError(f"concurrency is {text!r}: give a whole number of 1 or more, or auto")
    return text if text == "auto" else int(text)


def _absolute(path: str | None) -> str | None:
    """A path on the command line is relative to the working directory where it is there."""
    return str(Path(path).absolute()) if path is not None and Path(path).exists() else path
