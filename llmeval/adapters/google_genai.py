"""Google Gen AI: responses with the history of automatic function calls, and lists of contents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from llmeval.adapters.dumps import dumped
from llmeval.adapters.message_dicts import read_dict
from llmeval.cases import OMITTED
from llmeval.consumption import consumed
from llmeval.evidence import Conversation, Message
from llmeval.usage import Tokens, Usage

__all__ = ["MESSAGES", "RESULTS", "read_content", "spent"]

_CUT: Final = {"MAX_TOKENS": "truncated", "STOP": None, "TOO_MANY_TOOL_CALLS": "truncated"}
_REFUSED: Final = ("BLOCKLIST", "PROHIBITED_CONTENT", "RECITATION", "SAFETY", "SPII", "MODEL_ARMOR", "LANGUAGE")


def _response(value: Any) -> Conversation:
    """Returns the first candidate after the turns that automatic function calling made."""
    history = [message for item in value.automatic_function_calling_history or () for message in read_content(item)]
    candidate = value.candidates[0] if value.candidates else None
    content = None if candidate is None else candidate.content
    answer = [] if content is None else read_content(content)
    parsed = value.parsed
    return Conversation(
        [*history, *answer],
        output=OMITTED if parsed is None else parsed,
        completeness=_ended(value, candidate),
        citations=_citations(candidate),
        usage=spent(value),
    )


def read_content(content: Any) -> Sequence[Message]:
    """Returns the messages in one content: results of tools first, then what else it says."""
    plain = dumped(content)
    return read_dict({**plain, "role": plain.get("role") or "user", "parts": plain.get("parts") or []}) or []


def _ended(value: Any, candidate: Any) -> str | None:
    if candidate is None:
        blocked = getattr(value.prompt_feedback, "block_reason", None)
        return "incomplete" if blocked is None else "refused"
    reason = getattr(candidate.finish_reason, "value", candidate.finish_reason)
    if any(word in str(reason) for word in _REFUSED):
        return "refused"
    return _CUT.get(str(reason), "incomplete")


def _citations(candidate: Any) -> Sequence[Any]:
    found = getattr(getattr(candidate, "citation_metadata", None), "citations", None) or ()
    chunks = getattr(getattr(candidate, "grounding_metadata", None), "grounding_chunks", None) or ()
    return [_told(dumped(item)) for item in (*found, *chunks)]


def _told(item: Any) -> Any:
    return {key: value for key, value in item.items() if value is not None}


def spent(value: Any) -> Usage | None:
    """Returns the tokens; Google counts thoughts beside the candidates', and tools' results beside the prompt's."""
    said = value.usage_metadata
    if said is None:
        return None
    thoughts = said.thoughts_token_count
    tokens = Tokens(
        input=(said.prompt_token_count or 0) + (said.tool_use_prompt_token_count or 0),
        output=(said.candidates_token_count or 0) + (thoughts or 0),
        cached=said.cached_content_token_count,
        reasoning=thoughts,
    )
    return consumed("gcp.gemini", getattr(value, "model_version", None), tokens)


RESULTS: Final[dict[str, Callable[[Any], Any]]] = {"GenerateContentResponse": _response}

MESSAGES: Final = {"Content": read_content}
