"""Anthropic's Messages protocol."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Mapping
from typing import Any, Final

from llmeval.evidence import Attachment
from llmeval.providers.base import Provider, Settings, Watch
from llmeval.providers.files import readable, unsupported
from llmeval.providers.messages import Finish, Reply, Request, ToolUse, Turn
from llmeval.providers.model import Model
from llmeval.providers.openai_sdk import copied, http_client, options
from llmeval.providers.problems import Problem, status_problem
from llmeval.usage import Tokens

__all__ = ["Messages"]

MAX_TOKENS: Final = 4096
"""Anthropic asks for a limit: verdicts on a dozen criteria with their reasons fit in it, without thinking."""

IMAGES: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")
_FINISHES: Final[Mapping[str, Finish]] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
    "tool_use": "tools",
}


class Messages(Provider):
    """Asks over `/v1/messages`. No tool is ever forced, so that thinking may be on."""

    sdk = "anthropic"
    vendor = "anthropic"
    modes = ("json_schema", "plain")
    optional = frozenset({"cache_control"})

    def connect(self, model: Model, watch: Watch) -> Any:
        """Returns an `AsyncAnthropic`, on aiohttp where that is installed."""
        import anthropic

        if model.client is not None:
            return copied(model.client, anthropic, watch)
        given: dict[str, Any] = {"api_key": model.api_key, "base_url": model.base_url}
        given = {name: value for name, value in given.items() if value is not None}
        url = model.base_url or os.environ.get("ANTHROPIC_BASE_URL")
        return anthropic.AsyncAnthropic(http_client=http_client(anthropic, watch, url), **given)

    def body(self, model: Model, request: Request, settings: Settings) -> dict[str, Any]:
        """Returns the body; what repeats between trials ends at a cache mark."""
        marked = "cache_control" not in settings.dropped
        first, *rest = [_block(part) for part in request.parts]
        messages: list[Any] = [{"role": "user", "content": [_marked(first) if marked and rest else first, *rest]}]
        for turn in request.turns:
            messages.append(_message(turn))
        system = {"type": "text", "text": request.system}
        body: dict[str, Any] = {
            "model": model.name,
            "max_tokens": _limit(model),
            "system": [_marked(system) if marked else system],
            "messages": messages,
        }
        config: dict[str, Any] = {}
        if request.schema is not None and settings.mode == "json_schema":
            config["format"] = {"type": "json_schema", "schema": request.schema}
        if isinstance(model.reasoning, str):
            config["effort"] = model.reasoning
            body["thinking"] = {"type": "adaptive"}
        elif model.reasoning is not None:
            body["thinking"] = {"type": "enabled", "budget_tokens": model.reasoning}
        if config:
            body["output_config"] = config
        if request.tools:
            body["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
                for tool in request.tools
            ]
        if model.temperature is not None:
            body["temperature"] = model.temperature
        return body

    async def send(self, client: Any, model: Model, body: dict[str, Any]) -> Any:
        """Posts `body`; the SDK authenticates, retries and backs off as it does for its own methods."""
        return await client.post("/v1/messages", body=body, cast_to=object, options=options(model))

    def read(self, data: Mapping[str, Any]) -> Reply:
        """Returns the reply's text blocks and the calls it asks for."""
        from llmeval.jsonable import dumps

        uses = tuple(
            ToolUse(id=block["id"], name=block["name"], arguments=dumps(block["input"]))
            for block in data["content"]
            if block["type"] == "tool_use"
        )
        return Reply(
            text="".join(block["text"] for block in data["content"] if block["type"] == "text"),
            finish=_FINISHES.get(data.get("stop_reason") or "", "stop"),
            model=data.get("model"),
            tokens=_tokens(data.get("usage")),
            tool_uses=uses,
            turn=data["content"],
        )

    def problem(self, error: Exception) -> Problem | None:
        """Returns what an exception of the SDK means."""
        import anthropic

        if isinstance(error, anthropic.APIStatusError):
            return status_problem(error.status_code, error.body, error.message)
        if isinstance(error, anthropic.APITimeoutError):
            return Problem(kind="timeout", message="no answer in time, in any attempt")
        if isinstance(error, anthropic.APIConnectionError):
            return Problem(kind="connection", message=f"{error.message} ({error.__cause__ or 'no details'})")
        if isinstance(error, ValueError | anthropic.APIError):
            return Problem(kind="server", message=f"the reply cannot be decoded ({error})")
        if isinstance(error, anthropic.AnthropicError):
            return Problem(kind="authentication", message=str(error))
        return None


def _limit(model: Model) -> int:
    # Thinking counts towards the limit; without room for it there would be no answer.
    thinking = model.reasoning if isinstance(model.reasoning, int) else 4 * MAX_TOKENS if model.reasoning else 0
    return model.max_tokens or MAX_TOKENS + thinking


def _marked(block: dict[str, Any]) -> dict[str, Any]:
    return {**block, "cache_control": {"type": "ephemeral"}}


def _block(part: str | Attachment) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    source = {"type": "base64", "media_type": part.media_type, "data": b64encode(part.data).decode()}
    if part.media_type in IMAGES:
        return {"type": "image", "source": source}
    if part.media_type == "application/pdf":
        return {"type": "document", "source": source}
    if (text := readable(part)) is not None:
        source = {"type": "text", "media_type": "text/plain", "data": text}
        return {"type": "document", "source": source} | ({"title": part.name} if part.name else {})
    taken = "JPEG, PNG, GIF and WebP images, PDFs, and text files in UTF-8"
    raise unsupported(part, "Anthropic's Messages protocol", taken)


def _message(turn: Turn) -> dict[str, Any]:
    if isinstance(turn, str):
        return {"role": "user", "content": turn}
    if isinstance(turn, Reply):
        # An empty message is refused, and a refusal may be one.
        return {"role": "assistant", "content": list(turn.turn) or "(no answer)"}
    results = [
        {"type": "tool_result", "tool_use_id": output.id, "content": output.text, "is_error": output.failed}
        for output in turn
    ]
    return {"role": "user", "content": results}


def _tokens(usage: Mapping[str, Any] | None) -> Tokens | None:
    """Returns the tokens; Anthropic counts cached and newly cached input apart from the other input."""
    if not usage or not isinstance(usage.get("input_tokens"), int):
        return None
    cached, written = usage.get("cache_read_input_tokens"), usage.get("cache_creation_input_tokens")
    return Tokens(
        input=usage["input_tokens"] + (cached or 0) + (written or 0),
        output=usage.get("output_tokens") or 0,
        cached=cached,
        cache_write=written,
        reasoning=(usage.get("output_tokens_details") or {}).get("thinking_tokens"),
    )
