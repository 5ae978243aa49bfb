"""Why a trial did not pass, one finding at a time, for every view of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final

from llmeval.render import figures
from llmeval.render.text import shell_word
from llmeval.report import Report
from llmeval.results import ErrorInfo, Status
from llmeval.trials import Trial

__all__ = ["Finding", "again", "findings", "not_passed", "place"]

_FRAME: Final = re.compile(r'^  File "(?P<file>.+)", line (?P<line>\d+), in (?P<name>.+)$', re.MULTILINE)
_FOREIGN: Final = re.compile(r"site-packages|dist-packages|[/\\]lib[/\\]python\d|[/\\]llmeval[/\\]|^<")


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One thing that kept a trial from passing.

    `name` is the criterion's, or `assertion`, or `error`; `verdict` a word or a number; `reason` may be empty.
    """

    name: str
    status: Status
    verdict: str
    reason: str = ""
    model: str | None = None


def findings(trial: Trial) -> list[Finding]:
    """Returns what kept `trial` from passing; nothing for one that passed."""
    if trial.passed:
        return []
    found: list[Finding] = []
    if trial.error is not None:
        found.append(Finding(name="error", status=Status.ERROR, verdict=trial.error.type, reason=_error(trial.error)))
    if trial.assertion_failure is not None:
        found.append(Finding(name="assertion", status=Status.FAILED, verdict="failed", reason=trial.assertion_failure))
    for result in trial.evaluations:
        if not result.passed:
            reason = f"{result.error.type}: {result.error.message}" if result.error else result.reason or ""
            found.append(
                Finding(
                    name=result.name,
                    status=result.status,
                    verdict=figures.verdict(result),
                    reason=reason,
                    model=result.model,
                )
            )
    if not found:
        found.append(Finding(name="checks", status=Status.MEASURED, verdict="none", reason="nothing was checked"))
    return found


def not_passed(report: Report, first: int) -> Iterator[Trial]:
    """Returns the first trials that did not pass, in the report's order; no more of the report is read."""
    return islice((trial for trial in report if not trial.passed), first)


def again(report: Report, trial: Trial) -> str:
    """Returns the shell command that runs the trial's case again."""
    words = ["llmeval", "run", shell_word(report.name)]
    regraded = report.options.get("regraded")
    if isinstance(regraded, Mapping):
        words[1:] = ["regrade", shell_word(str(regraded.get("path") or f"{report.name}@{regraded.get('id')}"))]
    name = shell_word(trial.case.name)
    words += [f"--only={name}"] if trial.case.name.startswith("-") else ["--only", name]
    for option in ("evaluator",) if regraded else ("dataset", "evaluator"):
        chosen = report.options.get(option)
        if isinstance(chosen, str) and chosen:
            words += [f"--{option}", shell_word(chosen)]
    if report.options.get("grading") is False:
        words.append("--no-grading")
    for key, value in () if regraded else trial.params.items():
        words += ["--set", shell_word(f"{key}={value if isinstance(value, str) else figures.as_json(value)}")]
    return " ".join(words)


def place(error: ErrorInfo) -> str:
    """Returns where in the application's own files an error was raised: `shop/support.py:12 in ask`; empty if nowhere.

    Frames of installed packages, of Python and of llmeval say nothing about the application.
    """
    own = [frame for frame in _FRAME.finditer(error.traceback) if not _FOREIGN.search(frame["file"])]
    return f"{own[-1]['file']}:{own[-1]['line']} in {own[-1]['name']}" if own else ""


def _error(error: ErrorInfo) -> str:
    where = place(error)
    return f"{error.message}\nat {where}" if where else error.message
