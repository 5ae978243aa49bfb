"""`llmeval run --resume`: the runs to go on with, as their journals tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from llmeval.archive import Archive, read_head
from llmeval.cli.flags import Flags
from llmeval.cli.jobs import Job, evaluations_of, job_of, parse_concurrency
from llmeval.errors import OptionError, ReportFileError, ResumeError
from llmeval.options import Options, parse_require

__all__ = ["resumed_jobs"]

DECIDED: Final = (
    *("only", "repetitions", "id", "dataset", "evaluator", "where", "limit", "set"),
    *("require", "no_grading", "tag", "plan"),
)
"""What a run that goes on has decided already."""


def resumed_jobs(flags: Flags, archive: Archive) -> list[Job]:
    """Returns the runs to go on with; their options come from their journals.

    Raises:
        ConfigurationError: there is no such run, or something is asked that it has decided already.
    """
    if given := [f"--{name.replace('_', '-')}" for name in DECIDED if getattr(flags, name)]:
        raise OptionError(f"{', '.join(given)} cannot be given with --resume: a resumed run keeps its options")
    names = [evaluation.name for evaluation in evaluations_of(flags.evaluations)] if flags.evaluations else []
    runs = archive.find_runs(str(flags.resume), names)
    return [_job(name, id, flags, archive) for name, id in runs]


def _job(name: str, id: str, flags: Flags, archive: Archive) -> Job:
    journal = archive.journal_path(name, id)
    path = journal if journal.exists() else archive.report_path(name, id)
    try:
        head = read_head(path)
        if "regraded" in head["options"]:
            raise ResumeError(f"{id} is a regrading: go on with `llmeval regrade --resume {id}`")
        saved = _from_journal(head)
    except ResumeError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise ReportFileError(f"{path} cannot be resumed: {type(error).__name__}: {error}") from None
    options = replace(saved, id=id, resume=True, allow_changed=flags.allow_changed)
    if flags.concurrency is not None:
        options = replace(options, concurrency=parse_concurrency(flags.concurrency))
    for option in ("timeout", "max_requests", "max_cost", "retry_errors"):
        if getattr(flags, option) is not None:
            options = replace(options, **{option: getattr(flags, option)})
    return job_of(evaluations_of([name])[0], options, flags, archive, _variant(id, flags))


def _variant(id: str, flags: Flags) -> str:
    """Returns what tells a variant from the others, as far as its id does."""
    head, dot, number = id.rpartition(".")
    return f".{number}" if dot and number.isdecimal() and head.startswith(str(flags.resume)) else ""


def _from_journal(head: Mapping[str, Any]) -> Options:
    saved = dict(head["options"])
    saved["where"] = tuple((path, text) for path, text in saved["where"])
    saved["require"] = saved["require"] and parse_require(saved["require"])
    saved["params"] = head["params"] or None
    return Options(**saved)
