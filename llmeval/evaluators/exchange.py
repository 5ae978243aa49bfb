"""Exchange: what one evaluator and one model say to each other about one trial."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from llmeval.errors import EvaluatorError
from llmeval.evaluators.replies import Unreadable
from llmeval.jsonable import Json
from llmeval.providers.messages import Reply, Request, Turn
from llmeval.providers.model import Model
from llmeval.results import ErrorInfo, Result, Value
from llmeval.usage import NO_USAGE, Usage

if TYPE_CHECKING:
    from llmeval.evaluators.tools import Toolbox
    from llmeval.providers.session import Session

__all__ = ["MAX_STEPS", "Exchange", "Filtered", "ModelExchange", "readable", "repair_text"]

MAX_STEPS: Final = 10
"""Replies with tool calls that a reviewer may give before it must grade."""


class Filtered(EvaluatorError):
    """The provider's filter stopped the reply, so that asking again would not help."""


class Exchange:
    """Asks one evaluator about one trial; keeps what was consumed, the tools that were called, and the replies."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.usage: Usage = NO_USAGE
        self.tool_calls: list[dict[str, Json]] = []
        self.replies: list[str] = []
        self.model: str | None = None

    async def reply(self) -> Reply:
        """Returns the next reply that is meant as an answer.

        Raises:
            EvaluatorError: there is none.
        """
        raise NotImplementedError

    async def repaired(self, why: Exception) -> Reply:
        """Tells the evaluator why its reply was of no use, and returns the next one."""
        raise NotImplementedError

    async def answers(self, asked: Sequence[str], read: Callable[[Reply], Mapping[str, Any]]) -> Mapping[str, Any]:
        """Returns an answer for each key of `asked`, or the exception that says why there is none.

        What `read` could not read is asked for once more; what the first reply said well, it keeps.
        """
        try:
            first = read(await self.reply())
            why = next((found for found in first.values() if isinstance(found, Unreadable)), None)
            if why is None:
                return first
            second = read(await self.repaired(why))
        except EvaluatorError as error:
            return dict.fromkeys(asked, error)
        return {key: second[key] if isinstance(first[key], Unreadable) else first[key] for key in asked}

    def result(
        self, name: str, value: Value, reason: str | None, minimum: float | None = None, method: str | None = None
    ) -> Result:
        """Returns a criterion's result."""
        evidence: Json = {"tool_calls": self.tool_calls} if self.tool_calls else None
        return Result(
            name=name,
            value=value,
            reason=reason,
            minimum=minimum,
            model=self.model,
            method=method,
            evidence=evidence,
        )

    def failure(self, name: str, error: Exception, minimum: float | None = None) -> Result:
        """Returns the result of a criterion that got no answer, with the last reply kept."""
        evidence: dict[str, Json] = {"tool_calls": self.tool_calls} if self.tool_calls else {}
        if self._raw is not None:
            evidence["raw"] = self._raw
        message = str(error)
        if isinstance(error, Unreadable):
            again = ", also after asking again" if len(self.replies) > 1 else ""
            message = f"{self.owner} gave no answer{again}: {message}"
        info = ErrorInfo(type="EvaluatorError", message=message)
        return Result(name=name, minimum=minimum, error=info, model=self.model, evidence=evidence or None)

    @property
    def _raw(self) -> str | None:
        """The last reply's text that is not empty."""
        return next((text for text in reversed(self.replies) if text.strip()), None)


class ModelExchange(Exchange):
    """Asks a model, and lets it call tools."""

    def __init__(
        self, session: Session, model: Model, request: Request, tools: Toolbox | None = None, steps: int = MAX_STEPS
    ) -> None:
        super().__init__(model.describe())
        self._session = session
        self._asked = model
        self._request = request
        self._tools = tools
        self._steps = steps

    async def reply(self) -> Reply:
        """Returns the model's next reply that asks for no tool.

        Raises:
            EvaluatorError: a request failed, or the tools were called too many times.
        """
        for _ in range(self._steps + 1):
            reply = await self._session.ask(self._asked, self._request)
            self.usage += reply.usage
            self.model = reply.model or self._asked.name
            if not reply.tool_uses or self._tools is None:
                self.replies.append(reply.text)
                self._say(reply)
                return reply
            outputs = await self._tools.run(reply.tool_uses, self.tool_calls)
            self._say(reply, outputs)
        raise EvaluatorError(f"{self.owner} called tools {self._steps} times in a row and did not grade")

    async def repaired(self, why: Exception) -> Reply:
        """Tells the model why its reply was of no use, and returns the next one."""
        self._say(repair_text(why))
        return await self.reply()

    def _say(self, *turns: Turn) -> None:
        self._request = replace(self._request, turns=(*self._request.turns, *turns))


def repair_text(why: Exception) -> str:
    """Returns what an evaluator is told about a reply that cannot be used."""
    return (
        f"That reply cannot be used: {why}. Answer again, with the one complete JSON object that was asked for and "
        "nothing else; a short sentence is enough for a reason."
    )


def readable(reply: Reply, owner: str) -> str:
    """Returns the text of a reply that is complete.

    Raises:
        Unreadable: it was cut off, or the model refused; a repair may help.
        Filtered: the provider's filter stopped it.
    """
    if reply.finish == "filter":
        raise Filtered(f"{owner}: the provider's content filter stopped the reply")
    if reply.finish == "refusal":
        raise Unreadable(f"the model refused to answer{': ' + reply.text if reply.text else ''}")
    if reply.finish == "length":
        raise Unreadable("the reply was cut off at the limit of its tokens (max_tokens, or the model's own)")
    return reply.text
