"""Evidence: what the application returned, as data that an evaluator can be shown and a report can keep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from llmeval.attachments import Attachment, descriptors
from llmeval.cases import OMITTED
from llmeval.jsonable import FrozenDict, Json, thaw
from llmeval.usage import Usage

__all__ = [
    "COMPLETENESS",
    "Attachment",
    "Conversation",
    "Evidence",
    "Message",
    "ToolCall",
    "called",
    "described",
    "last_text",
]

COMPLETENESS: Final = ("finished", "waiting", "truncated", "refused", "incomplete")
"""How a conversation can end.

`finished`: the model gave its answer. `waiting`: a tool call has no result yet, or waits for approval. `truncated`: a
limit cut the answer off. `refused`: the model or a filter declined. `incomplete`: anything else that is not whole, such
as a stream that stopped, a result without its call, or a conversation that ends with the user's turn.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    """A call that a model asked for; `result` is there when the conversation has it.

    `error` is true when the tool said that it failed; `result` is then what it said.
    """

    id: str | None = None
    name: str
    arguments: Mapping[str, Any] = FrozenDict()
    result: Any = None
    has_result: bool = False
    error: bool = False

    def to_json(self) -> dict[str, Json]:
        """Returns id, name and arguments, and the result when there is one."""
        data: dict[str, Json] = {"name": self.name, "arguments": self.arguments}
        if self.id is not None:
            data = {"id": self.id, **data}
        if self.has_result:
            data["result"] = self.result
        if self.error:
            data["error"] = True
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ToolCall:
        """Returns what `to_json` wrote."""
        return cls(
            id=data.get("id"),
            name=data["name"],
            arguments=data["arguments"],
            result=data.get("result"),
            has_result="result" in data,
            error=data.get("error", False),
        )


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation.

    `content` is text, or a list of texts, attachments and JSON; a message with the role `tool` is the result of the
    call that `tool_call_id` names. `name` is the name that a participant or a tool goes by. `citations` are the sources
    that its text names. `error` says that a tool failed, with what it said as the content.
    """

    role: str
    content: Any = None
    tool_calls: Sequence[ToolCall] = ()
    tool_call_id: str | None = None
    name: str | None = None
    citations: Sequence[Any] = ()
    error: bool = False

    @property
    def text(self) -> str | None:
        """The texts of the message in one, or `None` when it has none."""
        if self.content is None or isinstance(self.content, str):
            return self.content or None
        if not isinstance(self.content, (list, tuple)):
            return None
        texts = [part for part in self.content if isinstance(part, str)]
        return ("" if self.role == "assistant" else "\n").join(texts) or None

    def to_json(self) -> dict[str, Json]:
        """Returns role and content, and what else there is; an attachment becomes its descriptor."""
        data: dict[str, Json] = {"role": self.role}
        if self.name is not None:
            data["name"] = self.name
        if self.tool_call_id is not None:
            data["tool_call_id"] = self.tool_call_id
        if self.content is not None or not self.tool_calls:
            data["content"] = described(self.content)
        if self.error:
            data["error"] = True
        if self.tool_calls:
            data["tool_calls"] = [call.to_json() for call in self.tool_calls]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Message:
        """Returns what `to_json` wrote."""
        calls = tuple(ToolCall.from_json(call) for call in data.get("tool_calls", ()))
        return cls(
            data["role"],
            data.get("content"),
            calls,
            data.get("tool_call_id"),
            data.get("name"),
            error=data.get("error", False),
        )


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages in order, the way an application can return a conversation of its own making.

    A result of a tool is a message with the role `tool`, or the `result` of its `ToolCall`. What is left out follows
    from the messages: `output` is the last assistant text, and `completeness` one of `COMPLETENESS`. `state` is what
    else the application wants graded; `citations` are the sources that an answer names. A result that is none
    but carries usage has no messages (`None`) and an `output`.
    """

    messages: Sequence[Message | Mapping[str, Any]] | None
    output: Any = OMITTED
    completeness: str | None = None
    citations: Sequence[Any] = ()
    state: Any = None
    usage: Usage | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """A snapshot of what the application returned.

    `output` is JSON. `messages` is `None` unless the value is a conversation or holds one. `nested` says that it holds
    them inside a plain value, which is then shown as it is. `usage` is what the value itself says that it consumed.
    `absent` describes attachments whose bytes saved evidence does not have.
    """

    output: Json
    messages: tuple[Message, ...] | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    completeness: str | None = None
    citations: Sequence[Json] = ()
    state: Json = None
    usage: Usage | None = None
    nested: bool = False
    absent: tuple[Json, ...] = ()

    def to_json(self) -> Json:
        """Returns what evaluators are shown and the report keeps.

        A plain value stays as it is. A conversation is an object with `messages` and `completeness`, and `citations`
        and `state` when it has them. Results of tools are on their calls instead of in messages of their own; `output`
        is there when it is not simply the last assistant text.
        """
        if self.messages is None or self.nested:
            return self.output
        data: dict[str, Json] = {}
        if self.output != last_text(self.messages):
            data["output"] = self.output
        joined = {call.id for call in self.tool_calls if call.has_result and call.id is not None}
        shown = [message for message in self.messages if message.role != "tool" or message.tool_call_id not in joined]
        data["messages"] = [message.to_json() for message in shown]
        data["completeness"] = self.completeness
        if self.citations:
            data["citations"] = list(self.citations)
        if self.state is not None:
            data["state"] = self.state
        return data

    @classmethod
    def from_json(cls, data: Json) -> Evidence:
        """Returns evidence to grade again out of what `to_json` wrote; the bytes of attachments are not in it."""
        absent = tuple(descriptors(data))
        if not _is_conversation(data):
            inside = [cls.from_json(found) for found in _conversations(data)]
            known = [found.completeness for found in inside if found.completeness in COMPLETENESS]
            return cls(
                output=data,
                messages=tuple(message for found in inside for message in found.messages or ()) or None,
                tool_calls=tuple(call for found in inside for call in found.tool_calls),
                completeness=max(known, key=COMPLETENESS.index, default=None),
                nested=bool(inside),
                absent=absent,
            )
        messages = tuple(Message.from_json(message) for message in data["messages"])
        return cls(
            output=data["output"] if "output" in data else last_text(messages),
            messages=messages,
            tool_calls=tuple(call for message in messages for call in message.tool_calls),
            completeness=data["completeness"],
            citations=tuple(data.get("citations", ())),
            state=data.get("state"),
            absent=absent,
        )


def called(tool_calls: Iterable[ToolCall], name: str, arguments: Mapping[str, Any]) -> bool:
    """Returns whether a tool of that name was called with at least these arguments."""
    return any(call.name == name and _has(call.arguments, arguments) for call in tool_calls)


def last_text(messages: Sequence[Message]) -> str | None:
    """Returns the last assistant text, or `None` when there is none."""
    return next(
        (text for message in reversed(messages) if message.role == "assistant" and (text := message.text)), None
    )


def described(content: Any) -> Json:
    """Returns the content of a message as JSON, each attachment as its descriptor."""
    if isinstance(content, Attachment):
        return content.descriptor
    if isinstance(content, (list, tuple)):
        return [described(part) for part in content]
    return content


def _has(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(key in found and found[key] == value for key, value in wanted.items())


_CONVERSATION = {"output", "messages", "completeness", "citations", "state"}


def _conversations(data: Json) -> Iterator[Json]:
    """Yields each conversation inside of plain data."""
    for item in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        if _is_conversation(item):
            yield item
        else:
            yield from _conversations(item)


def _is_conversation(data: Json) -> bool:
    if not isinstance(data, Mapping) or not data.keys() <= _CONVERSATION:
        return False
    messages = data.get("messages")
    if "completeness" not in data or not isinstance(messages, list):
        return False
    return all(isinstance(message, Mapping) and _reads_back(message) for message in messages)


def _reads_back(message: Mapping[str, Any]) -> bool:
    try:
        return bool(Message.from_json(message).to_json() == thaw(message))
    except (KeyError, TypeError, AttributeError):
        return False
