"""What `llmeval run` does: plan everything, run it, save, show, and say by the exit code how it went."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from llmeval.archive import Archive, encoded
from llmeval.cli.flags import Flags
from llmeval.cli.formats import check_format
from llmeval.cli.interrupts import interruptible
from llmeval.cli.jobs import Job, jobs_of
from llmeval.cli.project import current_project
from llmeval.errors import ConfigurationError, OptionError
from llmeval.gates import Exit
from llmeval.journal import restore_journal
from llmeval.render.console import echo, is_interactive
from llmeval.render.text import shell_word
from llmeval.report import Report, load_report
from llmeval.runner import Run

__all__ = ["run_all", "run_jobs"]


def run_all(flags: Flags) -> int:
    """Runs what the command line asks for and returns the exit code.

    Raises:
        ConfigurationError: before the first trial of any evaluation.
    """
    check_format(flags.format, ("table", "json", "agent"))
    archive = Archive(current_project())
    jobs = _jobs(flags, archive)
    if flags.plan:
        from llmeval.cli.planning import print_plan

        return print_plan(jobs, flags.format)
    return run_jobs(flags, jobs, archive)


def run_jobs(flags: Flags, jobs: Sequence[Job], archive: Archive) -> int:
    """Runs `jobs` one after another, saves and shows each, and returns the exit code.

    Raises:
        ConfigurationError: before the first trial of any of them.
    """
    from llmeval.cli.baselines import baselines_of
    from llmeval.cli.outcomes import Outcomes

    outputs = _outputs(flags.output, jobs)
    outcomes = Outcomes(flags, jobs, baselines_of(flags, jobs, archive))
    try:
        runs = _opened(jobs)
        archive.prepare()
    except OSError as error:
        raise OptionError(
            f"{error.filename or archive.folder} cannot be written: {error.strerror or error}: "
            "reports and journals need a folder that can"
        ) from None
    for job, run, output in zip(jobs, runs, outputs, strict=True):
        try:
            report = _run(job, run, output, flags)
        except ConfigurationError:
            for left in runs[runs.index(run) :]:
                left.abandon()
            raise
        except OSError as error:  # what user code raises is on its trial: this is the disk's
            return _unwritten(run, error)
        outcomes.add(job, report, output or job.path)
        if report.interrupted:
            break
    code = outcomes.conclude()
    for job, report in zip(jobs, outcomes.reports, strict=False):
        _discard_journal(job, report)
    return code


def _unwritten(run: Run, error: OSError) -> Exit:
    """Says that the run could not be written down, and how to go on with it."""
    where = error.filename or (run.journal and run.journal.path) or "a file"
    cure = (
        f"then `llmeval run --resume {shell_word(run.plan.id)}` goes on" if run.store.summary.ran else "then run again"
    )
    echo(f"llmeval: {where} cannot be written: {error.strerror or error}: mend that, {cure}", sys.stderr)
    return Exit.INCOMPLETE


def _jobs(flags: Flags, archive: Archive) -> list[Job]:
    if flags.resume is None:
        return jobs_of(flags, archive)
    from llmeval.cli.resumption import resumed_jobs

    return resumed_jobs(flags, archive)


def _opened(jobs: Sequence[Job]) -> list[Run]:
    """Returns a run for each job, all with a journal that has begun, or none with one.

    Raises:
        ResumeError: one of them cannot be taken up.
    """
    runs: list[Run] = []
    made = [job.journal for job in jobs if not job.journal.exists()]
    try:
        for job in jobs:
            if job.plan.options.resume and not job.journal.exists():
                restore_journal(job.path, job.journal)
            runs.append(Run(job.plan))
    except BaseException:
        for run in runs:
            if run.journal is not None:
                run.journal.close()
        for path in made:
            path.unlink(missing_ok=True)
        raise
    for run in runs:
        run.begin()
    return runs


def _run(job: Job, run: Run, output: Path | None, flags: Flags) -> Report:
    if job.plan.options.resume:
        if run.schedule.exhausted and (finished := _finished(job.path)) is not None:
            echo(f"{job.name}: every trial of run {job.plan.id} has finished; nothing runs again", sys.stderr)
            return _saved(finished, output)
    else:
        run.started_at = datetime.now(UTC)  # it was opened together with those before it
    with _display(flags) as subscriber:
        if subscriber is not None:
            run.subscribe(subscriber)
        with interruptible(run, lambda: run.report().save(job.path)):
            report = run.execute()
    report.save(job.path)
    return _saved(report, output)


def _finished(path: Path) -> Report | None:
    """Returns the saved report of a complete run: going on with it is to leave it as it is."""
    report = load_report(path) if path.exists() else None
    return None if report is None or report.interrupted or report.not_run else report


def _saved(report: Report, output: Path | None) -> Report:
    if output is not None:
        report.save(output)
    return report


def _display(flags: Flags) -> AbstractContextManager[Callable[[Any], object] | None]:
    """Returns who shows the run while it goes on: nobody, a live table, or lines."""
    if flags.quiet:
        return nullcontext()
    if is_interactive() and not flags.plain:
        from llmeval.render.live import LiveTable

        return LiveTable()
    from llmeval.render.plain import PlainLines

    return nullcontext(PlainLines())


def _outputs(output: str | None, jobs: Sequence[Job]) -> list[Path | None]:
    """Returns where each report is saved beside its own place, in folders that are there.

    Raises:
        OptionError: there are several reports, and `output` is a file; or nothing can be written there.
    """
    if output is None:
        return [None] * len(jobs)
    path = Path(output)
    if len(jobs) > 1 and (path.is_file() or path.suffix == ".json"):
        raise OptionError(f"output is {output!r}, but there are {len(jobs)} reports: give a folder")
    folder = len(jobs) > 1 or path.is_dir() or output.endswith(("/", os.sep))
    found = [path / f"{encoded(job.name)}.json" if folder else path for job in jobs]
    for target in found:
        _check_writable(target)
    return list(found)


def _check_writable(target: Path) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(f"output is {str(target)!r}, where nothing can be written: {error}") from None
    if target.is_dir() or not os.access(target.parent, os.W_OK):
        raise OptionError(f"output is {str(target)!r}, where nothing can be written: give another path")


def _discard_journal(job: Job, report: Report) -> None:
    """Removes the journal of a complete run, whose report says all that it did."""
    if not report.interrupted and not report.not_run:
        job.journal.unlink(missing_ok=True)
