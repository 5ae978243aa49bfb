"""What the chunks of an OpenAI stream say together, once they were read into a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llmeval.adapters.dumps import dumped
from llmeval.adapters.message_dicts import read_dict
from llmeval.consumption import consumed, read_tokens
from llmeval.evidence import Conversation, Message

__all__ = ["gathered_chunks", "gathered_events"]

_ENDS = {"stop": None, "tool_calls": None, "function_call": None, "length": "truncated", "content_filter": "refused"}


def gathered_chunks(chunks: Sequence[Any]) -> Conversation:
    """Returns the chunks of a chat completion as a conversation; one without a finish reason is incomplete."""
    choices = [choice for chunk in chunks for choice in chunk.choices[:1] if choice.index == 0]
    deltas = [dumped(choice.delta) for choice in choices]
    message = {
        "role": "assistant",
        "content": "".join(delta.get("content") or "" for delta in deltas) or None,
        "refusal": "".join(delta.get("refusal") or "" for delta in deltas) or None,
        "tool_calls": _calls([call for delta in deltas for call in delta.get("tool_calls") or ()]),
    }
    finish = next((choice.finish_reason for choice in reversed(choices) if choice.finish_reason), None)
    ended = "refused" if message["refusal"] else _ENDS.get(str(finish), "incomplete")
    said = next((chunk.usage for chunk in reversed(chunks) if getattr(chunk, "usage", None) is not None), None)
    tokens = read_tokens(said)
    usage = None if tokens is None else consumed("openai", chunks[0].model, tokens)
    return Conversation(read_dict(message) or [], completeness=ended, usage=usage)


def gathered_events(events: Sequence[Any]) -> Any:
    """Returns the response that a stream of events ended with, or its text so far, which is incomplete."""
    ended = ("response.completed", "response.incomplete", "response.failed")
    last = next((event.response for event in reversed(events) if event.type in ended), None)
    if last is not None:
        return last
    text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    return Conversation([Message("assistant", text)] if text else [], completeness="incomplete")


def _calls(parts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the calls whose names and arguments came in pieces, put together by their index."""
    calls: dict[int, dict[str, Any]] = {}
    for part in parts:
        call = calls.setdefault(part["index"], {"id": None, "function": {"name": "", "arguments": ""}})
        call["id"] = call["id"] or part.get("id")
        for key, piece in (part.get("function") or {}).items():
            if key in call["function"]:
                call["function"][key] += piece or ""
    return list(calls.values())
