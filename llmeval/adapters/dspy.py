"""DSPy: predictions, with the tool calls of an agent's trajectory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count, takewhile
from typing import Any, Final

from llmeval.adapters.parts import arguments_of
from llmeval.consumption import consumed, read_tokens
from llmeval.evidence import Conversation, Message, ToolCall
from llmeval.usage import Usage, total

__all__ = ["RESULTS"]

_FINISH: Final = "finish"
"""The tool that only says that an agent is done."""


def _prediction(value: Any) -> Conversation:
    """Returns the fields of a prediction as the output, and each step of a trajectory as a message."""
    fields = dict(value.items())
    trajectory = fields.get("trajectory")
    if not isinstance(trajectory, Mapping):
        return Conversation(None, output=fields, usage=_usage(value))
    del fields["trajectory"]
    messages = [Message("assistant", None, [call]) for call in _calls(trajectory)]
    return Conversation(messages, output=fields, completeness="finished", usage=_usage(value))


def _calls(trajectory: Mapping[str, Any]) -> Iterator[ToolCall]:
    for step in takewhile(lambda step: f"tool_name_{step}" in trajectory, count()):
        name, result = trajectory[f"tool_name_{step}"], trajectory.get(f"observation_{step}")
        if name != _FINISH:
            yield ToolCall(
                name=str(name),
                arguments=arguments_of(trajectory.get(f"tool_args_{step}")),
                result=result,
                has_result=f"observation_{step}" in trajectory,
                error=isinstance(result, str) and result.startswith(f"Execution error in {name}:"),
            )


def _usage(value: Any) -> Usage | None:
    found = value.get_lm_usage() or {}
    usages = [_spent(name, tokens) for name, said in found.items() if (tokens := read_tokens(said)) is not None]
    return total(usages) if usages else None


def _spent(name: str, tokens: Any) -> Usage:
    provider, _, model = name.rpartition("/")
    return consumed(provider or "unknown", model, tokens)


RESULTS: Final[dict[str, Callable[[Any], Any]]] = {"Prediction": _prediction}
