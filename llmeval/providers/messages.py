"""What is asked of a model and what it replies, in words that no provider owns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from llmeval.evidence import Attachment
from llmeval.jsonable import Json
from llmeval.usage import NO_USAGE, Tokens, Usage

__all__ = ["Finish", "Reply", "Request", "ToolOutput", "ToolSpec", "ToolUse", "Turn"]

Finish: TypeAlias = Literal["stop", "tools", "length", "filter", "refusal"]
"""Why a model stopped: it was done, wants tools, ran out of tokens, was filtered, or refused."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolSpec:
    """A tool that a model may call; `parameters` is a JSON Schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Json]


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolUse:
    """A call that the model asks for; `arguments` is JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolOutput:
    """What a tool answered to the call `id`."""

    id: str
    text: str
    failed: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """A model's reply.

    `text` is what it wrote (a refusal's text too); `turn` is the reply in the provider's own form, to be sent back in a
    longer conversation; `logprobs` holds the answer's tokens as OpenAI's Chat gives them; `answers` a decision's.
    """

    text: str
    finish: Finish = "stop"
    model: str | None = None
    tokens: Tokens | None = None
    usage: Usage = NO_USAGE
    tool_uses: tuple[ToolUse, ...] = ()
    turn: Any = None
    logprobs: list[dict[str, Any]] | None = None
    answers: tuple[Mapping[str, Any], ...] = ()


Turn: TypeAlias = Reply | str | tuple[ToolOutput, ...]
"""What follows the first message: the model's reply, a message of ours, or the outputs of its tool calls."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What a model is asked.

    `system` is the same for every trial of a run. `parts` are the first message: texts and attachments in order; the
    first part repeats between trials too. `schema` is a JSON Schema that the reply should match. `questions` are for
    the Decisions protocol, and `otherwise` is what is asked instead when the server speaks only Chat Completions.
    """

    system: str
    parts: tuple[str | Attachment, ...]
    schema: Mapping[str, Json] | None = None
    tools: tuple[ToolSpec, ...] = ()
    turns: tuple[Turn, ...] = ()
    questions: tuple[Mapping[str, Json], ...] = ()
    otherwise: Request | None = None
