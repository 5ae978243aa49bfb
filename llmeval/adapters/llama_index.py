"""LlamaIndex: answers of query engines, chat engines, agents and models, with their sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from llmeval.adapters.faults import unread
from llmeval.adapters.parts import Parts, arguments_of
from llmeval.cases import OMITTED
from llmeval.evidence import Attachment, Conversation, Message, ToolCall

__all__ = ["MESSAGES", "RESULTS"]


def _answer(value: Any) -> Conversation:
    """Returns the answer of a query or chat engine, the tools it used and the sources it found."""
    answer = value.response
    text = answer if isinstance(answer, str) else None
    calls = [_used(output) for output in getattr(value, "sources", ())]
    return Conversation(
        [Message("assistant", text, calls)],
        output=answer,
        completeness="finished" if answer else "incomplete",
        citations=[_source(node) for node in value.source_nodes],
    )


def _query_stream(value: Any) -> Conversation:
    if value.response_txt is None:
        raise unread(type(value), "return its get_response()")
    sources = [_source(node) for node in value.source_nodes]
    return Conversation([Message("assistant", value.response_txt)], citations=sources)


def _chat_stream(value: Any) -> Conversation:
    """Returns what a chat engine's stream gathered; it is not read any further."""
    text = value.unformatted_response or value.response
    return Conversation(
        [Message("assistant", text, [_used(output) for output in value.sources])],
        completeness="finished" if value.is_done else "incomplete",
        citations=[_source(node) for node in value.source_nodes],
    )


def _agent(value: Any) -> Conversation:
    """Returns an agent's answer after the tools that it called, with their results where the run has them."""
    calls = [_selected(call) for call in value.tool_calls]
    structured = value.structured_response
    asked = [Message("assistant", None, calls)] if calls else []
    return Conversation([*asked, *_message(value.response)], output=OMITTED if structured is None else structured)


def _chat(value: Any) -> Conversation:
    return Conversation(_message(value.message))


def _completion(value: Any) -> Conversation:
    return Conversation([Message("assistant", value.text)])


def _message(value: Any) -> Sequence[Message]:
    role = str(getattr(value.role, "value", value.role))
    parts = Parts()
    for block in value.blocks:
        _read(parts, block)
    extra = value.additional_kwargs
    if role in ("tool", "function"):
        return [Message("tool", parts.result, (), extra.get("tool_call_id"), extra.get("name"))]
    return parts.messages({"model": "assistant", "chatbot": "assistant"}.get(role, role))


def _read(parts: Parts, block: Any) -> None:
    kind = block.block_type
    if kind == "text":
        parts.content.append(block.text)
    elif kind == "tool_call":
        arguments = arguments_of(block.tool_kwargs)
        parts.calls.append(ToolCall(id=block.tool_call_id, name=block.tool_name, arguments=arguments))
    elif kind == "citation":
        parts.citations.append({"title": block.title, "source": block.source})
    elif kind in ("image", "audio", "video", "document"):
        parts.content.append(_media(block, kind))


def _media(block: Any, kind: str) -> Any:
    """Returns bytes or a data URL as an attachment (both hold base64); a path or an address stays what it is."""
    data = getattr(block, "data" if kind == "document" else kind)
    media_type = getattr(block, f"{kind}_mimetype", None)
    url = None if block.url is None else str(block.url)
    if isinstance(data, bytes):
        return Attachment(f"data:{media_type or ''};base64,{data.decode('ascii')}", media_type)
    if url is not None and url.startswith("data:"):
        return Attachment(url, media_type)
    return {"type": kind, "url": url, "path": None if block.path is None else str(block.path)}


def _used(output: Any) -> ToolCall:
    raw: Mapping[str, Any] = output.raw_input or {}
    keywords = raw.get("kwargs")
    arguments = keywords if isinstance(keywords, Mapping) and not raw.get("args") else raw
    return ToolCall(
        name=output.tool_name,
        arguments=arguments,
        result=output.content,
        has_result=True,
        error=bool(output.is_error),
    )


def _selected(call: Any) -> ToolCall:
    output = getattr(call, "tool_output", None)
    return ToolCall(
        id=call.tool_id,
        name=call.tool_name,
        arguments=call.tool_kwargs,
        result=None if output is None else output.content,
        has_result=output is not None,
        error=bool(output is not None and output.is_error),
    )


def _source(scored: Any) -> Mapping[str, Any]:
    node = scored.node
    return {"id": node.node_id, "text": node.get_content(), "score": scored.score, "metadata": node.metadata}


RESULTS: Final[dict[str, Callable[[Any], Any]]] = {
    "AgentChatResponse": _answer,
    "AgentOutput": _agent,
    "AsyncStreamingResponse": _query_stream,
    "ChatResponse": _chat,
    "CompletionResponse": _completion,
    "NodeWithScore": _source,
    "PydanticResponse": _answer,
    "Response": _answer,
    "StreamingAgentChatResponse": _chat_stream,
    "StreamingResponse": _query_stream,
}

MESSAGES: Final = {"ChatMessage": _message}
