"""Running trials: order, hooks, statuses, errors, threads, contexts, timeouts."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import gc
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from llmeval import Attempt, Case, Options, Registry, Status, load_report
from llmeval.errors import ConfigurationError, DatasetError, OptionError, SelectionError
from llmeval.events import RunFinished, RunStarted, TrialFinished, TrialStarted
from llmeval.report import Report

ONE = [{"name": "c", "inputs": 1, "expected_output": 1}]


def numbered(count: int) -> list[dict[str, Any]]:
    return [{"name": f"c{number}", "inputs": number, "expected_output": number} for number in range(count)]


def declared(function: Callable[..., Any], dataset: Any = ONE, **options: Any) -> Any:
    options.setdefault("evaluator", "local")
    return Registry().evaluation(name="evaluation", dataset=dataset, **options)(function)


def same(value: Any) -> Any:
    return value


async def same_later(value: Any) -> Any:
    await asyncio.sleep(0)
    return value


def statuses(report: Report) -> list[str]:
    return [trial.status.value for trial in report]


# Order and selection


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("function", [same, same_later])
def test_the_report_is_in_dataset_and_repetition_order(function: Any, concurrency: int) -> None:
    report = declared(function, numbered(5)).run(repetitions=2, concurrency=concurrency)
    assert [(trial.case.name, trial.repetition) for trial in report] == [(f"c{n}", r) for n in range(5) for r in (1, 2)]
    assert report.passed
    assert report.pass_rate == 1.0


def test_each_finished_trial_is_handed_over_before_the_next_starts() -> None:
    seen: list[str] = []
    evaluation = declared(lambda value: seen.append(f"run {value}") or value, numbered(3))
    evaluation.run(on_trial=lambda trial: seen.append(f"got {trial.case.name}"))
    assert seen == ["run 0", "got c0", "run 1", "got c1", "run 2", "got c2"]


@pytest.mark.parametrize("concurrency", [1, 3])
def test_an_exception_from_the_receiver_stops_the_run_and_reaches_the_caller(concurrency: int) -> None:
    started: list[int] = []
    events: list[Any] = []

    def receive(trial: Any) -> None:
        raise LookupError("the receiver is broken")

    evaluation = declared(lambda value: started.append(value) or value, numbered(20))
    options = Options(subscribers=[events.append])
    with pytest.raises(LookupError, match="the receiver is broken"):
        evaluation.run(on_trial=receive, concurrency=concurrency, options=options)
    assert len(started) <= concurrency + 1
    assert events[-1] == RunFinished(run_id=events[0].run_id, evaluation="evaluation", report=None)


def test_the_receiver_is_never_called_twice_at_once() -> None:
    inside = 0
    most = 0

    def receive(trial: Any) -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        time.sleep(0.002)
        inside -= 1

    declared(same, numbered(20)).run(on_trial=receive, concurrency=8)
    assert most == 1


def test_only_selects_one_or_several_cases() -> None:
    evaluation = declared(same, numbered(4))
    assert [trial.case.name for trial in evaluation.run(only="c2")] == ["c2"]
    assert [trial.case.name for trial in evaluation.run(only=["c3", "c0"])] == ["c0", "c3"]


def test_all_unknown_names_are_listed() -> None:
    with pytest.raises(SelectionError) as caught:
        declared(same, numbered(3)).run(only=["c1", "nope", "nada"])
    assert "'nope'" in str(caught.value)
    assert "'nada'" in str(caught.value)


def test_an_empty_selection_is_an_error() -> None:
    with pytest.raises(SelectionError, match="selects no case"):
        declared(same, numbered(3)).run(only=[])


@pytest.mark.parametrize("value", [0, -1, True, 1.5, "2", None])
def test_repetitions_are_a_positive_int_and_not_a_bool(value: Any) -> None:
    with pytest.raises(OptionError, match="repetitions is"):
        declared(same).run(repetitions=value)


def test_an_id_may_be_given_and_cannot_be_empty() -> None:
    evaluation = declared(same)
    assert evaluation.run(id="mine").id == "mine"
    assert len(evaluation.run().id) == 36
    with pytest.raises(OptionError, match="id is ''"):
        evaluation.run(id="")


def test_the_dataset_function_is_called_once_a_run() -> None:
    calls: list[int] = []

    def cases() -> list[Case]:
        calls.append(1)
        return [Case("a", 1, 1), Case("b", 2, 2)]

    evaluation = declared(same, cases)
    evaluation.run(repetitions=3)
    assert len(calls) == 1


def test_an_async_dataset_function_is_awaited() -> None:
    async def cases() -> list[Case]:
        await asyncio.sleep(0)
        return [Case("a", 1, 1)]

    assert declared(same, cases).run().passed


def test_correctness_needs_a_reference_on_every_selected_case_before_any_starts() -> None:
    started: list[Any] = []
    cases = [{"name": "whole", "inputs": 1, "expected_output": 1}, {"name": "bare", "inputs": 2}]
    evaluation = declared(lambda value: started.append(value) or value, cases)
    with pytest.raises(DatasetError, match="'bare'"):
        evaluation.run()
    assert started == []
    assert evaluation.run(only="whole").passed


def test_an_explicit_null_is_a_reference_and_false_zero_and_empty_are() -> None:
    values = (None, False, 0, "")
    cases = [{"name": f"case {value!r}", "inputs": value, "expected_output": value} for value in values]
    assert declared(same, cases).run().passed


# Isolation


@pytest.mark.parametrize("concurrency", [1, 3])
def test_each_trial_has_its_own_copy_of_the_inputs(concurrency: int) -> None:
    def spoil(value: dict[str, Any]) -> int:
        value["list"].append(99)
        return len(value["list"])

    evaluation = declared(spoil, [{"name": "a", "inputs": {"list": [1]}, "expected_output": 2}])
    report = evaluation.run(repetitions=3, concurrency=concurrency)
    assert report.passed
    assert report.trials[0].case.inputs == {"list": [1]}


def test_a_list_of_turns_arrives_as_the_list() -> None:
    cases = [{"name": "turns", "inputs": ["hello", "and?"], "expected_output": 2}]
    assert declared(len, cases).run().passed


def test_a_class_has_a_fresh_instance_for_every_case_and_repetition() -> None:
    instances: list[Any] = []

    class Fresh:
        def perform(self, value: int) -> int:
            assert not hasattr(self, "mark")
            self.mark = value
            instances.append(self)
            return value

    declared(Fresh, numbered(2)).run(repetitions=2)
    assert len({id(instance) for instance in instances}) == 4


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("is_async", [False, True])
def test_context_variables_of_the_caller_are_seen_and_none_leaks_between_trials(
    concurrency: int, is_async: bool
) -> None:
    tenant: contextvars.ContextVar[str] = contextvars.ContextVar("tenant", default="nobody")
    trace: contextvars.ContextVar[Any] = contextvars.ContextVar("trace", default=None)

    def read(value: Any) -> list[Any]:
        before = [tenant.get(), trace.get()]
        trace.set(value)
        return before

    async def read_later(value: Any) -> list[Any]:
        await asyncio.sleep(0)
        return read(value)

    evaluation = declared(read_later if is_async else read, numbered(5), evaluator=False)

    @evaluation.assertions
    def sees_what_perform_set(attempt: Attempt) -> None:
        assert trace.get() == attempt.input

    def main() -> Report:
        tenant.set("acme")
        return evaluation.run(repetitions=2, concurrency=concurrency)

    report = contextvars.copy_context().run(main)
    assert report.passed
    assert [trial.output for trial in report] == [["acme", None]] * 10


@pytest.mark.parametrize("is_async", [False, True])
def test_the_synchronous_hooks_of_one_trial_share_one_thread(is_async: bool) -> None:
    threads: dict[str, set[int]] = {}

    def note(attempt: Attempt) -> None:
        threads.setdefault(attempt.case_name, set()).add(threading.get_ident())

    def perform(value: int, attempt: Attempt) -> int:
        note(attempt)
        return value

    async def perform_later(value: int, attempt: Attempt) -> int:
        return value

    evaluation = declared(perform_later if is_async else perform, numbered(6))
    for hook in (evaluation.setup, evaluation.assertions, evaluation.teardown):
        hook(lambda attempt: note(attempt))
    evaluation.run(concurrency=3)
    assert {len(found) for found in threads.values()} == {1}


def test_sequential_synchronous_code_runs_in_the_callers_thread_without_a_loop() -> None:
    def where(value: Any) -> bool:
        with pytest.raises(RuntimeError):
            asyncio.get_running_loop()
        return threading.current_thread() is threading.main_thread()

    assert declared(where, [{"name": "a", "inputs": 1, "expected_output": True}]).run().passed


def test_concurrency_is_never_exceeded_and_is_used() -> None:
    lock = threading.Lock()
    now = peak = 0

    def busy(value: int) -> int:
        nonlocal now, peak
        with lock:
            now += 1
            peak = max(peak, now)
        time.sleep(0.01)
        with lock:
            now -= 1
        return value

    declared(busy, numbered(24)).run(concurrency=4)
    assert peak == 4


@pytest.mark.parametrize("concurrency", [1, 2])
def test_a_task_may_run_a_loop_of_its_own(concurrency: int) -> None:
    def perform(value: int) -> int:
        return asyncio.run(asyncio.sleep(0, result=value))

    assert declared(perform, numbered(4)).run(concurrency=concurrency).passed


# Where an event loop runs


def test_run_works_inside_a_running_loop() -> None:
    async def main() -> Report:
        return declared(same_later, numbered(3)).run()

    assert asyncio.run(main()).passed


def test_arun_uses_the_running_loop() -> None:
    async def main() -> tuple[Report, set[int]]:
        loops: set[int] = set()

        async def perform(value: int) -> int:
            loops.add(id(asyncio.get_running_loop()))
            return value

        report = await declared(perform, numbered(4)).arun(concurrency=2)
        return report, loops - {id(asyncio.get_running_loop())}

    report, others = asyncio.run(main())
    assert report.passed
    assert others == set()


def test_a_second_run_in_the_process_works() -> None:
    evaluation = declared(same_later, numbered(3))
    assert evaluation.run(concurrency=2).passed
    assert evaluation.run(concurrency=2).passed


# Hooks, errors and statuses


def test_the_hooks_run_in_order_and_teardown_last() -> None:
    order: list[str] = []
    evaluation = declared(lambda value: order.append("perform") or value)
    evaluation.setup(lambda attempt: order.append("setup"))
    evaluation.assertions(lambda attempt: order.append("assertions"))
    evaluation.teardown(lambda attempt: order.append("teardown"))

    @evaluation.criterion("graded")
    def graded(attempt: Attempt) -> bool:
        order.append("grading")
        return True

    evaluation.run()
    assert order == ["setup", "perform", "assertions", "grading", "teardown"]


@pytest.mark.parametrize("failing", ["setup", "perform", "assertions", "grading"])
@pytest.mark.parametrize("concurrency", [1, 2])
def test_teardown_runs_whatever_failed_and_the_first_error_is_kept(failing: str, concurrency: int) -> None:
    torn: list[str] = []

    def maybe(name: str) -> None:
        if name == failing:
            raise KeyError(name)

    def perform(value: int) -> int:
        maybe("perform")
        return value

    evaluation = declared(perform)
    evaluation.setup(lambda attempt: maybe("setup"))
    evaluation.assertions(lambda attempt: maybe("assertions"))
    evaluation.criterion("graded")(lambda attempt: maybe("grading") or True)

    @evaluation.teardown
    def teardown(attempt: Attempt) -> None:
        torn.append(attempt.case_name)
        raise ValueError("teardown fails too")

    trial = evaluation.run(concurrency=concurrency).trials[0]
    assert torn == ["c"]
    assert trial.status is Status.ERROR
    assert trial.error is not None
    assert trial.error.message == ("teardown fails too" if failing == "grading" else f"'{failing}'")


def test_grading_runs_even_when_an_assertion_failed() -> None:
    evaluation = declared(same)

    @evaluation.assertions
    def wrong(attempt: Attempt) -> None:
        assert attempt.output == 2

    trial = evaluation.run().trials[0]
    assert trial.status is Status.FAILED
    assert trial.assertion_failure is not None
    assert "1 == 2" in trial.assertion_failure
    assert [result.status for result in trial.evaluations] == [Status.PASSED]


def test_no_evidence_means_no_grading_and_no_pass() -> None:
    graded: list[int] = []

    def broken(value: int) -> int:
        raise ConnectionError("backend down")

    evaluation = declared(broken, evaluator=False)

    @evaluation.criterion("contains_no_insult")
    def polite(attempt: Attempt) -> bool:
        graded.append(1)
        return "idiot" not in str(attempt.output)

    @evaluation.assertions
    def no_competitor(attempt: Attempt) -> None:
        assert "Initech" not in (attempt.output or "")

    report = evaluation.run()
    assert statuses(report) == ["error"]
    assert graded == []
    assert report.counts["error"] == 1


def test_none_and_empty_text_reach_the_criteria_as_they_are() -> None:
    seen: list[Any] = []
    evaluation = declared(same, [{"name": "none", "inputs": None}, {"name": "empty", "inputs": ""}], evaluator=False)

    @evaluation.criterion("sees")
    def sees(attempt: Attempt) -> bool:
        seen.append(attempt.output)
        return True

    assert evaluation.run().passed
    assert seen == [None, ""]


class Odd(Exception):
    def __str__(self) -> str:
        raise RuntimeError("even its str() fails")


def blow_up(kind: str) -> str:
    match kind:
        case "odd":
            raise Odd
        case "exit":
            raise SystemExit(3)
        case "stop":
            raise StopIteration("swallowed")
        case "cancelled":
            raise asyncio.CancelledError
        case "group":
            raise ExceptionGroup("several", [ValueError("a"), TypeError("b")])
        case "base":
            raise BaseException("not an Exception")
        case "recursion":
            return blow_up(kind)
        case "memory":
            raise MemoryError
        case "assertion":
            raise AssertionError("the task's own")
        case "surrogate":
            raise ValueError("lone \udcff [/bold]")
    return "fine"


KINDS = {
    "odd": "Odd", "exit": "SystemExit", "stop": "StopIteration", "cancelled": "CancelledError",
    "group": "ExceptionGroup", "base": "BaseException", "recursion": "RecursionError", "memory": "MemoryError",
    "assertion": "AssertionError", "surrogate": "ValueError",
}  # fmt: skip


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("is_async", [False, True])
def test_whatever_a_task_raises_is_recorded_and_later_trials_run(
    concurrency: int, is_async: bool, tmp_path: Path
) -> None:
    async def blow_up_later(kind: str) -> str:
        await asyncio.sleep(0)
        return blow_up(kind)

    names = ["first", *KINDS, "last"]
    cases = [{"name": name, "inputs": name, "expected_output": "fine"} for name in names]
    report = declared(blow_up_later if is_async else blow_up, cases).run(concurrency=concurrency)
    found = {trial.case.name: trial.error and trial.error.type for trial in report}
    expected = {**dict.fromkeys(("first", "last")), **KINDS}
    if is_async:
        expected["stop"] = "StopIteration"
    assert found == expected
    assert all("test_runner.py" in trial.error.traceback for trial in report if trial.error)
    assert report.counts["passed"] == 2
    saved = load_report(report.save(tmp_path / "report.json"))
    assert saved.counts == report.counts


def test_a_criterion_that_raises_is_an_error_and_the_others_are_still_judged() -> None:
    evaluation = declared(same, evaluator=False)
    evaluation.criterion("broken")(lambda attempt: {}["missing"])
    evaluation.criterion("good")(lambda attempt: True)
    results = evaluation.run().trials[0].evaluations
    assert [(result.name, result.status) for result in results] == [("broken", Status.ERROR), ("good", Status.PASSED)]


def test_a_trial_that_checks_nothing_does_not_pass() -> None:
    report = declared(same, evaluator=False).run()
    assert statuses(report) == ["measured"]
    assert not report.passed
    assert report.pass_rate == 0.0


def test_an_assertions_hook_that_returns_counts_as_one() -> None:
    evaluation = declared(same, evaluator=False)

    @evaluation.assertions
    def checks_by_other_means(attempt: Attempt) -> None:
        if attempt.output != 1:
            raise AssertionError("not 1")

    trial = evaluation.run().trials[0]
    assert trial.assertion_count == 1
    assert trial.passed


def test_what_the_application_asserts_is_no_check_of_the_evaluation() -> None:
    def perform(value: int) -> int:
        assert value == 1
        return value

    trial = declared(perform, evaluator=False).run().trials[0]
    assert trial.assertion_count == 0
    assert trial.status is Status.MEASURED


def test_the_pass_rate_counts_every_trial_that_ran() -> None:
    def perform(value: int) -> int:
        if value == 0:
            raise RuntimeError("down")
        return value if value > 1 else -1

    report = declared(perform, numbered(4)).run()
    assert report.pass_rate == 0.5
    assert report.counts == {"passed": 2, "measured": 0, "unassessed": 0, "failed": 1, "error": 1}


# Lazy results


class Callable_:
    async def __call__(self, value: Any) -> str:
        return "Hello"


async def _prefixed(prefix: str, value: Any) -> str:
    return prefix + "llo"


def _generator(value: Any) -> Any:
    yield "Hel"
    yield "lo"


async def _async_generator(value: Any) -> Any:
    yield "Hel"
    yield "lo"


def _coroutine(value: Any) -> Any:
    return _prefixed("He", value)


LAZY = {
    "generator": (_generator, ["Hel", "lo"]),
    "async generator": (_async_generator, ["Hel", "lo"]),
    "coroutine": (_coroutine, "Hello"),
    "one-shot map": (lambda value: map(str.upper, ["a", "b"]), ["A", "B"]),
    "partial of async": (functools.partial(_prefixed, "He"), "Hello"),
    "async callable": (Callable_(), "Hello"),
}


@pytest.mark.parametrize("concurrency", [1, 3])
@pytest.mark.parametrize("kind", LAZY)
def test_awaitables_and_generators_are_resolved_once_and_shared(kind: str, concurrency: int) -> None:
    function, expected = LAZY[kind]
    evaluation = declared(function, evaluator=False)
    evaluation.criterion("one")(lambda attempt: attempt.output == expected)
    evaluation.criterion("two")(lambda attempt: attempt.output == expected)
    report = evaluation.run(concurrency=concurrency)
    assert report.passed, report.trials[0]
    assert report.trials[0].output == expected


@pytest.mark.parametrize("value", [print, object(), Path(__file__).open])
def test_an_unknown_object_is_an_error_that_says_how_to_adapt_it_and_never_its_repr(value: Any) -> None:
    trial = declared(lambda inputs: value).run().trials[0]
    assert trial.error is not None
    assert trial.error.type == "EvidenceError"
    assert "declare @adapt(" in trial.error.message
    assert trial.output is None


# Timeouts


@pytest.mark.parametrize("concurrency", [1, 2])
def test_an_async_task_that_takes_too_long_is_cancelled_and_torn_down(concurrency: int) -> None:
    cleaned: list[str] = []

    async def slow(value: int) -> int:
        try:
            await asyncio.sleep(5 if value == 1 else 0)
        finally:
            cleaned.append("cleaned")
        return value

    evaluation = declared(slow, numbered(3))
    evaluation.teardown(lambda attempt: cleaned.append(attempt.case_name))
    report = evaluation.run(timeout=0.1, concurrency=concurrency)
    assert statuses(report) == ["passed", "error", "passed"]
    error = report.trials[1].error
    assert error is not None
    assert (error.type, error.message) == ("TimeoutError", "setup to assertions took longer than 0.1 s")
    assert sorted(cleaned) == ["c0", "c1", "c2", "cleaned", "cleaned", "cleaned"]


def test_a_function_that_cannot_be_cancelled_is_recorded_and_torn_down_when_it_returns() -> None:
    torn: list[str] = []
    release = threading.Event()

    def stuck(value: int) -> int:
        if value == 1:
            release.wait(5)
        return value

    evaluation = declared(stuck, numbered(3))

    @evaluation.teardown
    def teardown(attempt: Attempt) -> None:
        torn.append(attempt.case_name)

    report = evaluation.run(timeout=0.1, on_trial=lambda trial: release.set() if trial.case.name == "c2" else None)
    assert statuses(report) == ["passed", "error", "passed"]
    assert sorted(torn) == ["c0", "c1", "c2"]
    assert report.notes == ()


def test_the_report_says_when_a_timed_out_trial_was_not_torn_down() -> None:
    release = threading.Event()
    evaluation = declared(lambda value: release.wait(10))
    report = evaluation.run(timeout=0.05)
    release.set()
    assert statuses(report) == ["error"]
    assert report.notes == (
        "case 'c', repetition 1, was not torn down: its function had not returned when the run ended",
    )


# Retries, parameters, lifespan, when


def test_an_error_is_retried_with_a_fresh_attempt_and_the_tries_are_told() -> None:
    tries: list[int] = []

    def flaky(value: int) -> int:
        tries.append(value)
        if len(tries) < 3:
            raise ConnectionError("try again")
        return value

    trial = declared(flaky).run(options=Options(retry_errors=2)).trials[0]
    assert trial.passed
    assert trial.retries == 2


def test_an_evaluators_error_repeats_only_the_grading() -> None:
    performed: list[int] = []
    graded: list[int] = []
    evaluation = declared(lambda value: performed.append(value) or value, evaluator=False)

    @evaluation.criterion("flaky")
    def flaky(attempt: Attempt) -> bool:
        graded.append(1)
        if len(graded) == 1:
            raise ConnectionError("try again")
        return True

    assert evaluation.run(options=Options(retry_errors=1)).passed
    assert len(performed) == 1
    assert len(graded) == 2


def test_a_failure_is_not_retried() -> None:
    performed: list[int] = []
    evaluation = declared(lambda value: performed.append(value) or -value)
    assert statuses(evaluation.run(options=Options(retry_errors=3))) == ["failed"]
    assert len(performed) == 1


def test_params_are_in_the_attempt_and_on_every_trial() -> None:
    def perform(value: int, attempt: Attempt) -> Any:
        return attempt.params["temperature"]

    evaluation = declared(perform, [{"name": "c", "inputs": 1, "expected_output": 0.2}])
    report = evaluation.run(params={"temperature": 0.2})
    assert report.passed
    assert report.trials[0].params == {"temperature": 0.2}


@pytest.mark.parametrize("concurrency", [1, 2])
@pytest.mark.parametrize("is_async", [False, True])
def test_a_lifespan_surrounds_the_whole_run_and_its_value_is_shared(concurrency: int, is_async: bool) -> None:
    order: list[str] = []

    def lifespan() -> Any:
        order.append("begin")
        yield "a pool"
        order.append("end")

    async def lifespan_later() -> Any:
        order.append("begin")
        yield "a pool"
        order.append("end")

    def perform(value: int, attempt: Attempt) -> Any:
        order.append("trial")
        return attempt.lifespan

    evaluation = declared(perform, [{"name": f"c{n}", "inputs": n, "expected_output": "a pool"} for n in range(2)])
    evaluation.lifespan(lifespan_later if is_async else lifespan)
    assert evaluation.run(concurrency=concurrency).passed
    assert order == ["begin", "trial", "trial", "end"]


def test_when_limits_a_criterion_to_some_cases_and_elsewhere_it_is_not_applicable() -> None:
    from llmeval import criterion

    cases = [
        {"name": "refund", "inputs": 1, "metadata": {"kind": "refund"}},
        {"name": "other", "inputs": 2, "metadata": {"kind": "other"}},
    ]
    evaluation = criterion(
        "mentions_money", evaluator=lambda attempt: True, when=lambda case: case.metadata["kind"] == "refund"
    )(declared(same, cases, evaluator=False))
    report = evaluation.run()
    assert statuses(report) == ["passed", "measured"]
    assert [trial.not_applicable for trial in report] == [(), ("mentions_money",)]
    assert report.summary.criteria["mentions_money"].not_applicable == 1


def test_a_when_that_raises_is_a_configuration_error_before_any_trial() -> None:
    from llmeval import criterion

    started: list[int] = []
    evaluation = declared(lambda value: started.append(value), evaluator=False)
    criterion("x", evaluator=lambda attempt: True, when=lambda case: case.metadata["missing"])(evaluation)
    with pytest.raises(ConfigurationError, match="when= raised KeyError for case 'c'"):
        evaluation.run()
    assert started == []


# Events and budgets


def test_subscribers_get_the_events_of_a_run() -> None:
    events: list[Any] = []
    report = declared(same, numbered(2)).run(id="r", options=Options(subscribers=[events.append]))
    kinds = [type(event) for event in events]
    assert kinds == [RunStarted, TrialStarted, TrialFinished, TrialStarted, TrialFinished, RunFinished]
    finished = events[4]
    assert (finished.run_id, finished.evaluation, finished.total, finished.completed) == ("r", "evaluation", 2, 2)
    assert (finished.case, finished.repetition, finished.trial) == ("c1", 1, report.trials[1])
    assert events[-1].report is report


def test_no_grading_runs_assertions_only_and_leaves_criteria_unassessed() -> None:
    evaluation = declared(same, evaluator="openai:never-asked")
    evaluation.assertions(lambda attempt: attempt.assert_equal(attempt.output, 1))
    report = evaluation.run(options=Options(grading=False))
    assert statuses(report) == ["unassessed"]
    assert report.trials[0].assertion_count == 1


def test_listing_cases_runs_nothing() -> None:
    started: list[int] = []
    evaluation = declared(lambda value: started.append(value), numbered(3))
    assert [case.name for case in evaluation.cases(only="c1")] == ["c1"]
    assert started == []


def test_a_run_writes_no_file_unless_a_journal_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    evaluation = declared(same)
    evaluation.run()
    assert list(tmp_path.iterdir()) == []
    report = evaluation.run(journal=tmp_path / "run.jsonl")
    head, line = (tmp_path / "run.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(head)["id"] == report.id
    assert json.loads(line) == report.trials[0].to_dict()


def test_a_client_of_another_loop_gets_an_error_that_names_the_async_entry_point() -> None:
    async def main() -> Report:
        lock = asyncio.Lock()
        await lock.acquire()
        asyncio.get_running_loop().call_later(0.05, lock.release)
        waiting = asyncio.create_task(lock.acquire())
        await asyncio.sleep(0)

        async def perform(value: int) -> int:
            async with lock:
                return value

        report = declared(perform).run(timeout=1)
        await waiting
        return report

    error = asyncio.run(main()).trials[0].error
    assert error is not None
    assert "await evaluation.arun()" in error.message


def test_secrets_in_params_and_outputs_are_masked_everywhere_and_counted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SHOP_API_KEY", "sk-CANARY-0123456789")

    def perform(value: int) -> dict[str, str]:
        return {"key": "sk-CANARY-0123456789"}

    report = declared(perform, evaluator=False).run(
        params={"key": "sk-CANARY-0123456789"}, journal=tmp_path / "run.jsonl"
    )
    path = report.save(tmp_path / "report.json")
    assert "CANARY" not in path.read_text(encoding="utf-8")
    assert "CANARY" not in (tmp_path / "run.jsonl").read_text(encoding="utf-8")
    assert report.trials[0].output == {"key": "[masked]"}
    assert report.summary.masked >= 2


def test_after_an_exception_from_the_receiver_it_is_not_called_again(capfd: pytest.CaptureFixture[str]) -> None:
    calls: list[str] = []

    def receive(trial: Any) -> None:
        calls.append(trial.case.name)
        raise LookupError("the receiver is broken")

    async def nap(value: int) -> int:
        await asyncio.sleep(0.01)
        return value

    with pytest.raises(LookupError):
        declared(nap, numbered(8)).run(concurrency=4, on_trial=receive)
    gc.collect()
    assert len(calls) == 1
    assert "never retrieved" not in capfd.readouterr().err


@pytest.mark.parametrize("concurrency", [1, 2])
@pytest.mark.parametrize("kind", [GeneratorExit, SystemExit, StopAsyncIteration, KeyError])
def test_whatever_an_async_hook_raises_is_recorded(kind: type[BaseException], concurrency: int) -> None:
    evaluation = declared(same, numbered(2))

    @evaluation.setup
    async def setup(attempt: Attempt) -> None:
        await asyncio.sleep(0)
        if attempt.input == 0:
            raise kind("x")

    report = evaluation.run(concurrency=concurrency)
    assert [trial.error and trial.error.type for trial in report] == [kind.__name__, None]


def test_criteria_keep_their_order_where_the_first_case_has_not_all() -> None:
    from llmeval import criterion

    evaluation = declared(same, numbered(2), evaluator=False)
    evaluation = criterion("last", evaluator=lambda attempt: True)(evaluation)
    evaluation = criterion("first", evaluator=lambda attempt: True, when=lambda case: case.inputs == 1)(evaluation)
    report = evaluation.run()
    assert list(report.summary.criteria) == ["first", "last"]


@pytest.mark.parametrize("concurrency", [1, 2])
def test_a_lifespan_that_raises_is_a_configuration_error_that_leaves_the_id_free(
    concurrency: int, tmp_path: Path
) -> None:
    evaluation = declared(same)
    broken = [True]

    @evaluation.lifespan
    def lifespan() -> Any:
        if broken:
            raise RuntimeError("cannot\nopen")
        yield

    with pytest.raises(ConfigurationError, match=r"^evaluation: the lifespan raised RuntimeError: cannot open$"):
        evaluation.run(journal=tmp_path / "j.jsonl", concurrency=concurrency)
    assert list(tmp_path.iterdir()) == []
    broken.clear()
    assert evaluation.run(journal=tmp_path / "j.jsonl", concurrency=concurrency).passed
