"""OpenAI's Responses protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llmeval.evidence import Attachment
from llmeval.providers.base import Settings
from llmeval.providers.files import data_url, file_name, readable, unsupported
from llmeval.providers.messages import Finish, Reply, Request, ToolUse, Turn
from llmeval.providers.model import Model
from llmeval.providers.openai_sdk import OpenAISDK, tokens

__all__ = ["Responses", "content_part"]


class Responses(OpenAISDK):
    """Asks over `/responses`."""

    path = "/responses"
    fallback = "chat"

    def body(self, model: Model, request: Request, settings: Settings) -> dict[str, Any]:
        """Returns the body: the instructions, which repeat between trials, come before the input."""
        body: dict[str, Any] = {
            "model": model.name,
            "instructions": request.system,
            "input": [{"role": "user", "content": [content_part(part) for part in request.parts]}],
        }
        for turn in request.turns:
            body["input"] += _items(turn)
        text = _format(request, settings)
        if text is not None:
            body["text"] = {"format": text}
        if request.tools:
            body["tools"] = [
                {"type": "function", "name": tool.name, "description": tool.description, "parameters": tool.parameters}
                | {"strict": False}
                for tool in request.tools
            ]
        if model.max_tokens is not None:
            body["max_output_tokens"] = model.max_tokens
        if model.temperature is not None:
            body["temperature"] = model.temperature
        if model.reasoning is not None:
            body["reasoning"] = {"effort": model.reasoning}
        return body

    def read(self, data: Mapping[str, Any]) -> Reply:
        """Returns the texts of the reply's messages, and the calls it asks for."""
        parts = [part for item in data["output"] if item["type"] == "message" for part in item["content"]]
        refusal = "".join(part["refusal"] for part in parts if part["type"] == "refusal")
        uses = tuple(
            ToolUse(id=item["call_id"], name=item["name"], arguments=item["arguments"])
            for item in data["output"]
            if item["type"] == "function_call"
        )
        return Reply(
            text=refusal or "".join(part["text"] for part in parts if part["type"] == "output_text"),
            finish="refusal" if refusal else _finish(data, uses),
            model=data.get("model"),
            tokens=tokens(data.get("usage")),
            tool_uses=uses,
            turn=data["output"],
        )


def _format(request: Request, settings: Settings) -> dict[str, Any] | None:
    if request.schema is None or settings.mode == "plain":
        return None
    if settings.mode == "json_object":
        return {"type": "json_object"}
    return {"type": "json_schema", "name": "grades", "schema": request.schema, "strict": True}


def content_part(part: str | Attachment) -> dict[str, Any]:
    """Returns a text or an attachment as a part of a message.

    Raises:
        EvaluatorError: the protocol does not take this kind of attachment.
    """
    if isinstance(part, str):
        return {"type": "input_text", "text": part}
    if part.media_type.startswith("image/"):
        return {"type": "input_image", "image_url": data_url(part)}
    if part.media_type == "application/pdf" or readable(part) is not None:
        return {"type": "input_file", "filename": file_name(part), "file_data": data_url(part)}
    raise unsupported(part, "OpenAI's Responses protocol", "images, PDFs and text files in UTF-8")


def _items(turn: Turn) -> list[Any]:
    if isinstance(turn, str):
        return [{"role": "user", "content": turn}]
    if isinstance(turn, Reply):
        return list(turn.turn)
    return [{"type": "function_call_output", "call_id": output.id, "output": output.text} for output in turn]


def _finish(data: Mapping[str, Any], uses: tuple[ToolUse, ...]) -> Finish:
    reason = (data.get("incomplete_details") or {}).get("reason")
    if reason == "content_filter":
        return "filter"
    if data.get("status") == "incomplete":
        return "length"
    if data.get("status") == "failed":
        raise ValueError(f"the response failed: {data.get('error')}")
    return "tools" if uses else "stop"
