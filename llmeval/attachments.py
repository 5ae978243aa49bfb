"""Attachments: bytes that travel to an evaluator as an attachment, never as text."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, Final

from llmeval.errors import EvidenceError
from llmeval.jsonable import FrozenDict, Json

__all__ = ["Attachment", "descriptors"]

_DATA_URL = re.compile(r"data:([^;,]*)((?:;[^;,]*)*),", re.IGNORECASE)
_MEDIA_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+(\s*;.*)?")

_SIGNATURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"ID3", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
)
_RIFF: Final = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}


@dataclass(frozen=True, init=False)
class Attachment:
    """Bytes, their media type, and the name of the file if it has one.

    `data` may be given as bytes or as a data URL. A media type that is not given is the data URL's, or follows from the
    first bytes, the file's name, or from the bytes being UTF-8 text.

    Raises:
        EvidenceError: the data is text that is not a data URL (paths and other URLs are never opened), or the media
            type or the name is not one.
    """

    data: bytes = field(repr=False)
    media_type: str
    name: str | None

    def __init__(
        self, data: bytes | bytearray | memoryview | str, media_type: str | None = None, name: str | None = None
    ) -> None:
        if name is not None and not isinstance(name, str):
            raise EvidenceError(f"an attachment's name is {name!r}: give text, or none")
        if isinstance(data, str):
            data, stated = _data_url(data)
            media_type = media_type or stated
        elif not isinstance(data, (bytes, bytearray, memoryview)):
            raise EvidenceError(f"an attachment's data is of type {type(data).__name__}: give bytes or a data URL")
        content = data if type(data) is bytes else bytes(data)
        media_type = media_type or _media_type(content, name)
        if not isinstance(media_type, str) or not _MEDIA_TYPE.fullmatch(media_type):
            raise EvidenceError(f"an attachment's media type is {media_type!r}: give one such as 'image/png'")
        object.__setattr__(self, "data", content)
        object.__setattr__(self, "media_type", media_type)
        object.__setattr__(self, "name", name)

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of the bytes as 64 hexadecimal digits."""
        return sha256(self.data).hexdigest()

    @property
    def descriptor(self) -> Mapping[str, Json]:
        """What the report keeps, and what stands in the evidence where the attachment was: never the bytes."""
        return FrozenDict(
            {"name": self.name, "media_type": self.media_type, "size": len(self.data), "sha256": self.sha256}
        )

    @property
    def data_url(self) -> str:
        """The attachment as a data URL, as the providers take it."""
        return f"data:{self.media_type};base64,{b64encode(self.data).decode()}"


def descriptors(data: Json) -> Iterator[Json]:
    """Yields each attachment's descriptor in `data`."""
    if isinstance(data, dict):
        if _is_descriptor(data):
            yield data
        for item in data.values():
            yield from descriptors(item)
    elif isinstance(data, list):
        for item in data:
            yield from descriptors(item)


def _is_descriptor(data: Mapping[str, Any]) -> bool:
    digest = data.get("sha256")
    return data.keys() == {"name", "media_type", "size", "sha256"} and isinstance(digest, str) and len(digest) == 64


def _data_url(text: str) -> tuple[bytes, str | None]:
    found = _DATA_URL.match(text)
    if found is None:
        raise EvidenceError(
            f"an attachment's data is the text {text[:40]!r}, which is not a data URL: strings are never opened as "
            "paths or URLs, so read the file and give its bytes"
        )
    # The payload of a data URL may be many megabytes: it is decoded from the text itself, not from a copy of it.
    if found[2].lower().endswith(";base64"):
        try:
            return b64decode(memoryview(text.encode("ascii"))[found.end() :]), found[1] or None
        except ValueError as error:
            raise EvidenceError(f"an attachment's data URL is not base64 ({error}): give its bytes") from None
    from urllib.parse import unquote_to_bytes  # rare, and not loaded otherwise

    return unquote_to_bytes(text[found.end() :]), (found[1] + found[2]) or "text/plain"


def _media_type(data: bytes, name: str | None) -> str:
    for signature, media_type in _SIGNATURES:
        if data.startswith(signature):
            return media_type
    if data[:4] == b"RIFF" and data[8:12] in _RIFF:
        return _RIFF[data[8:12]]
    if name is not None:
        from mimetypes import guess_type  # reads the system's tables when first asked

        if guessed := guess_type(name)[0]:
            return guessed
    return "text/plain" if _is_text(data) else "application/octet-stream"


def _is_text(data: bytes) -> bool:
    if b"\0" in data:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
