"""The OpenAI and Anthropic SDKs: both send each request through `request` of a common base client.

Patched there, a request counts whichever method made it: `create`, `parse`, `stream`, `with_raw_response`, a tool
runner, the low-level `post`, or a framework on top.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextvars import ContextVar
from functools import wraps
from types import ModuleType
from typing import Any

from llmeval.capture.patches import Patches
from llmeval.capture.recorder import Call, Recorder, current

__all__ = ["watch"]

_THROTTLED = (429, 503, 529)

_asking: ContextVar[Call | None] = ContextVar("llmeval_asking", default=None)
"""The request that this context waits for: its answer is read before the SDK or the application can refuse it."""

_KEY = "llmeval.call"
"""Where a response that is being streamed says whose it is, in the extensions that httpx has for such things."""

_OPENAI = ("/completions", "/responses", "/embeddings", "/decisions", "/responses/compact")
_ANTHROPIC = ("/v1/messages", "/v1/complete")


def watch(patches: Patches) -> None:
    """Counts the SDKs' requests, from when they are imported."""
    patches.when_imported("openai._base_client", lambda module: _patch(patches, module, "openai"))
    patches.when_imported("anthropic._base_client", lambda module: _patch(patches, module, "anthropic"))


def _patch(patches: Patches, module: ModuleType, vendor: str) -> bool:
    if not hasattr(module, "AsyncAPIClient"):
        return False  # another thread is still importing it
    patches.replace(module.SyncAPIClient, "request", lambda original: _sync(original, vendor))
    patches.replace(module.AsyncAPIClient, "request", lambda original: _async(original, vendor))
    patches.replace(module.BaseClient, "_process_response_data", _events)
    patches.replace(module.BaseClient, "_should_retry", _retries)
    return True


def _sync(original: Callable[..., Any], vendor: str) -> Callable[..., Any]:
    @wraps(original)
    def request(self: Any, *args: Any, **how: Any) -> Any:
        recorder = current()
        call = None if recorder is None else _begin(self, _options(args, how), vendor, recorder)
        if recorder is None or call is None:
            return original(self, *args, **how)
        outer = _asking.set(call)
        try:
            result = original(self, *args, **how)
        except Exception as error:  # whatever happened to the request is the caller's to know: only counted here
            _failed(call, error, recorder)
            raise
        finally:
            _asking.reset(outer)
        _answered(call, result)
        return result

    return request


def _async(original: Callable[..., Any], vendor: str) -> Callable[..., Any]:
    @wraps(original)
    async def request(self: Any, *args: Any, **how: Any) -> Any:
        recorder = current()
        call = None if recorder is None else _begin(self, _options(args, how), vendor, recorder)
        if recorder is None or call is None:
            return await original(self, *args, **how)
        outer = _asking.set(call)
        try:
            result = await original(self, *args, **how)
        except Exception as error:  # as above
            _failed(call, error, recorder)
            raise
        finally:
            _asking.reset(outer)
        _answered(call, result)
        return result

    return request


