"""OpenTelemetry GenAI spans: what other libraries than the two SDKs say about their requests.

The user's tracer provider gets one more span processor, and its sampler is asked to let GenAI spans of a trial be
recorded that it does not export. Without a provider, spans are taken where OpenTelemetry would drop them. The global
provider stays the user's to set.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakSet

from llmeval.capture.recorder import Recorder, Seen, current
from llmeval.usage import Tokens

__all__ = ["listen", "read_span", "stop_listening", "users_provider"]

_OPERATIONS = frozenset({"chat", "text_completion", "generate_content", "embeddings", "completion", "embedding"})
"""The operations that ask a model; the last two are how OpenLLMetry names them."""


def listen() -> None:
    """Listens to the tracer provider there is now, if OpenTelemetry is loaded; costs nothing to call again."""
    trace: Any = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return
    provider = users_provider()
    if provider is None:
        from llmeval.capture import dropped  # needs OpenTelemetry, which is loaded here

        dropped.take(trace)
    elif provider not in _known:
        _known.add(provider)
        if hasattr(provider, "add_span_processor"):
            provider.add_span_processor(_Processor())
    if provider is not None and provider not in _sampled:
        _sampled.add(provider)
        _keep_dropped(getattr(provider, "sampler", None))


def users_provider() -> Any:
    """Returns the tracer provider that is configured, or `None`; imports and loads nothing."""
    # The public getter would load the provider that an environment variable names; that is the application's to do.
    return getattr(sys.modules.get("opentelemetry.trace"), "_TRACER_PROVIDER", None)


def stop_listening() -> None:
    """Puts samplers back; the processors stay, as OpenTelemetry cannot remove one, and find no recorder."""
    _sampled.clear()
    for sampler in _wrapped:
        sampler.__dict__.pop("should_sample", None)
    _wrapped.clear()
    if (dropped := sys.modules.get("llmeval.capture.dropped")) is not None:
        dropped.leave()


_known: WeakSet[Any] = WeakSet()
_sampled: WeakSet[Any] = WeakSet()
_wrapped: list[Any] = []


def read_span(attributes: Mapping[str, Any]) -> Seen | None:
    """Returns what a span's attributes say about a request; `None` when it is no request to a model."""
    get = attributes.get
    operation = get("gen_ai.operation.name") or get("llm.request.type")
    if operation not in _OPERATIONS:
        return None
    tokens = _tokens(attributes)
    model = get("gen_ai.response.model") or get("gen_ai.request.model")
    return Seen(
        provider=str(get("gen_ai.provider.name") or get("gen_ai.system") or "unknown"),
        model=None if model is None else str(model),
        id=get("gen_ai.response.id"),
        tokens=tokens,
        billed=tokens is not None or get("error.type") is None,
    )


def _tokens(attributes: Mapping[str, Any]) -> Tokens | None:
    def count(*names: str) -> int | None:
        found = (attributes.get(f"gen_ai.usage.{name}") for name in names)
        return next((int(value) for value in found if isinstance(value, int | float)), None)

    given, made = count("input_tokens", "prompt_tokens"), count("output_tokens", "completion_tokens")
    if given is None and made is None:
        return None
    cached = count("cache_read.input_tokens", "cache_read_input_tokens")
    written = count("cache_write.input_tokens", "cache_creation.input_tokens", "cache_creation_input_tokens")
    beside = (cached or 0) + (written or 0)
    total = given or 0
    return Tokens(
        # By the conventions the input includes cached tokens; a library that reports fewer counts them beside it.
        input=total if beside <= total else total + beside,
        output=made or 0,
        cached=cached,
        cache_write=written,
        reasoning=count("reasoning.output_tokens"),
    )


class _Processor:
    """Remembers whose context a span starts in, and reads it when it ends, wherever that is."""

    def __init__(self) -> None:
        self._recorders: dict[int, Recorder] = {}

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        recorder = current() if _running() else None
        if recorder is not None:
            self._recorders[span.context.span_id] = recorder

    def _on_ending(self, span: Any) -> None:
        """Nothing: the span is read when it has ended."""

    def on_end(self, span: Any) -> None:
        recorder = self._recorders.pop(span.context.span_id, None)
        if recorder is not None and (seen := read_span(span.attributes or {})) is not None:
            recorder.observe(seen)

    def shutdown(self) -> None:
        self._recorders.clear()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return True


def _running() -> bool:
    return bool(_sampled)


def _keep_dropped(sampler: Any) -> None:
    """Makes `sampler` record, not export, the GenAI spans of a trial that it would drop.

    The sampler object itself is changed, because each tracer made before holds it.
    """
    if sampler is None or any(sampler is known for known in _wrapped) or not hasattr(sampler, "__dict__"):
        return
    original: Callable[..., Any] = sampler.should_sample

    def should_sample(*args: Any, **how: Any) -> Any:
        result = original(*args, **how)
        if result.decision.is_recording() or (recorder := current()) is None or recorder.closed:
            return result
        name = args[2] if len(args) > 2 else how.get("name", "")
        attributes = args[4] if len(args) > 4 else how.get("attributes")
        if not _looks_like_a_request(name, attributes or {}):
            return result
        from opentelemetry.sdk.trace.sampling import Decision, SamplingResult  # loaded: the sampler is one of its

        return SamplingResult(Decision.RECORD_ONLY, attributes, result.trace_state)

    sampler.should_sample = should_sample
    _wrapped.append(sampler)


def _looks_like_a_request(name: str, attributes: Mapping[str, Any]) -> bool:
    operation = attributes.get("gen_ai.operation.name") or name.partition(" ")[0]
    return operation in _OPERATIONS or "gen_ai.system" in attributes or "gen_ai.provider.name" in attributes
