"""The parts of a message in Google's form, as plain objects."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping, Sequence
from typing import Any

from llmeval.adapters.parts import Parts
from llmeval.evidence import Attachment, Message, ToolCall

__all__ = ["read_gemini"]


def read_gemini(role: str, found: Any) -> Sequence[Message]:
    """Returns the messages in the parts of one message."""
    parts = Parts()
    for part in found if isinstance(found, (list, tuple)) else [found]:
        if not isinstance(part, Mapping):
            parts.content.append(part)
        elif not part.get("thought"):
            _read(parts, {key: value for key, value in part.items() if value is not None})
    return parts.messages(role)


def _read(parts: Parts, part: Mapping[str, Any]) -> None:
    if "text" in part:
        parts.content.append(part["text"])
    elif call := _either(part, "function_call", "functionCall"):
        parts.calls.append(ToolCall(id=call.get("id"), name=str(call.get("name")), arguments=call.get("args") or {}))
    elif result := _either(part, "function_response", "functionResponse"):
        parts.results.append(Message("tool", result.get("response"), (), result.get("id"), result.get("name")))
    elif blob := _either(part, "inline_data", "inlineData"):
        data = blob.get("data") or b""
        media_type = blob.get("mime_type") or blob.get("mimeType")
        name = blob.get("display_name") or blob.get("displayName")
        parts.content.append(Attachment(data if isinstance(data, bytes) else b64decode(data), media_type, name))
    else:
        parts.content.append(part)


def _either(part: Mapping[str, Any], snake: str, camel: str) -> Mapping[str, Any] | None:
    found = part.get(snake) or part.get(camel)
    return found if isinstance(found, Mapping) else None
