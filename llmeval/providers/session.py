"""Session: the model requests of one run, over clients that are made once and closed with it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from time import monotonic
from typing import Any, Final

from llmeval.errors import EvaluatorError
from llmeval.limits import AdaptiveLimit, FixedLimit
from llmeval.providers.base import Provider, provider_of
from llmeval.providers.memory import Memory
from llmeval.providers.messages import Reply, Request
from llmeval.providers.model import Model
from llmeval.providers.problems import FATAL, Problem, one_line
from llmeval.usage import Usage

__all__ = ["Session"]

QUIET_SECONDS: Final = 5.0
"""A wait for a rate limit is said at most this often."""


class Session:
    """Asks models for one run, on one event loop.

    `note` is called with a line that the person at the terminal should know, and `kept=False` where the report need not
    have it. `throttled` is called with a model's
    provider and the seconds it asks to wait, whenever a server answers 429 or 529. An `adaptive` session finds out how
    many requests at once each server takes; otherwise as many are made as trials are graded at once.
    """

    adaptive = False

    def __init__(
        self,
        note: Callable[..., object] | None = None,
        throttled: Callable[[str, float | None], None] | None = None,
    ) -> None:
        self.note = note or _ignore
        self.throttled = throttled
        self._clients: dict[tuple[Any, ...], Any] = {}
        self._memories: dict[tuple[Any, ...], Memory] = {}
        self._limits: dict[tuple[Any, ...], AdaptiveLimit] = {}
        self._said = -QUIET_SECONDS
        self._refusals = 0

    async def ask(self, model: Model, request: Request) -> Reply:
        """Returns the model's reply, with its usage.

        Raises:
            EvaluatorError: the request failed, or the model refused an earlier request of this run for good.
        """
        memory = self._memory(model)
        async with memory.turn():
            if memory.refused is not None:
                raise EvaluatorError(
                    f"{model.describe()} was not asked: earlier in this run it answered {memory.refused}"
                )
            async with self._place_at(model) as limit:
                reply = await self._negotiate(model, memory, request)
                if limit is not None:
                    limit.ok()
                return reply

    def _place_at(self, model: Model) -> AbstractAsyncContextManager[FixedLimit | None]:
        if not self.adaptive:
            return nullcontext()
        return self._limits.setdefault(_place(model), AdaptiveLimit())

    async def aclose(self) -> None:
        """Closes the clients that the session made."""
        clients, self._clients = self._clients, {}
        for (*_, given), client in clients.items():
            if client is not given:
                await client.close()

    async def _negotiate(self, model: Model, memory: Memory, request: Request) -> Reply:
        """Asks, adapting to what the server refuses; every adaptation leaves fewer, so that it ends."""
        provider, settings = memory.provider, memory.settings
        first: Problem | None = None
        whole = request
        while True:
            request = whole if provider is memory.usual else whole.otherwise or whole
            body = provider.body(model, request, settings)
            found = await self._attempt(provider, model, body)
            if isinstance(found, Reply):
                memory.learn(provider, settings, request, self.note)
                return found
            if first is None or found.kind != "rejected":
                first = found
            change = memory.adapt(provider, settings, request, found, body.keys())
            if change is None:
                raise self._failure(model, memory, provider, first)
            provider, settings = change

    async def _attempt(self, provider: Provider, model: Model, body: dict[str, Any]) -> Reply | Problem:
        client = self._client(provider, model)
        try:
            data = await provider.send(client, model, body)
        except Exception as error:  # whatever an SDK raises is sorted by its provider
            problem = provider.problem(error)
            if problem is None:
                raise
            return problem
        return self._read(provider, model, data)

    def _read(self, provider: Provider, model: Model, data: Any) -> Reply:
        try:
            reply = provider.read(data)
        except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
            raise EvaluatorError(
                f"{model.describe()}: the server's reply is not one of its protocol "
                f"({type(error).__name__}: {one_line(str(error))}): {one_line(str(data)[:1000])}"
            ) from None
        return _with_usage(provider, model, reply)

    def _failure(self, model: Model, memory: Memory, provider: Provider, problem: Problem) -> EvaluatorError:
        if problem.kind in FATAL or problem.kind == "missing address":
            memory.refused = problem.line()
        return EvaluatorError(f"{model.describe()}: {problem.line()}{_cure(model, provider, problem)}")

    def _memory(self, model: Model) -> Memory:
        key = (*_place(model), model.name, model.wire)
        if key not in self._memories:
            self._memories[key] = Memory(model, provider_of(model.provider, model.wire))
        return self._memories[key]

    def _client(self, provider: Provider, model: Model) -> Any:
        key = (provider.sdk, *_place(model), model.client)
        if key not in self._clients:
            self._clients[key] = provider.connect(model, self._watch(model))
        return self._clients[key]

    def _watch(self, model: Model) -> Callable[[Any], Any]:
        async def watch(response: Any) -> None:
            if response.status_code not in (429, 529):
                return
            # The SDKs repeat every 429, also the one that says that the account is empty.
            await response.aread()
            if "insufficient_quota" in response.text:
                response.headers["x-should-retry"] = "false"
                return
            limit = self._limits.get(_place(model))
            # Refused again, while what made it too many is still being served, tells nothing new.
            if limit is not None and response.request.headers.get("x-stainless-retry-count", "0") == "0":
                limit.throttled()
            self._waits(model.provider, response.status_code, response.headers.get("retry-after"))

        return watch

    def _waits(self, provider: str, status: int, header: str | None) -> None:
        seconds = float(header) if header is not None and header.replace(".", "", 1).isdigit() else None
        if self.throttled is not None:
            self.throttled(provider, seconds)
        self._refusals += 1
        now = monotonic()
        if now - self._said < QUIET_SECONDS:
            return
        self._said = now
        wait = "" if seconds is None else f" and asks to wait {seconds:g} s"
        line = f"{provider} answers {status}{wait}: the SDK tries again"
        if self._refusals == 1:
            self.note(line)
        else:  # for whoever watches; the report has the first
            self.note(f"{line} ({self._refusals} refusals so far)", kept=False)


def _ignore(message: str, *, kept: bool = True) -> None:
    pass


def _place(model: Model) -> tuple[Any, ...]:
    return (model.provider, model.base_url, model.api_key, id(model.client) if model.client is not None else None)


def _with_usage(provider: Provider, model: Model, reply: Reply) -> Reply:
    from llmeval.prices import price  # the price list is read when the first reply has come

    name = reply.model or model.name
    cost = None if reply.tokens is None else price(provider.vendor, name, reply.tokens, requested=model.name)
    usage = Usage(
        requests=1, tokens=reply.tokens, priced=cost, unpriced=() if cost is not None else (f"{model.provider}:{name}",)
    )
    return replace(reply, usage=usage)


def _cure(model: Model, provider: Provider, problem: Problem) -> str:
    if problem.kind == "context":
        return (
            " (shorten what the application returns, the case's inputs or the criteria, or use a model that reads more)"
        )
    if problem.kind == "authentication":
        return " (check the key)"
    if problem.kind == "rejected":
        names = [name for name in ("temperature", "reasoning", "max_tokens", "logprobs") if getattr(model, name)]
        blamed = [name for name in names if problem.names(name)]
        if blamed:
            return f" ({blamed[0]}={getattr(model, blamed[0])!r} was set in Model(…): remove it)"
    return ""
