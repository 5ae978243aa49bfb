"""Grading saved evidence again: what runs, what stays, and how the evaluator's noise is measured."""

from __future__ import annotations

import asyncio
import itertools
import json
import threading
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from model_graders import KEY, model
from stub_server import StubServer

from llmeval import (
    Attachment,
    Attempt,
    Case,
    Conversation,
    Message,
    NotRun,
    Options,
    Probability,
    Registry,
    Report,
    Result,
    Reviewer,
    Score,
    Status,
    ToolCall,
    Trial,
    compare,
    criterion,
    default_registry,
    load_report,
    regrade,
)
from llmeval.errors import DatasetError, EvaluatorConfigError, OptionError, ReportFileError, ResumeError, SelectionError
from llmeval.noise import Noise, NoiseMeter, noise_of
from llmeval.render.diff_markdown import diff_markdown
from llmeval.render.diff_text import diff_text
from llmeval.render.style import Look
from llmeval.report_schema import schema
from llmeval.results import Choice, ErrorInfo
from llmeval.summary import Summary
from llmeval.usage import Tokens, Usage


def numbered(count: int) -> list[dict[str, Any]]:
    return [{"name": f"c{number}", "inputs": number, "expected_output": number} for number in range(count)]


def declared(function: Callable[..., Any], dataset: Any = None, **options: Any) -> Any:
    options.setdefault("evaluator", "local")
    cases = numbered(3) if dataset is None else dataset
    return Registry().evaluation(name="evaluation", dataset=cases, **options)(function)


def same(value: Any) -> Any:
    return value


def saved(report: Report, folder: Path) -> Path:
    return report.save(folder / f"{report.id}.json")


def outcomes(report: Report) -> list[str]:
    return [trial.status.value for trial in report]


# What runs, and what stays


@pytest.mark.parametrize("concurrency", [1, 4, "auto"])
def test_the_application_does_not_run_again(concurrency: Any, tmp_path: Path) -> None:
    calls: list[str] = []
    evaluation = declared(lambda value: calls.append("perform") or value)
    evaluation.setup(lambda attempt: calls.append("setup"))
    evaluation.teardown(lambda attempt: calls.append("teardown"))

    @evaluation.lifespan
    def around() -> Any:
        calls.append("lifespan")
        yield 1

    report = evaluation.run()
    calls.clear()
    again = regrade(saved(report, tmp_path), evaluation=evaluation, concurrency=concurrency)

    assert calls == []
    assert outcomes(again) == ["passed"] * 3
    assert [(trial.case.name, trial.repetition) for trial in again] == [(f"c{number}", 1) for number in range(3)]
    assert again.notes == (
        f"graded again from the evidence of evaluation@{report.id}; the application did not run",
        "setup and teardown did not run: what is asserted there is not checked again",
    )


def test_the_new_report_names_its_source(tmp_path: Path) -> None:
    evaluation = declared(same)
    report = evaluation.run(id="first")
    path = saved(report, tmp_path)
    again = regrade(path, evaluation=evaluation, id="second", only="c1")

    digest = sha256(path.read_bytes()).hexdigest()
    assert again.id == "second"
    assert again.options["regraded"] == {
        "id": "first",
        "name": "evaluation",
        "digest": digest,
        "path": str(path),
        "only": ["c1"],
    }
    assert regrade(report, evaluation=evaluation).options["regraded"]["digest"] == digest
    assert [trial.case.name for trial in again] == ["c1"]
    assert again.definitions["dataset"] == {**report.definitions["dataset"], "selected": 1}


def test_what_the_application_took_is_kept_and_grading_is_new(model_server: StubServer) -> None:
    task = Usage(requests=2, tokens=Tokens(input=10, output=5), priced=0.25)
    evaluation = declared(same)
    report = evaluation.run()
    trials = tuple(replace(trial, task_usage=task, duration=1.5, evaluator_usage=task) for trial in report)
    grader = Reviewer(model=model(model_server, "pass"))
    again = regrade(replace(report, trials=trials), grader, evaluation)

    assert [(trial.duration, trial.task_usage) for trial in again] == [(1.5, task)] * 3
    assert [trial.evaluator_usage.requests for trial in again] == [1, 1, 1]
    assert model_server.stats["stub-pass"] == 3


