"""What `llmeval run` prints about its reports, and the exit code that it ends with."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from llmeval.cli.flags import Flags
from llmeval.cli.formats import print_files, say
from llmeval.cli.jobs import Job
from llmeval.gates import Exit, exit_code
from llmeval.render.console import look_of
from llmeval.report import Report

if TYPE_CHECKING:
    from llmeval.diff import Comparison, Diff

__all__ = ["Outcomes", "worst"]


class Outcomes:
    """Takes the finished reports of a command one by one, prints each, and concludes."""

    def __init__(self, flags: Flags, jobs: Sequence[Job], baselines: Sequence[Report | None]) -> None:
        self.reports: list[Report] = []
        self._flags = flags
        self._jobs = jobs
        self._baselines = baselines
        self._codes: list[Exit] = []
        self._talk = sys.stderr if flags.format == "json" else sys.stdout

    def add(self, job: Job, report: Report, path: Path) -> None:
        """Prints what a report says; a diff with its baseline stands before the verdict."""
        diff = self._diff(job, self._baselines[len(self.reports)])
        code, gate = self._judged(job, report, diff)
        self.reports.append(report)
        self._codes.append(code)
        self._print(report, diff, path, code, gate)
        write_step_summary(report, diff)

    def conclude(self) -> Exit:
        """Prints what all reports say together, and returns the exit code."""
        jobs = self._jobs[: len(self.reports)]
        if self._flags.format == "json":
            print_files([job.path for job in jobs], several=len(self._jobs) > 1)
        code = worst(self._codes)
        if len(jobs) > 1:
            self._print_total(code)
        for _, group in groupby(zip(jobs, self._baselines, strict=False), key=lambda pair: pair[0].evaluation):
            self._print_variants([*group])
        return code

    def _diff(self, job: Job, baseline: Report | None) -> Diff | None:
        if baseline is None:
            return None
        from llmeval.diff import compare

        return compare(baseline, job.path, self._flags.allow_changed and self._flags.resume is None)

    def _judged(self, job: Job, report: Report, diff: Diff | None) -> tuple[Exit, str]:
        """Returns the exit code of one report, and the words for what it was held to.

        With `--fail-on` the diff is what counts, and what else was asked for; a run that is not complete never passes.
        """
        code, gate, fail_on = exit_code(report, job.gate), job.gate.describe(report), self._flags.fail_on
        if diff is None or fail_on is None:
            return code, gate
        from llmeval.cli.baselines import diff_exit, diff_gate

        words = ", ".join(filter(None, (gate, diff_gate(diff, fail_on))))
        if report.interrupted or report.not_run:
            return code, words
        return diff_exit(diff, fail_on) or (code if job.gate.given else Exit.PASSED), words

    def _print(self, report: Report, diff: Diff | None, path: Path, code: Exit, gate: str) -> None:
        from llmeval.render.summary import summary_text, verdict_line

        flags, look = self._flags, look_of(self._talk)
        if flags.format == "agent":
            self._print_blocks(report, diff)
            say(verdict_line(report, look_of(sys.stderr), exit_code=code, gate=gate), sys.stderr)
            return
        if flags.quiet or flags.format == "json":
            parts = [verdict_line(report, look, exit_code=code, gate=gate)]
        else:
            from llmeval.render.trials import blocks

            summary = summary_text(report, look, exit_code=code, gate=gate, path=_shown(path))
            parts = [blocks(report, look), summary]
        if diff is not None:
            parts.insert(-1, _diff_text(diff, self._talk, flags.quiet))
        say("\n\n".join(filter(None, parts)), self._talk)

    def _print_blocks(self, report: Report, diff: Diff | None) -> None:
        from llmeval.render.agent import agent_text
        from llmeval.render.diff_agent import diff_agent

        parts = [agent_text(report), "" if diff is None else diff_agent(diff)]
        if text := "\n\n".join(filter(None, parts)):
            say(text + "\n" if len(self._jobs) > 1 else text)

    def _print_total(self, code: Exit) -> None:
        """Prints one line that agrees with the exit code."""
        from llmeval.render.summary import OUTCOMES

        stream = sys.stdout if self._flags.format == "table" else sys.stderr
        look, (word, status) = look_of(stream), OUTCOMES[code]
        counted = Counter(OUTCOMES[one][0] for one in self._codes)
        left = len(self._jobs) - len(self._codes)
        words = [*(f"{count} {outcome}" for outcome, count in counted.items()), *([f"{left} not run"] if left else [])]
        say(look.words(f"{look.paint(word, status.value)}  {len(self._jobs)} runs: {', '.join(words)}"), stream)

    def _print_variants(self, pairs: Sequence[tuple[Job, Report | None]]) -> None:
        """Prints the table over the variants of one evaluation: beside the baseline, else beside the first of them."""
        baseline, paths = pairs[0][1], [job.path for job, _ in pairs]
        if len(paths) < 2:
            return
        from llmeval.diff import compare_many
        from llmeval.render.diff_text import comparison_text

        found: Comparison = compare_many(paths[0], paths[1:]) if baseline is None else compare_many(baseline, paths)
        stream = sys.stdout if self._flags.format == "table" else sys.stderr
        say("\n" + comparison_text(found, look_of(stream)), stream)


def worst(codes: Sequence[Exit]) -> Exit:
    """Returns the exit code of several reports: an interruption, else a failure, else what could not be told."""
    order = (Exit.INTERRUPTED, Exit.FAILED, Exit.CONFIGURATION, Exit.INCOMPLETE)
    return next((code for code in order if code in codes), Exit.PASSED)


def write_step_summary(report: Report, diff: Diff | None) -> None:
    """Adds the report, and the diff, to the page of a GitHub Actions step, where there is one."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    from llmeval.render.diff_markdown import diff_markdown
    from llmeval.render.markdown import markdown_text

    parts = [] if diff is None else [diff_markdown(diff)]
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write("\n".join([*parts, markdown_text(report)]) + "\n")
    except OSError as error:
        say(f"note: GITHUB_STEP_SUMMARY was not written: {error}", sys.stderr)


def _diff_text(diff: Diff, stream: object, quiet: bool) -> str:
    from llmeval.render.diff_figures import sentence
    from llmeval.render.diff_text import diff_text

    return sentence(diff) if quiet else diff_text(diff, look_of(stream), only_changed=True)  # type: ignore[arg-type]


def _shown(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
