"""Trials that did not pass, for a coding agent: short blocks of `key: value` lines that say all there is to act on."""

from __future__ import annotations

from typing import Final

from llmeval.render.figures import plural
from llmeval.render.findings import again, findings, not_passed
from llmeval.render.text import clean, excerpt, one_line, shorten
from llmeval.report import Report
from llmeval.trials import Trial

__all__ = ["agent_text"]

FIRST: Final = 50
REASON: Final = 400
OUTPUT: Final = 300


def agent_text(report: Report, first: int = FIRST) -> str:
    """Returns a block for each trial that did not pass, and nothing when all passed."""
    shown = [_block(report, trial) for trial in not_passed(report, first)]
    rest = report.summary.ran - report.summary.passed - len(shown)
    if rest:
        more = plural(rest, "more trial", "more trials")
        shown.append(f"{more} did not pass: see the report {one_line(report.name)}@{one_line(report.id)}")
    return "\n\n".join(shown)


def _block(report: Report, trial: Trial) -> str:
    repetition = f" #{trial.repetition}" if trial.repetition > 1 else ""
    lines = [f"case: {one_line(trial.case.name)}{repetition}", f"status: {trial.status.value}"]
    for finding in findings(trial):
        lines.append(f"criterion: {one_line(finding.name)}")
        lines.append(f"  verdict: {one_line(finding.verdict)}")
        if finding.reason:
            lines.append(f"  reason: {_inline(shorten(finding.reason.strip(), REASON))}")
    lines.append(f"input: {_inline(excerpt(trial.case.inputs, OUTPUT))}")
    if trial.case.has_expected_output:
        lines.append(f"expected: {_inline(excerpt(trial.case.expected_output, OUTPUT))}")
    if trial.error is None:
        lines.append(f"output: {_inline(excerpt(trial.output, OUTPUT))}")
    lines.append(f"again: {again(report, trial)}")
    return "\n".join(lines)


def _inline(text: str) -> str:
    """Returns `text` with its later lines indented, so that none of them looks like a line of ours."""
    return clean(text).replace("\n", "\n    ")
