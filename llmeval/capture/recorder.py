"""Who counts: the recorder of the current context, and what it has seen."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from llmeval.consumption import consumed, provider_at, read_tokens
from llmeval.usage import NO_USAGE, Tokens, Usage, total

__all__ = [
    "Call",
    "Recorder",
    "Seen",
    "before_start",
    "carried",
    "carry",
    "current",
    "recording",
    "take_strays",
    "unrecorded",
]


class Call:
    """One request through an SDK; what its answer says is read while the answer is."""

    __slots__ = ("base_url", "billed", "body", "id", "model", "requested", "usage", "vendor")

    def __init__(self, vendor: str, requested: str | None, base_url: str) -> None:
        self.vendor = vendor
        self.requested = requested
        self.base_url = base_url
        self.billed = True
        self.id: str | None = None
        self.model: str | None = None
        self.usage: dict[str, Any] | None = None
        self.body: bytes | None = None

    def read(self, data: object) -> None:
        """Keeps id, model and usage of a response, or of one event of a stream."""
        if not isinstance(data, Mapping):
            return
        inner = data.get("data")
        event = inner if isinstance(inner, Mapping) and isinstance(data.get("event"), str) else data
        for part in (event, event.get("response"), event.get("message")):
            if isinstance(part, Mapping):
                self._keep(part.get("id"), part.get("model"), part.get("usage"))

    def settle(self) -> None:
        """Reads a body that was kept as bytes because nobody had parsed it."""
        body, self.body = self.body, None
        if body is not None:
            try:
                data = json.loads(body)
            except ValueError:  # an answer in another format: no tokens are known
                return
            self.read(data)

    def _keep(self, id: object, model: object, usage: object) -> None:
        if isinstance(id, str) and self.id is None:
            self.id = id
        if isinstance(model, str):
            self.model = model
        if isinstance(usage, Mapping):
            # A stream's later event may leave out what an earlier one said.
            said = {key: value for key, value in usage.items() if value is not None}
            self.usage = {**(self.usage or {}), **said}


class Seen:
    """What an OpenTelemetry GenAI span says about one request."""

    __slots__ = ("billed", "id", "model", "provider", "tokens")

    def __init__(
        self, *, provider: str, model: str | None, id: str | None, tokens: Tokens | None, billed: bool
    ) -> None:
        self.provider = provider
        self.model = model
        self.id = id
        self.tokens = tokens
        self.billed = billed


class Recorder:
    """The requests of one trial, or of one grading.

    `strays` says whether it also gets what is made in no recorder's context, as long as no other recorder does.
    """

    __slots__ = ("_calls", "_previous", "_seen", "closed", "on_throttled", "strays", "throttled")

    def __init__(self, *, strays: bool = True) -> None:
        self.strays = strays
        self.closed = True
        self.throttled = 0
        """How many requests a provider refused for want of capacity, also where the SDK then asked again."""
        self.on_throttled: Callable[[], object] | None = None
        """Called each time, from whatever thread asks."""
        self._calls: list[Call] = []
        self._seen: list[Seen] = []
        self._previous: Recorder | None = None

    def start(self) -> None:
        """Makes it the recorder of the current context, and of what is started from there."""
        for refresh in before_start:
            refresh()
        self.closed = False
        self._previous = _current.get()
        _current.set(self)
        if self.strays:
            _open.append(self)

    def stop(self) -> None:
        """Ends it; may be called in another context, whose recorder it then leaves alone."""
        if self.closed:
            return
        self.closed = True
        if _current.get() is self:
            _current.set(self._previous)
        if self.strays:
            _open.remove(self)

    def note_throttling(self) -> None:
        """Counts a refusal for want of capacity."""
        self.throttled += 1
        if self.on_throttled is not None:
            self.on_throttled()

    @property
    def usage(self) -> Usage:
        """What was consumed so far; each request counts once, however often it was seen."""
        if not self._calls and not self._seen:
            return NO_USAGE
        return total(_merge(list(self._calls), list(self._seen)))

    @property
    def response_id(self) -> str | None:
        """The provider's id of the last response."""
        return next((call.id for call in reversed(self._calls) if call.id is not None), None)

    def add(self, call: Call) -> None:
        """Counts a request; what its answer says may still come."""
        self._calls.append(call)

    def discard(self, call: Call) -> None:
        """Forgets a request that was never sent."""
        self._calls.remove(call)

    def find(self, id: str) -> Call | None:
        """Returns the request whose answer has `id`."""
        return next((call for call in self._calls if call.id == id), None)

    def observe(self, seen: Seen) -> None:
        """Counts what a span says, unless the request was counted already."""
        self._seen.append(seen)


