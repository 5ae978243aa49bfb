"""A table that grows while a run goes on: finished trials stay, running ones and the progress are below them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from threading import Event as Flag
from threading import RLock, Thread
from typing import TYPE_CHECKING, Any, Final, Self, TextIO

from llmeval.events import Event, TrialFinished
from llmeval.render.board import Board, Line
from llmeval.render.console import look_of, rich_console
from llmeval.render.plain import PlainLines
from llmeval.render.printed import Capture, Printed
from llmeval.render.screen import Screen
from llmeval.render.style import STYLES

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["LiveTable"]

PAUSE: Final = 0.1
"""Seconds between two frames at least."""
IDLE: Final = 5
"""A frame is drawn after so many pauses even if nothing happened: clocks go on."""


class LiveTable:
    """A subscriber that draws a run on the terminal of `stream` (standard error); use it in a `with` block.

    Between start and `close`, what is printed on that terminal by way of file descriptors 1 and 2, also by threads,
    old streams and subprocesses, appears above the table. `breakpoint()` ends the table: plain lines go on.
    """

    def __init__(self, stream: TextIO | None = None, environ: Mapping[str, str] = os.environ) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._environ = environ
        self._lock = RLock()  # a signal handler in the drawing thread may close the table
        self._board = Board(look_of(self._stream, environ))
        self._plain: PlainLines | None = None
        self._descriptor = -1
        self._wake = Flag()
        self._idle = 0
        self._changed = True
        self._hook: Any = None

    def __enter__(self) -> Self:
        self._console: Console = rich_console(self._stream, self._environ)
        self._descriptor = os.dup(self._stream.fileno())
        self._screen = Screen(self._descriptor, self._environ, self._stream.encoding or "utf-8")
        self._printed = Printed()
        self._capture = Capture(_same_terminal(self._stream.fileno()))
        self._capture.start()
        self._hook, sys.breakpointhook = sys.breakpointhook, self._debug
        self._thread = Thread(target=self._refresh, name="llmeval-live-table", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __call__(self, event: Event) -> None:
        """Takes one event; a frame follows soon."""
        with self._lock:
            if self._plain is not None:
                self._plain(event)
                return
            if isinstance(event, TrialFinished):  # what a trial printed stands above its row
                self._board.print(self._printed.lines(self._capture.read_all()) + self._printed.end())
            self._board(event)
            self._changed = True

    def close(self) -> None:
        """Takes the frame off the screen and gives the terminal back; more calls do nothing.

        Whoever is to end the process at once calls this first.
        """
        self._wake.set()
        with self._lock:
            if self._descriptor < 0:
                return
            rest = self._capture.stop()
            sys.breakpointhook = self._hook
            self._board.print(self._printed.lines(rest) + self._printed.end() + "\n")  # and an empty line, to set off
            columns, _ = self._screen.size
            self._screen.draw([], self._above(columns), columns)
            os.close(self._descriptor)
            self._descriptor = -1

    def _refresh(self) -> None:
        while not self._wake.wait(PAUSE):
            with self._lock:
                if self._descriptor >= 0:
                    self._draw()

    def _draw(self) -> None:
        data = self._capture.read()
        self._board.print(self._printed.lines(data))
        self._idle += 1
        if data or self._changed or self._idle >= IDLE:
            columns, rows = self._screen.size
            frame = self._board.frame(columns, rows, self._printed.rest)
            above = self._above(columns)
            self._screen.draw([self._drawn(line) for line in frame], above, columns)
            self._changed, self._idle = False, 0

    def _above(self, columns: int) -> str:
        lines = self._board.above(columns)
        return "".join(f"{line if isinstance(line, str) else self._drawn(line)[1].rstrip()}\n" for line in lines)

    def _drawn(self, line: Line) -> tuple[str, str]:
        from rich.text import Text

        text = Text.assemble(*((cell.text, STYLES[cell.style][1]) for cell in line), no_wrap=True)
        with self._console.capture() as drawn:
            self._console.print(text, soft_wrap=True, end="")
        return text.plain, drawn.get()

    def _debug(self, *arguments: Any, **options: Any) -> Any:
        """Stands for `sys.breakpointhook`: a debugger needs the terminal for itself."""
        hook = self._hook
        self.close()
        self._plain = PlainLines(self._stream)
        if hook is sys.__breakpointhook__ and not self._environ.get("PYTHONBREAKPOINT"):
            from pdb import Pdb

            return Pdb().set_trace(sys._getframe(1))  # the caller's frame, not this one
        return hook(*arguments, **options)


def _same_terminal(descriptor: int) -> tuple[int, ...]:
    """Standard output and error, as far as they are the terminal that the table is drawn on."""
    try:
        terminal = os.fstat(descriptor).st_rdev
        return tuple(one for one in (1, 2) if os.isatty(one) and os.fstat(one).st_rdev == terminal)
    except OSError:  # standard output is closed
        return (2,) if descriptor == 2 else ()
