"""Provider: how one protocol of one SDK is spoken. Adding one is a file with a subclass and a line in `PROTOCOLS`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, TypeAlias

from llmeval.providers.messages import Reply, Request
from llmeval.providers.model import PROTOCOLS, Model
from llmeval.providers.problems import Problem

__all__ = ["Provider", "Settings", "Watch", "provider_of"]

Watch: TypeAlias = Callable[[Any], Awaitable[None]]
"""Is shown every HTTP response of a client, those that the SDK retries too."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """What was found out about a model's server: which structured output it takes, which parameters it refuses."""

    mode: str = "json_schema"
    dropped: frozenset[str] = frozenset()


class Provider:
    """Speaks one protocol; keeps no state.

    A subclass says how to connect, what to send, how to read the reply, and what an exception means.
    """

    sdk: ClassVar[str]
    """Which SDK's client it needs; protocols with the same one share a client."""

    vendor: ClassVar[str]
    """How the price list calls who is paid."""

    modes: ClassVar[tuple[str, ...]] = ("json_schema", "json_object", "plain")
    """The ways to ask for structured output, best first; a server that refuses one is asked the next way."""

    optional: ClassVar[frozenset[str]] = frozenset()
    """Parameters that llmeval sends of its own accord, left out when a server refuses them."""

    renamed: ClassVar[frozenset[str]] = frozenset()
    """The names of a parameter that servers call differently; one that a server refuses is sent under the next."""

    fallback: ClassVar[str | None] = None
    """The protocol to try when the server does not know this one's address."""

    def connect(self, model: Model, watch: Watch) -> Any:
        """Returns an asynchronous client for this event loop; its `close()` frees it.

        It is new, or a copy of `model.client` with connections of its own, or that very client, which is not closed.
        """
        raise NotImplementedError

    def body(self, model: Model, request: Request, settings: Settings) -> dict[str, Any]:
        """Returns the body of the HTTP request.

        Raises:
            EvaluatorError: an attachment is of a kind that the protocol does not take.
        """
        raise NotImplementedError

    async def send(self, client: Any, model: Model, body: dict[str, Any]) -> Any:
        """Returns the decoded JSON of the reply."""
        raise NotImplementedError

    def read(self, data: Mapping[str, Any]) -> Reply:
        """Returns the reply; raises KeyError, TypeError, IndexError or AttributeError when it has another shape."""
        raise NotImplementedError

    def problem(self, error: Exception) -> Problem | None:
        """Returns what went wrong, or `None` when the exception is not the SDK's."""
        raise NotImplementedError


def provider_of(provider: str, protocol: str) -> Provider:
    """Returns the class that speaks `protocol`; imports its file, and no SDK."""
    module, _, name = PROTOCOLS[provider][protocol].partition(":")
    made: Provider = getattr(import_module(module), name)()
    return made
