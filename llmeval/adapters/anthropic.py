"""Anthropic: messages, parsed messages, message streams and tool runners."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from llmeval.adapters.anthropic_streams import gathered_events
from llmeval.adapters.dumps import dumped
from llmeval.adapters.faults import unread
from llmeval.adapters.message_dicts import read_dict
from llmeval.cases import OMITTED
from llmeval.consumption import consumed, read_tokens
from llmeval.errors import EvidenceError
from llmeval.evidence import Conversation, Message
from llmeval.usage import Usage

__all__ = ["MESSAGES", "RESULTS", "STREAMS"]

_ENDED: Final = {
    "end_turn": None,
    "stop_sequence": None,
    "tool_use": None,
    "max_tokens": "truncated",
    "model_context_window_exceeded": "truncated",
    "pause_turn": "waiting",
    "refusal": "refused",
}
"""What each stop reason says about completeness; where it says nothing, it follows from the content."""


def message(value: Any) -> Conversation:
    """Returns a message as a conversation of only itself."""
    parsed = getattr(value, "parsed_output", None)
    return Conversation(
        _message(value) or [],
        output=OMITTED if parsed is None else parsed,
        completeness=_ENDED.get(value.stop_reason, "incomplete"),
        usage=_usage(value),
    )


def _message(value: Any) -> Sequence[Message] | None:
    return read_dict(dumped(value))


def _usage(value: Any) -> Usage | None:
    tokens = read_tokens(value.usage)
    return None if tokens is None else consumed("anthropic", value.model, tokens)


def _stream(value: Any) -> Any:
    """Returns what a message stream gathered; it is not read any further."""
    try:
        return value.current_message_snapshot
    except AssertionError:
        raise _unread(value) from None


def _runner(value: Any) -> Conversation:
    """Returns the history that a tool runner holds; it is not run any further."""
    history = list(value._params["messages"])
    last = value._last_message
    last = None if last is None or callable(last) else dumped(last)
    if last is not None and (not history or history[-1].get("role") != "assistant"):
        history.append({"role": "assistant", "content": last["content"]})
    system = value._params.get("system")
    messages = read_dict({"role": "system", "content": system}) if isinstance(system, (str, list)) else []
    ended = "incomplete" if last is None else _ENDED.get(last["stop_reason"], "incomplete")
    return Conversation([*(messages or []), *history], completeness=ended)


def _unread(value: Any) -> EvidenceError:
    return unread(type(value), "return its get_final_message()")


def _raw_stream(value: Any) -> Any:
    raise _unread(value)


RESULTS: Final[dict[str, Callable[[Any], Any]]] = {
    "AsyncMessageStream": _stream,
    "AsyncMessageStreamManager": _raw_stream,
    "AsyncStream": _raw_stream,
    "BaseToolRunner": _runner,
    "BetaAsyncMessageStream": _stream,
    "BetaAsyncMessageStreamManager": _raw_stream,
    "BetaMessage": message,
    "BetaMessageStream": _stream,
    "BetaMessageStreamManager": _raw_stream,
    "Message": message,
    "MessageStream": _stream,
    "MessageStreamManager": _raw_stream,
    "Stream": _raw_stream,
}


def _gathered(items: Sequence[Any]) -> Any:
    """Returns what a list of a stream's events says; `None` for a list of anything else."""
    if not any(getattr(item, "type", None) == "message_start" for item in items):
        return None
    conversation, reason = gathered_events(items)
    return replace(conversation, completeness=_ENDED.get(str(reason), "incomplete"))


STREAMS: Final = {"BaseModel": _gathered}

MESSAGES: Final = {"BaseModel": _message}
"""Every object of the SDK derives from its BaseModel; those that are no message give none."""
