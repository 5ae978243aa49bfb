"""Model: which model grades, where it is hosted, and with which settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from math import isfinite
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from llmeval.errors import EvaluatorConfigError
from llmeval.jsonable import Json

__all__ = ["PROTOCOLS", "Model", "is_model_name"]

PROTOCOLS: Final[Mapping[str, Mapping[str, str]]] = {
    "openai": {
        "responses": "llmeval.providers.openai_responses:Responses",
        "chat": "llmeval.providers.openai_chat:Chat",
        "decisions": "llmeval.providers.openai_decisions:Decisions",
    },
    "anthropic": {"messages": "llmeval.providers.anthropic_messages:Messages"},
}
"""Each provider's protocols, the usual one first, and the class that speaks it; a new provider adds a line here."""

COROUTINE: Final = 0x80
"""The flag of a coroutine function's code (`inspect.CO_COROUTINE`, without importing inspect)."""

DECISIONS_PREFIX: Final = "decisions"
"""`decisions:NAME` is short for `Model("openai:NAME", protocol="decisions")`."""


def is_model_name(text: str) -> bool:
    """Returns whether `text` names a model by its provider, as in `openai:gpt-6-luna`."""
    return text.partition(":")[0] in (*PROTOCOLS, DECISIONS_PREFIX)


