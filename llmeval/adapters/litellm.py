"""LiteLLM: completions, responses and their messages, which have OpenAI's form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from llmeval.adapters.dumps import dumped
from llmeval.adapters.faults import unread
from llmeval.adapters.message_dicts import read_dict
from llmeval.adapters.openai import completion, response
from llmeval.adapters.openai_streams import gathered_chunks
from llmeval.evidence import Conversation, Message

__all__ = ["MESSAGES", "RESULTS", "STREAMS"]


def _completion(value: Any) -> Conversation:
    return completion(value, _provider(value))


def _response(value: Any) -> Conversation:
    return response(value, _provider(value))


def _provider(value: Any) -> str:
    hidden = getattr(value, "_hidden_params", None) or {}
    return str(hidden.get("custom_llm_provider") or "openai")


def _message(value: Any) -> Sequence[Message] | None:
    return read_dict(dumped(value))


def _stream(value: Any) -> Any:
    raise unread(type(value), "return litellm.stream_chunk_builder(list(stream))")


RESULTS: Final[dict[str, Callable[[Any], Any]]] = {
    "CustomStreamWrapper": _stream,
    "ModelResponse": _completion,
    "ResponsesAPIResponse": _response,
}


def _gathered(items: Sequence[Any]) -> Any:
    """Returns what a list of a stream's chunks says; `None` for a list of anything else."""
    if all(type(item).__name__ == "ModelResponseStream" for item in items):
        return gathered_chunks(items)
    return None


STREAMS: Final = {"ModelResponseStream": _gathered}

MESSAGES: Final = {"Message": _message}
