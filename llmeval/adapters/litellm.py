"""LiteLLM: completions, responses and their messages, which have OpenAI's form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from llmeval.adapters.dumps import dumped
from llmeval.adapters.faults import unread
from llmeval.adapters.message_dicts import read_dict
from llmeval.adapters.openai import completion, response
from llmeval.evidence import Conversation, Message

__all__ = ["MESSAGES", "RESULTS"]


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

MESSAGES: Final = {"Message": _message}
