"""Any supported value as evidence: frozen, JSON-compatible, and nothing of it live."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from llmeval.adapters.conversations import conversation_evidence, conversation_of
from llmeval.adapters.scalars import number
from llmeval.adapters.states import state_of
from llmeval.adapters.walk import Walk
from llmeval.evidence import COMPLETENESS, Conversation, Evidence, Message
from llmeval.jsonable import Json
from llmeval.usage import total

__all__ = ["Declared", "snapshot"]

Declared: TypeAlias = Sequence[Mapping[type, Callable[[Any], Any]]]
"""Adapters of the user by class: the evaluation's own first, then those for every evaluation."""


def snapshot(value: Any, declared: Declared = ()) -> Evidence:
    """Returns `value` as evidence that later changes to `value` do not reach.

    In each mapping of `declared` the nearest base class of a value wins, and all of them come before what llmeval
    knows itself. What an adapter returns may be any supported value.

    Raises:
        EvidenceError: something in the value has no JSON form; the message says where, and which type to adapt.
    """
    if not any(declared):
        cls = type(value)
        if cls is str or cls is bool or value is None:
            return Evidence(output=value)
        if cls is int or cls is float:
            return Evidence(output=number(value, "output"))
    walk = Walk(declared)
    resolved = walk.resolve(value, "output")
    if isinstance(resolved, Evidence):
        return resolved
    if isinstance(resolved, (list, tuple)):
        resolved = walk.gathered(resolved, "output")
    if isinstance(resolved, (list, tuple)):
        resolved = conversation_of(walk, resolved) or resolved
    elif isinstance(resolved, dict):
        resolved = state_of(walk, resolved) or resolved
    if isinstance(resolved, Message):
        resolved = Conversation([resolved], output=resolved.text)
    if isinstance(resolved, Conversation):
        return conversation_evidence(walk, resolved, "output")
    return _plain(walk, walk.settle(value, resolved, "output"))


def _plain(walk: Walk, output: Json) -> Evidence:
    """Returns a value that is no conversation, with what conversations inside of it add."""
    inside = walk.conversations
    messages = tuple(message for found in inside for message in found.messages or ())
    return Evidence(
        output=output,
        messages=messages or None,
        tool_calls=tuple(call for found in inside for call in found.tool_calls),
        attachments=walk.attachments,
        completeness=max((found.completeness for found in inside if found.completeness), key=COMPLETENESS.index)
        if messages
        else None,
        usage=total(usages) if (usages := [found.usage for found in inside if found.usage]) else None,
        nested=bool(messages),
    )
