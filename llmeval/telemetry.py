"""A run as OpenTelemetry spans, for users who have configured a tracer provider of their own.

A span for the run, below it one for each trial, below that `perform` and `evaluate`; the application's spans nest where
they are made. Each result is a `gen_ai.evaluation.result` event of `evaluate`, and a log event as well where a logger
provider is configured.

Names follow the GenAI semantic conventions, status "development", as in opentelemetry-semantic-conventions 0.66b2
(schema 1.44.0), whence they moved to open-telemetry/semantic-conventions-genai.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from llmeval.capture.spans import users_provider
from llmeval.results import Choice, Probability, Result, Score, Status
from llmeval.secrets import mask

if TYPE_CHECKING:
    from llmeval.trials import Trial

__all__ = ["Phase", "RunTrace", "TrialTrace"]

SCHEMA_URL: Final = "https://opentelemetry.io/schemas/1.44.0"
EVENT: Final = "gen_ai.evaluation.result"
LABELS: Final = {Status.PASSED: "pass", Status.FAILED: "fail", Status.UNASSESSED: "unknown"}


class Phase:
    """A span that is the current one while it is entered; nothing at all where nobody traces."""

    __slots__ = ("_entered", "span")

    def __init__(self, span: Any = None) -> None:
        self.span = span
        self._entered: Any = None

    def __enter__(self) -> Self:
        if self.span is not None:
            from opentelemetry import trace  # loaded: there is a span

            # An exception's text and traceback may hold a secret: they are told masked, by `finished`.
            self._entered = trace.use_span(
                self.span, end_on_exit=True, record_exception=False, set_status_on_exception=False
            )
            self._entered.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._entered is None:
            return
        if kind is not None and isinstance(error, Exception):
            self._failed(kind.__name__)
        self._entered.__exit__(kind, error, traceback)

    def _failed(self, kind: str, description: str | None = None) -> None:
        from opentelemetry.trace import Status as SpanStatus  # loaded: there is a span
        from opentelemetry.trace import StatusCode

        self.span.set_attribute("error.type", kind)
        self.span.set_status(SpanStatus(StatusCode.ERROR, description))


class RunTrace(Phase):
    """The span of a run; enter it in the caller's context."""

    __slots__ = ("_attributes",)

    def __init__(self, *, evaluation: str, run_id: str, trials: int) -> None:
        self._attributes = {"llmeval.run.id": run_id, "llmeval.evaluation.name": evaluation}
        tracer = _tracer()
        attributes = {**self._attributes, "test.suite.name": evaluation, "llmeval.trials": trials}
        super().__init__(tracer and tracer.start_span(f"llmeval run {evaluation}", attributes=attributes))

    def trial(self, case: str, repetition: int, params: Mapping[str, Any] | None = None) -> TrialTrace:
        """Returns the span of a trial, a child of the run's whatever the context; enter it in the trial's."""
        tracer = _tracer()
        if tracer is None:
            return _NO_TRACE
        from opentelemetry import trace  # loaded: there is a tracer

        attributes = {**self._attributes, "test.case.name": case, "llmeval.repetition": repetition}
        attributes.update((f"llmeval.param.{name}", mask(str(value))) for name, value in (params or {}).items())
        parent = None if self.span is None else trace.set_span_in_context(self.span)
        span = tracer.start_span("llmeval trial", context=parent, attributes=attributes)
        return TrialTrace(span, tracer, self._attributes)


class TrialTrace(Phase):
    """The span of a trial."""

    __slots__ = ("_attributes", "_tracer")

    def __init__(self, span: Any = None, tracer: Any = None, attributes: Mapping[str, str] | None = None) -> None:
        super().__init__(span)
        self._tracer = tracer
        self._attributes = attributes

    def phase(self, name: str) -> Phase:
        """Returns a child span: `perform` or `evaluate`; enter it in the trial's context."""
        if self._tracer is None:
            return _NO_PHASE
        from opentelemetry import trace  # loaded: there is a tracer

        parent = trace.set_span_in_context(self.span)
        return Phase(self._tracer.start_span(name, context=parent, attributes=self._attributes))

    def results(self, phase: Phase, results: Iterable[Result], response_id: str | None = None) -> None:
        """Adds an event for each result to the span of `phase`; `response_id` is what the application's model gave."""
        if phase.span is None:
            return
        for result in results:
            attributes = _attributes(result, response_id)
            phase.span.add_event(EVENT, attributes)
            _log(phase.span, attributes)

    def finished(self, trial: Trial) -> None:
        """Tells how the trial ended, before its span does."""
        if self.span is None:
            return
        self.span.set_attribute("llmeval.trial.status", trial.status.value)
        if trial.status in (Status.PASSED, Status.FAILED):
            self.span.set_attribute("test.case.result.status", LABELS[trial.status])
        if trial.error is not None:
            self._failed(trial.error.type, mask(trial.error.message))


_NO_PHASE = Phase()
_NO_TRACE = TrialTrace()


def _tracer() -> Any:
    provider = users_provider()
    if provider is None:
        return None
    from llmeval import __version__  # the package's own, complete by now

    return provider.get_tracer("llmeval", __version__, SCHEMA_URL)


def _attributes(result: Result, response_id: str | None) -> dict[str, Any]:
    value = result.value
    label = str(value.choice) if isinstance(value, Choice) else LABELS.get(result.status)
    found = {
        "gen_ai.evaluation.name": result.name,
        "gen_ai.evaluation.score.value": _number(value),
        "gen_ai.evaluation.score.label": label,
        "gen_ai.evaluation.explanation": None if result.reason is None else mask(result.reason),
        "gen_ai.response.id": response_id,
        "error.type": None if result.error is None else result.error.type,
    }
    return {name: item for name, item in found.items() if item is not None}


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, Probability):
        return float(value.probability)
    return float(value.score) if isinstance(value, Score) else None


def _log(span: Any, attributes: Mapping[str, Any]) -> None:
    logs: Any = sys.modules.get("opentelemetry._logs._internal")
    provider = getattr(logs, "_LOGGER_PROVIDER", None)
    if provider is None:
        return
    from opentelemetry import trace  # loaded: there is a span

    record = logs.LogRecord(event_name=EVENT, attributes=attributes, context=trace.set_span_in_context(span))
    provider.get_logger("llmeval", schema_url=SCHEMA_URL).emit(record)
