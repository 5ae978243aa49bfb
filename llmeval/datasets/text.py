"""A dataset file's text: UTF-8 with or without a byte-order mark, or a refusal that says what it is instead."""

from __future__ import annotations

import codecs
from pathlib import Path

from llmeval.errors import DatasetError

__all__ = ["read_text"]

OTHER_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
POINTERS = {"version https://git-lfs": ("Git LFS", "git lfs pull"), "/annex/objects/": ("git-annex", "git annex get")}


def read_text(path: Path, where: str) -> str:
    """Returns the text of `path` without its byte-order mark.

    Raises:
        DatasetError: there is no such file, it is not UTF-8 (with line and byte offset), or it stands for another file.
    """
    text = _decode(_read(path, where), where)
    for start, (tool, command) in POINTERS.items():
        if text.startswith(start):
            raise DatasetError(f"{where}, line 1: this is a {tool} pointer, not the dataset itself: run `{command}`")
    return text


def _read(path: Path, where: str) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise DatasetError(f"{where}: there is no such file") from None
    except IsADirectoryError:
        raise DatasetError(f"{where}: this is a folder, not a dataset file") from None
    except OSError as error:
        raise DatasetError(f"{where}: the file cannot be read: {error.strerror or error}") from error


def _decode(data: bytes, where: str) -> str:
    for mark, encoding in OTHER_MARKS.items():
        if data.startswith(mark):
            raise DatasetError(f"{where}, line 1, byte offset 0: the file is {encoding}, not UTF-8: save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        offset = error.start + len(data) - len(error.object)  # the codec counts from behind a mark that it skipped
        raise DatasetError(
            f"{_place(data, offset, where)}: byte 0x{data[offset]:02x} is not UTF-8 "
            "(the file looks like Latin-1 or Windows-1252): save it as UTF-8"
        ) from None
    offset = data.find(b"\0")
    if offset >= 0:
        raise DatasetError(
            f"{_place(data, offset, where)}: a zero byte, which no text holds "
            "(the file may be UTF-16 or binary): save it as UTF-8"
        )
    return text


def _place(data: bytes, offset: int, where: str) -> str:
    line = data.count(b"\n", 0, offset) + 1
    return f"{where}, line {line}, byte offset {offset}"
