"""A report as CSV: a row for each trial and criterion."""

from __future__ import annotations

from collections.abc import Iterator
from csv import writer
from io import StringIO
from typing import Any, Final

from llmeval.jsonable import Json, dumps
from llmeval.report import Report
from llmeval.results import Choice, Probability, Result, Score
from llmeval.trials import Trial

__all__ = ["COLUMNS", "csv_text"]

COLUMNS: Final = (
    "case",
    "repetition",
    "status",
    "criterion",
    "criterion_status",
    "value",
    "minimum",
    "reason",
    "model",
    "inputs",
    "expected_output",
    "output",
    "metadata",
    "params",
    "assertion_count",
    "assertion_failure",
    "error",
    "duration",
    "input_tokens",
    "output_tokens",
    "task_cost",
    "evaluator_cost",
)
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def csv_text(report: Report) -> str:
    """Returns the rows under `COLUMNS`, as RFC 4180 has them; a trial without criteria has one row.

    Data that is not text is JSON. A text that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    file = StringIO(newline="")
    rows = writer(file)
    rows.writerow(COLUMNS)
    rows.writerows(row for trial in report for row in _rows(trial))
    return file.getvalue()


def _rows(trial: Trial) -> Iterator[list[str]]:
    case, tokens = trial.case, trial.tokens
    start = [case.name, trial.repetition, trial.status.value]
    end = [
        case.inputs,
        case.expected_output if case.has_expected_output else "",
        trial.output if trial.output is not None else "",
        case.metadata or "",
        trial.params or "",
        trial.assertion_count,
        trial.assertion_failure or "",
        f"{trial.error.type}: {trial.error.message}" if trial.error else "",
        trial.duration,
        "" if tokens is None else tokens.input,
        "" if tokens is None else tokens.output,
        "" if trial.task_cost is None else trial.task_cost,
        "" if trial.evaluator_cost is None else trial.evaluator_cost,
    ]
    for middle in _criteria(trial):
        yield [_field(value) for value in (*start, *middle, *end)]


def _criteria(trial: Trial) -> list[list[Any]]:
    graded = [_graded(result) for result in trial.evaluations]
    graded += [[name, "not applicable", "", "", "", ""] for name in trial.not_applicable]
    return graded or [["", "", "", "", "", ""]]


def _graded(result: Result) -> list[Any]:
    reason = f"{result.error.type}: {result.error.message}" if result.error else result.reason or ""
    minimum = "" if result.minimum is None else result.minimum
    return [result.name, result.status.value, _value(result), minimum, reason, result.model or ""]


def _value(result: Result) -> Json:
    match result.value:
        case Probability(probability=number) | Score(score=number):
            return number
        case Choice(choice=choice):
            return choice
        case None:
            return ""
    return result.value


def _field(value: Json) -> str:
    text = value if isinstance(value, str) else dumps(value)
    text = text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")
    return f"'{text}" if isinstance(value, str) and text.startswith(_FORMULA) else text