before_start: list[Callable[[], None]] = []
"""Called when a recorder starts, in a run: what was loaded meanwhile is looked at."""

_current: ContextVar[Recorder | None] = ContextVar("llmeval_recorder", default=None)
_open: list[Recorder] = []
_stray = Recorder(strays=False)
_nobody = Recorder(strays=False)
_nobody.closed = False


def current() -> Recorder | None:
    """Returns the recorder that counts here: the context's own, else the only open one, else that of the strays."""
    recorder = _current.get()
    if recorder is _nobody:
        return None
    if recorder is not None and not recorder.closed:
        return recorder
    return _open[0] if len(_open) == 1 else _stray


def carried() -> Recorder | None:
    """Returns the recorder of this context alone, for a thread that is started from it."""
    recorder = _current.get()
    return None if recorder is None or recorder.closed else recorder


def carry(recorder: Recorder | None) -> Recorder | None:
    """Makes `recorder` the context's, and returns the one before."""
    previous = _current.get()
    _current.set(recorder)
    return previous


def take_strays() -> Usage:
    """Returns what no trial could be found for, and forgets it."""
    usage = _stray.usage
    _stray._calls.clear()
    _stray._seen.clear()
    return usage


@contextmanager
def recording(*, strays: bool = True) -> Iterator[Recorder]:
    """Counts the requests that are made inside, in this context and in the threads and tasks started from it."""
    recorder = Recorder(strays=strays)
    recorder.start()
    try:
        yield recorder
    finally:
        recorder.stop()


@contextmanager
def unrecorded() -> Iterator[None]:
    """Counts nothing that is made inside, for requests whose usage is told in another way."""
    previous = carry(_nobody)
    try:
        yield
    finally:
        carry(previous)


def _merge(calls: list[Call], seen: list[Seen]) -> Iterator[Usage]:
    """Yields the usage of each request, once, from the SDKs' own account and from the spans that tell of others."""
    for call in calls:
        call.settle()
    read = [(call, read_tokens(call.usage)) for call in calls]
    ids = {call.id for call in calls if call.id is not None}
    spans: dict[object, Seen] = {}
    for span in seen:
        spans.setdefault(object() if span.id is None else span.id, span)
    told: dict[str | None, Seen] = {span.id: span for span in spans.values() if span.id in ids}
    # A span without an id tells of a call when it counts the same tokens; each call has one such span at most.
    unmatched = [tokens for call, tokens in read if call.id not in told]
    for call, tokens in read:
        twin = told.get(call.id)
        yield _of_call(call, twin.tokens if tokens is None and twin is not None else tokens)
    for span in spans.values():
        if span.id in ids:
            continue
        if span.id is None and _take(unmatched, span.tokens):
            continue
        yield consumed(span.provider, span.model, span.tokens, billed=span.billed)


def _of_call(call: Call, tokens: Tokens | None) -> Usage:
    provider = provider_at(call.vendor, call.base_url)
    return consumed(provider, call.model, tokens, requested=call.requested, billed=call.billed)


def _take(unmatched: list[Tokens | None], tokens: Tokens | None) -> bool:
    for index, other in enumerate(unmatched):
        same = tokens is other or (tokens and other and (tokens.input, tokens.output) == (other.input, other.output))
        if same:
            del unmatched[index]
            return True
    return False
