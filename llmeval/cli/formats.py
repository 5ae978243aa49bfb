"""The forms that commands print in, on streams that may be gone or know no more than ASCII."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TextIO

from llmeval.errors import OptionError
from llmeval.render.console import echo

__all__ = ["check_format", "print_files", "print_json", "say"]


def check_format(format: str, known: Sequence[str]) -> None:
    """Refuses a form that a command does not have.

    Raises:
        OptionError: it lists those that it has.
    """
    if format not in known:
        raise OptionError(f"format is {format!r}: give {', '.join(known[:-1])} or {known[-1]}")


def print_json(data: Any) -> None:
    """Prints indented JSON on stdout."""
    echo(_encodable(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)))


def print_files(paths: Sequence[Path], *, several: bool) -> None:
    """Prints the JSON in files on stdout as it stands, without reading it as a whole; `several` as a list."""
    if sys.stdout is None:
        return
    try:
        for text in _joined(paths, several):
            sys.stdout.write(_encodable(text))
        sys.stdout.flush()
    except BrokenPipeError:
        _drop(sys.stdout)


def say(text: str, stream: TextIO | None = None) -> None:
    """Writes `text` and a line feed; when nobody reads the stream any more, whatever else is written there is dropped.

    So a run ends with the exit code that it has earned, also behind `| head`.
    """
    stream = sys.stdout if stream is None else stream
    if stream is None:
        return
    try:
        echo(text, stream)
    except BrokenPipeError:
        _drop(stream)


def _joined(paths: Sequence[Path], several: bool) -> Iterable[str]:
    yield "[\n" if several else ""
    for number, path in enumerate(paths):
        yield ",\n" if number else ""
        with path.open(encoding="utf-8") as file:
            yield from file
    yield "]\n" if several else ""


def _encodable(text: str) -> str:
    """Returns JSON text in which what stdout cannot encode is escaped, as JSON has it."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return "".join(char if char.isascii() else json.dumps(char)[1:-1] for char in text)
    return text


def _drop(stream: TextIO) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
