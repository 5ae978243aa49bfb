"""smolagents: full results of runs, and chat messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from llmeval.adapters.message_dicts import read_dict
from llmeval.adapters.parts import arguments_of
from llmeval.consumption import consumed
from llmeval.evidence import Attachment, Conversation, Message, ToolCall
from llmeval.usage import Tokens, Usage

__all__ = ["MESSAGES", "RESULTS"]

_ROLES: Final = {"tool-call": "assistant", "tool-response": "tool"}
_ANSWER: Final = "final_answer"
"""The tool that delivers an output."""


def _run(value: Any) -> Conversation:
    messages = [message for step in value.steps or () for message in _step(step)]
    return Conversation(
        messages,
        output=value.output,
        completeness="finished" if value.state == "success" else "truncated",
        usage=_usage(value),
    )


def _step(step: Mapping[str, Any]) -> Sequence[Message]:
    """Returns the messages of one step of the agent's memory; its calls share what it observed."""
    if step.get("system_prompt") is not None:
        return [Message("system", step["system_prompt"])]
    if step.get("task") is not None:
        return [Message("user", [step["task"], *map(Attachment, step.get("task_images") or ())])]
    if step.get("plan") is not None:
        return [Message("assistant", step["plan"])]
    # A call that was refused, say for its arguments, is only in what the model said.
    made = step.get("tool_calls") or (step.get("model_output_message") or {}).get("tool_calls") or ()
    calls = [call for found in made if (call := _call(found, step)).name != _ANSWER]
    said = step.get("model_output")
    content = said if isinstance(said, (str, list)) else None
    return [Message("assistant", content, calls)] if content or calls else []


def _call(found: Mapping[str, Any], step: Mapping[str, Any]) -> ToolCall:
    function = found["function"]
    arguments = function.get("arguments")
    error = step.get("error")
    return ToolCall(
        id=found.get("id"),
        name=str(function.get("name")),
        arguments={"code": arguments} if function.get("name") == "python_interpreter" else arguments_of(arguments),
        result=step.get("observations") if error is None else error.get("message"),
        has_result=step.get("observations") is not None or error is not None,
        error=error is not None,
    )


def _usage(value: Any) -> Usage | None:
    spent = value.token_usage
    if spent is None:
        return None
    usage = consumed("unknown", None, Tokens(input=spent.input_tokens, output=spent.output_tokens))
    steps = sum(1 for step in value.steps or () if step.get("token_usage"))
    return Usage(requests=max(steps, 1), tokens=usage.tokens, priced=usage.priced, unpriced=usage.unpriced)


def _message(value: Any) -> Sequence[Message] | None:
    role = getattr(value.role, "value", value.role)
    plain = {"role": _ROLES.get(role, role), "content": value.content}
    calls = [
        {"id": call.id, "function": {"name": call.function.name, "arguments": call.function.arguments}}
        for call in value.tool_calls or ()
    ]
    return read_dict({**plain, "tool_calls": calls} if calls else plain)


RESULTS: Final[dict[str, Callable[[Any], Any]]] = {"RunResult": _run}

MESSAGES: Final = {"ChatMessage": _message}
