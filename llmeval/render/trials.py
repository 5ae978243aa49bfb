"""Trials that did not pass, a block each."""

from __future__ import annotations

from typing import Final

from llmeval.render.figures import plural
from llmeval.render.findings import Finding, again, findings, not_passed
from llmeval.render.style import PLAIN, Look
from llmeval.render.text import excerpt, one_line, shorten, wrap
from llmeval.report import Report
from llmeval.trials import Trial

__all__ = ["FIRST", "block", "blocks"]

FIRST: Final = 20
"""Blocks that are shown; of the rest only their number."""
REASON: Final = 600
OUTPUT: Final = 400
LINES: Final = 8
"""Lines of a text at most."""


def blocks(report: Report, look: Look = PLAIN, first: int = FIRST) -> str:
    """Returns a block for each of the first trials that did not pass, and how many more there are."""
    shown = [block(report, trial, look) for trial in not_passed(report, first)]
    rest = report.summary.ran - report.summary.passed - len(shown)
    if rest:
        more = plural(rest, "more trial", "more trials")
        shown.append(look.paint(f"and {more} that did not pass", "dim"))
    return "\n\n".join(shown)


def block(report: Report, trial: Trial, look: Look = PLAIN) -> str:
    """Returns what is to be known of one trial: why it did not pass, what it gave, and how to run it again."""
    repetition = f" #{trial.repetition}" if trial.repetition > 1 else ""
    status = look.paint(trial.status.value, trial.status.value)
    lines = [f"{look.mark(trial.status)} {look.paint(one_line(trial.case.name), 'bold')}{repetition}  {status}"]
    for finding in findings(trial):
        lines += _finding(finding, look)
    if trial.error is None:
        lines += _paragraph("output", excerpt(trial.output, OUTPUT) or "(empty)", look)
    lines.append(f"  {look.paint('again', 'dim')}  {again(report, trial)}")
    return "\n".join(lines)


def _finding(finding: Finding, look: Look) -> list[str]:
    label = f"{one_line(finding.name)}: {finding.verdict}"
    if not finding.reason:
        return [f"  {look.paint(label, finding.status.value)}"]
    return _paragraph(label, shorten(finding.reason.strip(), REASON), look, finding.status.value)


def _paragraph(label: str, text: str, look: Look, style: str = "dim") -> list[str]:
    """Returns `label` and `text`: on one line where they fit, else the text below, indented."""
    lines = wrap(look.words(text) if not look.unicode else text, max(look.width - 4, 16))
    first = look.paint(label, style)
    if len(lines) == 1 and len(label) + len(lines[0]) + 4 <= look.width:
        return [f"  {first}  {lines[0]}"]
    more = [look.words("…")] if len(lines) > LINES else []
    return [f"  {first}", *(f"    {line}".rstrip() for line in [*lines[:LINES], *more])]
