"""What OpenAI's three protocols have in common: the client, its errors, and how tokens are counted."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from llmeval.providers.base import Provider, Watch
from llmeval.providers.model import Model
from llmeval.providers.problems import Problem, status_problem
from llmeval.usage import Tokens

__all__ = [
    "ATTEMPT_SECONDS",
    "OpenAISDK",
    "copied",
    "http_client",
    "options",
    "tokens",
]

ATTEMPT_SECONDS: Final = 120.0
"""How long one attempt may take unless the model says otherwise."""

NO_KEY: Final = "none"
"""Stands in for the key of a server of one's own: the SDK wants one, the server usually does not."""


class OpenAISDK(Provider):
    """Sends over the `openai` package's asynchronous client."""

    sdk = "openai"
    vendor = "openai"
    path: str

    def connect(self, model: Model, watch: Watch) -> Any:
        """Returns an `AsyncOpenAI`, on aiohttp where that is installed: it costs a quarter of the time."""
        import openai

        if model.client is not None:
            return copied(model.client, openai, watch)
        url = model.base_url or os.environ.get("OPENAI_BASE_URL")
        given: dict[str, Any] = {"http_client": http_client(openai, watch, url)}
        if model.base_url is not None:
            given["base_url"] = model.base_url
        key = model.api_key or (NO_KEY if model.base_url and not os.environ.get("OPENAI_API_KEY") else None)
        return openai.AsyncOpenAI(api_key=key, **given)

    async def send(self, client: Any, model: Model, body: dict[str, Any]) -> Any:
        """Posts `body`; the SDK authenticates, retries and backs off as it does for its own methods."""
        return await client.post(self.path, body=body, cast_to=object, options=options(model))

    def problem(self, error: Exception) -> Problem | None:
        """Returns what an exception of the SDK means."""
        import openai

        if isinstance(error, openai.APIStatusError):
            return status_problem(error.status_code, error.body, error.message)
        if isinstance(error, openai.APITimeoutError):
            return Problem(kind="timeout", message="no answer in time, in any attempt")
        if isinstance(error, openai.APIConnectionError):
            return Problem(kind="connection", message=f"{error.message} ({error.__cause__ or 'no details'})")
        if isinstance(error, ValueError | openai.APIError):
            return Problem(kind="server", message=f"the reply cannot be decoded ({error})")
        if isinstance(error, openai.OpenAIError):
            return Problem(kind="authentication", message=str(error))
        return None


def http_client(sdk: Any, watch: Watch, url: str | None) -> Any:
    """Returns a new HTTP client of an SDK's for the server at `url`, whose responses `watch` is shown."""
    # aiohttp refuses a URL with credentials beside the header with the SDK's key; httpx sends the URL's instead.
    fast = importlib.util.find_spec("aiohttp") is not None and not (url and urlsplit(url).password)
    made = sdk.DefaultAioHttpClient if fast else sdk.DefaultAsyncHttpxClient
    return made(event_hooks={"response": [watch]})


def copied(client: Any, sdk: Any, watch: Watch) -> Any:
    """Returns a copy of a user's client with connections of its own, which belong to this event loop.

    A client with an HTTP client of the user's is returned as it is, since nobody else knows how to make another.
    """
    if type(getattr(client, "_client", None)).__name__ != "AsyncHttpxClientWrapper":
        return client
    return client.copy(http_client=http_client(sdk, watch, str(client.base_url)))


def options(model: Model) -> Any:
    """Returns the SDK's options of one request; a client of the user's keeps its own limits unless the model says."""
    own = model.client is None
    found: dict[str, Any] = {}
    if model.timeout is not None or own:
        found["timeout"] = model.timeout or ATTEMPT_SECONDS
    if model.max_retries is not None:
        found["max_retries"] = model.max_retries
    return found


def tokens(usage: Mapping[str, Any] | None, given: str = "input", made: str = "output") -> Tokens | None:
    """Returns the tokens of a reply's `usage`; the cached ones are part of the input, as OpenAI counts them."""
    if not usage or not isinstance(usage.get(f"{given}_tokens"), int):
        return None
    read = usage.get(f"{given}_tokens_details") or {}
    written = usage.get(f"{made}_tokens_details") or {}
    return Tokens(
        input=usage[f"{given}_tokens"],
        output=usage.get(f"{made}_tokens") or 0,
        cached=read.get("cached_tokens"),
        cache_write=read.get("cache_write_tokens"),
        reasoning=written.get("reasoning_tokens"),
    )
