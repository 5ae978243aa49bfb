"""What `llmeval run` does: plan everything, run it, save, show, and say by the exit code how it went."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from llmeval.archive import Archive, encoded
from llmeval.cli.project import current_project
from llmeval.cli.flags import Flags
from llmeval.cli.formats import check_format, print_json
from llmeval.cli.interrupts import interruptible
from llmeval.cli.jobs import Job, jobs_of
from llmeval.errors import OptionError
from llmeval.gates import Exit, exit_code
from llmeval.render.console import echo, is_interactive, look_of
from llmeval.report import Report
from llmeval.runner import Run

__all__ = ["run_all"]


def run_all(flags: Flags) -> int:
    """Runs what the command line asks for and returns the exit code.

    Raises:
        ConfigurationError: before the first trial of any evaluation.
    """
    check_format(flags.format, ("table", "json", "agent"))
    archive = Archive(current_project())
    jobs = jobs_of(flags, archive)
    if flags.plan:
        return _print_plan(jobs)
    outputs = _outputs(flags.output, jobs)
    archive.prepare()
    runs: list[Run] = []
    reports, codes = [], []
    for job, output in zip(jobs, outputs, strict=True):
        runs.append(Run(job.plan))
        report, path = _run(job, runs[-1], output, flags)
        reports.append(report)
        codes.append(_conclude(job, report, path, flags))
        if report.interrupted:
            break
    _print_together(flags, jobs, reports)
    for run, report in zip(runs, reports, strict=True):
        _discard_journal(run, report)
    return worst(codes)


def worst(codes: Sequence[Exit]) -> Exit:
    """Returns the exit code of several reports: an interruption, else a failure, else what is incomplete."""
    order = (Exit.INTERRUPTED, Exit.FAILED, Exit.INCOMPLETE)
    return next((code for code in order if code in codes), Exit.PASSED)


def _run(job: Job, run: Run, output: Path | None, flags: Flags) -> tuple[Report, Path]:
    display = _display(flags)
    with display as subscriber:
        if subscriber is not None:
            run.subscribe(subscriber)
        with interruptible(run, lambda: run.report().save(job.path)):
            report = run.execute()
    report.save(job.path)
    if output is not None:
        report.save(output)
    return report, output or job.path


def _conclude(job: Job, report: Report, path: Path, flags: Flags) -> Exit:
    """Prints what the report says, and returns its exit code."""
    from llmeval.render.summary import summary_text, verdict_line

    code = exit_code(report, job.gate)
    look, gate = look_of(), job.gate.describe(report)
    if flags.quiet and flags.format == "table":
        echo(verdict_line(report, look, exit_code=code, gate=gate))
    elif flags.format == "table":
        from llmeval.render.trials import blocks

        text = blocks(report, look)
        summary = summary_text(report, look, exit_code=code, gate=gate, path=_shown(path))
        echo(f"{text}\n\n{summary}" if text else summary)
    elif flags.format == "agent":
        from llmeval.render.agent import agent_text

        text = agent_text(report)
        echo(f"{text}\n\n{verdict_line(report, replace(look, color=False), exit_code=code, gate=gate)}".lstrip())
    else:
        echo(verdict_line(report, look_of(sys.stderr), exit_code=code, gate=gate), sys.stderr)
    return code


def _print_together(flags: Flags, jobs: Sequence[Job], reports: Sequence[Report]) -> None:
    if flags.format == "json":
        data = [report.to_dict() for report in reports]
        print_json(data if len({job.plan.evaluation.name for job in jobs}) > 1 or len(jobs) > 1 else data[0])


def _print_plan(jobs: Sequence[Job]) -> int:
    from llmeval.render.plan import Planned, plan_text

    planned = [
        Planned(
            evaluation=job.plan.evaluation.name,
            cases=len(job.plan.cases),
            repetitions=job.plan.repetitions,
            requests=job.plan.requests,
        )
        for job in jobs
    ]
    echo(plan_text(planned, look_of()))
    return Exit.PASSED


def _display(flags: Flags) -> AbstractContextManager[Callable[[Any], object] | None]:
    """Returns who shows the run while it goes on: nobody, a live table, or lines."""
    if flags.quiet:
        return nullcontext()
    if is_interactive() and not flags.plain:
        from llmeval.render.live import LiveTable

        return LiveTable()
    from llmeval.render.plain import PlainLines

    return nullcontext(PlainLines())


def _outputs(output: Path | None, jobs: Sequence[Job]) -> list[Path | None]:
    """Returns where each report is saved beside its own place.

    Raises:
        OptionError: there are several reports, and `output` is a file; or one, and it is a folder.
    """
    if output is None:
        return [None] * len(jobs)
    if len(jobs) == 1:
        return [output / f"{encoded(jobs[0].name)}.json" if output.is_dir() else output]
    if output.is_file() or output.suffix == ".json":
        raise OptionError(f"output is {str(output)!r}, but there are {len(jobs)} reports: give a folder")
    return [output / f"{encoded(job.name)}.json" for job in jobs]


def _discard_journal(run: Run, report: Report) -> None:
    """Removes the journal of a complete run, whose report says all that it did."""
    if run.journal is not None and not report.interrupted and not report.not_run:
        run.journal.path.unlink(missing_ok=True)


def _shown(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
