"""Conversations as evidence: every message, each call joined with its result, and whether it is whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from llmeval.adapters import sdks
from llmeval.adapters.message_dicts import ROLES, joined_turns, read_call, read_dict
from llmeval.adapters.parts import arguments_of, read_parts
from llmeval.cases import OMITTED
from llmeval.errors import EvidenceError
from llmeval.evidence import COMPLETENESS, Attachment, Conversation, Evidence, Message, ToolCall, described, last_text
from llmeval.jsonable import Json, freeze
from llmeval.usage import Usage, total

if TYPE_CHECKING:
    from llmeval.adapters.walk import Walk

__all__ = ["conversation_evidence", "conversation_of", "in_list", "tool_call"]


def conversation_of(walk: Walk, items: Sequence[Any]) -> Conversation | None:
    """Returns the conversation that a list is, or `None` when it is a list of something else."""
    if not items or not _may_be_message(items[0]):
        return None
    messages: list[Message] = []
    refused = False
    for item in items:
        read = _messages(walk, item)
        if read is None:
            return None
        messages += read
        refused = isinstance(item, Mapping) and isinstance(item.get("refusal"), str)
    if not any(message.role in ROLES for message in messages):
        return None
    return Conversation(joined_turns(messages), completeness="refused" if refused else None, usage=_usage(items))


def conversation_evidence(walk: Walk, conversation: Conversation, where: str) -> Evidence:
    """Returns a conversation as evidence.

    Raises:
        EvidenceError: a message is not one, or something in it has no JSON form.
    """
    if conversation.messages is None:
        output = walk.value(conversation.output, where)
        return Evidence(output=output, attachments=walk.attachments, usage=conversation.usage)
    places = [f"{where}.messages[{index}]" for index in range(len(conversation.messages))]
    given = [_given(walk, item, place) for item, place in zip(conversation.messages, places, strict=True)]
    messages = [_settled(walk, message, place) for place, found in zip(places, given, strict=True) for message in found]
    messages, orphaned = _joined(messages)
    output = last_text(messages) if conversation.output is OMITTED else walk.value(conversation.output, where, 2)
    citations = [walk.value(item, f"{where}.citations", 2) for item in conversation.citations]
    return Evidence(
        output=output,
        messages=tuple(messages),
        tool_calls=tuple(call for message in messages for call in message.tool_calls),
        attachments=walk.attachments,
        completeness=_completeness(conversation.completeness, messages, orphaned, where),
        citations=(*citations, *(item for message in messages for item in message.citations)),
        state=None if conversation.state is None else walk.value(conversation.state, f"{where}.state", 2),
        usage=conversation.usage,
    )


def in_list(walk: Walk, items: Any, where: str) -> Json:
    """Returns a list of messages inside another value as JSON, or `None` for a list that is shown as it is.

    That is one of other things, and one of plain objects without attachments. `walk` keeps the conversation anyway.
    """
    conversation = conversation_of(walk, items) if isinstance(items, (list, tuple)) else None
    if conversation is None:
        return None
    before = len(walk.attachments)
    kept = _kept(walk, conversation, where)["messages"]
    return None if len(walk.attachments) == before and all(isinstance(item, Mapping) for item in items) else kept


def nested(walk: Walk, conversation: Conversation, where: str, depth: int) -> Json:
    """Returns a conversation inside another value as JSON, and has `walk` keep it."""
    return _kept(walk, conversation, where)


def nested_evidence(walk: Walk, evidence: Evidence, where: str, depth: int) -> Json:
    """Returns evidence inside another value as JSON, and has `walk` keep it."""
    walk.conversations.append(evidence)
    for attachment in evidence.attachments:
        walk.attach(attachment)
    return freeze(evidence.to_json())


def nested_message(walk: Walk, message: Message, where: str, depth: int) -> Json:
    """Returns a message inside another value as JSON, and has `walk` keep it."""
    return _kept(walk, Conversation([message]), where)["messages"][0]


def nested_call(walk: Walk, call: ToolCall, where: str, depth: int) -> Json:
    """Returns a tool call inside another value as JSON, and has `walk` keep it."""
    settled = tool_call(walk, call, where)
    walk.conversations.append(Evidence(output=None, tool_calls=(settled,)))
    return freeze(settled.to_json())


def tool_call(walk: Walk, call: ToolCall | Mapping[str, Any], where: str) -> ToolCall:
    """Returns `call`, which may be an object in an SDK's form, with its arguments and result as frozen JSON."""
    if isinstance(call, Mapping):
        call = read_call(call)
    has_result = call.has_result or call.result is not None
    return replace(
        call,
        id=_identity(call.id),
        arguments=walk.value(arguments_of(call.arguments), f"{where}.arguments", 3),
        result=walk.value(call.result, f"{where}.result", 3) if has_result else None,
        has_result=has_result,
    )


def _kept(walk: Walk, conversation: Conversation, where: str) -> Json:
    evidence = conversation_evidence(walk, conversation, where)
    walk.conversations.append(evidence)
    return freeze(evidence.to_json())


def _may_be_message(item: Any) -> bool:
    cls = type(item)
    if cls is dict:
        return "role" in item or "type" in item
    return issubclass(cls, Message) or sdks.messages_reader(cls) is not None


