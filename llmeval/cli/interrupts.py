"""Ctrl-C: the first ends the run in order, the second ends the process at once."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

from llmeval.runner import Run

__all__ = ["interruptible"]

STOPPING: Final = b"stopping: what is under way is torn down; interrupt again to end at once"

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def interruptible(run: Run, save: Callable[[], object]) -> Iterator[None]:
    """Lets SIGINT and SIGTERM end `run`; a second one calls `save` and exits with 130 without waiting for anything."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    seen = 0

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal seen
        seen += 1
        if seen > 1:
            _end(save)
        _say(STOPPING)
        run.interrupt()

    before = {number: signal.signal(number, interrupt) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(save: Callable[[], object]) -> None:
    with suppress(Exception):  # whatever it was, the process ends; the journal holds every finished trial
        save()
    if sys.stderr is not None and sys.stderr.isatty():
        _say(b"\x1b[?25h")
    os._exit(130)


def _say(line: bytes) -> None:
    """Writes past the stream, in whose midst the signal may have come."""
    with suppress(OSError):
        os.write(2, line + b"\n")
