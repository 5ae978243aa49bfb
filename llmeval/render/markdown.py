"""A report as Markdown that fits a pull request's comment."""

from __future__ import annotations

import re
from html import escape
from typing import Final

from llmeval.render import figures
from llmeval.render.diff_markdown import inert
from llmeval.render.findings import again, findings, not_passed
from llmeval.render.summary import criteria_rows, outcome, usage_lines, verdict_figures
from llmeval.render.text import excerpt, one_line, shorten
from llmeval.report import Report
from llmeval.trials import Trial

__all__ = ["fenced", "markdown_text"]

LIMIT: Final = 60_000
"""Characters; GitHub takes 65,536 in a comment."""
REASON: Final = 1_500
OUTPUT: Final = 1_500


def markdown_text(report: Report, limit: int = LIMIT) -> str:
    """Returns the report in at most `limit` characters: its figures, then the trials that did not pass, folded."""
    title = f"### {inert(report.name)}: {outcome(report)[0]}"
    parts = [title, verdict_figures(report), _criteria(report), _usage(report), _notes(report)]
    text = "\n\n".join(part for part in parts if part) + "\n"
    shown = 0
    failing = report.summary.ran - report.summary.passed
    for trial in not_passed(report, failing):
        block = f"\n{_details(report, trial)}\n"
        if len(text) + len(block) > limit - 100:
            break
        text += block
        shown += 1
    if shown < failing:
        text += f"\n{figures.plural(failing - shown, 'more trial', 'more trials')} did not pass.\n"
    return text


def fenced(text: str) -> str:
    """Returns `text` as a block of code, in a fence longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _criteria(report: Report) -> str:
    head, *rows = criteria_rows(report.summary)
    lines = [[inert(row[0]).replace("|", "\\|"), *(cell or " " for cell in row[1:])] for row in rows]
    table = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in table) if rows else ""


def _usage(report: Report) -> str:
    return "\n".join(f"- {inert(line)}" for line in usage_lines(report.summary))


def _notes(report: Report) -> str:
    reasons = dict.fromkeys(f"not run: {reason}" for _, _, reason in report.not_run)
    return "\n".join(f"- {inert(shorten(line, 300))}" for line in [*report.notes[:20], *list(reasons)[:20]])


def _details(report: Report, trial: Trial) -> str:
    repetition = f" (repetition {trial.repetition})" if trial.repetition > 1 else ""
    name = f"<code>{escape(one_line(shorten(trial.case.name, 200)))}</code>"  # in HTML, so no code span
    lines = [f"<details><summary>{trial.status.value}: {name}{repetition}</summary>", ""]
    for finding in findings(trial):
        lines.append(f"{inert(shorten(finding.name, 200))}: {inert(shorten(finding.verdict, 200))}")
        if finding.reason:
            lines += ["", fenced(shorten(finding.reason.strip(), REASON))]
        lines.append("")
    if trial.error is None:
        lines += ["output", "", fenced(excerpt(trial.output, OUTPUT)), ""]
    return "\n".join([*lines, fenced(again(report, trial)).replace("text\n", "sh\n", 1), "", "</details>"])
