"""A report's page: its figures as HTML, its trials as data that the page's script lists."""

from __future__ import annotations

from collections.abc import Iterable

from llmeval.render import figures
from llmeval.render.html.charts import charts
from llmeval.render.html.data import trial_data
from llmeval.render.html.shell import element, script_json, shell
from llmeval.render.show import criteria_of
from llmeval.render.summary import criteria_rows, outcome, usage_lines
from llmeval.render.text import excerpt
from llmeval.report import Report
from llmeval.results import Status

__all__ = ["report_page"]


def report_page(report: Report) -> str:
    """Returns one self-contained page: figures, charts, and every trial with search and filters."""
    data = {
        "statuses": [status.value for status in Status],
        "criteria": list(criteria_of(report)),
        "trials": [trial_data(report, trial) for trial in report],
    }
    title = f"{report.name} {report.id}"
    return shell(title, _main(report), script_json(data), "report.js")


def _main(report: Report) -> str:
    parts = [_header(report), charts(report), _criteria(report), _notes(report), _LIST]
    return f"<main>{''.join(parts)}</main>"


def _header(report: Report) -> str:
    word, status = outcome(report)
    found = figures.interval(figures.interval_of(report.summary))
    rate = f"{figures.rate(report.summary)} (95% interval {found})" if found else ""
    facts = [
        ("Trials", figures.counts(report.summary)),
        ("Pass rate", rate),
        ("Not run", f"{len(report.not_run):,}" if report.not_run else ""),
        ("Started", figures.moment(report.started_at)),
        ("Time", figures.seconds(report.duration)),
        ("Commit", figures.commit(report.environment)),
        *((line.partition(":")[0].capitalize(), line.partition(":")[2]) for line in usage_lines(report.summary)),
        *((f"Parameter {key}", excerpt(value, 200)) for key, value in report.params.items()),
        ("Secrets masked", f"{report.summary.masked:,}" if report.summary.masked else ""),
    ]
    return (
        f"<header>{element('p', word, class_=f'outcome {status}')}{element('h1', report.name)}"
        f"{element('p', report.id, class_='id')}</header><dl class=facts>{_pairs(facts)}</dl>"
    )


def _pairs(facts: Iterable[tuple[str, str]]) -> str:
    return "".join(f"<div>{element('dt', name)}{element('dd', text)}</div>" for name, text in facts if text)


def _criteria(report: Report) -> str:
    head, *rows = criteria_rows(report.summary)
    if not rows:
        return ""
    titles = "".join(element("th", title, scope="col") for title in head)
    lines = "".join(
        f"<tr>{element('th', row[0], scope='row')}{''.join(element('td', cell) for cell in row[1:])}</tr>"
        for row in rows
    )
    table = f"<table><thead><tr>{titles}</tr></thead><tbody>{lines}</tbody></table>"
    return f"<h2>Criteria</h2><div class=scroll>{table}</div>"


def _notes(report: Report) -> str:
    lines = [*report.notes, *dict.fromkeys(f"not run: {reason}" for _, _, reason in report.not_run)]
    return f"<ul class=notes>{''.join(element('li', line) for line in lines)}</ul>" if lines else ""


_LIST = """
<h2 id="list" tabindex="-1">Trials</h2>
<form id="filters" role="search" aria-label="Filter the trials">
<label class="wide">Search <input type="search" id="text" placeholder="names, inputs, outputs, reasons  ( / )"></label>
<fieldset id="status"><legend>Status</legend></fieldset>
<label>Criterion <select id="criterion"></select></label>
<label>Outcome <select id="outcome"></select></label>
<label>Metadata <select id="key"></select></label>
<label>Value <select id="value"></select></label>
<label>Order <select id="order"></select></label>
</form>
<p id="count" role="status" aria-live="polite"></p>
<ol id="trials"></ol>
<button id="more" type="button" hidden>Show more</button>
"""
