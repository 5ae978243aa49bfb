"""Trials and reports for the tests of what is rendered."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from llmeval.cases import OMITTED, Case
from llmeval.report import Report
from llmeval.results import ErrorInfo, Result
from llmeval.trials import Trial
from llmeval.usage import Tokens, Usage

START = datetime(2026, 3, 4, 9, 30, tzinfo=UTC)
PRICED = Usage(requests=1, tokens=Tokens(input=1200, output=34, cached=800), priced=0.0012)
UNPRICED = Usage(requests=1, tokens=Tokens(input=500, output=50), unpriced=("my-model",))

MARKUP = [
    "[/INST] done [/]",
    "[/var/log/app.log]",
    "[red]should stay visible[/red]",
    "[link=https://evil.example.test]click[/link]",
    "[blink]name[/blink]",
    "a[0] + b[1:] and x[i]",
    "see :smile: and :warning: and 10:30:45",
    "\\[bold] C:\\new\\[x]",
    "<script>alert(1)</script><!-- </script>",
]
"""Texts that mean something to Rich, to HTML, or to a shell."""


def trial(name: str = "unopened_return", passed: bool = True, **fields: Any) -> Trial:
    """A trial graded by two criteria; the second decides."""
    reason = "It matches." if passed else "It promises a refund within 3 days."
    fields.setdefault(
        "evaluations",
        (
            Result(name="correctness", value=True, reason="It agrees."),
            Result(name="concise", value=passed, reason=reason),
        ),
    )
    case = Case(
        name,
        fields.pop("inputs", "Can I return it?"),
        fields.pop("expected", OMITTED),
        fields.pop("metadata", {}),
    )
    fields.setdefault("output", "Yes, within 30 days.")
    fields.setdefault("duration", 0.8)
    return Trial(case=case, **fields)


def verdicts(values: Iterable[bool | str | None]) -> list[Trial]:
    """A trial per verdict of one criterion: true, false, none for unknown, or a text for an evaluator's error."""
    found = []
    for number, value in enumerate(values):
        result = (
            Result(name="correctness", error=ErrorInfo(type="EvaluatorError", message=value))
            if isinstance(value, str)
            else Result(name="correctness", value=value)
        )
        found.append(trial(f"case-{number}", evaluations=(result,)))
    return found


def report(trials: Iterable[Trial], **fields: Any) -> Report:
    """A report of a run of 12.3 seconds."""
    fields = {"id": "r1", "name": "support", **fields}
    return Report(started_at=START, finished_at=START + timedelta(seconds=12.3), trials=tuple(trials), **fields)
