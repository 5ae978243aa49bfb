"""Spans that OpenTelemetry drops because no tracer provider is configured.

A library that emits spans by itself gets a tracer that does nothing then. While a recorder is open it gets one whose
spans keep their attributes until they end, and are then read. They have no valid context, so nothing is propagated; a
provider that is configured later takes over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from opentelemetry import trace
from opentelemetry.util.types import Attributes

from llmeval.capture.recorder import Recorder, current

__all__ = ["leave", "take"]

_OWN_ACCOUNT = ("com.anthropic.", "opentelemetry.instrumentation.openai", "opentelemetry.instrumentation.anthropic")
"""Tracers that tell of requests which are read from the SDKs, so that their spans need not be made."""


def take(module: Any) -> None:
    """Gives tracers of no provider this module's spans."""
    global _original
    owner: Any = getattr(module, "ProxyTracer", None)
    if _original is None and isinstance(getattr(owner, "_tracer", None), property):
        _original = owner._tracer
        owner._tracer = property(_tracer)


def leave() -> None:
    """Puts things back."""
    global _original
    if _original is not None:
        owner: Any = trace.ProxyTracer
        owner._tracer = _original
        _original = None


_original: Any = None


def _tracer(proxy: Any) -> Any:
    found = trace.NoOpTracer() if _original is None else _original.fget(proxy)
    recorder = current() if isinstance(found, trace.NoOpTracer) else None
    if recorder is None or recorder.closed or proxy._instrumenting_module_name.startswith(_OWN_ACCOUNT):
        return found
    return _Tracer(recorder)


class _Span(trace.NonRecordingSpan):
    """Keeps attributes until it ends."""

    def __init__(self, recorder: Recorder, attributes: Attributes) -> None:
        super().__init__(trace.INVALID_SPAN_CONTEXT)
        self._recorder: Recorder | None = recorder
        self._attributes: dict[str, Any] = dict(attributes or {})

    def is_recording(self) -> bool:
        return self._recorder is not None

    def set_attribute(self, key: str, value: Any) -> None:
        self._attributes[key] = value

    def set_attributes(self, attributes: Mapping[str, Any]) -> None:
        self._attributes.update(attributes)

    def end(self, end_time: int | None = None) -> None:
        from llmeval.capture.spans import read_span  # which imports this module

        recorder, self._recorder = self._recorder, None
        if recorder is not None and (seen := read_span(self._attributes)) is not None:
            recorder.observe(seen)


class _Tracer(trace.NoOpTracer):
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def start_span(self, name: str, *args: Any, **how: Any) -> trace.Span:
        attributes = how.get("attributes", args[2] if len(args) > 2 else None)
        return _Span(self._recorder, attributes)

    @contextmanager
    def start_as_current_span(self, name: str, *args: Any, **how: Any) -> Iterator[trace.Span]:  # type: ignore[override]
        end_on_exit = how.pop("end_on_exit", True)
        span = self.start_span(name, *args, **how)
        with trace.use_span(span, end_on_exit=end_on_exit, record_exception=False, set_status_on_exception=False):
            yield span
