"""The bottom of a terminal, redrawn in place below everything that is printed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Final

from llmeval.render.text import cell_width

__all__ = ["Screen", "reflows"]

_BEGIN: Final = "\x1b[?25l\x1b[?7l\r"
"""Hides the cursor and keeps lines from wrapping, should the terminal find one wider than we do..."""
_END: Final = "\x1b[?7h\x1b[?25h"
"""...for as long as one write takes: however the process ends, its terminal is as it was."""


def reflows(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the terminal wraps lines anew when it gets narrower, as nearly all do, or cuts them off."""
    name = environ.get("TERM", "")
    cuts = name.startswith(("linux", "rxvt", "vt")) or (name.startswith("screen") and "TMUX" not in environ)
    return not cuts and "XTERM_VERSION" not in environ


class Screen:
    """Draws a frame of lines at the bottom of the terminal at `descriptor`; what is printed goes above it.

    Rich's own live display counts the rows of its last frame as they were, not as a resized terminal wraps them, and
    hides the cursor for the whole run, also when the run is killed; hence this one.
    """

    def __init__(self, descriptor: int, environ: Mapping[str, str] = os.environ, encoding: str = "utf-8") -> None:
        self._descriptor = descriptor
        self._encoding = encoding
        self._reflows = reflows(environ)
        self._widths: list[int] = []
        self._columns = 0
        self._gone = False

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows at this moment."""
        try:
            columns, rows = os.get_terminal_size(self._descriptor)
        except OSError:
            return 80, 24
        return columns or 80, rows or 24

    def draw(self, frame: Sequence[tuple[str, str]], above: str = "", columns: int | None = None) -> None:
        """Replaces the frame by lines, given as plain text and as drawn, and prints `above` over it, as it is.

        `above` is empty or ends with a line feed. The frame must have been made for `columns`.
        """
        columns = self.size[0] if columns is None else columns
        parts = [_BEGIN, self._up(columns)]
        if above:
            parts += ["\x1b[J\x1b[?7h", above, "\x1b[?7l"]
        parts.append("\n".join(f"{drawn}\x1b[K" for _, drawn in frame))
        parts += ["\x1b[J" if frame or not above else "", _END]
        self._widths = [cell_width(plain) for plain, _ in frame]
        self._columns = columns
        self._write("".join(parts))

    def _up(self, columns: int) -> str:
        """The way from the end of the last frame to its start."""
        widths = self._widths
        wrapped = self._reflows and columns < self._columns
        rows = sum(max(1, -(-width // columns)) for width in widths) if wrapped else len(widths)
        return f"\x1b[{rows - 1}A" if rows > 1 else ""

    def _write(self, text: str) -> None:
        data = text.encode(self._encoding, "backslashreplace")
        while data and not self._gone:
            try:
                data = data[os.write(self._descriptor, data) :]
            except BlockingIOError:  # the application made the terminal non-blocking, which its descriptors share
                self._wait()
            except OSError:  # the terminal was closed: the run goes on
                self._gone = True

    def _wait(self) -> None:
        from select import select

        select([], [self._descriptor], [], 1.0)
