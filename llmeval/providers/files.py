"""Attachments in the form that providers take, and what is said about those that they do not."""

from __future__ import annotations

from base64 import b64encode
from typing import Final

from llmeval.errors import EvaluatorError
from llmeval.evidence import Attachment

__all__ = ["data_url", "file_name", "readable", "unsupported"]

_TEXTS: Final = ("application/json", "application/xml", "application/yaml", "application/x-yaml")


def data_url(attachment: Attachment) -> str:
    """Returns the bytes as a data URL; a text file's are masked, like every text that evaluators are sent."""
    text = readable(attachment)
    data = attachment.data if text is None else text.encode()
    return f"data:{attachment.media_type};base64,{b64encode(data).decode()}"


def file_name(attachment: Attachment) -> str:
    """Returns the attachment's name, or one made of its kind: OpenAI asks for one, and goes by how it ends."""
    if attachment.name:
        return attachment.name
    from mimetypes import guess_extension  # reads the system's tables when first asked

    kind = attachment.media_type.partition(";")[0].strip()
    return f"attachment{guess_extension(kind) or '.' + kind.rpartition('/')[2]}"


def readable(attachment: Attachment) -> str | None:
    """Returns the masked text of a text file, or `None` for an attachment of another kind."""
    kind = attachment.media_type.partition(";")[0].strip().lower()
    if not kind.startswith("text/") and kind not in _TEXTS:
        return None
    try:
        text = attachment.data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    from llmeval.secrets import mask  # scans the environment, which only a real request needs

    return mask(text)


def unsupported(attachment: Attachment, protocol: str, taken: str) -> EvaluatorError:
    """Returns the error for an attachment that a protocol does not take."""
    name = f" ({attachment.name})" if attachment.name else ""
    cure = "" if readable(attachment) is None else ": return its text, decoded, or grade over another protocol"
    return EvaluatorError(
        f"an attachment of type {attachment.media_type!r}{name} cannot be shown over {protocol}, which takes "
        f"{taken}{cure}"
    )
