"""How a run went, in a few lines; the last one agrees with the exit code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from os import PathLike, fspath
from typing import Final

from llmeval.gates import Gate
from llmeval.gates import exit_code as _exit
from llmeval.render import figures
from llmeval.render.style import PLAIN, Look
from llmeval.render.text import one_line
from llmeval.report import Report
from llmeval.results import Status
from llmeval.stats import percent
from llmeval.summary import CriterionSummary, Summary

__all__ = ["OUTCOMES", "criteria_rows", "outcome", "summary_text", "usage_lines", "verdict_figures", "verdict_line"]

OUTCOMES: Final = {
    0: ("passed", Status.PASSED),
    1: ("failed", Status.FAILED),
    2: ("not comparable", Status.ERROR),
    3: ("incomplete", Status.ERROR),
    130: ("interrupted", Status.ERROR),
}
"""The word for each exit code, and whose colour it has."""
NAMES: Final = 5
"""Names of cases that a line lists at most."""


def summary_text(
    report: Report,
    look: Look = PLAIN,
    *,
    exit_code: int | None = None,
    gate: str = "",
    path: str | PathLike[str] | None = None,
) -> str:
    """Returns the summary of a run that ends with `exit_code`, saved at `path`; `gate` words what it was held to."""
    counted = report.summary
    lines = [
        *_criteria(counted, look),
        *_consistency(counted, look),
        *_noise(report),
        *_not_run(report),
        *(f"note: {one_line(note)}" for note in report.notes),
        *usage_lines(counted),
    ]
    if counted.masked:
        lines.append(f"{figures.plural(counted.masked, 'secret')} masked")
    if path is not None:
        lines.append(f"report  {one_line(fspath(path))}")
    lines.append(verdict_line(report, look, exit_code=exit_code, gate=gate))
    return "\n".join(map(look.words, lines))


def outcome(report: Report, exit_code: int | None = None) -> tuple[str, Status]:
    """Returns the word for how a run ended, and whose colour it has."""
    return OUTCOMES.get(_exit(report, Gate()) if exit_code is None else exit_code, OUTCOMES[1])


def verdict_line(report: Report, look: Look = PLAIN, *, exit_code: int | None = None, gate: str = "") -> str:
    """Returns one line: the outcome, counts, pass rate with its interval, and time."""
    word, status = outcome(report, exit_code)
    figured = look.words(verdict_figures(report, gate=gate))
    return f"{look.paint(word, status.value)}  {one_line(report.name)}: {figured}"


def verdict_figures(report: Report, *, gate: str = "") -> str:
    """Returns counts, pass rate with its interval, and time."""
    counted = report.summary
    parts = [figures.counts(counted) if counted.ran else "no trial ran"]
    if report.not_run:
        parts[0] += f", {len(report.not_run):,} not run"
    found = figures.interval(figures.interval_of(counted))
    if found:
        parts.append(f"{figures.rate(counted)} (95% interval {found})")
    if gate:
        parts.append(gate)
    return " · ".join([*parts, figures.seconds(report.duration)])


def _criteria(counted: Summary, look: Look) -> list[str]:
    """A table of several criteria, unless all passed."""
    if len(counted.criteria) < 2 or all(set(+one.statuses) == {Status.PASSED} for one in counted.criteria.values()):
        return []
    table = criteria_rows(counted)
    return look.columns(table, right=frozenset(range(1, len(table[0]))))


def criteria_rows(counted: Summary) -> list[list[str]]:
    """Returns a row of figures per criterion below their head; columns in which nothing would stand are left out."""
    head = ["criterion", "rate", "passed", "failed", "unassessed", "measured", "error", "not applicable", "mean"]
    rows = [_criterion(name, one) for name, one in counted.criteria.items()]
    kept = [i for i in range(len(head)) if i < 3 or any(row[i] for row in rows)]
    return [[row[i] for i in kept] for row in (head, *rows)]


def _criterion(name: str, one: CriterionSummary) -> list[str]:
    passed = one.statuses[Status.PASSED]
    rate = f"{percent(passed, one.decided)} of {one.decided:,}" if one.decided else "n/a"
    numbers = [passed, *(one.statuses[status] for status in (Status.FAILED, Status.UNASSESSED, Status.MEASURED))]
    numbers += [one.statuses[Status.ERROR], one.not_applicable]
    return [one_line(name), rate, *(f"{number:,}" if number else "" for number in numbers), figures.mean(one)]


def _consistency(counted: Summary, look: Look) -> list[str]:
    if not figures.repeated(counted):
        return []
    always, sometimes, never = counted.consistency
    lines = [
        f"over repetitions: {figures.plural(len(always), 'case')} always passed, "
        f"{len(sometimes):,} sometimes, {len(never):,} never"
    ]
    for word, names in (("sometimes", sometimes), ("never", never)):
        if names:
            shown = [f"{name} ({counted.cases[name][0]} of {counted.cases[name][1]})" for name in names[:NAMES]]
            lines.append(f"  {word}: {_listed(shown, len(names))}")
    return lines


def _noise(report: Report) -> list[str]:
    if not report.summary.noise:
        return []
    from llmeval.render.noise import noise_lines  # a plain run measures none

    return noise_lines(report.noise)


def _listed(shown: Sequence[str], number: int) -> str:
    more = f" and {number - len(shown):,} more" if number > len(shown) else ""
    return ", ".join(map(one_line, shown)) + more


def _not_run(report: Report) -> list[str]:
    reasons = Counter(reason for _, _, reason in report.not_run)
    return [f"not run: {figures.plural(count, 'trial')}, {one_line(why)}" for why, count in reasons.most_common(NAMES)]


def usage_lines(counted: Summary) -> list[str]:
    """Tokens and costs of the application and of the evaluators, where requests were seen."""
    parts = [("application", counted.task_usage), ("evaluator", counted.evaluator_usage)]
    known = [(name, usage) for name, usage in parts if usage.requests]
    if len(known) == 2:
        known.append(("together", counted.usage))
    lines = []
    for name, usage in known:
        words = [figures.plural(usage.requests, "request"), figures.tokens(usage.tokens) or "tokens unknown"]
        words.append(f"cost {figures.cost(usage)}")
        lines.append(f"{name + ':':<12} {' · '.join(words)}")
    return lines
