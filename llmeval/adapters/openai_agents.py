"""OpenAI Agents SDK: results of runs, streamed ones too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from llmeval.adapters.dumps import dumped
from llmeval.adapters.message_dicts import joined_turns, read_dict
from llmeval.cases import OMITTED
from llmeval.consumption import consumed, read_tokens
from llmeval.evidence import Conversation, Message
from llmeval.usage import Usage, total

__all__ = ["MESSAGES", "RESULTS"]


def _run(value: Any) -> Conversation:
    """Returns the input and the items of a run, which is not resumed, whatever it waits for."""
    items = value.input
    given: Sequence[Any] = [{"role": "user", "content": items}] if isinstance(items, str) else items
    made = [item.raw_item for item in value.new_items if item.type != "tool_approval_item"]
    messages = [message for item in [*given, *made] for message in _message(item)]
    output = value.final_output
    return Conversation(
        joined_turns([*_instructions(value), *messages]),
        output=OMITTED if output is None else output,
        completeness=_completeness(value),
        usage=_usage(value),
    )


def _message(item: Any) -> Sequence[Message]:
    plain = dumped(item)
    read = read_dict(plain)
    return [Message("assistant", [plain])] if read is None else read


def _instructions(value: Any) -> Sequence[Message]:
    """Returns the instructions of the first agent, unless a function makes them."""
    agent = next((item.agent for item in value.new_items), None)
    instructions = getattr(agent, "instructions", None)
    return [Message("system", instructions)] if isinstance(instructions, str) else []


def _completeness(value: Any) -> str | None:
    if value.interruptions:
        return "waiting"
    if not getattr(value, "is_complete", True):
        return "incomplete"
    return None if value.final_output is None else "finished"


def _usage(value: Any) -> Usage | None:
    """Returns the tokens of the responses; the SDK does not say which model each was from."""
    found = [tokens for made in value.raw_responses if (tokens := read_tokens(made.usage)) is not None]
    model = getattr(next((item.agent for item in value.new_items), None), "model", None)
    name = model if isinstance(model, str) else getattr(model, "model", None)
    return total(consumed("openai", name, tokens) for tokens in found) if found else None


def _item(value: Any) -> Sequence[Message] | None:
    return _message(value.raw_item)


RESULTS: Final[dict[str, Callable[[Any], Any]]] = {"RunResultBase": _run}

MESSAGES: Final = {"RunItemBase": _item}
