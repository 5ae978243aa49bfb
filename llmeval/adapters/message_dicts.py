"""Plain message objects in the forms of OpenAI Chat, OpenAI Responses, Anthropic and Gemini."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from llmeval.adapters.dumps import dumped
from llmeval.adapters.parts import Parts, arguments_of, read_parts
from llmeval.adapters.response_items import is_item, read_item
from llmeval.evidence import Message, ToolCall

__all__ = ["ROLES", "joined_turns", "read_call", "read_dict"]

ROLES: Final = ("system", "developer", "user", "assistant", "tool")
"""The roles that a conversation is made of."""

_RENAMED: Final = {"function": "tool", "model": "assistant"}
_SAYS: Final = {"content", "function_call", "parts", "refusal", "tool_calls"}


def read_dict(item: Mapping[str, Any]) -> Sequence[Message] | None:
    """Returns the messages in `item`, or `None` when it is not a message of any form that is known."""
    role = item.get("role")
    if isinstance(role, str) and item.keys() & _SAYS:
        return _message(_RENAMED.get(role, role), item)
    return read_item(item) if is_item(item) else None


def joined_turns(messages: Iterable[Message]) -> list[Message]:
    """Returns the messages turn by turn.

    An assistant message that only calls tools is part of the one before it, and instructions that are sent again with
    each request are there once.
    """
    turns: list[Message] = []
    for message in messages:
        last = turns[-1] if turns else None
        if last and last.role == message.role == "assistant" and message.tool_calls and not message.content:
            calls = (*last.tool_calls, *message.tool_calls)
            turns[-1] = Message("assistant", last.content, calls, None, last.name, last.citations)
        elif message.role not in ("system", "developer") or message not in turns:
            turns.append(message)
    return turns


def _message(role: str, item: Mapping[str, Any]) -> Sequence[Message]:
    name = item.get("name") if isinstance(item.get("name"), str) else None
    if "parts" in item and "content" not in item:
        from llmeval.adapters.gemini_parts import read_gemini  # only Gemini has this form

        return read_gemini(role, item["parts"])
    parts = read_parts(item.get("content"))
    if role == "tool":
        return [Message("tool", parts.result, (), item.get("tool_call_id") or item.get("call_id"), name)]
    if isinstance(refusal := item.get("refusal"), str):
        parts.content.append(refusal)
    audio = item.get("audio")
    if isinstance(audio, Mapping) and isinstance(audio.get("transcript"), str):
        parts.content.append(audio["transcript"])
    parts.citations += item.get("annotations") or ()
    _add_calls(parts, item)
    return parts.messages(role, name)


def _add_calls(parts: Parts, item: Mapping[str, Any]) -> None:
    for call in map(dumped, item.get("tool_calls") or ()):
        if isinstance(call, Mapping):
            parts.calls.append(read_call(call))
    if isinstance(legacy := item.get("function_call"), Mapping):
        parts.calls.append(ToolCall(name=str(legacy.get("name")), arguments=arguments_of(legacy.get("arguments"))))


def read_call(call: Mapping[str, Any]) -> ToolCall:
    """Returns a call in OpenAI's form (`function` or `custom`), or in the flat form of LangChain."""
    if isinstance(custom := call.get("custom"), Mapping):
        return ToolCall(id=call.get("id"), name=str(custom.get("name")), arguments={"input": custom.get("input")})
    function = call["function"] if isinstance(call.get("function"), Mapping) else call
    arguments = function.get("arguments", function.get("args"))
    return ToolCall(id=call.get("id"), name=str(function.get("name")), arguments=arguments_of(arguments))
