"""What the events of an Anthropic stream say together, once they were read into a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llmeval.adapters.dumps import dumped
from llmeval.adapters.message_dicts import read_dict
from llmeval.adapters.parts import arguments_of
from llmeval.consumption import consumed, read_tokens
from llmeval.evidence import Conversation

__all__ = ["gathered_events"]


def gathered_events(events: Sequence[Any]) -> tuple[Conversation, str | None]:
    """Returns the message that the events make, and its stop reason; without one it was cut off."""
    blocks: dict[int, dict[str, Any]] = {}
    message: dict[str, Any] = {}
    reason, usage = None, {}
    for event in map(dumped, events):
        kind = event.get("type")
        if kind == "message_start":
            message = event["message"]
            usage = {**(message.get("usage") or {})}
        elif kind == "content_block_start":
            blocks[event["index"]] = {**event["content_block"]}
        elif kind == "content_block_delta":
            _add(blocks[event["index"]], event["delta"])
        elif kind == "message_delta":
            reason = event["delta"].get("stop_reason")
            usage |= {key: value for key, value in (event.get("usage") or {}).items() if value is not None}
    content = [_whole(blocks[index]) for index in sorted(blocks)]
    tokens = read_tokens(usage)
    spent = None if tokens is None else consumed("anthropic", message.get("model"), tokens)
    return Conversation(read_dict({"role": "assistant", "content": content}) or [], usage=spent), reason


def _add(block: dict[str, Any], delta: dict[str, Any]) -> None:
    if delta["type"] == "text_delta":
        block["text"] = (block.get("text") or "") + delta["text"]
    elif delta["type"] == "input_json_delta":
        block["json"] = block.get("json", "") + delta["partial_json"]
    elif delta["type"] == "citations_delta":
        block["citations"] = [*(block.get("citations") or ()), delta["citation"]]


def _whole(block: dict[str, Any]) -> dict[str, Any]:
    return {**block, "input": arguments_of(block["json"])} if "json" in block else block