def test_a_trial_without_evidence_stays_what_it_is() -> None:
    def perform(value: int) -> int:
        if value == 1:
            raise ValueError("the application is broken")
        return value

    evaluation = declared(perform)
    report = evaluation.run()
    asked: list[str] = []
    again = regrade(report, lambda attempt: asked.append(attempt.case_name) is None, evaluation)

    assert asked == ["c0", "c2"]
    assert outcomes(again) == ["passed", "error", "passed"]
    assert again.trials[1].error == report.trials[1].error
    assert again.trials[1].evaluations == ()


def test_null_is_evidence_too() -> None:
    evaluation = declared(lambda value: None, [{"name": "c", "inputs": 1, "expected_output": None}])
    report = evaluation.run()
    assert outcomes(regrade(report, lambda attempt: attempt.output is None, evaluation)) == ["passed"]


def test_what_did_not_run_in_the_source_did_not_run() -> None:
    evaluation = declared(same)
    report = evaluation.run()
    left = replace(report, trials=report.trials[:2], not_run=(NotRun("c2", 1, "the budget is spent"),))
    again = regrade(left, evaluation=evaluation)
    assert again.not_run == left.not_run
    assert not again.passed
    assert regrade(left, evaluation=evaluation, only="c0").passed


def test_repetitions_and_params_are_those_of_the_source() -> None:
    seen: list[Any] = []
    evaluation = declared(same, numbered(2))
    evaluation.assertions(lambda attempt: seen.append((attempt.repetition, attempt.params["model"])))
    report = evaluation.run(repetitions=2, params={"model": "small"})
    seen.clear()
    again = regrade(report, evaluation=evaluation)
    assert seen == [(1, "small"), (2, "small")] * 2
    assert again.params == {"model": "small"}
    assert [trial.params for trial in again] == [{"model": "small"}] * 4
    assert again.options["repetitions"] == 2


# Who grades, and by what


def test_the_evaluator_that_the_run_was_told_grades_again_unless_another_is_given() -> None:
    evaluation = declared(same, evaluator=lambda attempt: False)
    report = evaluation.run(evaluator="local")
    assert outcomes(report) == ["passed"] * 3
    assert outcomes(regrade(report, evaluation=evaluation)) == ["passed"] * 3
    assert outcomes(regrade(report, lambda attempt: False, evaluation)) == ["failed"] * 3


def test_a_run_without_grading_is_graded_later() -> None:
    evaluation = declared(same)
    report = evaluation.run(options=Options(grading=False))
    assert outcomes(report) == ["unassessed"] * 3
    again = regrade(report, evaluation=evaluation)
    assert outcomes(again) == ["passed"] * 3
    assert again.options["grading"] is True


def test_added_and_changed_criteria_of_now_grade() -> None:
    first = declared(same)
    report = first.run()
    second = declared(same)
    second.criterion("small")(lambda attempt: attempt.output < 2)
    again = regrade(report, evaluation=second)
    assert [[(one.name, one.passed) for one in trial.evaluations] for trial in again] == [
        [("small", True)],
        [("small", True)],
        [("small", False)],
    ]


def test_the_evaluation_is_found_by_the_reports_name() -> None:
    evaluation = default_registry.evaluation(name="found_by_name", dataset=numbered(1), evaluator="local")(same)
    try:
        assert regrade(evaluation.run()).passed
    finally:
        del default_registry._evaluations["found_by_name"]


def test_a_report_of_an_evaluation_that_is_gone_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    report = declared(same).run(id="r1")
    with pytest.raises(
        SelectionError, match="the report r1 is of the evaluation 'evaluation', whose criteria grade it"
    ):
        regrade(report)


def test_a_comparison_needs_the_references_of_the_saved_cases() -> None:
    evaluation = declared(same, [{"name": "c", "inputs": 1}], evaluator=lambda attempt: True)
    report = evaluation.run()
    with pytest.raises(DatasetError, match="missing in 1 of the selected cases: 'c'"):
        regrade(report, "local", evaluation)


def test_an_evaluator_cannot_be_none_while_a_criterion_needs_one() -> None:
    evaluation = declared(same)
    with pytest.raises(EvaluatorConfigError):
        regrade(evaluation.run(), "sonnet-or-so", evaluation)


