"""Which file of this package reads the objects of which other package."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final

from llmeval.adapters.classes import by_class
from llmeval.evidence import Conversation, Message
from llmeval.usage import Usage

__all__ = ["adapter", "messages_reader", "stream_reader", "usage_reader"]

_FILES: Final = {
    "agents": "openai_agents",
    "anthropic": "anthropic",
    "dspy": "dspy",
    "google.adk": "google_adk",
    "google.genai": "google_genai",
    "langchain_core": "langchain",
    "langgraph": "langgraph",
    "litellm": "litellm",
    "llama_index": "llama_index",
    "openai": "openai",
    "pydantic_ai": "pydantic_ai",
    "smolagents": "smolagents",
}
"""The file by the package of a value's class. A file here never imports that package: it reads attributes."""


@by_class
def adapter(cls: type) -> Callable[[Any], Any] | None:
    """Returns the function that turns a value of class `cls` into a conversation or another supported value."""
    known = _found(cls, "RESULTS")
    read = None if known is not None else messages_reader(cls)
    return known if read is None else lambda value: _lone(read, value)


@by_class
def messages_reader(cls: type) -> Callable[[Any], Sequence[Message] | None] | None:
    """Returns the function that gives the messages in one item of a list of messages."""
    return _found(cls, "MESSAGES")


@by_class
def stream_reader(cls: type) -> Callable[[Sequence[Any]], Any] | None:
    """Returns the function that puts a list of a stream's chunks together; it gives `None` for any other list."""
    return _found(cls, "STREAMS")


@by_class
def usage_reader(cls: type) -> Callable[[Any], Usage | None] | None:
    """Returns the function that gives the usage that one item of a list of messages carries."""
    return _found(cls, "USAGE")


def _lone(read: Callable[[Any], Sequence[Message] | None], value: Any) -> Any:
    messages = read(value)
    if messages is None:
        return value
    return messages[0] if len(messages) == 1 else Conversation(messages)


def _found(cls: type, table: str) -> Callable[[Any], Any] | None:
    for base in cls.__mro__:
        package = base.__module__.split(".", 2)
        file = _FILES.get(package[0]) or _FILES.get(".".join(package[:2]))
        if file is not None:
            known: dict[str, Callable[[Any], Any]] = getattr(import_module(f"llmeval.adapters.{file}"), table, {})
            if base.__name__ in known:
                return known[base.__name__]
    return None
