"""Functions of the user's as evaluators."""

from __future__ import annotations

import asyncio
import functools
import threading
from typing import Any

import numpy as np
import pytest

from llmeval.attempts import Attempt
from llmeval.cases import Case
from llmeval.criteria import Criterion
from llmeval.errors import EvaluatorConfigError, EvaluatorError
from llmeval.evaluators.base import Grades, Subject
from llmeval.evaluators.function import FunctionEvaluator
from llmeval.evidence import Evidence
from llmeval.results import Choice, Probability, Result, Score, Status

SHORT = Criterion(name="short", instructions="The answer is short")
KIND = Criterion(name="kind", instructions="The answer is kind")


def subject_of(output: Any = "fine") -> Subject:
    case = Case("one", inputs="question", expected_output="fine")
    evidence = Evidence(output=output)
    attempt = Attempt()
    attempt._begin(case, 1, {}, None)
    attempt._evidence = evidence
    return Subject(case=case, evidence=evidence, attempt=attempt)


def grade(function: Any, *criteria: Criterion, output: Any = "fine") -> list[Result]:
    grades = FunctionEvaluator(function).evaluate(subject_of(output), criteria or (SHORT,))
    if not isinstance(grades, Grades):

        async def awaited() -> Grades:
            return await grades

        grades = asyncio.run(awaited())
    return list(grades.results)


def one(function: Any, **options: Any) -> Result:
    (result,) = grade(function, **options)
    return result


def test_a_bool_is_a_verdict() -> None:
    assert one(lambda attempt: attempt.output == "fine").status is Status.PASSED
    assert one(lambda attempt: attempt.output == "else").status is Status.FAILED


@pytest.mark.parametrize("number", [0.25, 1, np.float32(0.25), np.float64(0.25), np.int64(3), np.array(0.5)])
def test_a_number_is_a_score_that_is_measured(number: Any) -> None:
    result = one(lambda attempt: number)

    assert result.value == Score(float(number))
    assert result.status is Status.MEASURED


def test_a_boolean_of_numpy_is_a_verdict() -> None:
    assert one(lambda attempt: np.bool_(False)).value is False


def test_a_minimum_applies_to_the_score_of_a_function() -> None:
    strict, lax = (Criterion(name="close", minimum=minimum) for minimum in (0.8, 0.2))

    assert [result.status for result in grade(lambda attempt: 0.5, strict, lax)] == [Status.FAILED, Status.PASSED]


@pytest.mark.parametrize("value", [True, Choice("a")])
def test_a_minimum_for_a_verdict_or_a_choice_is_an_error(value: Any) -> None:
    (result,) = grade(lambda attempt: value, Criterion(name="close", minimum=0.8))

    assert result.error is not None
    assert "minimum=0.8 needs a number" in result.error.message


def test_a_pair_gives_the_value_and_the_reason() -> None:
    assert one(lambda attempt: (False, "too long")) == Result(name="short", value=False, reason="too long")
    assert one(lambda attempt: (0.5, "half")).value == Score(0.5)
    assert one(lambda attempt: (Probability(0.5), "a coin")).reason == "a coin"


@pytest.mark.parametrize(
    "value", [Probability(0.25), Score(2.0, levels=("bad", "fair", "good")), Choice("a", {"a": 1.0})]
)
def test_measures_are_taken_as_they_are(value: Any) -> None:
    assert one(lambda attempt: value).value == value


def test_a_result_gets_the_name_and_the_minimum_of_its_criterion() -> None:
    given = Result(name="?", value=Probability(0.5), reason="so", model="mine")
    (result,) = grade(lambda attempt: given, Criterion(name="sure", minimum=0.4))

    assert (result.name, result.minimum, result.reason, result.model) == ("sure", 0.4, "so", "mine")
    assert result.passed


@pytest.mark.parametrize("value", [None, "pass", [True, "reason"], (True, 3), {"verdict": "pass"}, object])
def test_anything_else_is_an_error_that_says_what_may_be_returned(value: Any) -> None:
    result = one(lambda attempt: value)

    assert result.status is Status.ERROR
    assert result.error is not None
    assert "return a bool, a number (a score), (bool, reason)" in result.error.message


def test_a_score_that_is_not_finite_is_an_error() -> None:
    result = one(lambda attempt: float("nan"))

    assert result.error is not None
    assert "not a finite number" in result.error.message


def test_the_criterion_is_passed_by_position() -> None:
    def named(attempt: Attempt, what: Criterion) -> tuple[bool, str]:
        return True, what.name

    assert [result.reason for result in grade(named, SHORT, KIND)] == ["short", "kind"]


def test_a_second_parameter_with_a_default_keeps_it() -> None:
    def longer(attempt: Attempt, limit: int = 3) -> bool:
        return len(attempt.output) > limit

    assert one(longer).passed


