"""Attachments: bytes with a media type, described by a digest, never opened from a path."""

import hashlib

import pytest

from llmeval.attachments import Attachment
from llmeval.errors import EvidenceError

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


@pytest.mark.parametrize(
    ("data", "name", "media_type"),
    [
        (PNG, None, "image/png"),
        (b"\xff\xd8\xff\xe0", None, "image/jpeg"),
        (b"GIF89a;", None, "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", None, "image/webp"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", None, "audio/wav"),
        (b"%PDF-1.7", "report.bin", "application/pdf"),
        (b"a,b\n1,2\n", "table.csv", "text/csv"),
        ("Füchse".encode(), None, "text/plain"),
        (b"\xff\xfe fox", None, "application/octet-stream"),
        (b"a\x00b", None, "application/octet-stream"),
    ],
)
def test_the_media_type_follows_from_the_bytes_and_then_the_name(
    data: bytes, name: str | None, media_type: str
) -> None:
    assert Attachment(data, name=name).media_type == media_type


def test_the_descriptor_has_name_type_size_and_digest_and_not_the_bytes() -> None:
    attachment = Attachment(PNG, name="crack.png")
    assert attachment.descriptor == {
        "name": "crack.png",
        "media_type": "image/png",
        "size": len(PNG),
        "sha256": hashlib.sha256(PNG).hexdigest(),
    }
    assert "x05" not in repr(attachment)


@pytest.mark.parametrize(
    ("url", "data", "media_type"),
    [
        ("data:image/png;base64,iVBORw==", b"\x89PNG", "image/png"),
        ("data:text/plain;charset=utf-8;base64,Zm94", b"fox", "text/plain"),
        ("data:,a%20fox", b"a fox", "text/plain"),
        ("data:;base64,Zm94", b"fox", "text/plain"),
    ],
)
def test_a_data_url_gives_its_bytes_and_its_type(url: str, data: bytes, media_type: str) -> None:
    attachment = Attachment(url)
    assert (attachment.data, attachment.media_type) == (data, media_type)


def test_an_attachment_gives_back_its_data_url() -> None:
    url = Attachment(PNG).data_url
    assert url.startswith("data:image/png;base64,")
    assert Attachment(url) == Attachment(PNG)


@pytest.mark.parametrize("text", ["/etc/hostname", "https://example.com/a.png", "", "file:///etc/hostname"])
def test_paths_and_addresses_are_never_opened(text: str) -> None:
    with pytest.raises(EvidenceError, match="never opened as paths or URLs"):
        Attachment(text)


def test_mistakes_say_what_was_found() -> None:
    with pytest.raises(EvidenceError, match="data is of type int"):
        Attachment(3)  # type: ignore[arg-type]
    with pytest.raises(EvidenceError, match="media type is 'png': give one such as 'image/png'"):
        Attachment(PNG, "png")
    with pytest.raises(EvidenceError, match="name is 7: give text, or none"):
        Attachment(PNG, name=7)  # type: ignore[arg-type]
    with pytest.raises(EvidenceError, match="data URL is not base64"):
        Attachment("data:image/png;base64,a")


def test_later_changes_to_a_buffer_do_not_show() -> None:
    buffer = bytearray(b"fox")
    attachment = Attachment(buffer)
    buffer[0:3] = b"cat"
    assert attachment.data == b"fox"
