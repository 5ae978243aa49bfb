"""OpenAI: responses, chat completions, and streams of either that were read to their end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from llmeval.adapters.dumps import dumped
from llmeval.adapters.faults import unread
from llmeval.adapters.message_dicts import joined_turns, read_dict
from llmeval.adapters.openai_streams import gathered_chunks, gathered_events
from llmeval.cases import OMITTED
from llmeval.consumption import consumed, read_tokens
from llmeval.errors import EvidenceError
from llmeval.evidence import Conversation, Message
from llmeval.usage import Usage

__all__ = ["MESSAGES", "RESULTS", "STREAMS", "completion", "response"]

_CUT: Final = {"max_output_tokens": "truncated", "max_messages": "truncated", "content_filter": "refused"}
_FINISH: Final = {"length": "truncated", "content_filter": "refused"}
_WHOLE: Final = ("stop", "tool_calls", "function_call", "eos")


def response(value: Any, provider: str = "openai") -> Conversation:
    """Returns a Responses API response as a conversation: its instructions, messages, and the tools it called."""
    items = [dumped(item) for item in value.output or ()]
    found = [read_dict(item) for item in items]
    messages = [
        message
        for item, read in zip(items, found, strict=True)
        for message in ([Message("assistant", [item])] if read is None else read)
    ]
    parsed = getattr(value, "output_parsed", None)
    error = getattr(value, "error", None)
    return Conversation(
        joined_turns([*_instructions(getattr(value, "instructions", None)), *messages]),
        output=OMITTED if parsed is None else parsed,
        completeness=_ended(value, items),
        state=None if error is None else {"error": dumped(error)},
        usage=_usage(value, provider),
    )


def completion(value: Any, provider: str = "openai") -> Conversation:
    """Returns a chat completion as a conversation: its first choice; further choices are its state."""
    if not value.choices:
        return Conversation([], completeness="incomplete", usage=_usage(value, provider))
    first, *others = value.choices
    message = dumped(first.message)
    parsed = getattr(first.message, "parsed", None)
    return Conversation(
        read_dict({"content": None, **message, "role": "assistant"}) or [],
        output=OMITTED if parsed is None else parsed,
        completeness=_finish(first, message),
        state={"other_choices": [choice.message.content for choice in others]} if others else None,
        usage=_usage(value, provider),
    )


def _instructions(found: Any) -> Sequence[Message]:
    if isinstance(found, str):
        return [Message("system", found)]
    return [message for item in found or () for message in read_dict(dumped(item)) or ()]


def _ended(value: Any, items: Sequence[Mapping[str, Any]]) -> str | None:
    if value.status == "incomplete":
        reason = getattr(value.incomplete_details, "reason", None)
        return _CUT.get(str(reason), "incomplete")
    if value.status not in (None, "completed"):
        return "incomplete"
    parts = [part for item in items if item.get("type") == "message" for part in item.get("content") or ()]
    return "refused" if any(part.get("type") == "refusal" for part in parts) else None


def _finish(choice: Any, message: Mapping[str, Any]) -> str | None:
    if message.get("refusal"):
        return "refused"
    reason = getattr(choice, "finish_reason", None)
    return None if reason in _WHOLE else _FINISH.get(str(reason), "incomplete")


def _usage(value: Any, provider: str = "openai") -> Usage | None:
    tokens = read_tokens(getattr(value, "usage", None))
    return None if tokens is None else consumed(provider, value.model, tokens)


def _response_stream(value: Any) -> Any:
    """Returns what a response stream gathered; it is not read any further."""
    state = value._state
    if state._completed_response is not None:
        return state._completed_response
    gathered = getattr(state, "_ResponseStreamState__current_snapshot", None)
    if gathered is None:
        raise _unread(value)
    conversation = response(gathered)
    ended = conversation.completeness
    return _cut(conversation, ended if gathered.status in ("incomplete", "failed") and ended else "incomplete")


def _completion_stream(value: Any) -> Any:
    """Returns what a chat stream gathered; it is not read any further."""
    try:
        gathered = value.current_completion_snapshot
    except AssertionError:
        raise _unread(value) from None
    return completion(gathered)


def _cut(conversation: Conversation, completeness: str) -> Conversation:
    return Conversation(
        conversation.messages,
        output=conversation.output,
        completeness=completeness,
        state=conversation.state,
        usage=conversation.usage,
    )


def _unread(value: Any) -> EvidenceError:
    return unread(type(value), "return the text that you gathered, or the final object of client.responses.stream(…)")


def _raw_stream(value: Any) -> Any:
    raise _unread(value)


def _message(value: Any) -> Sequence[Message] | None:
    return read_dict(dumped(value))


RESULTS: Final[dict[str, Callable[[Any], Any]]] = {
    "AsyncChatCompletionStream": _completion_stream,
    "AsyncChatCompletionStreamManager": _raw_stream,
    "AsyncResponseStream": _response_stream,
    "AsyncResponseStreamManager": _raw_stream,
    "AsyncStream": _raw_stream,
    "ChatCompletion": completion,
    "ChatCompletionStream": _completion_stream,
    "ChatCompletionStreamManager": _raw_stream,
    "Response": response,
    "ResponseStream": _response_stream,
    "ResponseStreamManager": _raw_stream,
    "Stream": _raw_stream,
}


def _gathered(items: Sequence[Any]) -> Any:
    """Returns what a list of a stream's chunks or events says; `None` for a list of anything else."""
    if all(getattr(item, "object", None) == "chat.completion.chunk" for item in items):
        return gathered_chunks(items)
    if all(str(getattr(item, "type", "")).startswith("response.") for item in items):
        return gathered_events(items)
    return None


STREAMS: Final = {"BaseModel": _gathered}

MESSAGES: Final = {"BaseModel": _message}
"""Every object of the SDK derives from its BaseModel; those that are no message give none."""