# Code on saved evidence


def answered() -> Conversation:
    call = ToolCall(id="1", name="lookup", arguments={"order": 7}, result="open", has_result=True)
    return Conversation([Message("user", "?"), Message("assistant", None, [call]), Message("assistant", "It is open.")])


def test_assertions_and_code_criteria_see_the_saved_attempt(tmp_path: Path) -> None:
    class Checks:
        def perform(self, input: Any) -> Conversation:
            return answered()

        def assertions(self) -> None:
            self.assert_equal({"n": 1}, self.input)
            self.assert_equal("A", self.expected_output)
            self.assert_equal({"kind": "k"}, self.metadata)
            self.assert_equal("It is open.", self.output)
            assert self.tool_names == ["lookup"]
            assert self.called("lookup", order=7)
            assert [message.role for message in self.messages] == ["user", "assistant", "assistant"]
            assert self.duration > 0
            assert self.tokens is None

    case = {"name": "c", "inputs": {"n": 1}, "expected_output": "A", "metadata": {"kind": "k"}}
    evaluation = declared(Checks, [case], evaluator=lambda attempt: "open" in attempt.output)
    report = evaluation.run()
    [trial] = regrade(saved(report, tmp_path), evaluation=evaluation)
    assert (trial.status, trial.assertion_failure, trial.assertion_count) == (Status.PASSED, None, 9)
    assert trial.evidence == report.trials[0].evidence
    assert trial.output == "It is open."
    assert trial.evaluations[0].passed


def test_assertions_that_changed_decide_anew() -> None:
    first, second = declared(same), declared(same)

    @first.assertions
    def strict(attempt: Attempt) -> None:
        assert attempt.output > 0

    @second.assertions
    def lenient(attempt: Attempt) -> None:
        assert attempt.output >= 0
        assert attempt.output < 2

    report = first.run()
    assert outcomes(report) == ["failed", "passed", "passed"]
    again = regrade(report, evaluation=second)
    assert outcomes(again) == ["passed", "passed", "failed"]
    assert [trial.assertion_count for trial in again] == [2, 2, 2]
    assert "assert 2 < 2" in (again.trials[2].assertion_failure or "")


def test_a_failed_assertion_of_a_teardown_that_does_not_run_again_is_not_forgotten() -> None:
    evaluation = declared(same, numbered(1))
    evaluation.assertions(lambda attempt: attempt.assert_equal(0, attempt.output))

    @evaluation.teardown
    def after(attempt: Attempt) -> None:
        assert attempt.output == 1

    report = evaluation.run()
    [trial] = regrade(report, evaluation=evaluation)
    assert trial.status is Status.FAILED
    assert trial.assertion_failure == report.trials[0].assertion_failure


def test_an_error_of_the_assertions_is_gone_when_they_no_longer_raise_and_one_of_the_teardown_stays() -> None:
    def run(hook: str) -> list[str]:
        evaluation = declared(same, numbered(1))
        broken = [True]

        def check(attempt: Attempt) -> None:
            if broken[0]:
                raise LookupError("broken")

        getattr(evaluation, hook)(check)
        if hook == "teardown":
            evaluation.assertions(lambda attempt: attempt.assert_true(True))
        report = evaluation.run()
        broken[0] = False
        return outcomes(report) + outcomes(regrade(report, evaluation=evaluation))

    assert run("assertions") == ["error", "passed"]
    assert run("teardown") == ["error", "error"]


@pytest.mark.parametrize(
    "check",
    [
        lambda attempt: attempt.assert_equal(1, attempt.connection.sent),
        lambda attempt: attempt.assert_equal("live", attempt.result.state),
        lambda attempt: attempt.assert_equal("live", attempt.result),
        lambda attempt: attempt.assert_true(attempt.lifespan["open"]),
    ],
)
def test_a_hook_that_needs_more_than_saved_evidence_is_an_error_that_says_so(check: Any) -> None:
    evaluation = declared(same, numbered(1))
    report = evaluation.run()
    evaluation.assertions(check)
    [trial] = regrade(report, evaluation=evaluation)
    assert trial.status is Status.ERROR
    assert trial.error is not None
    assert "the trial was regraded from saved evidence" in trial.error.message
    assert trial.assertion_failure is None
    assert trial.evaluations[0].passed