def _events(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def process(self: Any, *args: Any, **how: Any) -> Any:
        call = getattr(how.get("response"), "extensions", {}).get(_KEY) or _asking.get()
        if call is not None:
            call.read(how.get("data"))
        return original(self, *args, **how)

    return process


def _retries(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def should_retry(self: Any, response: Any, *args: Any, **how: Any) -> Any:
        _note_throttling(response)
        return original(self, response, *args, **how)

    return should_retry


def _note_throttling(response: Any) -> None:
    """Counts a refusal of a request's first try; those that follow tell nothing new."""
    recorder = current() if getattr(response, "status_code", None) in _THROTTLED else None
    headers = getattr(getattr(response, "request", None), "headers", {})
    if recorder is not None and headers.get("x-stainless-retry-count", "0") == "0":
        recorder.note_throttling()


def _options(args: tuple[Any, ...], how: dict[str, Any]) -> Any:
    return how["options"] if "options" in how else args[1] if len(args) > 1 else None


def _begin(client: Any, options: Any, vendor: str, recorder: Recorder) -> Call | None:
    """Returns the call that a request is, counted; `None` when it asks no model."""
    path = str(getattr(options, "url", "")).partition("?")[0].rstrip("/")
    if getattr(options, "method", "").lower() != "post":
        return _poll(path, recorder)
    if not path.endswith(_OPENAI if vendor == "openai" else _ANTHROPIC):
        return None
    body = getattr(options, "json_data", None)
    requested = body.get("model") if isinstance(body, dict) else None
    call = Call(
        "openai-decisions" if path.endswith("/decisions") else vendor,
        requested if isinstance(requested, str) else None,
        str(client.base_url),
    )
    recorder.add(call)
    return call


def _poll(path: str, recorder: Recorder) -> Call | None:
    """Returns the call that a request asks about again, as for a response made in the background."""
    parent, _, id = path.rpartition("/")
    return recorder.find(id) if parent.endswith("/responses") else None


def _failed(call: Call, error: Exception, recorder: Recorder) -> None:
    if call.id is not None or call.usage is not None:
        return  # answered: the SDK could not make of it what was asked for, as when it was cut off
    if not hasattr(error, "request"):
        recorder.discard(call)  # refused by the SDK itself, for want of a key for example
    else:
        status = getattr(error, "status_code", None)
        _note_throttling(getattr(error, "response", None))
        call.billed = status < 400 if isinstance(status, int) else "Timeout" in type(error).__name__


def _answered(call: Call, result: Any) -> None:
    """Reads the answer, or sees to it that it is read while the application reads it."""
    if call.usage is not None:
        return
    if isinstance(result, str):
        call.body = result.encode(errors="replace")
    elif hasattr(result, "http_response"):
        _watch_body(call, result.http_response)
    elif hasattr(result, "iter_bytes"):
        _watch_body(call, getattr(result, "response", result))
    elif (extensions := getattr(getattr(result, "response", None), "extensions", None)) is not None:
        extensions[_KEY] = call


def _watch_body(call: Call, response: Any) -> None:
    try:
        call.body = response.content
    except RuntimeError:  # not read yet: the application wanted it raw
        body = _Body(call, response.headers.get("content-type", ""))
        response.iter_bytes = body.sync(response.iter_bytes)
        response.aiter_bytes = body.asynchronous(response.aiter_bytes)


class _Body:
    """A raw body on its way to the application: whole if it is JSON, the events that tell usage if it is a stream."""

    def __init__(self, call: Call, kind: str) -> None:
        self._call = call
        self._stream = "event-stream" in kind
        self._rest = b""

    def sync(self, original: Callable[..., Iterator[bytes]]) -> Callable[..., Iterator[bytes]]:
        def iter_bytes(chunk_size: int | None = None) -> Iterator[bytes]:
            for chunk in original(chunk_size):
                self._feed(chunk)
                yield chunk
            self._end()

        return iter_bytes

    def asynchronous(self, original: Callable[..., Any]) -> Callable[..., AsyncIterator[bytes]]:
        async def aiter_bytes(chunk_size: int | None = None) -> AsyncIterator[bytes]:
            chunks = original(chunk_size)
            try:
                async for chunk in chunks:
                    self._feed(chunk)
                    yield chunk
            finally:
                await chunks.aclose()
            self._end()

        return aiter_bytes

    def _feed(self, chunk: bytes) -> None:
        self._rest += chunk
        if self._stream:
            *lines, self._rest = self._rest.split(b"\n")
            for line in lines:
                self._event(line)

    def _end(self) -> None:
        if self._stream:
            self._event(self._rest)
        else:
            self._call.body = self._rest

    def _event(self, line: bytes) -> None:
        if line.startswith(b"data:") and (b'"usage"' in line or self._call.id is None):
            self._call.body = line[5:]
            self._call.settle()
