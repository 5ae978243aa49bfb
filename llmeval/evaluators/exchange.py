"""Exchange: what one evaluator and one model say to each other about one trial."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from llmeval.errors import EvaluatorError
from llmeval.evaluators.replies import Unreadable
from llmeval.jsonable import Json
from llmeval.providers.messages import Reply, Request, Turn
from llmeval.providers.model import Model
from llmeval.usage import NO_USAGE, Usage

if TYPE_CHECKING:
    from llmeval.evaluators.tools import Toolbox
    from llmeval.providers.session import Session

__all__ = ["MAX_STEPS", "Exchange", "Filtered", "readable"]

MAX_STEPS: Final = 10
"""Replies with tool calls that a reviewer may give before it must grade."""


class Filtered(EvaluatorError):
    """The provider's filter stopped the reply, so that asking again would not help."""


class Exchange:
    """Asks, lets the model call its tools, asks for a repair; keeps what that consumed."""

    def __init__(
        self, session: Session, model: Model, request: Request, tools: Toolbox | None = None, steps: int = MAX_STEPS
    ) -> None:
        self.usage: Usage = NO_USAGE
        self.tool_calls: list[dict[str, Json]] = []
        self.replies: list[str] = []
        self.model: str | None = None
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
        raise EvaluatorError(f"{self._asked.describe()} called tools {self._steps} times in a row and did not grade")

    async def repaired(self, why: Exception) -> Reply:
        """Tells the model why its reply was of no use, and returns the next one."""
        self._say(
            f"That reply cannot be used: {why}. Answer again, with the one complete JSON object that was asked for and "
            "nothing else; a short sentence is enough for a reason."
        )
        return await self.reply()

    @property
    def raw(self) -> str | None:
        """The last reply's text that is not empty."""
        return next((text for text in reversed(self.replies) if text.strip()), None)

    def _say(self, *turns: Turn) -> None:
        self._request = replace(self._request, turns=(*self._request.turns, *turns))


def readable(reply: Reply, model: Model) -> str:
    """Returns the text of a reply that is complete.

    Raises:
        Unreadable: it was cut off, or the model refused; a repair may help.
        Filtered: the provider's filter stopped it.
    """
    if reply.finish == "filter":
        raise Filtered(f"{model.describe()}: the provider's content filter stopped the reply")
    if reply.finish == "refusal":
        raise Unreadable(f"the model refused to answer{': ' + reply.text if reply.text else ''}")
    if reply.finish == "length":
        raise Unreadable("the reply was cut off at the limit of its tokens (max_tokens, or the model's own)")
    return reply.text
