"""What `llmeval run --baseline` compares with, and what `--fail-on` makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from llmeval.archive import Archive, encoded
from llmeval.cli.flags import Flags
from llmeval.cli.jobs import Job
from llmeval.errors import OptionError, ReportFileError
from llmeval.gates import Exit
from llmeval.report import Report, load_report

if TYPE_CHECKING:
    from llmeval.diff import Diff

__all__ = ["baselines_of", "check_fail_on", "diff_exit", "diff_gate"]


def baselines_of(flags: Flags, jobs: Sequence[Job], archive: Archive) -> list[Report | None]:
    """Returns each job's baseline, loaded before anything runs: what it was, even if the run saves in its place.

    Raises:
        OptionError, ReportFileError: there is none, or one for several evaluations.
    """
    check_fail_on(flags.fail_on)
    if flags.baseline is None:
        if flags.fail_on is not None:
            raise OptionError("--fail-on needs --baseline REPORT to compare with")
        return [None] * len(jobs)
    folder = Path(flags.baseline)
    if folder.is_dir():
        return [load_report(_in_folder(folder, job)) for job in jobs]
    names = sorted({job.evaluation for job in jobs})
    if len(names) > 1:
        raise OptionError(
            f"--baseline {flags.baseline} is one report, but {len(names)} evaluations run: name one, or give a folder "
            "as --output wrote it"
        )
    found = load_report(archive.find(flags.baseline))
    return [found] * len(jobs)


def check_fail_on(fail_on: str | None) -> None:
    """Refuses a gate that there is not.

    Raises:
        OptionError: it says which there are.
    """
    if fail_on not in (None, "any", "regression"):
        raise OptionError(f"--fail-on is {fail_on!r}: give any or regression")


def diff_exit(diff: Diff, fail_on: str | None) -> Exit:
    """Returns the exit code that a diff earns."""
    if fail_on is None:
        return Exit.PASSED
    if diff.fails("any" if fail_on == "any" else "regression"):
        return Exit.FAILED
    return Exit.PASSED if diff.cases else Exit.CONFIGURATION


def diff_gate(diff: Diff, fail_on: str) -> str:
    """Returns what was asked of a diff and what it is, in words."""
    found = diff_exit(diff, fail_on)
    if found is Exit.CONFIGURATION:
        return f"nothing is comparable with the baseline {diff.a.id}"
    worse, not_worse = ("a case", "no case") if fail_on == "any" else ("the whole", "no evidence that the whole")
    return f"{worse if found else not_worse} got worse than in {diff.a.id}"


def _in_folder(folder: Path, job: Job) -> Path:
    candidates = [folder / f"{encoded(name)}.json" for name in dict.fromkeys((job.name, job.evaluation))]
    for path in candidates:
        if path.is_file():
            return path
    raise ReportFileError(f"--baseline {folder} has no report of {job.evaluation}: looked for {candidates[-1]}")
