"""Pydantic AI: run results, streamed ones too, and lists of model messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from llmeval.adapters.faults import unread
from llmeval.adapters.message_dicts import joined_turns
from llmeval.adapters.parts import Parts, arguments_of
from llmeval.cases import OMITTED
from llmeval.consumption import consumed
from llmeval.evidence import Attachment, Conversation, Message, ToolCall
from llmeval.usage import Tokens, Usage, total

__all__ = ["MESSAGES", "RESULTS"]

_FINISH: Final = {"length": "truncated", "content_filter": "refused", "error": "incomplete"}
_DEFERRED: Final = "DeferredToolRequests"
"""The class of an output that asks the application to run or approve tools."""


def _run(value: Any) -> Conversation:
    return _conversation(value, value.output)


def _agent_run(value: Any) -> Conversation:
    return _conversation(value, OMITTED, None if value.result else "incomplete")


def _streamed(value: Any) -> Conversation:
    return _conversation(value, OMITTED, None if value.is_complete else "incomplete")


def _conversation(value: Any, output: Any, completeness: str | None = None) -> Conversation:
    history = value.all_messages()
    tool = getattr(value, "_output_tool_name", None)
    messages = joined_turns(message for item in history for message in _message(item, tool) or ())
    if type(output).__name__ == _DEFERRED:
        output, completeness = OMITTED, "waiting"
    return Conversation(
        messages,
        output=output,
        completeness=completeness or _finish(history) or (None if output is OMITTED else "finished"),
        usage=_usage(value.new_messages()),
    )


def _message(item: Any, output_tool: str | None = None) -> Sequence[Message] | None:
    """Returns the messages in a request or a response; the call that delivers an output is content, not a call."""
    if item.kind == "response":
        return _response(item, output_tool).messages("assistant")
    instructions = [Message("system", item.instructions)] if item.instructions else []
    return [*instructions, *(message for part in item.parts for message in _request(part, output_tool))]


def _request(part: Any, output_tool: str | None) -> Iterable[Message]:
    kind = part.part_kind
    if kind == "system-prompt":
        yield Message("system", part.content)
    elif kind == "user-prompt":
        yield Message("user", _content(part.content))
    elif kind == "tool-return" and (output_tool is None or part.tool_name != output_tool):
        failed = part.outcome not in ("success", None)
        yield Message("tool", part.content, (), part.tool_call_id, part.tool_name, error=failed)
    elif kind == "retry-prompt" and part.tool_name is not None and part.tool_name != output_tool:
        yield Message("tool", part.content, (), part.tool_call_id, part.tool_name, error=True)
    elif kind in ("retry-prompt", "retry-feedback"):
        yield Message("user", [part.content])


def _response(item: Any, output_tool: str | None) -> Parts:
    parts = Parts()
    for part in item.parts:
        kind = part.part_kind
        if kind == "text":
            parts.content.append(part.content)
            parts.citations += getattr(part, "citations", None) or ()
        elif kind == "file":
            parts.content.append(_part(part.content))
        elif kind == "builtin-tool-return":
            _native_result(parts, part)
        elif kind.endswith("tool-call"):
            if output_tool is not None and part.tool_name == output_tool:
                parts.content.append(arguments_of(part.args))
            else:
                parts.calls.append(
                    ToolCall(id=part.tool_call_id, name=part.tool_name, arguments=arguments_of(part.args))
                )
    return parts


def _native_result(parts: Parts, part: Any) -> None:
    """Joins the result of a tool that the provider ran with its call, which is in the same response."""
    parts.calls = [
        call
        if call.id != part.tool_call_id
        else ToolCall(id=call.id, name=call.name, arguments=call.arguments, result=part.content, has_result=True)
        for call in parts.calls
    ]


def _content(content: Any) -> Any:
    return content if isinstance(content, str) else [part for item in content if (part := _part(item)) is not None]


def _part(item: Any) -> Any:
    kind = getattr(item, "kind", None)
    if kind == "binary":
        return Attachment(item.data, item.media_type)
    if kind == "text-content":
        return item.content
    if kind == "cache-point":
        return None
    if isinstance(kind, str) and kind.endswith("-url"):
        return Attachment(item.url) if item.url.startswith("data:") else {"type": kind, "url": item.url}
    return item


def _finish(history: Sequence[Any]) -> str | None:
    last = history[-1] if history else None
    if last is None or last.kind != "response":
        return None
    return "incomplete" if last.state == "interrupted" else _FINISH.get(str(last.finish_reason))


def _usage(history: Iterable[Any]) -> Usage | None:
    usages = [_spent(item) for item in history if item.kind == "response" and item.usage.has_values()]
    return total(usages) if usages else None


def _spent(item: Any) -> Usage:
    usage = item.usage
    tokens = Tokens(
        input=usage.input_tokens,
        output=usage.output_tokens,
        cached=usage.cache_read_tokens or None,
        cache_write=usage.cache_write_tokens or None,
    )
    return consumed(item.provider_name or "unknown", item.model_name, tokens)


def _stream(value: Any) -> Any:
    raise unread(type(value), "return result.get_output(), or the text that you gathered")


RESULTS: Final[dict[str, Callable[[Any], Any]]] = {
    "AgentRun": _agent_run,
    "AgentRunResult": _run,
    "AgentStream": _stream,
    "StreamedRunResult": _streamed,
    "StreamedRunResultSync": _streamed,
}

MESSAGES: Final[dict[str, Callable[[Any], Sequence[Message] | None]]] = {
    "ModelRequest": _message,
    "ModelResponse": _message,
}
