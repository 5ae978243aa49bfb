"""Gates: what is asked of a report, and the exit code that says whether it is met."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from llmeval.cases import Case
from llmeval.errors import OptionError
from llmeval.gates import Exit, Gate, exit_code, parse_rate
from llmeval.options import Require
from llmeval.report import NotRun, Report
from llmeval.results import ErrorInfo, Result
from llmeval.trials import Trial

ERROR = ErrorInfo(type="RuntimeError", message="down")
KINDS = {
    "p": {"assertion_count": 1},
    "f": {"assertion_count": 1, "assertion_failure": "no"},
    "e": {"error": ERROR},
    "u": {"evaluations": (Result(name="good"),)},
    "m": {},
}


def report(kinds: str, *, repetitions: int = 1, not_run: int = 0, interrupted: bool = False) -> Report:
    """Returns a report with a trial for each letter: passed, failed, error, unassessed, measured."""
    trials = [
        Trial(case=Case(name=f"c{index // repetitions}", inputs=1), repetition=index % repetitions + 1, **KINDS[kind])
        for index, kind in enumerate(kinds)
    ]
    now = datetime(2026, 1, 1, tzinfo=UTC)
    left = tuple(NotRun(f"n{index}", 1, "budget") for index in range(not_run))
    return Report(
        id="x", name="n", started_at=now, finished_at=now, trials=trials, not_run=left, interrupted=interrupted
    )


@pytest.mark.parametrize(
    ("kinds", "not_run", "code"),
    [
        ("pp", 0, Exit.PASSED),
        ("pf", 0, Exit.FAILED),
        ("pu", 0, Exit.FAILED),
        ("pm", 0, Exit.FAILED),
        ("pe", 0, Exit.INCOMPLETE),
        ("fe", 0, Exit.FAILED),
        ("pp", 1, Exit.INCOMPLETE),
        ("pf", 1, Exit.FAILED),
        ("", 1, Exit.INCOMPLETE),
        ("", 0, Exit.INCOMPLETE),
    ],
)
def test_the_exit_code_names_the_worst_that_stands_in_the_way(kinds: str, not_run: int, code: Exit) -> None:
    assert exit_code(report(kinds, not_run=not_run), Gate()) is code


def test_an_interrupted_run_exits_with_130_whatever_its_trials_are() -> None:
    assert exit_code(report("pf", interrupted=True), Gate(fail_under=0.0)) is Exit.INTERRUPTED


@pytest.mark.parametrize(("rate", "met"), [(0.0, True), (0.66, True), (2 / 3, True), (0.67, False), (1.0, False)])
def test_a_rate_is_of_the_trials_that_ran(rate: float, met: bool) -> None:
    assert Gate(fail_under=rate).met(report("ppf")) is met


def test_a_gate_is_never_met_by_a_run_that_is_not_complete() -> None:
    assert not Gate(fail_under=0.0).met(report("pp", not_run=1))
    assert exit_code(report("pp", not_run=1), Gate(fail_under=0.5)) is Exit.INCOMPLETE


def test_errors_within_the_rate_do_not_matter() -> None:
    assert exit_code(report("ppe"), Gate(fail_under=0.6)) is Exit.PASSED
    assert exit_code(report("ppe"), Gate(fail_under=0.7)) is Exit.INCOMPLETE


def test_under_require_cases_count_and_each_passes_by_enough_of_its_trials() -> None:
    gate = Gate(require=Require(passes=2, trials=3))
    assert gate.rate(report("ppfpff", repetitions=3)) == (1, 2)
    assert gate.describe(report("ppfpff", repetitions=3)) == "1/2 cases passing 2 of 3, all asked"
    assert not gate.met(report("ppfpff", repetitions=3))
    assert gate.met(report("ppfpep", repetitions=3))
    assert Gate(require=Require(passes=2, trials=3), fail_under=0.5).met(report("ppfpff", repetitions=3))


@pytest.mark.parametrize(
    ("text", "rate"),
    [("0.9", 0.9), ("90%", 0.9), ("90 %", 0.9), (" 1 ", 1.0), ("0", 0.0), ("100%", 1.0), ("1e-2", 0.01)],
)
def test_a_rate_is_a_fraction_or_a_percentage(text: str, rate: float) -> None:
    assert parse_rate(text) == pytest.approx(rate)


@pytest.mark.parametrize("text", ["90", "-0.1", "101%", "nan", "", "%", "a", "0.5.1"])
def test_what_is_no_rate_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match="fail-under is "):
        parse_rate(text)
