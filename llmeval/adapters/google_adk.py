"""Google ADK: the events of a run, alone or in a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from llmeval.adapters.google_genai import read_content, spent
from llmeval.evidence import Message

__all__ = ["MESSAGES", "USAGE"]


def _event(value: Any) -> Sequence[Message]:
    """Returns what an event says; a part of a streamed answer is left out, since the whole one follows."""
    if value.content is None or value.partial:
        return []
    return read_content(value.content)


MESSAGES: Final = {"Event": _event}

USAGE: Final = {"Event": spent}