def test_a_code_criterion_that_looks_at_the_live_result_is_an_error_when_it_fails() -> None:
    evaluation = declared(same, numbered(1))
    report = evaluation.run()
    evaluation.criterion("live")(lambda attempt: attempt.result == 0)
    evaluation.criterion("guarded")(lambda attempt: attempt.result is None)
    evaluation.criterion("plain")(lambda attempt: attempt.output == 1)
    evaluation.criterion("raises")(lambda attempt: attempt.result.text)
    [trial] = regrade(report, evaluation=evaluation)
    found = {result.name: result for result in trial.evaluations}
    assert {name: one.status.value for name, one in found.items()} == {
        "live": "error",
        "guarded": "passed",
        "plain": "failed",
        "raises": "error",
    }
    for name in ("live", "raises"):
        assert "regraded" in found[name].error.message  # type: ignore[union-attr]


def test_what_code_does_to_the_evidence_does_not_reach_the_source(tmp_path: Path) -> None:
    evaluation = declared(lambda value: {"items": [1]}, [{"name": "c", "inputs": 1}], evaluator=lambda attempt: True)
    report = load_report(saved(evaluation.run(), tmp_path))
    evaluation.assertions(lambda attempt: attempt.output["items"].append(2))
    [trial] = regrade(report, evaluation=evaluation)
    assert trial.status is Status.ERROR
    assert report.trials[0].evidence == {"items": [1]}


def test_an_attachment_without_its_bytes_is_an_error_of_a_model_that_would_have_to_see_it(
    model_server: StubServer,
) -> None:
    evaluation = declared(
        lambda value: Attachment(b"%PDF-1.7", name="scan.pdf"),
        [{"name": "c", "inputs": 1, "expected_output": "a scan"}],
        evaluator=lambda attempt: True,
    )
    report = evaluation.run()
    [trial] = regrade(report, Reviewer(model=model(model_server, "pass")), evaluation)
    [result] = trial.evaluations
    assert result.status is Status.ERROR
    assert result.error is not None
    assert "no bytes for 1 of its attachments" in result.error.message
    assert model_server.stats == {}
    assert outcomes(regrade(report, evaluation=evaluation)) == ["passed"]


def test_requests_that_assertions_make_count_for_the_grading(model_server: StubServer, sdks: None) -> None:
    import openai

    task = Usage(requests=1, tokens=Tokens(input=1, output=1))
    evaluation = declared(same, numbered(1))

    @evaluation.assertions
    def asks(attempt: Attempt) -> None:
        with openai.OpenAI(base_url=model_server.openai_url, api_key=KEY) as client:
            client.chat.completions.create(model="stub-pass", messages=[{"role": "user", "content": "?"}])

    report = evaluation.run()
    trial = replace(report.trials[0], task_usage=task)
    [again] = regrade(replace(report, trials=(trial,)), evaluation=evaluation)
    assert again.task_usage == task
    assert again.evaluator_usage.requests == 1


# Noise


def test_an_evaluator_that_flips_is_told_from_one_that_does_not(model_server: StubServer, tmp_path: Path) -> None:
    evaluation = criterion("correctness")(declared(same, numbered(2)))
    evaluation.criterion("steady")(lambda attempt: True)
    report = evaluation.run()
    again = regrade(report, Reviewer(model=model(model_server, "flip")), evaluation, repeat=3)

    noise = again.noise
    assert model_server.stats["stub-flip"] == 6
    assert noise["correctness"].flip_rate == 1.0
    assert noise["correctness"].unstable == (("c0", 1), ("c1", 1))
    assert noise["correctness"].disagreement == pytest.approx(2 / 3)
    assert noise["steady"].flip_rate == 0.0
    assert noise["steady"].trials == 2
    first = again.trials[0].evaluations[0]
    assert [one.value for one in (first, *first.repeats)] == [True, False, True]
    assert [one.stable for one in again.trials[0].evaluations] == [False, True]
    assert again.trials[0].evaluator_usage.requests == 3

    path = saved(again, tmp_path)
    Draft202012Validator(schema()).validate(json.loads(path.read_text()))
    assert load_report(path).noise == noise
    assert noise_of(json.loads(path.read_text())) == noise
    assert load_report(path).to_dict() == again.to_dict()


