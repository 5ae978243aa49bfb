"""Items of OpenAI's Responses form: messages, calls and their outputs, as objects of plain JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from llmeval.adapters.parts import arguments_of, read_parts
from llmeval.evidence import Attachment, Message, ToolCall

__all__ = ["is_item", "read_item"]

_SILENT: Final = {
    "compaction",
    "item_reference",
    "mcp_approval_response",
    "mcp_list_tools",
    "reasoning",
    "tool_search_output",
}
"""Items that say nothing to grade."""

_INPUTS: Final = ("arguments", "input", "action", "operation", "queries", "code", "prompt")
"""Where the kinds of call have what they were called with, most telling first."""

_RESULTS: Final = ("output", "outputs", "results", "error")
"""Where a tool that the provider ran has its result."""


def is_item(item: Mapping[str, Any]) -> bool:
    """Returns whether `item` is one of this form (a message with a role is of every form, and not meant)."""
    kind = item.get("type")
    if not isinstance(kind, str):
        return False
    calls = kind.endswith(("_call", "_call_output")) and ("call_id" in item or "id" in item)
    return calls or kind in _SILENT or kind == "mcp_approval_request"


def read_item(item: Mapping[str, Any]) -> Sequence[Message]:
    """Returns the messages in `item`: one, or none when it says nothing to grade."""
    kind = item["type"]
    if kind in _SILENT:
        return []
    if kind.endswith("_call_output"):
        return [Message("tool", read_parts(item.get("output")).result, (), item.get("call_id"))]
    content = _image(item) if kind == "image_generation_call" else None
    return [Message("assistant", content, [_call(kind, item)])]


def _call(kind: str, item: Mapping[str, Any]) -> ToolCall:
    name = item.get("name") or kind.removesuffix("_call")
    result, has_result = _result(kind, item)
    return ToolCall(
        id=item.get("call_id") or item.get("id"),
        name=str(name),
        arguments=_arguments(item),
        result=result,
        has_result=has_result,
        error=item.get("status") == "failed" or bool(item.get("error")),
    )


def _arguments(item: Mapping[str, Any]) -> Mapping[str, Any]:
    for key in _INPUTS:
        value = item.get(key)
        if value is not None:
            return arguments_of(value) if key == "arguments" or isinstance(value, Mapping) else {key: value}
    return {}


def _result(kind: str, item: Mapping[str, Any]) -> tuple[Any, bool]:
    """Returns the result of a tool that the provider ran; a tool of the application has it in an item of its own."""
    if "call_id" in item or kind == "mcp_approval_request":
        return None, False
    for key in _RESULTS:
        if item.get(key) is not None:
            return item[key], True
    if kind == "image_generation_call":
        return item.get("status"), bool(item.get("result"))
    return item.get("status"), item.get("status") in ("completed", "failed", "incomplete")


def _image(item: Mapping[str, Any]) -> Any:
    data = item.get("result")
    return [Attachment(f"data:image/{item.get('output_format') or 'png'};base64,{data}")] if data else None
