"""Whether a report is good enough, and the exit code that says so."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from llmeval.errors import OptionError
from llmeval.options import Require
from llmeval.report import Report
from llmeval.results import Status

__all__ = ["Exit", "Gate", "exit_code", "parse_rate"]


class Exit(IntEnum):
    """Exit codes, by what stands in the way."""

    PASSED = 0
    FAILED = 1
    CONFIGURATION = 2
    INCOMPLETE = 3
    INTERRUPTED = 130


@dataclass(frozen=True, kw_only=True)
class Gate:
    """What is asked of a report: a pass rate of trials, or of cases that pass `require` of their repetitions."""

    require: Require | None = None
    fail_under: float | None = None

    @property
    def given(self) -> bool:
        """Whether anything is asked beside that all trials pass."""
        return self.require is not None or self.fail_under is not None

    def rate(self, report: Report) -> tuple[int, int]:
        """Returns how many of what is counted passed: cases under `require`, else trials."""
        summary = report.summary
        if self.require is None:
            return summary.passed, summary.ran
        return summary.cases_passing(self.require.passes), len(summary.cases)

    def met(self, report: Report) -> bool:
        """Returns whether the report is what is asked for; a run that is not complete never is."""
        if report.interrupted or report.not_run or not report.summary.ran:
            return False
        if not self.given:
            return report.passed
        passed, counted = self.rate(report)
        return passed >= (1.0 if self.fail_under is None else self.fail_under) * counted - 1e-9

    def describe(self, report: Report) -> str:
        """Returns what is asked and how the report compares, in words; nothing where nothing is asked."""
        if not self.given:
            return ""
        passed, counted = self.rate(report)
        what = "trials" if self.require is None else f"cases passing {self.require.passes} of {self.require.trials}"
        asked = "all" if self.fail_under is None else f"at least {self.fail_under:.4g}"
        return f"{passed}/{counted} {what}, {asked} asked"


def exit_code(report: Report, gate: Gate) -> Exit:
    """Returns the exit code of one report."""
    if report.interrupted:
        return Exit.INTERRUPTED
    if gate.met(report):
        return Exit.PASSED
    counts = report.summary.counts
    if counts[Status.FAILED] or counts[Status.UNASSESSED] or counts[Status.MEASURED]:
        return Exit.FAILED
    return Exit.INCOMPLETE


def parse_rate(text: str) -> float:
    """Returns the rate that `0.9`, `90%` or `90 %` says.

    Raises:
        OptionError: it is not a rate from 0 to 1.
    """
    number, percent = text.strip().removesuffix("%").strip(), text.strip().endswith("%")
    try:
        rate = float(number) / (100 if percent else 1)
    except ValueError:
        rate = -1.0
    if not 0 <= rate <= 1:
        raise OptionError(f"fail-under is {text!r}: give a rate from 0 to 1, or a percentage, as in 0.9 or 90%")
    return rate
