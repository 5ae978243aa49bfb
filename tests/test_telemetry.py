from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from contextvars import copy_context
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry._logs import _internal as logs
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as gen_ai
from opentelemetry.semconv._incubating.attributes import test_attributes as test
from opentelemetry.semconv.attributes.error_attributes import ERROR_TYPE
from opentelemetry.semconv.schemas import Schemas

from llmeval.cases import Case
from llmeval.results import Choice, ErrorInfo, Probability, Result, Score
from llmeval.secrets import register
from llmeval.telemetry import SCHEMA_URL, RunTrace
from llmeval.trials import Trial

RESULTS = (
    Result(name="correct", value=True, reason="it is right"),
    Result(name="concise", value=False),
    Result(name="kind", value=None, reason="cannot tell"),
    Result(name="likely", value=Probability(0.25)),
    Result(name="likely enough", value=Probability(0.75), minimum=0.5),
    Result(name="tone", value=Choice("formal")),
    Result(name="depth", value=Score(2, ("shallow", "fair", "deep"))),
    Result(name="broken", error=ErrorInfo(type="EvaluatorError", message="no answer")),
)


@pytest.fixture
def exporter(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    return exporter


def _run(results: Any = RESULTS, trial: Trial | None = None, perform: Any = lambda: None) -> None:
    with RunTrace(evaluation="support", run_id="r1", trials=1) as run, run.trial("opened", 2, {"model": "m"}) as trace_:
        with trace_.phase("perform"):
            perform()
        with trace_.phase("evaluate") as phase:
            trace_.results(phase, results, "resp_1")
        trace_.finished(trial or Trial(case=Case("opened", 1), evaluations=(RESULTS[0],)))


def _spans(exporter: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in exporter.get_finished_spans()}


def _parent(span: ReadableSpan) -> int | None:
    return None if span.parent is None else span.parent.span_id


def _id(span: ReadableSpan) -> int:
    assert span.context is not None
    return span.context.span_id


def test_a_run_is_a_span_with_its_trials_below_and_perform_and_evaluate_below_those(exporter):
    _run()
    spans = _spans(exporter)
    assert set(spans) == {"llmeval run support", "llmeval trial", "perform", "evaluate"}
    run, trial = spans["llmeval run support"], spans["llmeval trial"]
    assert _parent(run) is None
    assert _parent(trial) == _id(run)
    assert _parent(spans["perform"]) == _parent(spans["evaluate"]) == _id(trial)


def test_each_span_has_the_run_id(exporter):
    _run()
    assert [span.attributes["llmeval.run.id"] for span in exporter.get_finished_spans()] == ["r1"] * 4


def test_a_trials_span_says_which_trial_it_is_and_how_it_ended(exporter):
    _run()
    assert dict(_spans(exporter)["llmeval trial"].attributes) == {
        "llmeval.run.id": "r1",
        "llmeval.evaluation.name": "support",
        test.TEST_CASE_NAME: "opened",
        "llmeval.repetition": 2,
        "llmeval.param.model": "m",
        "llmeval.trial.status": "passed",
        test.TEST_CASE_RESULT_STATUS: "pass",
    }


def test_a_trial_that_ended_in_an_error_is_an_error_span(exporter):
    _run((), Trial(case=Case("opened", 1), error=ErrorInfo(type="KeyError", message="'x'")))
    span = _spans(exporter)["llmeval trial"]
    assert (span.status.status_code.name, span.status.description) == ("ERROR", "'x'")
    assert span.attributes[ERROR_TYPE] == "KeyError"
    assert span.attributes["llmeval.trial.status"] == "error"
    assert test.TEST_CASE_RESULT_STATUS not in span.attributes


def test_the_applications_spans_nest_below_perform(exporter):
    def perform() -> None:
        with trace.get_tracer("app").start_as_current_span("lookup"):
            pass

    _run(perform=perform)
    spans = _spans(exporter)
    assert _parent(spans["lookup"]) == _id(spans["perform"])


def test_the_applications_spans_nest_below_perform_in_tasks_of_the_trials_context(exporter):
    async def lookup() -> None:
        with trace.get_tracer("app").start_as_current_span("lookup"):
            await asyncio.sleep(0)

    _run(perform=lambda: asyncio.run(lookup()))
    spans = _spans(exporter)
    assert _parent(spans["lookup"]) == _id(spans["perform"])


def test_a_trial_is_below_its_run_in_whatever_thread_and_context_it_runs(exporter):
    empty = copy_context()
    with RunTrace(evaluation="support", run_id="r1", trials=1) as run:

        def trial() -> None:
            with run.trial("opened", 1):
                pass

        thread = threading.Thread(target=empty.run, args=(trial,))
        thread.start()
        thread.join()
    spans = _spans(exporter)
    assert _parent(spans["llmeval trial"]) == _id(spans["llmeval run support"])


def test_a_run_is_below_the_span_that_the_caller_has_open(exporter):
    with trace.get_tracer("caller").start_as_current_span("nightly"):
        _run()
    spans = _spans(exporter)
    assert _parent(spans["llmeval run support"]) == _id(spans["nightly"])


def test_an_exception_passes_through_and_ends_the_span_as_an_error(exporter):
    def perform() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        _run(perform=perform)
    span = _spans(exporter)["perform"]
    assert (span.status.status_code.name, span.attributes[ERROR_TYPE]) == ("ERROR", "ValueError")
    assert span.events == ()


def test_each_result_is_an_evaluation_event_of_evaluate(exporter):
    _run()
    events = _spans(exporter)["evaluate"].events
    assert {event.name for event in events} == {"gen_ai.evaluation.result"}
    told = []
    for event in events:
        attributes = dict(event.attributes)
        assert attributes.pop(gen_ai.GEN_AI_RESPONSE_ID) == "resp_1"
        name, value = (
            attributes.pop(gen_ai.GEN_AI_EVALUATION_NAME),
            attributes.pop(gen_ai.GEN_AI_EVALUATION_SCORE_VALUE, None),
        )
        label = attributes.pop(gen_ai.GEN_AI_EVALUATION_SCORE_LABEL, None)
        told.append((name, value, label, *attributes.items()))
    assert told == [
        ("correct", 1.0, "pass", (gen_ai.GEN_AI_EVALUATION_EXPLANATION, "it is right")),
        ("concise", 0.0, "fail"),
        ("kind", None, "unknown", (gen_ai.GEN_AI_EVALUATION_EXPLANATION, "cannot tell")),
        ("likely", 0.25, None),
        ("likely enough", 0.75, "pass"),
        ("tone", None, "formal"),
        ("depth", 2.0, None),
        ("broken", None, None, (ERROR_TYPE, "EvaluatorError")),
    ]


def test_results_are_log_events_too_where_a_logger_provider_is_configured(exporter, monkeypatch):
    records = InMemoryLogRecordExporter()
    provider = LoggerProvider(shutdown_on_exit=False)
    provider.add_log_record_processor(SimpleLogRecordProcessor(records))
    monkeypatch.setattr(logs, "_LOGGER_PROVIDER", provider)
    _run(RESULTS[:1])
    (found,) = records.get_finished_logs()
    assert found.log_record.event_name == "gen_ai.evaluation.result"
    assert found.log_record.attributes[gen_ai.GEN_AI_EVALUATION_NAME] == "correct"
    assert found.log_record.span_id == _id(_spans(exporter)["evaluate"])


def test_what_is_exported_is_masked(exporter):
    register("canary-in-a-reason")
    error = ErrorInfo(type="E", message="key canary-in-a-reason refused")
    _run((Result(name="x", value=True, reason="saw canary-in-a-reason"),), Trial(case=Case("opened", 1), error=error))
    spans = _spans(exporter)
    assert spans["evaluate"].events[0].attributes[gen_ai.GEN_AI_EVALUATION_EXPLANATION] == "saw [masked]"
    assert spans["llmeval trial"].status.description == "key [masked] refused"


def test_the_version_of_the_conventions_is_named(exporter):
    _run()
    scope = _spans(exporter)["llmeval trial"].instrumentation_scope
    assert (scope.name, scope.schema_url) == ("llmeval", SCHEMA_URL)
    assert SCHEMA_URL in {schema.value for schema in Schemas}


def test_a_provider_that_is_configured_during_the_run_gets_the_trials_after(exporter, monkeypatch):
    provider = trace._TRACER_PROVIDER
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)
    with RunTrace(evaluation="support", run_id="r1", trials=2) as run:
        with run.trial("opened", 1):
            pass
        monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
        with run.trial("opened", 2):
            pass
    assert [span.attributes["llmeval.repetition"] for span in exporter.get_finished_spans()] == [2]


def test_without_a_provider_nothing_is_traced(monkeypatch):
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)
    inside: list[Any] = []
    _run(perform=lambda: inside.append(trace.get_current_span()))
    assert inside == [trace.INVALID_SPAN]


def test_without_opentelemetry_it_is_not_imported():
    code = """
import sys
from llmeval.telemetry import RunTrace
with RunTrace(evaluation="e", run_id="r", trials=1) as run, run.trial("c", 1) as trial:
    with trial.phase("perform"):
        pass
    with trial.phase("evaluate") as phase:
        trial.results(phase, ())
assert not [name for name in sys.modules if name.startswith("opentelemetry")]
"""
    subprocess.run([sys.executable, "-c", code], check=True)
