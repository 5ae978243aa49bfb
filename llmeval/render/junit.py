"""A report as JUnit XML, for the test pages of CI services."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from llmeval.render.findings import Finding, again, findings
from llmeval.render.text import clean, excerpt, one_line, shorten
from llmeval.report import Report
from llmeval.results import Status
from llmeval.trials import NotRun, Trial

__all__ = ["junit_text"]

REASON: Final = 4_000
OUTPUT: Final = 4_000
_FORBIDDEN: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_text(report: Report) -> str:
    """Returns one suite with a test case per trial: failures for what failed, was unassessed or only measured, errors
    for errors, and what was not run as skipped."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    counted = report.summary
    errors = counted.counts[Status.ERROR]
    totals = (
        f'tests="{counted.ran + len(report.not_run)}" failures="{counted.ran - counted.passed - errors}" '
        f'errors="{errors}" '
    )
    time = f'time="{report.duration:.3f}"'
    suite = (
        f'<testsuite name={_attribute(report.name)} package="llmeval" id="0" {totals}'
        f'skipped="{len(report.not_run)}" {time} timestamp="{report.started_at:%Y-%m-%dT%H:%M:%S}"'
        ' hostname="localhost">'
    )
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield "<testsuites>"
    yield suite
    yield f"<properties><property name={_attribute('report')} value={_attribute(report.id)}/></properties>"
    for trial in report:
        yield from _case(report, trial)
    for missing in report.not_run:
        yield from _missing(report, missing)
    yield "<system-out/>"
    yield "<system-err/>"
    yield "</testsuite>"
    yield "</testsuites>"


def _case(report: Report, trial: Trial) -> Iterator[str]:
    name = _name(trial.case.name, trial.repetition)
    opening = f'<testcase name={name} classname={_attribute(report.name)} time="{trial.duration:.3f}"'
    if trial.passed:
        yield f"{opening}/>"
        return
    found = findings(trial)
    element = "error" if trial.status is Status.ERROR else "failure"
    first = next(one for one in found if one.status is trial.status)
    yield f"{opening}>"
    yield (
        f"<{element} message={_attribute(_message(first))} type={_attribute(trial.status.value)}>"
        f"{_text(_body(report, trial, found))}</{element}>"
    )
    yield "</testcase>"


def _missing(report: Report, missing: NotRun) -> Iterator[str]:
    name = _name(missing.case, missing.repetition)
    yield f'<testcase name={name} classname={_attribute(report.name)} time="0">'
    yield f"<skipped message={_attribute(missing.reason)}/>"
    yield "</testcase>"


def _message(finding: Finding) -> str:
    return f"{finding.name}: {finding.verdict}" + (f" - {shorten(finding.reason, 300)}" if finding.reason else "")


def _body(report: Report, trial: Trial, found: list[Finding]) -> str:
    lines = [f"{one.name}: {one.verdict}\n{shorten(one.reason.strip(), REASON)}".rstrip() for one in found]
    if trial.error is None:
        lines.append(f"output: {excerpt(trial.output, OUTPUT)}")
    elif trial.error.traceback:
        lines.append(trial.error.traceback[-REASON:])
    return "\n\n".join([*lines, f"again: {again(report, trial)}"])


def _name(case: str, repetition: int) -> str:
    return _attribute(f"{case} #{repetition}" if repetition > 1 else case)


def _attribute(text: str) -> str:
    return quoteattr(_allowed(one_line(text)))


def _text(text: str) -> str:
    return escape(_allowed(clean(text)))


def _allowed(text: str) -> str:
    """XML cannot hold every character, not even escaped."""
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
