"""A whole report as text: what it is, its trials, those that did not pass, and its figures."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

from llmeval.jsonable import Json
from llmeval.render import figures
from llmeval.render.rows import Layout
from llmeval.render.style import PLAIN, Look
from llmeval.render.summary import summary_text
from llmeval.render.text import excerpt, one_line
from llmeval.render.trials import FIRST, blocks
from llmeval.report import Report
from llmeval.summary import Summary
from llmeval.trials import Trial

__all__ = ["criteria_of", "report_text", "slices", "slices_data"]

ROWS: Final = 50
"""Trials that the table has, unless all are asked for."""


def report_text(report: Report, look: Look = PLAIN, *, every: bool = False, by: str | None = None) -> str:
    """Returns the report; `every` trial, or the first ones; `by` a dotted path, also the figures of each slice."""
    parts = [_head(report, look), _table(report, look, len(report) if every else ROWS)]
    failing = blocks(report, look, len(report) if every else FIRST)
    if failing:
        parts.append(failing)
    if by is not None:
        parts.append("\n".join(_slices(report, by, look)))
    parts.append(summary_text(report, look))
    return "\n\n".join(parts)


def criteria_of(report: Report) -> tuple[str, ...]:
    """Returns the criteria's names in the order of the report's definitions, or else of its trials."""
    declared = report.definitions.get("criteria")
    names = [one.get("name") for one in declared or () if isinstance(one, Mapping)]
    return tuple(dict.fromkeys([*(name for name in names if isinstance(name, str)), *report.summary.criteria]))


def slices(report: Report, path: str) -> dict[str, Summary]:
    """Returns a summary for each value at a dotted `path` of the trials' case, such as `metadata.category`.

    A list counts for each of its items; a case without that path is under `(none)`.
    """
    found: dict[str, Summary] = {}
    for trial in report:
        for value in _values(trial, path):
            found.setdefault(value, Summary()).add(trial)
    return dict(sorted(found.items()))


def slices_data(report: Report, path: str) -> list[dict[str, Any]]:
    """Returns the slices as plain JSON."""
    return [
        {"value": value, "passed": one.passed, "ran": one.ran, "pass_rate": one.pass_rate}
        for value, one in slices(report, path).items()
    ]


def _head(report: Report, look: Look) -> str:
    parts = [figures.moment(report.started_at), figures.commit(report.environment)]
    parts += [f"{one_line(key)}={one_line(excerpt(value, 60))}" for key, value in report.params.items()]
    title = look.paint(f"{one_line(report.name)} {one_line(report.id)}", "bold")
    return look.words(f"{title}  {' · '.join(part for part in parts if part)}")


def _table(report: Report, look: Look, rows: int) -> str:
    layout = Layout.of(look, criteria_of(report))
    lines = [layout.head(), *map(layout.finished, islice(report, rows))]
    text = ["".join(look.paint(cell.text, cell.style) for cell in line).rstrip() for line in lines]
    if len(report) > rows:
        text.append(f"and {figures.plural(len(report) - rows, 'more trial', 'more trials')}")
    return "\n".join(text)


def _slices(report: Report, path: str, look: Look) -> list[str]:
    rows = [[one_line(path), "passed", "rate", "95% interval"]]
    for value, one in slices(report, path).items():
        found = figures.interval(figures.interval_of(one))
        rows.append([one_line(value), figures.counts(one), figures.rate(one), found])
    return look.columns(rows, right=frozenset({1, 2, 3}))


def _values(trial: Trial, path: str) -> list[str]:
    data: Json = {"inputs": trial.case.inputs, "metadata": trial.case.metadata, "params": trial.params}
    for key in path.split("."):
        if not isinstance(data, Mapping) or key not in data:
            return ["(none)"]
        data = data[key]
    items = data if isinstance(data, list) else [data]
    return [item if isinstance(item, str) else figures.as_json(item) for item in items] or ["(none)"]