def _usage(items: Sequence[Any]) -> Usage | None:
    found = [read(item) for item in items if (read := sdks.usage_reader(type(item)))]
    usages = [usage for usage in found if usage is not None]
    return total(usages) if usages else None


def _messages(walk: Walk, item: Any) -> Sequence[Message] | None:
    if walk.adapts(type(item)):
        item = walk.resolve(item, "output")
    if isinstance(item, Message):
        return [item]
    if (read := sdks.messages_reader(type(item))) and (found := read(item)) is not None:
        return found
    return read_dict(item) if isinstance(item, Mapping) else None


def _given(walk: Walk, item: Any, where: str) -> Sequence[Message]:
    found = _messages(walk, item)
    if found is None:
        raise EvidenceError(
            f"{where} is of type {type(item).__name__} and no message in a form that is known: give Message(role, "
            "content), or a message of the SDK's form"
        )
    return found


def _settled(walk: Walk, message: Message, where: str) -> Message:
    if not isinstance(message.role, str):
        raise EvidenceError(f"{where} has a role of type {type(message.role).__name__}: roles are text")
    content, calls = message.content, list(message.tool_calls)
    if message.role != "tool":  # what a tool returned is data, whatever it looks like
        parts = read_parts(content)
        content, calls = _simple(parts.content, message.role), [*calls, *parts.calls]
    return replace(
        message,
        content=_content(walk, content, f"{where}.content"),
        tool_calls=tuple(tool_call(walk, call, f"{where}.tool_calls[{index}]") for index, call in enumerate(calls)),
        tool_call_id=_identity(message.tool_call_id),
        citations=tuple(walk.value(item, f"{where}.citations", 3) for item in message.citations),
    )


def _identity(given: Any) -> str | None:
    return given if given is None or isinstance(given, str) else str(given)


def _simple(content: list[Any], role: str) -> Any:
    """Returns content that is nothing but texts as one text, and no content at all as `None`."""
    if all(isinstance(part, str) for part in content):
        return ("" if role == "assistant" else "\n").join(content) if content else None
    return content[0] if len(content) == 1 and not isinstance(content[0], Attachment) else content


def _content(walk: Walk, content: Any, where: str) -> Any:
    if not isinstance(content, list):
        return walk.value(content, where, 3)
    return tuple(_part(walk, part, f"{where}[{index}]") for index, part in enumerate(content))


def _part(walk: Walk, part: Any, where: str) -> Any:
    if isinstance(part, (bytes, bytearray, memoryview)):
        part = Attachment(part)
    if isinstance(part, Attachment):
        walk.attach(part)
        return part
    return walk.value(part, where, 4)


def _joined(messages: Sequence[Message]) -> tuple[list[Message], bool]:
    """Returns the messages with the results of tools on their calls, and whether a result has no call."""
    turns = [list(message.tool_calls) for message in messages]
    made: dict[str | None, tuple[int, int]] = {}
    waiting: dict[tuple[int, int], None] = {}
    orphaned = False
    for turn, message in enumerate(messages):
        made |= {call.id: (turn, index) for index, call in reversed(tuple(enumerate(message.tool_calls)))}
        waiting |= {(turn, index): None for index, call in enumerate(message.tool_calls) if not call.has_result}
        if message.role == "tool":
            # A result that names no call belongs to the first one that waits, as in the oldest forms of the APIs.
            place = made.get(message.tool_call_id) if message.tool_call_id else next(iter(waiting), None)
            if place is not None and place not in waiting:
                place = _waiting_twin(place, turns, waiting)
            if place is None:
                orphaned = True
                continue
            waiting.pop(place, None)
            calls = turns[place[0]]
            calls[place[1]] = replace(
                calls[place[1]], result=freeze(described(message.content)), has_result=True, error=message.error
            )
    return [replace(message, tool_calls=tuple(calls)) for message, calls in zip(messages, turns, strict=True)], orphaned


def _waiting_twin(
    place: tuple[int, int], turns: Sequence[Sequence[ToolCall]], waiting: Mapping[tuple[int, int], None]
) -> tuple[int, int]:
    """Returns the call that waits among those of one turn that carry one id, which some servers give to all of them."""
    turn, index = place
    twins = [(turn, other) for other, call in enumerate(turns[turn]) if call.id == turns[turn][index].id]
    return next((twin for twin in twins if twin in waiting), place)


def _completeness(stated: str | None, messages: Sequence[Message], orphaned: bool, where: str) -> str:
    if stated is not None:
        if stated not in COMPLETENESS:
            raise EvidenceError(f"{where}: completeness is {stated!r}: it is one of {', '.join(COMPLETENESS)}")
        return stated
    last = messages[-1] if messages else None
    pending = [message for message in messages if not all(call.has_result for call in message.tool_calls)]
    if pending:
        return "waiting" if not _answered(messages, pending[-1]) else "incomplete"
    if last is None or orphaned or any(message.role not in ROLES for message in messages):
        return "incomplete"
    if last.role == "assistant":
        return "finished" if last.content or last.tool_calls else "incomplete"
    return "finished" if len(messages) == 1 else "incomplete"


def _answered(messages: Sequence[Message], asked: Message) -> bool:
    """Returns whether the model went on after a message, though some of its calls have no result."""
    after = messages[[message is asked for message in messages].index(True) + 1 :]
    return any(message.role == "assistant" for message in after)
