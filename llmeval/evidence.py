"""Evidence: what the application returned, as data that an evaluator can be shown and a report can keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from llmeval.jsonable import Json

__all__ = ["Attachment", "Conversation", "Evidence", "Message", "ToolCall"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    """A call that a model asked for; `result` is there when the conversation has it."""

    id: str | None = None
    name: str
    arguments: Mapping[str, Any]
    result: Json = None
    has_result: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: str
    content: Any = None
    tool_calls: Sequence[ToolCall] = ()


@dataclass(frozen=True, slots=True)
class Attachment:
    """Bytes that travel to an evaluator as an attachment, never as text."""

    data: bytes
    media_type: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages in order, the way an application can return a conversation of its own making."""

    messages: Sequence[Message]


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """A snapshot of what the application returned."""

    output: Json
    messages: tuple[Message, ...] | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    completeness: str | None = None

    def to_json(self) -> Json:
        """Returns what evaluators are shown and the report keeps; a plain value stays as it is."""
        return self.output
