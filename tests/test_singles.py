"""Single trials: one lifespan and one set of evaluators for all that are asked for, and nothing in the way between."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from llmeval import Attempt, Options, Registry, Result
from llmeval.errors import LifespanError
from llmeval.evaluators.base import Evaluator, Grades
from llmeval.plans import build_plan
from llmeval.singles import SingleTrials

colour: contextvars.ContextVar[str] = contextvars.ContextVar("colour", default="none")
THREE = [{"name": f"c{number}", "inputs": number} for number in range(3)]


class Logged(Evaluator):
    """Passes everything, and logs when it is closed."""

    kind = "logged"
    needs_reference = False

    def __init__(self, log: list[object]) -> None:
        self.log = log

    def evaluate(self, subject: Any, criteria: Any) -> Grades:
        return Grades(results=[Result(name=criterion.name, value=True) for criterion in criteria])

    async def aclose(self) -> None:
        self.log.append("closed")


def singles(perform: Any, log: list[object], **options: Any) -> SingleTrials:
    evaluation = Registry().evaluation(name="shop", dataset=THREE, evaluator=Logged(log))(perform)

    @evaluation.lifespan
    def opened() -> Iterator[str]:
        log.append("opened")
        colour.set("set by the lifespan")
        yield "the shop"
        log.append("left")

    return SingleTrials(build_plan(evaluation, Options(**options)))


@pytest.mark.parametrize("timeout", [None, 30.0])
def test_trials_run_in_the_order_they_are_asked_for_and_share_the_lifespan(timeout: float | None) -> None:
    log: list[object] = []

    def perform(number: int, attempt: Attempt) -> int:
        log.append((number, attempt.lifespan))
        return number

    trials = singles(perform, log, timeout=timeout)
    assert log == []
    found = [trials.run(index) for index in (2, 0, 2)]
    assert [(trial.case.name, trial.output, trial.passed) for trial in found] == [
        ("c2", 2, True),
        ("c0", 0, True),
        ("c2", 2, True),
    ]
    trials.close()
    assert log == ["opened", (2, "the shop"), (0, "the shop"), (2, "the shop"), "left", "closed"]


def test_a_trial_sees_the_context_of_whoever_asks_and_what_the_lifespan_has_set() -> None:
    size: contextvars.ContextVar[int] = contextvars.ContextVar("size", default=0)
    trials = singles(lambda number: [size.get(), colour.get()], [])
    outputs = []
    for number in (1, 2):
        size.set(number)
        outputs.append(trials.run(0).output)
    trials.close()
    assert outputs == [[1, "set by the lifespan"], [2, "set by the lifespan"]]
    assert colour.get() == "none"


def test_trials_run_in_the_caller_s_thread() -> None:
    trials = singles(lambda number: threading.current_thread() is threading.main_thread(), [])
    assert trials.run(0).output is True
    trials.close()


def test_async_trials_share_one_loop() -> None:
    loops = []

    async def perform(number: int) -> int:
        loops.append(asyncio.get_running_loop())
        return number

    trials = singles(perform, [])
    assert [trials.run(index).output for index in (0, 1)] == [0, 1]
    trials.close()
    assert loops[0] is loops[1]
    assert loops[0].is_closed()


def test_where_a_loop_is_running_trials_run_in_a_thread_of_their_own() -> None:
    async def perform(number: int) -> int:
        await asyncio.sleep(0)
        return number

    async def main() -> list[object]:
        trials = singles(perform, [])
        found: list[object] = [trials.run(index).output for index in (1, 0)]
        trials.close()
        return found

    assert asyncio.run(main()) == [1, 0]


@pytest.mark.parametrize("timeout", [None, 30.0])
def test_a_lifespan_that_raises_raises_for_every_trial_and_is_entered_once(timeout: float | None) -> None:
    entered: list[int] = []
    evaluation = Registry().evaluation(name="shut", dataset=THREE, evaluator=Logged([]))(lambda number: number)

    @evaluation.lifespan
    def opened() -> Iterator[None]:
        entered.append(1)
        raise OSError("no database")
        yield

    trials = SingleTrials(build_plan(evaluation, Options(timeout=timeout)))
    for _ in range(2):
        with pytest.raises(LifespanError, match="shut: the lifespan raised OSError: no database"):
            trials.run(0)
    trials.close()
    assert entered == [1]


def test_between_trials_the_sdks_and_threads_are_as_they_were() -> None:
    start = threading.Thread.start
    during = []

    def perform(number: int) -> int:
        during.append(threading.Thread.start is start)
        return number

    trials = singles(perform, [])
    trials.run(0)
    assert threading.Thread.start is start
    assert during == [False]
    trials.close()


def test_a_timeout_ends_a_trial_and_the_next_one_runs() -> None:
    async def perform(number: int) -> int:
        await asyncio.sleep(30 if number == 0 else 0)
        return number

    trials = singles(perform, [], timeout=0.05)
    first, second = trials.run(0), trials.run(1)
    trials.close()
    assert first.error is not None
    assert first.error.type == "TimeoutError"
    assert second.passed


def test_an_interrupted_trial_is_torn_down_and_interrupts_the_caller() -> None:
    torn: list[str] = []

    def perform(number: int) -> int:
        raise KeyboardInterrupt

    trials = singles(perform, [])
    trials.plan.evaluation.teardown(lambda attempt: torn.append(attempt.case_name))
    with pytest.raises(KeyboardInterrupt):
        trials.run(1)
    trials.close()
    assert torn == ["c1"]


def test_the_head_of_the_report_is_json_with_the_run_s_options() -> None:
    trials = singles(lambda number: number, [], params={"model": "m"}, id="mine")
    head = trials.head()
    assert (head["id"], head["name"], head["params"], head["options"]["repetitions"]) == (
        "mine",
        "shop",
        {"model": "m"},
        1,
    )
    assert type(head["params"]) is dict
