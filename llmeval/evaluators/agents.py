"""Agents of other frameworks as evaluators: found by their own class, without importing the framework."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar, Final

from llmeval.attachments import Attachment
from llmeval.criteria import Criterion
from llmeval.errors import EvaluatorConfigError, EvaluatorError
from llmeval.evaluators import prompt
from llmeval.evaluators.base import Evaluator, Grades, RequestCount, Subject
from llmeval.evaluators.exchange import Exchange, repair_text
from llmeval.evaluators.grading import graded
from llmeval.evaluators.verdicts import verdict_schema
from llmeval.jsonable import Json
from llmeval.providers.messages import Reply
from llmeval.providers.problems import one_line
from llmeval.usage import Tokens, Usage

__all__ = ["AgentEvaluator", "AgentExchange", "agent_evaluator", "is_agent", "usage_of"]

_FRAMEWORKS: Final = {
    ("pydantic_ai.agent.abstract", "AbstractAgent"): "llmeval.evaluators.pydantic_agent:PydanticAgent",
    ("agents.agent", "AgentBase"): "llmeval.evaluators.openai_agent:OpenAIAgent",
}
"""The base class of each framework's agents, and what evaluates with one; a new framework adds a line here."""


class AgentEvaluator(Evaluator):
    """Grades by an agent of the user's: its instructions and tools are kept, and every trial starts it afresh.

    Raises:
        EvaluatorConfigError: the agent sets an output type of its own.
    """

    kind = "agent"
    framework: ClassVar[str]

    def __init__(self, agent: Any) -> None:
        self.agent = agent
        output = self.output_type()
        if output not in (None, str):
            raise EvaluatorConfigError(
                f"{self.describe()} sets its own output type ({output!r:.100}): leave it out, since its answer must be "
                "llmeval's verdicts"
            )

    def output_type(self) -> Any:
        """Returns the output type that the agent sets, or `str` or `None` without one."""
        raise NotImplementedError

    def model_name(self) -> str | None:
        """Returns the agent's model, as far as it says."""
        raise NotImplementedError

    def exchange(self, schema: Mapping[str, Json], parts: Sequence[str | Attachment]) -> Exchange:
        """Returns a fresh conversation with the agent about one trial.

        Raises:
            EvaluatorError: the framework does not take an attachment.
        """
        raise NotImplementedError

    def describe(self) -> str:
        """Returns the framework, the agent's name and its model."""
        name = getattr(self.agent, "name", None)
        model = self.model_name()
        return f"{self.framework} agent{f' {name!r}' if name else ''}{f' ({model})' if model else ''}"

    def identity(self) -> Mapping[str, Json]:
        """Returns the framework, name, model and prompt version; of instructions, those that are text."""
        data: dict[str, Json] = {"kind": self.kind, "framework": self.framework, "model": self.model_name()}
        name = getattr(self.agent, "name", None)
        return data | {"name": name, **prompt.identity(self.instructions())}

    def instructions(self) -> str | None:
        """Returns the agent's own instructions when they are text."""
        return None

    def requests(self, criteria: Sequence[Criterion]) -> RequestCount:
        """Returns one request; with tools there are more."""
        return RequestCount(requests=1, exact=False)

    def evaluate(self, subject: Subject, criteria: Sequence[Criterion]) -> Awaitable[Grades]:
        """Returns an awaitable of a result for each criterion.

        Raises:
            EvaluatorError: the trial cannot be shown to the agent.
        """
        order = prompt.in_order(criteria, subject)
        parts = (prompt.criteria_text(order), *prompt.trial_parts(subject))
        return graded(self.exchange(verdict_schema(len(order)), parts), criteria, order)


class AgentExchange(Exchange):
    """Runs an agent about one trial, and again with the same history when its answer must be repaired."""

    def __init__(self, owner: str, message: Any) -> None:
        super().__init__(owner)
        self._message = message

    async def run(self, message: Any) -> str:
        """Runs the agent on `message`, records what happened, and returns the text of its answer."""
        raise NotImplementedError

    async def reply(self) -> Reply:
        """Returns the agent's answer.

        Raises:
            EvaluatorError: the agent raised.
        """
        try:
            text = await self.run(self._message)
        except EvaluatorError:
            raise
        except Exception as error:  # the agent is the user's, and so are its tools and its model
            raise EvaluatorError(f"{self.owner}: {type(error).__name__}: {one_line(str(error))}") from error
        self.replies.append(text)
        return Reply(text=text)

    async def repaired(self, why: Exception) -> Reply:
        """Tells the agent why its answer was of no use, and returns the next one."""
        self._message = repair_text(why)
        return await self.reply()


def is_agent(value: object) -> bool:
    """Returns whether `value` is an agent of a framework that llmeval can grade with."""
    return _evaluates(value) is not None


def agent_evaluator(agent: object) -> AgentEvaluator:
    """Returns an evaluator that grades with `agent`.

    Raises:
        EvaluatorConfigError: it is no agent, or sets its own output type.
    """
    path = _evaluates(agent)
    if path is None:
        raise EvaluatorConfigError(f"{agent!r:.100} is not an agent of Pydantic AI or of the OpenAI Agents SDK")
    module, _, name = path.partition(":")
    made: AgentEvaluator = getattr(import_module(module), name)(agent)
    return made


def usage_of(provider: str | None, model: str | None, tokens: Tokens | None, requests: int = 1) -> Usage:
    """Returns the usage of one request of an agent; an unknown model has no price."""
    from llmeval.prices import price  # the price list is read when the first reply has come

    known = provider is not None and model is not None and tokens is not None
    cost = price(provider, model, tokens) if known else None  # type: ignore[arg-type]  # mypy does not follow `known`
    named = ":".join(part for part in (provider, model) if part) if model else "an agent's model"
    unpriced = () if cost is not None else (named,)
    return Usage(requests=requests, tokens=tokens, priced=cost, unpriced=unpriced)


def _evaluates(value: object) -> str | None:
    for cls in type(value).__mro__:
        path = _FRAMEWORKS.get((cls.__module__, cls.__name__))
        if path is not None:
            return path
    return None