def test_partials_methods_and_callable_objects_work() -> None:
    class Longer:
        def __init__(self, limit: int) -> None:
            self.limit = limit

        def __call__(self, attempt: Attempt) -> bool:
            return len(attempt.output) > self.limit

        def with_criterion(self, attempt: Attempt, criterion: Criterion) -> tuple[bool, str]:
            return self(attempt), criterion.name

    def longer(limit: int, attempt: Attempt) -> bool:
        return len(attempt.output) > limit

    assert one(Longer(3)).passed
    assert one(Longer(3).with_criterion).reason == "short"
    assert one(functools.partial(longer, 3)).passed


def test_asynchronous_functions_partials_and_calls_are_awaited_once() -> None:
    calls = []

    class Judge:
        async def __call__(self, attempt: Attempt, criterion: Criterion) -> tuple[bool, str]:
            await asyncio.sleep(0)
            calls.append(criterion.name)
            return True, criterion.name

    async def fails(limit: int, attempt: Attempt) -> bool:
        return len(attempt.output) > limit

    assert [result.reason for result in grade(Judge(), SHORT, KIND)] == ["short", "kind"]
    assert calls == ["short", "kind"]
    assert one(functools.partial(fails, 9)).value is False


def test_a_function_is_called_in_the_callers_thread_once_for_each_criterion() -> None:
    threads = []

    def judge(attempt: Attempt) -> bool:
        threads.append(threading.get_ident())
        return True

    grade(judge, SHORT, KIND)

    assert threads == [threading.get_ident()] * 2


def test_an_exception_is_an_error_of_its_criterion_and_the_others_are_judged() -> None:
    def broken(attempt: Attempt, criterion: Criterion) -> bool:
        if criterion.name == "short":
            raise KeyError("the criterion itself is broken")
        return True

    bad, good = grade(broken, SHORT, KIND)

    assert (bad.status, good.status) == (Status.ERROR, Status.PASSED)
    assert bad.error is not None
    assert bad.error.type == "KeyError"
    assert "test_evaluator_function.py" in bad.error.traceback


@pytest.mark.parametrize("raised", [SystemExit(3), StopIteration("x"), asyncio.CancelledError(), GeneratorExit()])
def test_whatever_a_function_raises_is_recorded(raised: BaseException) -> None:
    def judge(attempt: Attempt) -> bool:
        raise raised

    async def later(attempt: Attempt) -> bool:
        raise raised

    assert one(judge).error.type == type(raised).__name__  # type: ignore[union-attr]
    if not isinstance(raised, GeneratorExit):
        assert one(later).error.type == type(raised).__name__  # type: ignore[union-attr]


def test_ctrl_c_is_not_recorded() -> None:
    def judge(attempt: Attempt) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grade(judge)


def test_cancelling_the_grading_cancels_it_and_leaves_no_coroutine_behind() -> None:
    async def judge(attempt: Attempt, criterion: Criterion) -> bool:
        await asyncio.sleep(60)
        return True

    async def run() -> None:
        grades = FunctionEvaluator(judge).evaluate(subject_of(), (SHORT, KIND))
        await asyncio.wait_for(grades, timeout=0.01)  # type: ignore[arg-type]

    with pytest.raises(TimeoutError):
        asyncio.run(run())


def test_a_failing_assert_is_a_fail_with_its_explanation() -> None:
    def judge(attempt: Attempt) -> None:
        assert attempt.output == "else", "not what was asked"

    result = one(judge)

    assert (result.value, result.reason is not None and "not what was asked" in result.reason) == (False, True)


def test_a_failing_assert_without_a_message_gives_its_line() -> None:
    def judge(attempt: Attempt) -> None:
        raise AssertionError

    assert one(judge) == Result(name="short", value=False, reason="raise AssertionError")


def test_a_function_of_assertions_that_hold_passes_without_returning_anything() -> None:
    def judge(attempt: Attempt) -> None:
        assert attempt.output == "fine"

    def method(attempt: Attempt) -> None:
        attempt.assert_includes(attempt.output, "in")

    assert one(judge).passed
    assert one(method).passed


def test_a_function_without_assertions_that_returns_nothing_decided_nothing() -> None:
    def judge(attempt: Attempt) -> None:
        attempt.output == "fine"  # noqa: B015 - the forgotten return is what is tested

    assert one(judge).status is Status.ERROR


@pytest.mark.parametrize(
    "function",
    [lambda: True, lambda attempt, criterion, more: True, lambda attempt, *, strict: True, bool, 3],
)
def test_what_cannot_be_called_with_an_attempt_is_refused(function: Any) -> None:
    with pytest.raises(EvaluatorConfigError):
        FunctionEvaluator(function)


def test_criteria_need_neither_instructions_nor_a_reference() -> None:
    FunctionEvaluator(lambda attempt: True).check([Criterion(name="short"), Criterion(name="sure", minimum=0.5)])

    assert not FunctionEvaluator.needs_reference


def test_saved_evidence_has_no_attempt_to_grade() -> None:
    subject = Subject(case=Case("one", inputs=1), evidence=Evidence(output=1))

    with pytest.raises(EvaluatorError, match="grades live attempts"):
        FunctionEvaluator(lambda attempt: True).evaluate(subject, [SHORT])
