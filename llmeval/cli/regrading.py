"""What `llmeval regrade` does: the report to grade, from the command line or a journal, and a run over its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from llmeval.archive import PLACES, Archive, read_head
from llmeval.cli.flags import Flags
from llmeval.cli.formats import check_format, print_json
from llmeval.cli.jobs import Job, check_free, parse_concurrency
from llmeval.cli.project import current_project
from llmeval.cli.running import run_jobs
from llmeval.errors import OptionError, ReportFileError, ResumeError
from llmeval.gates import Exit, Gate
from llmeval.options import Options
from llmeval.regrading import RegradePlan, build_regrading, source_of
from llmeval.render.console import echo, look_of
from llmeval.render.plan import Regraded, regrade_text

__all__ = ["regrade_all"]


def regrade_all(report: str | None, repeat: int | None, flags: Flags) -> int:
    """Grades what the command line asks for and returns the exit code.

    Raises:
        ConfigurationError: before anything is graded.
    """
    check_format(flags.format, ("table", "json", "agent"))
    archive = Archive(current_project())
    if flags.resume is not None:
        plan = _resumed(report, repeat, flags, archive)
    elif report is None:
        raise OptionError("name the report whose evidence is to be graded: a path, NAME, NAME@ID or NAME@latest")
    else:
        plan = build_regrading(source_of(archive.find(report)), _options(flags), repeat=1 if repeat is None else repeat)
    if flags.plan:
        return _print_plan(plan, flags.format)
    return run_jobs(flags, [_job(plan, archive)], archive)


def _job(plan: RegradePlan, archive: Archive) -> Job:
    name = plan.evaluation.name
    path, journal = archive.report_path(name, plan.id), archive.journal_path(name, plan.id)
    if not plan.options.resume:
        check_free(path, journal, name, plan.id)
    plan = replace(plan, options=replace(plan.options, journal=journal, keep=False))
    return Job(plan=plan, path=path, gate=Gate(require=plan.require), name=name)


def _options(flags: Flags) -> Options:
    if flags.id in PLACES:
        raise OptionError(f"--id {flags.id} has a meaning of its own, as in NAME@{flags.id}: give another")
    return Options(
        only=flags.only or None,
        concurrency=parse_concurrency(flags.concurrency),
        evaluator=flags.evaluator,
        retry_errors=flags.retry_errors or 0,
        max_requests=flags.max_requests,
        max_cost=flags.max_cost,
        id=str(uuid4()) if flags.id is None else flags.id,
    )


def _resumed(report: str | None, repeat: int | None, flags: Flags, archive: Archive) -> RegradePlan:
    """Returns the regrading to go on with; its report and its options come from its journal."""
    decided = {"REPORT": report, "--repeat": repeat}
    decided |= {f"--{name}": getattr(flags, name) for name in ("only", "id", "evaluator", "plan")}
    if given := [name for name, value in decided.items() if value]:
        raise OptionError(f"{', '.join(given)} cannot be given with --resume: a regrading that goes on keeps its own")
    head, id = _head(str(flags.resume), archive)
    saved = head["options"]
    source = saved["regraded"]
    if source["path"] is None:
        raise ResumeError(f"{id} was graded from a report in memory: it can be resumed in Python only")
    options = Options(
        only=source["only"],
        concurrency=saved["concurrency"] if flags.concurrency is None else parse_concurrency(flags.concurrency),
        evaluator=saved["evaluator"],
        grading=saved["grading"],
        retry_errors=saved["retry_errors"] if flags.retry_errors is None else flags.retry_errors,
        max_requests=saved["max_requests"] if flags.max_requests is None else flags.max_requests,
        max_cost=saved["max_cost"] if flags.max_cost is None else flags.max_cost,
        id=id,
        resume=True,
        allow_changed=flags.allow_changed,
    )
    path = Path(current_project().root, source["path"])
    return build_regrading(source_of(path), options, repeat=saved["repeat"])


def _head(begin: str, archive: Archive) -> tuple[Mapping[str, Any], str]:
    """Returns what the journal, or the report, of the regrading says that `begin` begins the id of, and its id."""
    runs = archive.find_runs(begin)
    if len(runs) > 1:
        raise ReportFileError(f"{begin!r} begins the id of several runs: {', '.join(full for _, full in runs)}")
    name, id = runs[0]
    journal = archive.journal_path(name, id)
    head = read_head(journal if journal.exists() else archive.report_path(name, id))
    if "regraded" not in head["options"]:
        raise ResumeError(f"{id} is no regrading: go on with `llmeval run --resume {id}`")
    return head, id


def _print_plan(plan: RegradePlan, format: str) -> int:
    planned = Regraded(
        report=plan.source.text,
        trials=plan.total,
        graded=plan.graded,
        repeat=plan.repeat,
        requests=plan.requests,
    )
    if format == "json":
        print_json(planned.to_dict())
    else:
        echo(regrade_text(planned, look_of()))
    return Exit.PASSED
