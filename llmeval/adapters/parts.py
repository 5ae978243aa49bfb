"""The content of a message, in any of the forms that model APIs have: texts, attachments, tool calls, tool results."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

from llmeval.adapters.dumps import dumped
from llmeval.errors import EvidenceError
from llmeval.evidence import Attachment, Message, ToolCall

__all__ = ["Parts", "arguments_of", "read_parts"]


@dataclass(kw_only=True)
class Parts:
    """What was found in the content of one message, in order; a model's reasoning is not evidence and is left out."""

    content: list[Any] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    results: list[Message] = field(default_factory=list)
    citations: list[Any] = field(default_factory=list)

    @property
    def result(self) -> Any:
        """The content as what a tool returned: one text of texts, else one part alone, else the list."""
        if self.content and all(isinstance(part, str) for part in self.content):
            return "\n".join(self.content)
        return self.content[0] if len(self.content) == 1 else self.content or None

    def messages(self, role: str, name: str | None = None) -> list[Message]:
        """Returns the results of tools, each a message, and then what else the message says, if anything."""
        said = self.content or self.calls or not self.results
        own = Message(role, self.content or None, tuple(self.calls), None, name, tuple(self.citations))
        return [*self.results, own] if said else self.results


def read_parts(content: Any) -> Parts:
    """Returns the parts of `content`, which is text, a list of blocks, or any other value (then one part)."""
    parts = Parts()
    if content is None:
        return parts
    blocks = content if isinstance(content, (list, tuple)) else [content]
    for block in map(dumped, blocks):
        kind = block.get("type") if isinstance(block, Mapping) else None
        if not isinstance(kind, str):
            parts.content.append(block)
        elif kind.endswith("_tool_result") or kind == "tool_result":
            _result(parts, block)
        elif kind not in _DROPPED:
            _READERS.get(kind, _other)(parts, block)
    return parts


def arguments_of(arguments: Any) -> Mapping[str, Any]:
    """Returns a call's arguments as an object; text that is not the JSON of one is kept as `unparsed`."""
    if isinstance(arguments, Mapping):
        return arguments
    if not arguments:
        return {}
    if not isinstance(arguments, (str, bytes)):
        return {"value": arguments}
    try:
        parsed = json.loads(arguments, parse_constant=_not_json)
    except (ValueError, RecursionError):
        parsed = None
    return parsed if isinstance(parsed, dict) else {"unparsed": arguments}


def _not_json(constant: str) -> NoReturn:
    raise ValueError(constant)


def _text(parts: Parts, block: Mapping[str, Any]) -> None:
    text = block.get("text")
    parts.content.append((text.get("value") if isinstance(text, Mapping) else text) or "")
    parts.citations += block.get("annotations") or block.get("citations") or ()


def _refusal(parts: Parts, block: Mapping[str, Any]) -> None:
    parts.content.append(block.get("refusal") or "")


def _image_url(parts: Parts, block: Mapping[str, Any]) -> None:
    link = block.get("image_url")
    parts.content.append(_linked(link.get("url") if isinstance(link, Mapping) else link, block))


def _sourced(parts: Parts, block: Mapping[str, Any]) -> None:
    """Reads an image or a document of Anthropic's form, or of LangChain's."""
    source = block.get("source") if isinstance(block.get("source"), Mapping) else block
    assert isinstance(source, Mapping)
    media_type = source.get("media_type") or source.get("mime_type")
    name = next((text for key in ("title", "filename", "name") if isinstance(text := block.get(key), str)), None)
    data = source.get("base64") or source.get("data")
    if source.get("type") == "text" and isinstance(data, str):
        parts.content.append(Attachment(data.encode("utf-8", "surrogatepass"), media_type or "text/plain", name))
    elif source.get("type") == "content":
        parts.content += read_parts(source.get("content")).content
    elif isinstance(data, (str, bytes)):
        parts.content.append(_encoded(data, media_type, name, block))
    else:
        parts.content.append(_linked(source.get("url"), block))


def _audio(parts: Parts, block: Mapping[str, Any]) -> None:
    audio = block.get("input_audio")
    if isinstance(audio, Mapping) and isinstance(audio.get("data"), str):
        kind = "mpeg" if audio.get("format") == "mp3" else audio.get("format") or "wav"
        parts.content.append(_encoded(audio["data"], f"audio/{kind}", None, block))
    else:
        _sourced(parts, block)


def _file(parts: Parts, block: Mapping[str, Any]) -> None:
    file = block["file"] if isinstance(block.get("file"), Mapping) else block
    data, name = file.get("file_data"), file.get("filename")
    if not isinstance(data, str):
        _sourced(parts, block)
    else:
        parts.content.append(_encoded(data, None, name, block))


def _call(parts: Parts, block: Mapping[str, Any]) -> None:
    arguments = arguments_of(block.get("input"))
    parts.calls.append(ToolCall(id=block.get("id"), name=str(block.get("name")), arguments=arguments))


def _result(parts: Parts, block: Mapping[str, Any]) -> None:
    content = block.get("content")
    result = read_parts(content).result
    failed = bool(block.get("is_error")) or (isinstance(content, Mapping) and "error_code" in content)
    identity = block.get("tool_use_id") or block.get("tool_call_id")
    for index, call in enumerate(parts.calls):
        if call.id == identity:  # a tool that the provider ran: its result is in the same message
            parts.calls[index] = ToolCall(
                id=call.id, name=call.name, arguments=call.arguments, result=result, has_result=True, error=failed
            )
            return
    parts.results.append(Message("tool", result, (), identity, error=failed))


def _other(parts: Parts, block: Mapping[str, Any]) -> None:
    parts.content.append(block)


def _linked(link: Any, block: Mapping[str, Any]) -> Any:
    """Returns a data URL as an attachment; any other address stays data and is never opened."""
    return _encoded(link, None, None, block) if isinstance(link, str) and link.startswith("data:") else block


def _encoded(data: str | bytes, media_type: str | None, name: str | None, block: Mapping[str, Any]) -> Any:
    """Returns an attachment of bytes, base64 or a data URL; what cannot be decoded stays the block that it is."""
    try:
        if isinstance(data, str) and not data.startswith("data:"):
            data = b64decode(data, validate=True)
        return Attachment(data, media_type, name)
    except (EvidenceError, ValueError):
        return block


_READERS: Final[dict[str, Callable[[Parts, Mapping[str, Any]], None]]] = {
    "audio": _audio,
    "document": _sourced,
    "file": _file,
    "image": _sourced,
    "image_url": _image_url,
    "input_audio": _audio,
    "input_file": _file,
    "input_image": _image_url,
    "input_text": _text,
    "mcp_tool_use": _call,
    "output_text": _text,
    "refusal": _refusal,
    "server_tool_use": _call,
    "text": _text,
    "tool_use": _call,
}

_DROPPED: Final = {"fallback", "reasoning", "redacted_thinking", "thinking", "tool_call", "tool_call_chunk"}
"""Reasoning, and blocks that repeat what is elsewhere in the message."""
