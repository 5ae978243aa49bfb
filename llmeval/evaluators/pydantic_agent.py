"""A Pydantic AI agent as an evaluator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from llmeval.attachments import Attachment
from llmeval.evaluators.agents import AgentEvaluator, AgentExchange, usage_of
from llmeval.evaluators.prompt import RULES
from llmeval.jsonable import Json, dumps
from llmeval.usage import Tokens

__all__ = ["PydanticAgent"]

OUTPUT_TOOL: Final = "final_result"
"""How Pydantic AI names the tool that takes an agent's answer, which is not one of the agent's tools."""


class PydanticAgent(AgentEvaluator):
    """Grades by a `pydantic_ai.Agent`; the rules of grading are added to its instructions for the run."""

    framework = "Pydantic AI"

    def output_type(self) -> Any:
        """Returns the agent's output type."""
        return self.agent.output_type

    def model_name(self) -> str | None:
        """Returns the model's name with its provider."""
        model = self.agent.model
        if model is None or isinstance(model, str):
            return model
        return f"{model.system}:{model.model_name}"

    def instructions(self) -> str | None:
        """Returns the agent's instructions that are text; Pydantic AI has no public way to read them."""
        given = [
            *(getattr(self.agent, "_system_prompts", None) or ()),
            *(getattr(self.agent, "_instructions", None) or ()),
        ]
        texts = [getattr(one, "instruction", one) for one in given]
        return "\n\n".join(text for text in texts if isinstance(text, str)) or None

    def exchange(self, schema: Mapping[str, Json], parts: Sequence[str | Attachment]) -> AgentExchange:
        """Returns a fresh conversation."""
        from pydantic_ai import BinaryContent

        message = [
            part if isinstance(part, str) else BinaryContent(data=part.data, media_type=part.media_type)
            for part in parts
        ]
        return _Talk(self.describe(), message, self.agent, schema)


class _Talk(AgentExchange):
    def __init__(self, owner: str, message: Any, agent: Any, schema: Mapping[str, Json]) -> None:
        super().__init__(owner, message)
        self._agent = agent
        self._schema = schema
        self._history: list[Any] | None = None

    async def run(self, message: Any) -> str:
        """Runs the agent; Pydantic AI makes the schema its output tool, or what its model does instead."""
        from pydantic_ai import StructuredDict

        output = StructuredDict(dict(self._schema), name="grades", description="The verdicts on all criteria")
        result = await self._agent.run(
            message, output_type=output, instructions=RULES, message_history=self._history, infer_name=False
        )
        self._record(result.new_messages())
        self._history = result.all_messages()
        return dumps(dict(result.output))

    def _record(self, messages: Sequence[Any]) -> None:
        calls: dict[str, dict[str, Json]] = {}
        for message in messages:
            if message.kind == "response":
                self._count(message)
            for part in message.parts:
                if part.part_kind == "tool-call" and not part.tool_name.startswith(OUTPUT_TOOL):
                    calls[part.tool_call_id] = {"name": part.tool_name, "arguments": part.args_as_dict()}
                elif part.part_kind in ("tool-return", "retry-prompt") and part.tool_call_id in calls:
                    key = "result" if part.part_kind == "tool-return" else "error"
                    calls[part.tool_call_id][key] = part.model_response_str() if key == "result" else str(part.content)
        self.tool_calls += calls.values()

    def _count(self, message: Any) -> None:
        used = message.usage
        tokens = Tokens(
            input=used.input_tokens,
            output=used.output_tokens,
            cached=used.cache_read_tokens or None,
            cache_write=used.cache_write_tokens or None,
            reasoning=used.details.get("reasoning_tokens"),
        )
        self.model = message.model_name
        self.usage += usage_of(message.provider_name, message.model_name, tokens if used.has_values() else None)