def test_only_the_evaluator_is_asked_again() -> None:
    asserted: list[str] = []
    graded: list[str] = []
    evaluation = declared(same, numbered(2), evaluator=lambda attempt: graded.append(attempt.case_name) is None)
    report = evaluation.run()
    evaluation.assertions(lambda attempt: asserted.append(attempt.case_name))
    graded.clear()
    regrade(report, evaluation=evaluation, repeat=4)
    assert asserted == ["c0", "c1"]
    assert graded == ["c0"] * 4 + ["c1"] * 4


def test_numbers_have_a_deviation_and_a_verdict_only_with_a_minimum() -> None:
    values = itertools.cycle([0.5, 0.9])
    evaluation = declared(same, numbered(1))
    report = evaluation.run()
    evaluation.criterion("graded", minimum=0.8)(lambda attempt: Probability(next(values)))
    evaluation.criterion("measured")(lambda attempt: Score(3.0))
    noise = regrade(report, evaluation=evaluation, repeat=2).noise
    assert noise["graded"].flip_rate == 1.0
    assert noise["graded"].deviation == pytest.approx(0.2 * 2**0.5)
    assert (noise["measured"].flip_rate, noise["measured"].trials, noise["measured"].measured) == (None, 0, 1)
    assert noise["measured"].deviation == 0.0


def test_gradings_that_end_in_an_error_are_counted_and_left_out() -> None:
    answers = iter([LookupError("down"), True, True, LookupError("down"), LookupError("down"), False])

    def grader(attempt: Attempt) -> bool:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    evaluation = declared(same, numbered(2))
    again = regrade(evaluation.run(), grader, evaluation, repeat=3)
    noise = again.noise["correctness"]
    assert outcomes(again) == ["passed", "failed"]  # the first grading that delivered one
    assert (noise.trials, noise.errors, noise.flip_rate) == (1, 3, 0.0)


def test_a_plain_report_has_no_noise(tmp_path: Path) -> None:
    report = declared(same).run()
    assert report.noise == {}
    assert "noise" not in report.to_dict()
    assert noise_of(report) == {}


def measured(*cases: list[list[Any]]) -> Noise:
    """The noise of trials given as `[case][trial][grading]`."""
    meter = NoiseMeter()
    for number, trials in enumerate(cases):
        for repetition, values in enumerate(trials, 1):
            results = [value if isinstance(value, Result) else Result(name="c", value=value) for value in values]
            trial = Trial(case=Case(f"c{number}", 0), repetition=repetition)
            meter.add(trial, replace(results[0], repeats=tuple(results[1:])))
    return meter.noise()


def test_what_the_application_varies_is_told_from_what_the_evaluator_varies() -> None:
    evaluator_only = measured([[True, False], [True, False]])
    assert evaluator_only.disagreement == 1.0
    assert evaluator_only.across_disagreement == pytest.approx(0.5)
    assert evaluator_only.application_disagreement == 0.0

    application_only = measured([[True, True], [False, False]], [[True, True], [True, True]])
    assert application_only.disagreement == 0.0
    assert application_only.across_disagreement == pytest.approx(0.5)
    assert application_only.application_disagreement == pytest.approx(0.5)
    assert application_only.unstable == ()

    scores = measured([[Score(1.0), Score(3.0)], [Score(6.0), Score(8.0)]])
    assert scores.deviation == pytest.approx(2**0.5)
    assert scores.across_deviation == pytest.approx((1 + 12.5) ** 0.5)
    assert scores.application_deviation == pytest.approx((1 + 12.5 - 2) ** 0.5)


def test_choices_flip_when_another_option_is_chosen() -> None:
    noise = measured([[Choice("a"), Choice("b"), Choice("a")]], [[Choice(True), Choice(True)]])
    assert (noise.trials, noise.unstable) == (2, (("c0", 1),))


def test_noise_of_nothing_decided_is_not_a_number() -> None:
    error = Result(name="c", error=ErrorInfo(type="EvaluatorError", message="down"))
    noise = measured([[error, error]])
    assert (noise.flip_rate, noise.disagreement, noise.floor, noise.deviation) == (None, None, None, None)
    assert noise.errors == 2


