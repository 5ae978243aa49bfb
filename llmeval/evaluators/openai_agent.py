"""An agent of the OpenAI Agents SDK as an evaluator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from llmeval.attachments import Attachment
from llmeval.evaluators.agents import AgentEvaluator, AgentExchange, usage_of
from llmeval.evaluators.prompt import RULES
from llmeval.evaluators.tools import read_arguments
from llmeval.jsonable import Json
from llmeval.providers.openai_responses import content_part
from llmeval.usage import Tokens

__all__ = ["OpenAIAgent"]


class OpenAIAgent(AgentEvaluator):
    """Grades by an `agents.Agent`; a copy of it has the rules of grading after its instructions."""

    framework = "OpenAI Agents SDK"

    def output_type(self) -> Any:
        """Returns the agent's output type."""
        return self.agent.output_type

    def model_name(self) -> str | None:
        """Returns the model's name."""
        model = self.agent.model
        return model if model is None or isinstance(model, str) else getattr(model, "model", type(model).__name__)

    def instructions(self) -> str | None:
        """Returns the agent's instructions when they are text."""
        return self.agent.instructions if isinstance(self.agent.instructions, str) else None

    def exchange(self, schema: Mapping[str, Json], parts: Sequence[str | Attachment]) -> AgentExchange:
        """Returns a fresh conversation."""
        agent = self.agent.clone(instructions=_extended(self.agent.instructions), output_type=_output(schema))
        message = [{"role": "user", "content": [content_part(part) for part in parts]}]
        return _Talk(self.describe(), message, agent, self.model_name())


class _Talk(AgentExchange):
    def __init__(self, owner: str, message: Any, agent: Any, model: str | None) -> None:
        super().__init__(owner, message)
        self._agent = agent
        self._asked = model
        self._history: list[Any] = []

    async def run(self, message: Any) -> str:
        """Runs the agent with the SDK's own limit on turns."""
        from agents import Runner

        said = [{"role": "user", "content": message}] if isinstance(message, str) else message
        result = await Runner.run(self._agent, [*self._history, *said])
        self._history = result.to_input_list()
        self._record(result)
        return str(result.final_output)

    def _record(self, result: Any) -> None:
        self.model = self._asked
        for response in result.raw_responses:
            self.usage += usage_of("openai", self._asked, _tokens(response.usage), max(response.usage.requests, 1))
        calls: dict[Any, dict[str, Json]] = {}
        for item in result.new_items:
            if item.type == "tool_call_item":
                calls[_part(item.raw_item, "call_id")] = {
                    "name": _part(item.raw_item, "name"),
                    "arguments": read_arguments(_part(item.raw_item, "arguments")),
                }
            elif item.type == "tool_call_output_item" and _part(item.raw_item, "call_id") in calls:
                calls[_part(item.raw_item, "call_id")]["result"] = str(item.output)
        self.tool_calls += calls.values()


def _extended(own: str | Callable[..., Any] | None) -> Any:
    if own is None:
        return RULES
    if isinstance(own, str):
        return f"{own.strip()}\n\n{RULES}"
    written = own

    async def extended(context: Any, agent: Any) -> str:
        import inspect

        text = written(context, agent)
        if inspect.isawaitable(text):
            text = await text
        return f"{text}\n\n{RULES}"

    return extended


def _output(schema: Mapping[str, Json]) -> Any:
    from agents import AgentOutputSchemaBase

    class Verdicts(AgentOutputSchemaBase):
        """Passes the text through: llmeval reads it, keeps it, and asks for a repair."""

        def is_plain_text(self) -> bool:
            return False

        def name(self) -> str:
            return "grades"

        def json_schema(self) -> dict[str, Any]:
            return dict(schema)

        def is_strict_json_schema(self) -> bool:
            return True

        def validate_json(self, json_str: str) -> str:
            return json_str

    return Verdicts()


def _tokens(used: Any) -> Tokens | None:
    if not used.total_tokens:
        return None
    return Tokens(
        input=used.input_tokens,
        output=used.output_tokens,
        cached=used.input_tokens_details.cached_tokens,
        reasoning=used.output_tokens_details.reasoning_tokens,
    )


def _part(item: Any, name: str) -> Any:
    return item.get(name) if isinstance(item, dict) else getattr(item, name, None)
