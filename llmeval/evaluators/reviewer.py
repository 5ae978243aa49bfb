"""Reviewer: a model that reads one trial and gives a verdict, with its reason, on every criterion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from llmeval.criteria import Criterion
from llmeval.errors import EvaluatorConfigError
from llmeval.evaluators import prompt
from llmeval.evaluators.asking import ModelEvaluator, as_model
from llmeval.evaluators.base import Grades, RequestCount, Subject
from llmeval.evaluators.exchange import MAX_STEPS, ModelExchange
from llmeval.evaluators.grading import graded
from llmeval.evaluators.tools import Toolbox, check_tools, tools_identity
from llmeval.evaluators.verdicts import verdict_schema
from llmeval.jsonable import Json
from llmeval.providers.messages import Request
from llmeval.providers.model import Model

__all__ = ["Reviewer"]


class Reviewer(ModelEvaluator):
    """Grades by verdicts: pass, fail or unknown, each with a reason.

    One request covers all the criteria of a trial; a reply that cannot be read is asked for once more. `instructions`
    stand before the rules of grading, `tools` are functions that the model may call first, in at most `max_steps`
    replies. A subclass may set any of them, and `model`, as class attributes.

    Raises:
        EvaluatorConfigError: the model, the instructions or a tool is not one.
    """

    kind = "reviewer"
    instructions: str | None = None
    tools: Sequence[Callable[..., Any]] = ()
    model: Model | str | None = None
    max_steps: int = MAX_STEPS

    def __init__(
        self,
        instructions: str | None = None,
        tools: Sequence[Callable[..., Any]] | None = None,
        model: Model | str | None = None,
        max_steps: int | None = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.instructions = self.instructions if instructions is None else instructions
        if self.instructions is not None and (not isinstance(self.instructions, str) or not self.instructions.strip()):
            raise EvaluatorConfigError(f"{name}: instructions are {self.instructions!r}, which is not a text")
        self.tools = check_tools(self.tools if tools is None else tools, name)
        self.model = self.model if model is None else model
        if self.model is not None:
            self.model = _writes(as_model(self.model, name), name)
        self.max_steps = self.max_steps if max_steps is None else max_steps
        self._system = prompt.system_text(self.instructions)

    @property
    def model_used(self) -> Model:
        """The model that reads.

        Raises:
            EvaluatorConfigError: none was given.
        """
        return as_model(self.model, type(self).__name__)

    def identity(self) -> Mapping[str, Json]:
        """Returns the model and its settings, the prompt's version, the instructions and the tools."""
        data = {**super().identity(), **prompt.identity(self.instructions)}
        return data | ({"tools": tools_identity(self.tools)} if self.tools else {})

    def requests(self, criteria: Sequence[Criterion]) -> RequestCount:
        """Returns one request for all criteria; with tools there may be more."""
        return RequestCount(requests=1, exact=not self.tools)

    async def evaluate(self, subject: Subject, criteria: Sequence[Criterion]) -> Grades:
        """Returns a result for each criterion.

        Raises:
            EvaluatorError: the trial cannot be shown to a model.
        """
        order = prompt.in_order(criteria, subject)
        toolbox = Toolbox(self.tools) if self.tools else None
        request = Request(
            system=self._system,
            parts=(prompt.criteria_text(order), *prompt.trial_parts(subject)),
            schema=verdict_schema(len(order)),
            tools=toolbox.specs if toolbox else (),
        )
        exchange = ModelExchange(self.asking(), self.model_used, request, toolbox, self.max_steps)
        return await graded(exchange, criteria, order)


def _writes(model: Model, owner: str) -> Model:
    for asked, what in ((model.wire == "decisions", "decisions"), (model.logprobs, "log-probabilities")):
        if asked:
            raise EvaluatorConfigError(
                f"{owner}: {model!r} is asked for {what}, which give probabilities instead of verdicts: use a Judge, "
                "or leave that setting out"
            )
    return model
