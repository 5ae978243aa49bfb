"""Memory: what a run has found out about one model's server."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from llmeval.providers.base import Provider, Settings, provider_of
from llmeval.providers.messages import Request
from llmeval.providers.model import Model
from llmeval.providers.problems import Problem

if TYPE_CHECKING:
    import asyncio

__all__ = ["Memory"]

SCOUT_SECONDS: Final = 10.0
"""How long other requests wait for the first one; a server that refuses what it does not know does so at once."""

_NEVER_STRUCTURE: Final = (
    *("temperature", "reasoning", "reasoning_effort", "thinking", "logprobs", "top_logprobs"),
    *("max_tokens", "max_completion_tokens", "max_output_tokens"),
)
"""Parameters that a request has for the user; a server that blames one of them does not mean structured output."""


class Memory:
    """What is known about one model: its protocol, the settings that it takes, and whether it refuses for good.

    The first request of a run to a server in doubt goes ahead of the others, so that what it refuses is found out once.
    """

    def __init__(self, model: Model, provider: Provider) -> None:
        self.model = model
        self.provider = self.usual = provider
        self.settings = Settings(mode=provider.modes[0])
        self.refused: str | None = None
        self._confirmed = False
        self._settled = not _in_doubt(model)
        self._scout: asyncio.Event | None = None

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Waits for the first request to a server in doubt, unless this is it."""
        import asyncio  # declaring a Model must not load it

        if self._settled:
            yield
        elif self._scout is not None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._scout.wait(), SCOUT_SECONDS)
            yield
        else:
            self._scout = asyncio.Event()
            try:
                yield
            finally:
                # Also after a failure that says nothing of the server: nobody waits for the next one in line.
                self._settled = True
                self._scout.set()

    def learn(self, provider: Provider, settings: Settings, request: Request, note: Callable[[str], object]) -> None:
        """Keeps what made a request succeed, and says what is new about it."""
        if provider is not self.provider and self.provider is self.usual:
            note(
                f"{self.model.describe()}: the server does not know this protocol, asked over Chat Completions instead"
            )
            self.provider, self.settings = provider, Settings(mode=provider.modes[0])
        if request.schema is not None:
            if settings.mode != self.settings.mode:
                how = {"json_object": "is asked for JSON without a schema", "plain": "is asked for JSON in words"}
                note(f"{self.model.describe()}: the server has no structured output by schema, it {how[settings.mode]}")
            self._confirmed = True
            self.settings = replace(self.settings, mode=settings.mode)
        if settings.dropped - self.settings.dropped:
            self.settings = replace(self.settings, dropped=self.settings.dropped | settings.dropped)

    def adapt(
        self, provider: Provider, settings: Settings, request: Request, problem: Problem, sent: Iterable[str]
    ) -> tuple[Provider, Settings] | None:
        """Returns what to try after `problem`, or `None` when nothing would help; `sent` are the parameters sent."""
        if problem.kind == "missing address":
            return self._other_protocol(provider)
        if problem.kind != "rejected":
            return None
        dropped = self._without(provider, settings, problem, sent)
        if dropped is not None:
            return provider, dropped
        if any(problem.names(name) for name in _NEVER_STRUCTURE if name in sent):
            return None
        return self._lower_mode(provider, settings, request)

    def _without(
        self, provider: Provider, settings: Settings, problem: Problem, sent: Iterable[str]
    ) -> Settings | None:
        candidates = provider.optional | (provider.renamed & frozenset(sent))
        for name in sorted(candidates - settings.dropped):
            if problem.names(name):
                return replace(settings, dropped=settings.dropped | {name})
        return None

    def _lower_mode(self, provider: Provider, settings: Settings, request: Request) -> tuple[Provider, Settings] | None:
        if request.schema is None:
            return None
        if self._confirmed:  # another request found out meanwhile
            known = self.settings.mode
            return None if known == settings.mode else (self.provider, replace(settings, mode=known))
        lower = provider.modes[provider.modes.index(settings.mode) + 1 :]
        return (provider, replace(settings, mode=lower[0])) if lower else None

    def _other_protocol(self, provider: Provider) -> tuple[Provider, Settings] | None:
        if provider.fallback is None or not self._environment_chose():
            return None
        other = provider_of(self.model.provider, provider.fallback)
        return other, Settings(mode=other.modes[0])

    def _environment_chose(self) -> bool:
        """Whether the server's address came from the SDK's environment or client, not from the model's settings."""
        if self.model.base_url is not None or (self.model.protocol not in (None, "decisions")):
            return False
        return self.model.client is not None or bool(os.environ.get("OPENAI_BASE_URL"))


def _in_doubt(model: Model) -> bool:
    """Returns whether a server may lack what its protocol has, as those do that imitate a vendor's.

    One in doubt costs a run the time of one answer. Elsewhere only what is wrong with the account can be refused, and
    then every request under way is.
    """
    if model.protocol == "responses":  # chosen for a server that is known to have it
        return False
    return model.base_url is not None or model.client is not None or f"{model.provider.upper()}_BASE_URL" in os.environ
