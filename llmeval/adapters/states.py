"""States of agent graphs: plain objects whose messages are objects of an SDK."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from llmeval.adapters import sdks
from llmeval.adapters.conversations import conversation_of
from llmeval.evidence import Conversation

if TYPE_CHECKING:
    from llmeval.adapters.walk import Walk

__all__ = ["state_of"]


def state_of(walk: Walk, value: Any) -> Conversation | None:
    """Returns the conversation of a state, with whatever else the state holds; `None` for any other value.

    A plain object whose messages are plain objects too is not one: what it says first is its own output.
    """
    if not isinstance(value, Mapping):
        return None
    messages = value.get("messages")
    if not isinstance(messages, (list, tuple)) or not messages or sdks.messages_reader(type(messages[-1])) is None:
        return None
    conversation = conversation_of(walk, messages)
    if conversation is None:
        return None
    others = {key: item for key, item in value.items() if key not in ("messages", "structured_response")}
    waiting = "waiting" if "__interrupt__" in value else conversation.completeness
    structured = value.get("structured_response")
    return replace(
        conversation,
        output=conversation.output if structured is None else structured,
        completeness=waiting,
        state=others or None,
    )
