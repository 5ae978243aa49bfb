"""Reports and trials as HTML for a notebook: a fragment that asks for nothing, in colours for dark and for light."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice
from typing import Final

from llmeval.render import figures
from llmeval.render.findings import not_passed
from llmeval.render.style import marks
from llmeval.render.summary import outcome, verdict_figures
from llmeval.render.text import one_line
from llmeval.render.trial_text import trial_text
from llmeval.report import Report
from llmeval.results import Result, Status
from llmeval.trials import Trial

__all__ = ["report_html", "trial_html"]

ROWS: Final = 50
"""Trials in the table; of the rest only their number."""
FIRST: Final = 20
"""Trials that did not pass which can be unfolded."""
REASON: Final = 300

_COLOURS: Final = {
    Status.PASSED: "#2e9e5b",
    Status.MEASURED: "#2a8ca0",
    Status.UNASSESSED: "#b8860b",
    Status.FAILED: "#d64545",
    Status.ERROR: "#a855b5",
}
"""Of a middle lightness, since a notebook does not say whether it is dark."""
_MARKS: Final = marks(True)
_CELL: Final = "text-align:left;padding:1px 10px 1px 0;white-space:nowrap"


def report_html(report: Report) -> str:
    """Returns the verdict, a table of the first trials, and those that did not pass, folded."""
    word, status = outcome(report)
    head = f"{_coloured(word, status, bold=True)} {_text(report.name)}: {_text(verdict_figures(report))}"
    notes = "".join(f"<div>note: {_text(note)}</div>" for note in report.notes)
    folded = "".join(_folded(trial) for trial in not_passed(report, FIRST))
    failing = report.summary.ran - report.summary.passed
    more = (
        f"<div>and {figures.plural(failing - FIRST, 'more trial')} that did not pass</div>" if failing > FIRST else ""
    )
    return f"<div><div>{head}</div>{notes}{_table(report)}{folded}{more}</div>"


def trial_html(trial: Trial) -> str:
    """Returns all that is to be known of one trial."""
    usage = trial.usage
    known = [figures.seconds(trial.duration), figures.tokens(usage.tokens), figures.cost(usage)]
    head = [_coloured(trial.status.value, trial.status, bold=True), *(_text(part) for part in known if part)]
    return f"<div><div>{' · '.join(head)}</div>{_pre(trial)}</div>"


def _table(report: Report) -> str:
    criteria = list(report.summary.criteria)
    trials = list(islice(report, ROWS))
    repeated = figures.repeated(report.summary)
    titles = [
        "case",
        *(["repetition"] if repeated else []),
        "status",
        *criteria,
        "assertions",
        "time",
        "tokens",
        "cost",
    ]
    rows = [_row((_text(title) for title in titles), "th")]
    rows += [_row(_cells(trial, criteria, repeated), "td") for trial in trials]
    rest = report.summary.ran - len(trials)
    more = f"<div>and {figures.plural(rest, 'more trial')}</div>" if rest else ""
    return f'<table style="border-collapse:collapse">{"".join(rows)}</table>{more}'


def _cells(trial: Trial, criteria: Sequence[str], repeated: bool) -> list[str]:
    results = {result.name: result for result in trial.evaluations}
    tokens, cost = trial.tokens, trial.cost
    return [
        _text(trial.case.name),
        *([str(trial.repetition)] if repeated else []),
        _coloured(trial.status.value, trial.status),
        *(_result(results.get(name)) for name in criteria),
        str(trial.assertion_count or ""),
        figures.seconds(trial.duration),
        "" if tokens is None else figures.amount(tokens.input + tokens.output),
        "" if cost is None else figures.money(cost),
    ]


def _result(result: Result | None) -> str:
    if result is None:
        return ""
    reason = one_line(result.error.message if result.error else result.reason or "")[:REASON]
    shown = _coloured(f"{_MARKS[result.status]} {one_line(figures.verdict(result))}", result.status)
    return f'<span title="{escape(reason)}">{shown}</span>' if reason else shown


def _folded(trial: Trial) -> str:
    repetition = f" #{trial.repetition}" if trial.repetition > 1 else ""
    head = f"{_coloured(trial.status.value, trial.status)} {_text(trial.case.name)}{repetition}"
    return f"<details><summary>{head}</summary>{_pre(trial)}</details>"


def _pre(trial: Trial) -> str:
    return f'<pre style="white-space:pre-wrap;margin:4px 0 8px 0">{escape(trial_text(trial))}</pre>'


def _row(cells: Iterable[str], name: str) -> str:
    return f"<tr>{''.join(f'<{name} style={_CELL!r}>{cell}</{name}>' for cell in cells)}</tr>"


def _coloured(text: str, status: Status, *, bold: bool = False) -> str:
    weight = ";font-weight:bold" if bold else ""
    return f'<span style="color:{_COLOURS[status]}{weight}">{escape(text)}</span>'


def _text(text: str) -> str:
    return escape(one_line(text))
