"""LangChain messages, and the prompts and chat results that are made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from llmeval.adapters.parts import arguments_of, read_parts
from llmeval.consumption import consumed
from llmeval.evidence import Conversation, Message, ToolCall
from llmeval.usage import Tokens, Usage

__all__ = ["MESSAGES", "RESULTS", "STREAMS", "USAGE"]

_ROLES: Final = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool"}
_FINISH: Final = {
    "length": "truncated",
    "max_tokens": "truncated",
    "MAX_TOKENS": "truncated",
    "content_filter": "refused",
    "refusal": "refused",
    "SAFETY": "refused",
}


def _lone(value: Any) -> Conversation:
    return Conversation(_message(value), completeness=_finish(value), usage=_usage(value))


def _message(value: Any) -> Sequence[Message]:
    kind = value.type.removesuffix("MessageChunk").lower()
    role = _role(value, kind)
    parts = read_parts(value.content)
    if role == "tool":
        failed = getattr(value, "status", "success") == "error"
        return [Message("tool", parts.result, (), getattr(value, "tool_call_id", None), value.name, error=failed)]
    parts.calls = _calls(value) or parts.calls
    return parts.messages(role, value.name)


def _role(value: Any, kind: str) -> str:
    if value.additional_kwargs.get("__openai_role__") == "developer":
        return "developer"
    return _ROLES.get(kind) or str(getattr(value, "role", kind))


def _calls(value: Any) -> list[ToolCall]:
    made = [*getattr(value, "tool_calls", ()), *getattr(value, "invalid_tool_calls", ())]
    return [
        ToolCall(id=call.get("id"), name=str(call.get("name")), arguments=arguments_of(call.get("args")))
        for call in made
    ]


def _finish(value: Any) -> str | None:
    metadata = value.response_metadata
    reason = metadata.get("finish_reason") or metadata.get("stop_reason")
    return _FINISH.get(str(reason))


def _usage(value: Any) -> Usage | None:
    found: Mapping[str, Any] | None = getattr(value, "usage_metadata", None)
    if not found:
        return None
    details, metadata = found.get("input_token_details") or {}, value.response_metadata
    tokens = Tokens(
        input=found["input_tokens"],
        output=found["output_tokens"],
        cached=details.get("cache_read"),
        cache_write=details.get("cache_creation"),
        reasoning=(found.get("output_token_details") or {}).get("reasoning"),
    )
    model = metadata.get("model_name") or metadata.get("model")
    return consumed(str(metadata.get("model_provider") or "unknown"), model, tokens)


RESULTS: Final[dict[str, Callable[[Any], Any]]] = {
    "BaseMessage": _lone,
    "ChatGeneration": lambda value: value.message,
    "ChatResult": lambda value: [generation.message for generation in value.generations],
    "PromptValue": lambda value: value.to_messages(),
}

MESSAGES: Final = {"BaseMessage": _message}


def _gathered(items: Sequence[Any]) -> Any:
    """Returns the one message that a list of a stream's chunks makes; `None` for a list of anything else."""
    if not all(type(item).__name__ == "AIMessageChunk" for item in items):
        return None
    whole = items[0]
    for chunk in items[1:]:
        whole = whole + chunk
    return whole


STREAMS: Final = {"AIMessageChunk": _gathered}

USAGE: Final = {"BaseMessage": _usage}
