"""OpenAI's Decisions protocol: typed questions about one input, answered by native probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llmeval.evidence import Attachment
from llmeval.providers.base import Settings
from llmeval.providers.files import data_url, unsupported
from llmeval.providers.messages import Reply, Request
from llmeval.providers.model import Model
from llmeval.providers.openai_sdk import OpenAISDK, tokens

__all__ = ["Decisions"]


class Decisions(OpenAISDK):
    """Asks over `/decisions`."""

    path = "/decisions"
    vendor = "openai-decisions"
    modes = ("json_schema",)
    fallback = "chat"

    def body(self, model: Model, request: Request, settings: Settings) -> dict[str, Any]:
        """Returns the body: the rules, then what they are about, then the questions."""
        content = [_part(part) for part in request.parts]
        return {
            "model": model.name,
            "input": [{"role": "developer", "content": request.system}, {"role": "user", "content": content}],
            "questions": list(request.questions),
        }

    def read(self, data: Mapping[str, Any]) -> Reply:
        """Returns the answers, in the order of the questions."""
        answers = tuple(data["answers"])
        if not all(isinstance(answer["type"], str) for answer in answers):
            raise TypeError("an answer has no type")
        return Reply(text="", model=data.get("model"), tokens=tokens(data.get("usage")), answers=answers)


def _part(part: str | Attachment) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "input_text", "text": part}
    if part.media_type.startswith("image/"):
        return {"type": "input_image", "image_url": data_url(part)}
    raise unsupported(part, "OpenAI's Decisions protocol", "images")
