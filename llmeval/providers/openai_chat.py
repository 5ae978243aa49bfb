"""OpenAI's Chat Completions protocol, which many other servers speak as well."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any, Final

from llmeval.evidence import Attachment
from llmeval.providers.base import Settings
from llmeval.providers.files import data_url, file_name, unsupported
from llmeval.providers.messages import Finish, Reply, Request, ToolUse, Turn
from llmeval.providers.model import Model
from llmeval.providers.openai_sdk import OpenAISDK, tokens

__all__ = ["Chat"]

LIMITS: Final = ("max_completion_tokens", "max_tokens")
"""The names of the limit on a reply: OpenAI's own, and the older one that other servers know best."""

AUDIO: Final = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/wave": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}
TOP_LOGPROBS: Final = 20
"""As many alternatives of each token as the protocol gives."""


class Chat(OpenAISDK):
    """Asks over `/chat/completions`."""

    path = "/chat/completions"
    renamed = frozenset(LIMITS)

    def body(self, model: Model, request: Request, settings: Settings) -> dict[str, Any]:
        """Returns the body: the system message, which repeats between trials, comes first."""
        texts = all(isinstance(part, str) for part in request.parts)
        # Many servers take only a text as content, so that parts are sent only when there is an attachment.
        content = "\n\n".join(map(str, request.parts)) if texts else [_part(part) for part in request.parts]
        messages: list[Any] = [{"role": "system", "content": request.system}, {"role": "user", "content": content}]
        for turn in request.turns:
            messages += _messages(turn)
        body: dict[str, Any] = {"model": model.name, "messages": messages}
        if request.schema is not None and settings.mode != "plain":
            body["response_format"] = _format(request.schema, settings.mode)
        if request.tools:
            body["tools"] = [
                {"type": "function", "function": {"name": tool.name, "description": tool.description}
                 | {"parameters": tool.parameters}}
                for tool in request.tools
            ]  # fmt: skip
        if model.max_tokens is not None:
            body[_limit(model, settings)] = model.max_tokens
        if model.temperature is not None:
            body["temperature"] = model.temperature
        if model.reasoning is not None:
            body["reasoning_effort"] = model.reasoning
        if model.logprobs and request.schema is None:
            body |= {"logprobs": True, "top_logprobs": TOP_LOGPROBS}
        return body

    def read(self, data: Mapping[str, Any]) -> Reply:
        """Returns the first choice."""
        choice = data["choices"][0]
        message = choice["message"]
        refusal = message.get("refusal")
        uses = tuple(
            ToolUse(id=call["id"], name=call["function"]["name"], arguments=call["function"]["arguments"])
            for call in message.get("tool_calls") or ()
        )
        return Reply(
            text=refusal or _text(message.get("content")),
            finish="refusal" if refusal else _finish(choice.get("finish_reason"), uses),
            model=data.get("model"),
            tokens=tokens(data.get("usage"), "prompt", "completion"),
            tool_uses=uses,
            turn={key: message[key] for key in ("role", "content", "tool_calls", "refusal") if message.get(key)},
            logprobs=(choice.get("logprobs") or {}).get("content"),
        )


def _limit(model: Model, settings: Settings) -> str:
    names = LIMITS if model.base_url is None else LIMITS[::-1]
    return next((name for name in names if name not in settings.dropped), names[0])


def _format(schema: Mapping[str, Any], mode: str) -> dict[str, Any]:
    if mode == "json_object":
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": "grades", "schema": schema, "strict": True}}


def _part(part: str | Attachment) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if part.media_type.startswith("image/"):
        return {"type": "image_url", "image_url": {"url": data_url(part)}}
    if part.media_type == "application/pdf":
        return {"type": "file", "file": {"filename": file_name(part), "file_data": data_url(part)}}
    if part.media_type in AUDIO:
        sound = {"data": b64encode(part.data).decode(), "format": AUDIO[part.media_type]}
        return {"type": "input_audio", "input_audio": sound}
    raise unsupported(part, "OpenAI's Chat Completions protocol", "images, PDFs, and WAV or MP3 audio")


def _messages(turn: Turn) -> list[Any]:
    if isinstance(turn, str):
        return [{"role": "user", "content": turn}]
    if isinstance(turn, Reply):
        return [{"role": "assistant", "content": turn.text, **turn.turn}]
    return [{"role": "tool", "tool_call_id": output.id, "content": output.text} for output in turn]


def _text(content: Any) -> str:
    if isinstance(content, list):  # some servers answer in parts
        return "".join(part.get("text", "") for part in content)
    return content or ""


def _finish(reason: str | None, uses: tuple[ToolUse, ...]) -> Finish:
    if reason == "length":
        return "length"
    if reason == "content_filter":
        return "filter"
    return "tools" if uses else "stop"
