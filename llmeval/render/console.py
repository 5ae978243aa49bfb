"""What a stream can show, decided once: colours, cursor movement, characters beyond ASCII, and the width."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, TextIO

from llmeval.render.style import Look

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["echo", "is_interactive", "look_of", "rich_console"]


def is_interactive(stream: TextIO | None = None, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a live table may be drawn on `stream` (standard error): a terminal that moves its cursor, and no CI.

    `FORCE_COLOR` does not matter: it asks for colours, not for a terminal.
    """
    stream = sys.stderr if stream is None else stream
    moves = os.name == "posix" and environ.get("TERM") not in ("dumb", "unknown")
    return moves and _is_terminal(stream) and not _is_set("CI", environ)


def look_of(stream: TextIO | None = None, environ: Mapping[str, str] = os.environ) -> Look:
    """Returns how text is to look on `stream` (standard output)."""
    stream = sys.stdout if stream is None else stream
    return Look(width=_width(stream), color=_has_colors(stream, environ), unicode=_has_unicode(stream))


def rich_console(stream: TextIO, environ: Mapping[str, str] = os.environ) -> Console:
    """Returns Rich's console for a terminal; neither markup nor emoji codes mean anything to it."""
    from rich.console import Console

    return Console(
        file=stream,
        force_terminal=True,
        color_system="auto" if _has_colors(stream, environ) else None,
        markup=False,
        emoji=False,
        highlight=False,
    )


def echo(text: str, stream: TextIO | None = None) -> None:
    """Writes `text` and a line feed; what the stream cannot encode is written as escapes.

    Raises:
        BrokenPipeError: the reader went away.
    """
    stream = sys.stdout if stream is None else stream
    if stream is None:
        return  # the stream was closed before Python started
    if text and not text.endswith("\n"):
        text += "\n"
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()


def _is_set(name: str, environ: Mapping[str, str]) -> bool:
    return environ.get(name, "").lower() not in ("", "0", "false")


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except (AttributeError, ValueError):  # a stand-in without that method, or a closed stream
        return False


def _has_colors(stream: TextIO | None, environ: Mapping[str, str]) -> bool:
    if environ.get("NO_COLOR"):
        return False
    if _is_set("FORCE_COLOR", environ):
        return True
    return _is_terminal(stream) and environ.get("TERM") not in ("dumb", "unknown")


def _has_unicode(stream: TextIO | None) -> bool:
    try:
        "✓✗…·→█".encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _width(stream: TextIO | None) -> int:
    """The terminal's columns, or `COLUMNS`, or 100: a log is read on wide screens."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return max(int(columns), 20)
    try:
        found = os.get_terminal_size(stream.fileno() if stream else -1).columns
    except (OSError, ValueError):  # not a terminal, or not even a file
        return 100
    return max(found, 20) if found else 100  # a terminal that nobody told its size says 0