verdicts = st.lists(st.lists(st.sampled_from([True, False, None]), min_size=2, max_size=4), min_size=1, max_size=4)


@given(st.lists(verdicts, min_size=1, max_size=4))
@settings(max_examples=100, deadline=None)
def test_noise_is_within_its_bounds_and_reads_back(cases: list[list[list[Any]]]) -> None:
    noise = measured(*cases)
    trials = [values for trials in cases for values in trials]
    assert noise.trials == len(trials)
    assert len(noise.unstable) == sum(len(set(values)) > 1 for values in trials)
    assert noise.disagreement is not None
    assert 0 <= noise.disagreement <= 1
    assert (noise.disagreement > 0) == bool(noise.unstable)
    repeated = any(len(trials) > 1 for trials in cases)
    assert (noise.across_disagreement is not None) == repeated
    assert Noise.from_dict(json.loads(json.dumps(noise.to_dict()))) == noise


@given(verdicts.filter(lambda trials: len(trials) > 1))
@settings(max_examples=100, deadline=None)
def test_disagreement_across_repetitions_is_that_of_all_pairs(trials: list[list[Any]]) -> None:
    shares = [
        sum(x != y for x in one for y in two) / (len(one) * len(two)) for one, two in itertools.combinations(trials, 2)
    ]
    assert measured(trials).across_disagreement == pytest.approx(sum(shares) / len(shares))


# Journal, budget, interruption


def test_a_regrading_resumes_and_gives_the_report_of_one_that_was_not_stopped(tmp_path: Path) -> None:
    evaluation = declared(same, numbered(6), evaluator=lambda attempt: attempt.output != 4)
    path = saved(evaluation.run(), tmp_path)
    asked: list[str] = []

    def grader(attempt: Attempt) -> bool:
        asked.append(attempt.case_name)
        return attempt.output != 4

    def stop(trial: Trial) -> None:
        if trial.case.name == "c2":
            raise InterruptedError

    journal = tmp_path / "j.jsonl"
    with pytest.raises(InterruptedError):
        regrade(path, grader, evaluation, 2, id="r", journal=journal, on_trial=stop)
    options = Options(resume=True)
    resumed = regrade(path, grader, evaluation, 2, id="r", journal=journal, options=options)
    whole = regrade(path, grader, evaluation, 2, id="r")

    assert asked[:12] == [f"c{number}" for number in range(6) for _ in (0, 1)]
    assert resumed.to_dict()["trials"] == whole.to_dict()["trials"]
    assert resumed.noise == whole.noise
    with pytest.raises(ResumeError, match="exists"):
        regrade(path, grader, evaluation, 2, id="r", journal=journal)


def test_a_resumed_regrading_grades_all_again_when_its_report_is_another(tmp_path: Path) -> None:
    asked: list[str] = []
    evaluation = declared(same, numbered(2), evaluator=lambda attempt: asked.append(attempt.case_name) is None)
    report = evaluation.run()
    path, journal = saved(report, tmp_path), tmp_path / "j.jsonl"
    regrade(path, evaluation=evaluation, id="r", journal=journal)
    asked.clear()
    regrade(path, evaluation=evaluation, id="r", journal=journal, options=Options(resume=True))
    assert asked == []
    changed = tuple(replace(trial, evidence="another", output="another") for trial in report)
    replace(report, trials=changed).save(path)
    again = regrade(path, evaluation=evaluation, id="r", journal=journal, options=Options(resume=True))
    assert asked == ["c0", "c1"]
    assert [trial.output for trial in again] == ["another"] * 2


def test_a_budget_counts_grading_alone(model_server: StubServer) -> None:
    evaluation = declared(same, numbered(4))
    report = evaluation.run()
    spent = Usage(requests=50, tokens=Tokens(input=1, output=1), priced=1.0)
    costly = replace(report, trials=tuple(replace(trial, task_usage=spent) for trial in report))
    grader = Reviewer(model=model(model_server, "pass"))
    again = regrade(costly, grader, evaluation, options=Options(max_requests=2))
    assert len(again) == 2
    assert model_server.stats["stub-pass"] == 2
    assert [one.case for one in again.not_run] == ["c2", "c3"]