@dataclass(frozen=True, slots=True, repr=False)
class Model:
    """A model that grades, written `provider:name`.

    `base_url` is another server with the provider's interface (OpenAI: Chat Completions unless `protocol` says
    otherwise). `reasoning` is an effort (`"low"`, `"high"` …) or, for Anthropic, a number of thinking tokens. `timeout`
    is in seconds, of each attempt (120 unless set); `max_retries` counts the attempts after the first (2 unless set).
    `client` is an asynchronous SDK client of your own, such as `AsyncAzureOpenAI()`: it is copied for each run and
    never closed. `logprobs` reads a Judge's probabilities from the answer's token (`protocol="chat"`). The key is not
    shown.

    Raises:
        EvaluatorConfigError: the provider is unknown, or a setting has no meaning for it.
    """

    spec: str
    base_url: str | None = field(default=None, kw_only=True)
    protocol: str | None = field(default=None, kw_only=True)
    api_key: str | None = field(default=None, kw_only=True)
    max_tokens: int | None = field(default=None, kw_only=True)
    temperature: float | None = field(default=None, kw_only=True)
    reasoning: str | int | None = field(default=None, kw_only=True)
    timeout: float | None = field(default=None, kw_only=True)
    max_retries: int | None = field(default=None, kw_only=True)
    client: Any = field(default=None, kw_only=True, hash=False)
    logprobs: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        provider, name = _split(self.spec)
        if provider == DECISIONS_PREFIX:
            provider = "openai"
            object.__setattr__(self, "spec", f"openai:{name}")
            object.__setattr__(self, "protocol", self.protocol or "decisions")
        protocols = PROTOCOLS[provider]
        if self.protocol is not None and self.protocol not in protocols:
            raise EvaluatorConfigError(
                f"{self.spec}: protocol={self.protocol!r} is not one of {', '.join(map(repr, protocols))}"
            )
        self._check_numbers()
        if self.logprobs and self.wire != "chat":
            raise EvaluatorConfigError(f'{self.spec}: logprobs=True needs protocol="chat", not {self.wire!r}')
        if isinstance(self.reasoning, int) and provider != "anthropic":
            raise EvaluatorConfigError(f'{self.spec}: reasoning={self.reasoning} is an effort here, such as "low"')
        self._check_client()
        self._check_address()
        self._hide_secrets()

    def _check_client(self) -> None:
        if self.client is None:
            return
        code = getattr(getattr(self.client, "post", None), "__code__", None)
        if code is None or not code.co_flags & COROUTINE:
            raise EvaluatorConfigError(
                f"{self.spec}: client is of type {type(self.client).__name__}: give an asynchronous client of the SDK, "
                "such as AsyncOpenAI() or AsyncAnthropic()"
            )

    def _check_address(self) -> None:
        if self.base_url is None:
            return
        if not isinstance(self.base_url, str) or not re.match(r"https?://[^/\s]", self.base_url, re.IGNORECASE):
            shown = str(self.base_url).rpartition("@")[2]  # without credentials
            raise EvaluatorConfigError(
                f"{self.spec}: base_url={shown!r} is not the address of a server, such as 'http://localhost:11434/v1'"
            )

    def _check_numbers(self) -> None:
        for name, least in (("max_tokens", 1), ("max_retries", 0)):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value < least):
                raise EvaluatorConfigError(f"{self.spec}: {name}={value!r} is not a whole number from {least} up")
        for name in ("timeout", "temperature"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0):
                raise EvaluatorConfigError(f"{self.spec}: {name}={value!r} is not a number from 0 up")
        if self.timeout is not None and not (isfinite(self.timeout) and self.timeout > 0):
            raise EvaluatorConfigError(f"{self.spec}: timeout={self.timeout!r} is not a number of seconds above 0")

    def _hide_secrets(self) -> None:
        secrets = [text for text in (self.api_key, self.base_url) if text]
        if secrets or self.client is not None:
            from llmeval.secrets import register, register_client  # only when there is something to hide

            register(*secrets)
            if self.client is not None:
                register_client(self.client)

    @property
    def provider(self) -> str:
        """The provider's name, such as `openai`."""
        return self.spec.partition(":")[0]

    @property
    def name(self) -> str:
        """The model's name at its provider."""
        return self.spec.partition(":")[2]

    @property
    def wire(self) -> str:
        """The protocol that is spoken first."""
        if self.protocol is not None:
            return self.protocol
        if self.provider == "openai" and (self.base_url is not None or self.logprobs):
            return "chat"
        return next(iter(PROTOCOLS[self.provider]))

    @property
    def address(self) -> str | None:
        """The base URL without credentials and query; `None` for the SDK's own."""
        if self.base_url is None:
            return None
        parts = urlsplit(self.base_url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))

    def describe(self) -> str:
        """Returns a name for people: the provider and the model, and the server when it is another one."""
        return self.spec if self.address is None else f"{self.spec} at {self.address}"

    def identity(self) -> dict[str, Json]:
        """Returns what makes verdicts comparable: never the key, the client or the limits on time and retries."""
        data: dict[str, Json] = {"model": self.spec, "protocol": self.wire}
        settings = {"base_url": self.address, "max_tokens": self.max_tokens, "temperature": self.temperature}
        settings |= {"reasoning": self.reasoning, "logprobs": self.logprobs or None}
        return data | {name: value for name, value in settings.items() if value is not None}

    def __repr__(self) -> str:
        shown = [repr(self.spec)]
        for option in fields(self)[1:]:
            value = getattr(self, option.name)
            if value in (None, False) or option.name in ("api_key", "client"):
                continue
            shown.append(f"{option.name}={self.address if option.name == 'base_url' else value!r}")
        return f"Model({', '.join(shown)})"


def _split(spec: object) -> tuple[str, str]:
    known = ", ".join(f'"{provider}:MODEL"' for provider in (*PROTOCOLS, DECISIONS_PREFIX))
    if not isinstance(spec, str):
        raise EvaluatorConfigError(f"a model is written as text such as {known}, not {spec!r}")
    provider, colon, name = spec.partition(":")
    if not colon or not name.strip() or name != name.strip():
        raise EvaluatorConfigError(f"{spec!r} does not name a model: write one of {known}")
    if provider not in (*PROTOCOLS, DECISIONS_PREFIX):
        raise EvaluatorConfigError(f"{spec!r}: there is no provider {provider!r}: write one of {known}")
    return provider, name