@pytest.mark.parametrize("concurrency", [1, 3])
def test_an_exception_from_the_receiver_stops_the_regrading(concurrency: int) -> None:
    def receive(trial: Trial) -> None:
        raise LookupError("the receiver is broken")

    evaluation = declared(same, numbered(20))
    with pytest.raises(LookupError, match="the receiver is broken"):
        regrade(evaluation.run(), evaluation=evaluation, on_trial=receive, concurrency=concurrency)


def test_it_works_where_an_event_loop_is_running_and_with_async_code() -> None:
    async def later(value: int) -> int:
        return value

    evaluation = declared(later, numbered(3))

    @evaluation.assertions
    async def checks(attempt: Attempt) -> None:
        await asyncio.sleep(0)
        assert attempt.output < 2
        assert threading.current_thread() is not threading.main_thread()

    async def main() -> tuple[Report, Report]:
        report = await evaluation.arun()
        return report, regrade(report, evaluation=evaluation, concurrency=2)

    report, again = asyncio.run(main())
    assert outcomes(again)[2] == "failed"
    assert len(again) == len(report) == 3


# Refusals


@pytest.mark.parametrize("repeat", [0, -1, True, 1.5, "2"])
def test_a_repeat_that_is_no_positive_number_is_refused(repeat: Any) -> None:
    evaluation = declared(same)
    with pytest.raises(OptionError, match="repeat is"):
        regrade(evaluation.run(), evaluation=evaluation, repeat=repeat)


def test_options_that_would_need_the_application_are_refused() -> None:
    evaluation = declared(same)
    with pytest.raises(OptionError, match="a regrading takes no repetitions or timeout"):
        regrade(evaluation.run(), evaluation=evaluation, options=Options(repetitions=2, timeout=1.0))


def test_unknown_cases_and_reports_without_trials_are_refused(tmp_path: Path) -> None:
    evaluation = declared(same)
    report = evaluation.run(id="r1")
    with pytest.raises(SelectionError, match="there is no case 'c9': did you mean"):
        regrade(report, evaluation=evaluation, only="c9")
    with pytest.raises(ReportFileError, match="evaluation@r1 has no trial"):
        regrade(replace(report, trials=()), evaluation=evaluation)
    with pytest.raises(ReportFileError, match="there is no such report"):
        regrade(tmp_path / "none.json", evaluation=evaluation)


# Comparing


def test_a_regrading_by_the_same_evaluator_is_comparable_with_its_source() -> None:
    evaluation = declared(same, numbered(3))
    evaluation.assertions(lambda attempt: attempt.assert_true(True))
    report = evaluation.run()
    found = compare(report, regrade(report, evaluation=evaluation))
    assert found.incomparable == ()
    assert found.unchanged == ("c0", "c1", "c2")


def test_a_diff_shows_the_noise_floor_beside_the_difference_in_each_of_its_forms(tmp_path: Path) -> None:
    evaluation = declared(same, numbered(2))
    plain = evaluation.run(id="plain", evaluator=lambda attempt: True)
    flips = itertools.cycle([True, False, True, True])
    noisy = regrade(plain, lambda attempt: next(flips), evaluation, repeat=2, id="noisy")
    words = "asked 2 times in B: 50% of 2 verdicts flip (1); which alone moves its rate by up to 98 points"
    for found in (compare(plain, noisy, True), compare(saved(plain, tmp_path), saved(noisy, tmp_path), True)):
        [one] = found.criteria
        assert (one.noise_a, one.noise_b) == (None, noisy.noise["correctness"])
        assert found.to_dict()["criteria"][0]["noise"] == {"a": None, "b": noisy.noise["correctness"].to_dict()}
        assert f"correctness: {words}" in diff_text(found, Look(width=200))
        assert f"`{words}`" in diff_markdown(found)


def test_counting_trials_one_by_one_gives_the_noise_of_the_whole() -> None:
    evaluation = declared(same, numbered(3))
    flips = itertools.cycle([True, False, True])
    again = regrade(evaluation.run(), lambda attempt: next(flips), evaluation, repeat=2)
    summary = Summary()
    for trial in again:
        summary.add(trial)
    assert {name: meter.noise() for name, meter in summary.noise.items()} == again.noise
